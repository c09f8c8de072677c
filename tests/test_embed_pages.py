"""What `embed` prints, pasted into pages of every kind, built by the tools themselves and opened in Chromium.

Each page holds a film, a still and the player. The film must play, its tracks must have cues, the player must start,
and nothing may be asked of any other place.
"""

import shutil
import subprocess
import sys

import nbclient
import nbformat
import pypandoc
import pytest
from markdown_it import MarkdownIt
from nbconvert import HTMLExporter

from attnviz.commands import Folders, main
from attnviz.embed.snippets import SNIPPETS, Page, Still
from tests.browsing import needs_chromium, started
from tests.running import TESTS
from tests.serving import served
from tests.test_embed import HOSTILE, Tags, same, shown_with

pytestmark = [pytest.mark.slow, needs_chromium]
SCENE = "inputs_and_score"
HEAD = '<meta charset="utf-8"><link rel="icon" href="data:,"><title>A lesson</title>'
HTML = f'<!doctype html><html lang="en">{HEAD}<main style="max-width:50em;margin:auto">{{}}</main></html>'
KINDS = ((), ("--still", "together"), ("--inspect",))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder with the one scene, and one for its renders."""
    scenes = tmp_path_factory.mktemp("scenes")
    for ending in (".py", ".en.toml"):
        shutil.copy(TESTS / "player_scenes" / f"{SCENE}{ending}", scenes)
    return Folders(scenes, tmp_path_factory.mktemp("renders"))


@pytest.fixture(scope="module")
def browser():
    with started() as chromium:
        yield chromium


@pytest.fixture
def snippets(folders, capsys):
    """The three snippets for a target, with their files in `folder`."""
    def made(target, folder, *more):
        folder.parent.mkdir(parents=True, exist_ok=True)
        texts = []
        for kind in KINDS:
            if target == "iframe" and kind:
                continue
            capsys.readouterr()
            with pytest.raises(SystemExit) as end:
                main(["embed", SCENE, "-q", "l", "--for", target, "-o", str(folder), *kind, *more], folders)
            said = capsys.readouterr()
            assert end.value.code == 0, said.err
            texts.append(said.out)
        return texts

    return made


# --- a page of each kind: the folder that a web server hands out, and the page's address in it ----------------------


def html(work, made):
    (work / "page.html").write_text(HTML.format("\n".join(made("html", work / "films"))))
    return work, "page.html"


def commonmark(work, made):
    text = "# A lesson\n\n" + "\n\nBetween *two*.\n\n".join(made("markdown", work / "films")) + "\n\nAfter *it*."
    (work / "page.html").write_text(HTML.format(MarkdownIt("commonmark").render(text)))
    return work, "page.html"


def mkdocs(work, made, page="docs/part/lesson.md", seen="part/lesson/"):
    texts = made("mkdocs", work / "docs" / "films", "--page", str(work / page))
    (work / page).parent.mkdir(exist_ok=True)
    (work / "docs" / "index.md").write_text("# Home\n")
    (work / page).write_text("# A lesson\n\n" + "\n\nBetween *two*.\n\n".join(texts))
    # The theme fetches its highlighter from elsewhere, with or without us.
    (work / "mkdocs.yml").write_text("site_name: Lessons\ntheme:\n  name: mkdocs\n  highlightjs: false\n")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-q"], cwd=work, check=True)
    return work / "site", seen


def mkdocs_home(work, made):
    return mkdocs(work, made, "docs/index.md", "")


def mkdocs_beside(work, made):
    (work / "docs").mkdir()
    texts = made("mkdocs", work / "docs" / "films")
    (work / "docs" / "index.md").write_text("# Home\n")
    (work / "docs" / "lesson.md").write_text("# A lesson\n\n" + "\n\nBetween *two*.\n\n".join(texts))
    (work / "mkdocs.yml").write_text("site_name: Lessons\ntheme:\n  name: readthedocs\n  highlightjs: false\n")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-q"], cwd=work, check=True)
    return work / "site", "lesson/"


def sphinx(work, made):
    texts = made("sphinx", work / "_static" / "films")
    (work / "conf.py").write_text('project = "Lessons"\nhtml_static_path = ["_static"]\n')
    (work / "index.rst").write_text("A lesson\n========\n\n" + "\n\nBetween *two*.\n\n".join(texts))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(work), str(work / "built")]
    subprocess.run(command, check=True)
    return work / "built", "index.html"


def sphinx_below(work, made):
    (work / "part").mkdir()
    texts = made("sphinx", work / "_static" / "films", "--page", str(work / "part" / "lesson.rst"))
    (work / "conf.py").write_text('project = "Lessons"\nhtml_static_path = ["_static"]\n')
    (work / "index.rst").write_text("Lessons\n=======\n\n.. toctree::\n\n   part/lesson\n")
    (work / "part" / "lesson.rst").write_text("A lesson\n========\n\n" + "\n\nBetween *two*.\n\n".join(texts))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(work), str(work / "built")]
    subprocess.run(command, check=True)
    return work / "built", "part/lesson.html"


def jupyter(work, made):
    cells = [nbformat.v4.new_code_cell(text) for text in made("jupyter", work / "films")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(work)}}).execute()
    for path in (work / "films").iterdir():
        if path.suffix in (".mp4", ".png", ".vtt"):
            path.unlink()  # the notebook holds them
    outside = {f"{name}_url": "" for name in ("mathjax", "require_js", "jquery", "mermaid_js")}
    page, _ = HTMLExporter(**outside).from_notebook_node(notebook)
    (work / "page.html").write_text(page.replace("<head>", '<head><link rel="icon" href="data:,">'))
    return work, "page.html"


def quarto(work, made):
    """Quarto itself is in no package registry: pandoc, which reads its pages, is."""
    text = "---\ntitle: A lesson\nlang: en\n---\n\n" + "\n\nBetween *two*.\n\n".join(made("quarto", work / "films"))
    (work / "page.qmd").write_text(text)
    pandoc = [pypandoc.get_pandoc_path(), "page.qmd", "-f", "markdown", "-s", "-o", "page.html"]
    subprocess.run(pandoc, cwd=work, check=True)
    return work, "page.html"


def moodle(work, made):
    """As Moodle shows it: the mark in the text becomes the address of the uploaded files."""
    text = "\n".join(made("moodle", work / "films")).replace("@@PLUGINFILE@@", "films")
    (work / "page.html").write_text(HTML.format(text))
    return work, "page.html"


def iframe(work, made):
    (work / "page.html").write_text(HTML.format("\n".join(made("iframe", work / "films"))))
    return work, "page.html"


BUILDERS = [html, commonmark, mkdocs, mkdocs_home, mkdocs_beside, sphinx, sphinx_below, jupyter, quarto, moodle, iframe]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda build: build.__name__)
def test_a_page_plays_the_film(browser, snippets, tmp_path, build):
    root, path = build(tmp_path, snippets)
    with served(root) as address:
        page, complaints = opened(browser, address)
        page.goto(address + path)
        page.screenshot(path=tmp_path / "page.png", full_page=True)
        if build is not iframe:
            plays(page)
            tells(page)
            shows_a_still(page)
        if build is not moodle:
            holds_the_player(page)
        page.screenshot(path=tmp_path / "played.png", full_page=True)
        page.context.close()
    assert complaints == []


def opened(browser, address):
    """A new page, and a list of what it complains of and of what it asks of other places."""
    complaints = []
    page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type in ("error", "warning") else None)
    page.on("response", lambda answer: complaints.append(answer.url) if answer.status >= 400 else None)
    inside = (address, "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(inside) else complaints.append(asked.url))
    return page, complaints


def plays(page):
    video = page.locator("video").first
    page.wait_for_function("document.querySelector('video').readyState >= 1")
    box = video.bounding_box()
    assert 500 < box["width"] <= 854 and abs(box["width"] / box["height"] - 854 / 480) < 0.02
    assert video.evaluate("video => [video.paused, video.controls, video.videoWidth, video.networkState]")[:3] == [
        True, True, 854]
    assert video.evaluate("video => video.canPlayType(video.querySelector('source').type)") == "probably"
    video.evaluate("video => { video.muted = true; return video.play(); }")
    page.wait_for_function("document.querySelector('video').currentTime > 0.3")
    video.evaluate("video => { video.pause(); video.currentTime = 0.2; }")


def tells(page):
    cues = page.evaluate("""async () => {
        const tracks = [...document.querySelector('video').textTracks];
        for (const track of tracks) if (track.mode === 'disabled') track.mode = 'hidden';
        for (let turn = 0; turn < 50 && tracks.some((track) => !track.cues?.length); turn += 1)
            await new Promise((done) => setTimeout(done, 50));
        return tracks.map((track) => [track.kind, track.mode, ...[...track.cues].map((cue) => cue.text)]);
    }""")
    assert cues == [["captions", "showing", "A row, a row, and their product."], ["chapters", "hidden", "One score"]]
    links = page.eval_on_selector_all("a", "links => links.map((link) => link.href)")
    assert any(link.endswith(".mp4") for link in links)


def shows_a_still(page):
    # The poster is no element, so the still is the only picture with these words.
    # Pandoc knows Quarto's fig-alt as any other attribute.
    still = page.locator("img[alt*='keys as a grid of'], img[data-fig-alt*='keys as a grid of']")
    still.scroll_into_view_if_needed()
    assert still.evaluate("async picture => { await picture.decode(); return picture.naturalWidth; }") == 854


def holds_the_player(page):
    frame = page.locator("iframe").first
    frame.scroll_into_view_if_needed()
    page.frame_locator("iframe").locator("body[data-step]").wait_for()
    box = frame.bounding_box()
    assert 500 < box["width"] <= 854 and abs(box["width"] / box["height"] - 854 / 480) < 0.02
    frame.focus()
    page.keyboard.press("ArrowRight")
    page.frame_locator("iframe").locator("body[data-step='1']").wait_for()


def test_a_browser_takes_av1_where_it_can(browser, folders, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["embed", SCENE, "-q", "l", "--av1", "-o", str(tmp_path / "films")], folders)
    (tmp_path / "page.html").write_text(HTML.format(capsys.readouterr().out))
    with served(tmp_path) as address:
        page, complaints = opened(browser, address)
        page.goto(address + "page.html")
        plays(page)
        assert page.evaluate("document.querySelector('video').currentSrc").endswith(".av1.mp4")
        page.context.close()
    assert complaints == []


def test_autoplay_starts_and_keeps_its_controls(browser, folders, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["embed", SCENE, "-q", "l", "--autoplay", "-o", str(tmp_path / "films")], folders)
    (tmp_path / "page.html").write_text(HTML.format(capsys.readouterr().out))
    with served(tmp_path) as address:
        page, complaints = opened(browser, address)
        page.goto(address + "page.html")
        page.wait_for_function("document.querySelector('video').currentTime > 0.2")
        assert page.evaluate("(video => video.muted && video.loop && video.controls)(document.querySelector('video'))")
        page.context.close()
    assert complaints == []


def test_quarto_can_put_all_into_one_file(snippets, tmp_path):
    quarto(tmp_path, snippets)
    pandoc = [pypandoc.get_pandoc_path(), "page.qmd", "-f", "markdown", "-s", "--embed-resources", "-o", "one.html"]
    subprocess.run(pandoc, cwd=tmp_path, check=True)
    text = (tmp_path / "one.html").read_text()
    assert 'src="data:video/mp4;base64,' in text and 'kind="captions" src="data:text/vtt' in text


@pytest.mark.parametrize("words", HOSTILE)
def test_pandoc_sees_just_the_words(words):
    shown = shown_with(words)
    for target in ("quarto", "markdown"):
        tags = Tags(pandoc("\n".join(SNIPPETS[target](shown, Page("a", "a"), None, False))))
        assert same(tags.text, words) and same(tags.all("video")[0]["aria-label"], words)
        assert {name for name, _, _ in tags.found} <= {
            "figure", "video", "source", "track", "a", "figcaption", "span", "br"}
    picture = Tags(pandoc("\n".join(SNIPPETS["quarto"](shown, Page("a", "a"), Still("b.png", words), False))))
    assert same(picture.all("img")[0]["data-fig-alt"], words) and same(picture.text, words)
    assert {name for name, _, _ in picture.found} <= {"figure", "img", "figcaption"}


def pandoc(text):
    """What pandoc makes of a text of Quarto's, without a page around it."""
    command = [pypandoc.get_pandoc_path(), "-f", "markdown-smart", "-t", "html5"]  # smart: curly quotes
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
