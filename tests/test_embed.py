"""`embed`: what is written beside a page, what is printed to paste into it, and whose files are left alone."""

import ast
import io
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import av
import docutils.core
import markdown
import numpy as np
import pytest
import webvtt
from markdown_it import MarkdownIt

from attnviz.commands import Folders, main
from attnviz.commands.embed import TARGETS, _with_references
from attnviz.embed.choice import Choice
from attnviz.embed.encoded import mime, write_av1
from attnviz.embed.folder import LIST
from attnviz.embed.markup import Shown
from attnviz.embed.place import page_for
from attnviz.embed.snippets import EMBEDDED, SNIPPETS, Page, Still
from attnviz.embed.words import checked_url, html_text, one_line
from attnviz.errors import InputError
from tests.running import TESTS, everything_in

WEB = [target for target in TARGETS if target not in ("jupyter", "iframe")]
VOID = {"source", "track", "br", "img", "meta"}
HOSTILE = [
    "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; alert(1) //", "`code` ``` ~~~",
    "{{ 7*7 }} {% x %}", "{{< include /etc/passwd >}}", "]] [a](javascript:alert(1)) ![x](y)", "a\n\nb\n# c\n- d",
    "--> <!-- -->", "*a* _b_ __c__ ~~d~~", "\\ \\n \\\" \\x41", "&lt; &#60; &amp;lt;", "$x$ $$y$$ @cite ^a^ | b |",
    "1. one", ":math:`x` |s|_ .. raw:: html", "\0\x1b[31m\u2028\x85", "'''\"\"\" + f(x)", "<|endoftext|> 日本 ﷽ 👩‍🔬",
]


class Tags(HTMLParser):
    """Tags with their attributes, in order, and all text; AssertionError where they do not nest."""

    def __init__(self, text):
        super().__init__()
        self.found, self.text, self.open = [], "", []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), [*self.open]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def all(self, tag):
        return [attributes for name, attributes, _ in self.found if name == tag]


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    """A folder with two scenes, as only what lies beside a scene counts, and one with their finished renders."""
    folders = Folders(tmp_path_factory.mktemp("scenes"), tmp_path_factory.mktemp("renders"))
    for scene in ("tiny_scene", "inputs_and_score"):
        for ending in (".py", ".en.toml"):
            (path,) = TESTS.rglob(f"{scene}{ending}")
            shutil.copy(path, folders.scenes)
        assert run(folders, "render", scene, "-q", "l") == 0
    return folders


@pytest.fixture
def renders(lesson):
    return lesson.renders


def run(folders, *arguments):
    """Run one command here; its exit code."""
    with pytest.raises(SystemExit) as end:
        main(arguments, folders)
    return end.value.code


@pytest.fixture
def embedded(lesson, capsys):
    """Embed a scene in the smallest quality; what is printed."""
    def embed(*arguments, scene="tiny_scene", code=0):
        capsys.readouterr()
        assert run(lesson, "embed", scene, "-q", "l", *arguments) == code, capsys.readouterr().err
        said = capsys.readouterr()
        embed.said = said.err
        return said.out

    return embed


def held(text):
    """The tags that a snippet holds, of whichever target: those of a notebook as its cell makes them."""
    text = text.partition(".. raw:: html")[2] or text
    return Tags(text.replace("```{=html}", "").replace("```", ""))


# --- what lies beside -----------------------------------------------------------------------------------------------


def test_all_that_a_page_needs_is_written(embedded, renders, tmp_path):
    embedded("-o", str(tmp_path / "films"))
    names = {"tiny_scene.mp4", "poster.png", "tiny_scene.en.vtt", "tiny_scene.chapters.vtt", "transcript.html", LIST}
    assert set(everything_in(tmp_path / "films")) == names
    film = (tmp_path / "films" / "tiny_scene.mp4").read_bytes()
    assert film == (renders / "tiny_scene" / "tiny_scene.mp4").read_bytes()
    assert film.index(b"moov") < film.index(b"mdat")


def test_captions_and_chapters_are_the_beats(embedded, tmp_path):
    embedded("-o", str(tmp_path / "films"))
    for name in ("en", "chapters"):
        cues = webvtt.read(tmp_path / "films" / f"tiny_scene.{name}.vtt")
        assert [(cue.start, cue.text) for cue in cues] == [
            ("00:00:00.000", "The square comes."), ("00:00:00.600", "The square turns.")]


@pytest.mark.parametrize(("name", "said"), [("en", "A row, a row, and their product."), ("chapters", "One score")])
def test_a_chapter_is_a_title_and_a_caption_is_a_caption(embedded, tmp_path, name, said):
    embedded("-o", str(tmp_path / "films"), scene="inputs_and_score")
    assert [cue.text for cue in webvtt.read(tmp_path / "films" / f"inputs_and_score.{name}.vtt")] == [said]


def test_the_transcript_says_what_is_said_and_seen(embedded, renders, tmp_path):
    embedded("-o", str(tmp_path / "films"), scene="inputs_and_score")
    text = Tags((tmp_path / "films" / "transcript.html").read_text(encoding="utf-8")).text
    assert "A row, a row, and their product." in text and "queries as a grid of" in text and "0:00 One score" in text


def test_the_player_lies_beside_the_page(embedded, tmp_path):
    printed = embedded("--inspect", "-o", str(tmp_path / "films"), scene="inputs_and_score")
    assert set(everything_in(tmp_path / "films")) >= {"player.html", "transcript.html"}
    assert "inputs_and_score.mp4" not in everything_in(tmp_path / "films")
    (frame,) = held(printed).all("iframe")
    assert frame["src"] == "films/player.html" and frame["allow"] == "fullscreen" and frame["title"] == "A dot product"
    assert "aspect-ratio:854/480" in frame["style"]
    assert embedded("--for", "iframe", "-o", str(tmp_path / "films"), scene="inputs_and_score") == printed


def test_a_second_film_in_av1(embedded, tmp_path):
    printed = embedded("--av1", "-o", str(tmp_path / "films"))
    first, second = held(printed).all("source")
    assert first["src"].endswith(".av1.mp4") and re.fullmatch(r'video/mp4; codecs="av01\.0\.\d\dM\.08"', first["type"])
    films = []
    for source in (first, second):
        with av.open(tmp_path / source["src"]) as film:
            chapters, stream = film.chapters(), film.streams.video[0]
            look = [stream.codec_context.color_primaries, stream.codec_context.colorspace, stream.average_rate]
            frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in film.decode(video=0)]
            films.append((frames, look, [(c["metadata"], float(c["start"] * c["time_base"])) for c in chapters]))
    (new, *others), (old, *wanted) = films
    assert others == wanted and len(new) == len(old)
    assert max(np.abs(a - b).mean() for a, b in zip(new, old, strict=True)) < 2


def test_sound_stays_with_the_second_film(lesson, tmp_path):
    """And no encoding is named then: the name would have to tell the sound's too."""
    with av.open(lesson.renders / "tiny_scene" / "tiny_scene.mp4") as film, av.open(tmp_path / "s.mp4", "w") as target:
        stream, voice = target.add_stream_from_template(film.streams.video[0]), target.add_stream("aac", rate=44100)
        for packet in film.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
        for number in range(40):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            frame.rate, frame.pts = 44100, 1024 * number
            target.mux(voice.encode(frame))
        target.mux(voice.encode(None))
    write_av1(tmp_path / "s.mp4", tmp_path / "s.av1.mp4", 15)
    with av.open(tmp_path / "s.av1.mp4") as film:
        assert 0.8 < sum(frame.samples for frame in film.decode(audio=0)) / 44100 < 1.1
    assert mime(tmp_path / "s.av1.mp4") == mime(tmp_path / "s.mp4") == "video/mp4"


def test_a_still_is_the_last_frame_of_its_beat(embedded, renders, tmp_path):
    printed = embedded("--still", "comes", "-o", str(tmp_path / "films"))
    assert set(everything_in(tmp_path / "films")) == {"tiny_scene-comes.png", LIST}
    with av.open(renders / "tiny_scene" / "tiny_scene.mp4") as film:
        frames = [frame.to_ndarray(format="rgb24", src_colorspace="ITU709", dst_colorspace="ITU709")
                  for frame in film.decode(video=0)]
    with av.open(tmp_path / "films" / "tiny_scene-comes.png") as image:
        still = next(image.decode(video=0)).to_ndarray(format="rgb24")
    near = [number for number, frame in enumerate(frames) if np.abs(frame.astype(int) - still).mean() < 0.2]
    assert 8 in near and max(near) == 8  # 0.6 s at 15 frames a second; from then on it turns green
    (picture,) = held(printed).all("img")
    assert picture["alt"].startswith("The square comes.") and picture["width"] == "854"


def test_a_still_says_what_it_shows(embedded, tmp_path):
    (tmp_path / "_static").mkdir()
    folder = str(tmp_path / "_static" / "s")
    printed = embedded("--still", "1", "--for", "sphinx", "-o", folder, scene="inputs_and_score")
    tree = docutils.core.publish_doctree(printed, settings_overrides={"report_level": 5})
    (image,) = tree.findall(docutils.nodes.image)
    assert image["uri"] == "_static/s/inputs_and_score-together.png" and "keys as a grid of" in image["alt"]


# --- what is printed ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", WEB)
def test_every_file_that_a_page_asks_for_is_there(embedded, tmp_path, target):
    folder = tmp_path / ("_static" if target == "sphinx" else ".") / "films"
    folder.parent.mkdir(exist_ok=True)
    tags = held(embedded("--for", target, "-o", str(folder)))
    named = [value for _, attributes, _ in tags.found for key, value in attributes.items()
             if key in ("src", "href", "poster")]
    start = {"moodle": "@@PLUGINFILE@@/", "mkdocs": "../films/", "sphinx": "_static/films/"}.get(target, "films/")
    assert len(named) >= 6 and all(name.startswith(start) for name in named)
    assert all((folder / name.removeprefix(start)).is_file() for name in named)


def test_the_film_waits_until_it_is_asked(embedded, tmp_path):
    (video,) = held(embedded("-o", str(tmp_path / "films"))).all("video")
    assert {"controls", "playsinline"} <= set(video) and video["preload"] == "metadata"
    assert (video["width"], video["height"]) == ("854", "480") and not {"autoplay", "muted", "loop"} & set(video)
    (video,) = held(embedded("-o", str(tmp_path / "films"), "--autoplay")).all("video")
    assert {"controls", "playsinline", "autoplay", "muted", "loop"} <= set(video)


@pytest.mark.parametrize("target", TARGETS)
def test_no_picture_inside_of_a_film_and_no_empty_or_indented_line(target):
    shown = Shown("a", "A", 854, 480, [("a.mp4", "video/mp4", 9)], told=["<p>x</p>"])
    lines = SNIPPETS[target](shown, Page("a", "a"), None, target == "iframe")
    assert not any("<img" in line for line in lines)
    if target not in ("sphinx", "jupyter"):
        assert all(line == line.strip() != "" for line in lines)


def test_moodle_is_given_only_tags_that_its_cleaning_keeps():
    shown = Shown("a", "A", 854, 480, [("a.mp4", "video/mp4", 9)])
    for still, is_player in ((None, False), (None, True), (Still("a.png", "A"), False)):
        tags = Tags("\n".join(SNIPPETS["moodle"](shown, Page("a", "a"), still, is_player)))
        kept = {"div", "video", "source", "track", "a", "p", "strong", "br", "img"}
        assert {name for name, _, _ in tags.found} <= kept


def test_burnt_captions_are_not_shown_twice(embedded, tmp_path):
    tracks = held(embedded("-o", str(tmp_path / "films"))).all("track")
    assert "default" in tracks[0] and "default" not in tracks[1]
    tracks = held(embedded("-o", str(tmp_path / "films"), "--burn-captions")).all("track")
    assert "default" not in tracks[0]


@pytest.mark.parametrize(
    ("target", "folder", "page", "seen"),
    [
        ("html", "docs/films", None, "films"), ("html", "docs/films", "docs/part/a.html", "../films"),
        ("mkdocs", "docs/films", None, "../films"), ("mkdocs", "docs/films", "docs/a.md", "../films"),
        ("mkdocs", "docs/films", "docs/index.md", "films"), ("mkdocs", "docs/films", "docs/part/a.md", "../../films"),
        ("mkdocs", "docs/films", "docs/part/README.md", "../films"), ("sphinx", "out", None, "_static/out"),
        ("sphinx", "docs/_static/films", None, "_static/films"),
        ("sphinx", "docs/_static/a/b", "docs/part/a.rst", "../_static/a/b"), ("moodle", "out", None, "@@PLUGINFILE@@"),
    ],
)  # fmt: skip
def test_paths_count_from_the_page(target, folder, page, seen):
    assert page_for(Choice(target, page=Path(page) if page else None), Path(folder)).seen == seen


def test_a_folder_of_a_strange_name_is_named_as_an_address(embedded, tmp_path):
    tags = held(embedded("-o", str(tmp_path / "my films {{ö}} \"x' `#?")))
    assert tags.all("video")[0]["poster"] == "my%20films%20%7B%7B%C3%B6%7D%7D%20%22x%27%20%60%23%3F/poster.png"
    embedded("-o", str(tmp_path / "two\nlines"), code=2)


def test_only_the_snippet_is_on_stdout(embedded, tmp_path):
    assert embedded("-o", str(tmp_path / "films")).startswith("<figure")
    assert str(tmp_path / "films") in embedded.said
    embedded("--for", "moodle", "-o", str(tmp_path / "films"))
    assert "tiny_scene.mp4" in embedded.said and LIST not in embedded.said


def test_letters_that_stdout_lacks_are_references(monkeypatch):
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert _with_references("<b>√d</b>") == "<b>&#8730;d</b>"


def test_targets_are_those_that_there_are_snippets_for():
    assert list(TARGETS) == list(SNIPPETS)


# --- somebody's words -----------------------------------------------------------------------------------------------


def shown_with(words):
    return Shown("a", words, 854, 480, [("a.mp4", 'video/mp4; codecs="avc1.42c01f"', 9)])


def same(found, words):
    """Whether a reader sees the words, as one line; what stands for control characters is the readers' own matter."""
    def ironed(text):
        return re.sub(r"[\x00-\x20\ufffd\u2028\x85\xa0]+", " ", text).strip()

    return ironed(words) in ironed(found)


def html_from(target, lines):
    """What readers of a target make of a snippet, one by one."""
    text = "\n".join(lines)
    if target in ("markdown", "mkdocs"):
        return [MarkdownIt("commonmark").render(text), MarkdownIt("gfm-like", {"linkify": False}).render(text),
                markdown.markdown(text), markdown.markdown(text, extensions=["extra", "toc", "smarty"])]
    if target == "sphinx":
        settings = {"report_level": 1, "halt_level": 1}
        return [docutils.core.publish_parts(text, writer="html5", settings_overrides=settings)["body"]]
    if target == "jupyter":
        return ["\n".join(_held_text(text))]
    return [text.removeprefix("```{=html}").removesuffix("```")]


def _held_text(cell):
    """The lines that a cell puts together, with nothing in place of the files that it holds."""
    for line in ast.parse(cell).body[-1].value.args[0].args[0].elts:
        yield eval(compile(ast.Expression(line), "cell", "eval"), {"held": lambda name, kind: ""})


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("target", TARGETS)
def test_a_title_stays_a_title(target, words):
    plain = SNIPPETS[target](shown_with("plain"), Page("a", "a"), None, target == "iframe")
    lines = SNIPPETS[target](shown_with(words), Page("a", "a"), None, target == "iframe")
    for page, wanted in zip(html_from(target, lines), html_from(target, plain), strict=True):
        tags = Tags(page)
        assert [name for name, _, _ in tags.found] == [name for name, _, _ in Tags(wanted).found]
        assert same(tags.text, words)
        labels = [a.get("aria-label") or a.get("title") for name, a, _ in tags.found if name in ("video", "iframe")]
        assert target == "moodle" or all(same(label, words) for label in labels)


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("target", [target for target in TARGETS if target not in ("iframe", "quarto")])
def test_a_still_says_just_its_words(target, words):
    lines = SNIPPETS[target](shown_with(words), Page("a", "a"), Still("a-b.png", words), False)
    for page in html_from(target, lines):
        tags = Tags(page)
        (picture,) = tags.all("img")
        assert same(picture["alt"], words) and picture["src"] == ("" if target == "jupyter" else "a/a-b.png")
        assert {name for name, _, _ in tags.found} <= {"figure", "figcaption", "img", "p", "span"}


@pytest.mark.parametrize("words", HOSTILE)
def test_templates_find_nothing_to_fill_in(words):
    printed = html_text(words)
    assert not re.search(r"[{}`<>\"\n\0]", printed) and one_line(printed) == printed


def test_the_words_of_a_scene_are_safe_in_every_file(embedded, tmp_path):
    printed = embedded("--case", "hostile", "-o", str(tmp_path / "films"))
    assert {name for name, _, _ in held(printed).found} <= {
        "figure", "video", "source", "track", "a", "figcaption", "span", "br", "details", "summary", "p", "strong"}
    page = (tmp_path / "films" / "transcript.html").read_text(encoding="utf-8")
    assert "<script" not in page and Tags(page).text.count('alert("x")') >= 3
    assert len(webvtt.read(tmp_path / "films" / "tiny_scene.chapters.vtt")) == 2


# --- a film elsewhere -----------------------------------------------------------------------------------------------


def test_a_film_elsewhere_is_not_copied(embedded, tmp_path):
    tags = held(embedded("--src", "https://example.org/a.mp4?b=1&c=2", "-o", str(tmp_path / "films")))
    assert not list((tmp_path / "films").glob("*.mp4")) and (tmp_path / "films" / "tiny_scene.en.vtt").is_file()
    assert tags.all("source") == [{"src": "https://example.org/a.mp4?b=1&c=2", "type": "video/mp4"}]
    embedded("--src", "https://example.org/p.html", "--inspect", "-o", str(tmp_path / "player"))
    assert not (tmp_path / "player" / "player.html").exists()


@pytest.mark.parametrize("url", [
    "https://a.org/x.mp4", "http://a.org:80/x", "films/x.mp4", "../x.mp4", "/x.mp4", "x.mp4?a:b",
])  # fmt: skip
def test_addresses_that_are_taken(url):
    assert checked_url(url) == url


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)", "data:text/html,x",
    "//evil.org/x.mp4", "file:///etc/passwd", "https://", "https:///x", "http://[x", "a b.mp4", "\\\\host\\x",
    "https:\\\\a.org", "ftp://a.org/x", "x:y.mp4", "1:y.mp4",
    "https://user:secret@a.org/x", "vbscript:x", "a\0b", "x" * 3000, "blob:https://a/b", "?x", "https://a.org/\u202e4pm.mp4",
])  # fmt: skip
def test_addresses_that_are_refused(url):
    with pytest.raises(InputError, match=r"^--src .{5,200}$"):
        checked_url(url)


# --- whose files are left alone -------------------------------------------------------------------------------------


def test_what_was_embedded_before_stays(embedded, tmp_path):
    embedded("-o", str(tmp_path / "films"))
    embedded("--still", "1", "-o", str(tmp_path / "films"))
    embedded("--still", "turns", "-o", str(tmp_path / "films"))
    assert {"tiny_scene.mp4", "tiny_scene-comes.png", "tiny_scene-turns.png"} <= set(everything_in(tmp_path / "films"))


def strangers():
    def with_a_note(folder):
        (folder / "notes.txt").write_text("mine")

    def with_a_changed_file(folder):
        (folder / "transcript.html").write_text("mended by hand")

    def with_a_folder(folder):
        (folder / "more").mkdir()

    def with_a_list_that_names_more(folder):
        (folder / "thesis.tex").write_text("mine")
        listed = json.loads((folder / LIST).read_text())
        from attnviz.render.manifest import sha256
        listed["files"]["thesis.tex"] = sha256(folder / "thesis.tex")
        (folder / LIST).write_text(json.dumps(listed))

    def without_a_list(folder):
        (folder / LIST).unlink()

    def with_a_link(folder):
        (folder / "poster.png").rename(folder.parent / "poster.png")
        (folder / "poster.png").symlink_to(folder.parent / "poster.png")

    def of_another_scene(folder):
        listed = json.loads((folder / LIST).read_text())
        for name in [name for name in listed["files"] if name.startswith("tiny_scene")]:
            (folder / name).unlink()
            del listed["files"][name]
        (folder / LIST).write_text(json.dumps({**listed, "embedded": "another"}))

    return [of_another_scene, with_a_note, with_a_changed_file, with_a_folder, with_a_list_that_names_more,
            without_a_list, with_a_link]


@pytest.mark.parametrize("change", strangers(), ids=lambda change: change.__name__)
def test_a_folder_with_something_strange_in_it_is_refused(embedded, tmp_path, change):
    embedded("-o", str(tmp_path / "films"))
    change(tmp_path / "films")
    before = everything_in(tmp_path)
    embedded("-o", str(tmp_path / "films"), code=2)
    assert everything_in(tmp_path) == before
    assert embedded.said.count("\n") == 1 and "name another folder with -o" in embedded.said


def test_the_folder_of_another_scene_or_of_a_render_is_refused(embedded, renders, tmp_path):
    embedded("-o", str(tmp_path / "films"))
    embedded("-o", str(tmp_path / "films"), scene="inputs_and_score", code=2)
    embedded("-o", str(renders / "tiny_scene"), code=2)


def test_a_folder_that_cannot_be_is_refused_before_anything_is_rendered(embedded, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    for folder in (tmp_path / "notes", tmp_path / "no" / "such"):
        embedded("--case", "noise", "--seed", "5", "-o", str(folder), code=2)
        assert "rendering" not in embedded.said


def test_a_render_that_fails_leaves_all_as_it_was(embedded, tmp_path):
    embedded("-o", str(tmp_path / "films"))
    before = everything_in(tmp_path)
    embedded("-o", str(tmp_path / "films"), "--case", "boom", code=1)
    assert everything_in(tmp_path) == before


def test_what_fails_halfway_leaves_all_as_it_was(embedded, tmp_path, monkeypatch):
    embedded("-o", str(tmp_path / "films"))
    before = everything_in(tmp_path)

    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("attnviz.embed.files.transcript_page", full)
    embedded("-o", str(tmp_path / "films"), code=1)
    assert everything_in(tmp_path) == before and "No space left" in embedded.said


@pytest.mark.parametrize(("arguments", "said"), [
    (("--still", "nowhere"), "has no beat"), (("--still", "comes..turns"), "names several beats"),
    (("--still", ".."), "names several beats"),
    (("--still", "1", "--av1"), "leave --av1 out"), (("--still", "1", "--for", "iframe"), "use --for html"),
    (("--inspect", "--autoplay"), "leave --autoplay out"), (("--src", "x.mp4", "--av1"), "give one of them"),
    (("--src", "javascript:1"), "http or https"), (("-o", "/nowhere/at/all"), "is not a folder"),
    (("--for", "gopher"), "is not one of"),
])  # fmt: skip
def test_wishes_that_cannot_be(embedded, arguments, said):
    assert embedded(*arguments, code=2) == ""
    assert said in embedded.said and embedded.said.count("\n") == 1


def test_a_large_film_stays_beside_the_notebook():
    sizes = [Shown("a", "A", 854, 480, [("a.mp4", "video/mp4", size)]) for size in (EMBEDDED, EMBEDDED + 1)]
    small, large = (SNIPPETS["jupyter"](shown, Page("f", "f"), None, False) for shown in sizes)
    assert "\n".join(small).count("held('a.mp4'") == 1 and not any("held('a.mp4'" in line for line in large)
    assert any('<source src="f/a.mp4"' in line for line in large) and any("held('a.en.vtt'" in line for line in large)
