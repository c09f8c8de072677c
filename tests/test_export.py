"""Exports of a render: what is in each file, as another program reads it; and that nothing of anybody's is lost."""

import base64
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from pptx import Presentation

from attnviz.errors import RenderError
from tests.browsing import SCENES, needs_chromium, picture_of
from tests.running import everything_in, run_here

pytestmark = pytest.mark.xdist_group("export")
HOSTILE = "#panic() $x$ \"\\", "</svg><script>alert(1)</script>", "*a*_b_", "@x<y>"


@pytest.fixture(scope="module")
def renders(tmp_path_factory):
    """A folder with a finished render of the two questions."""
    folder = tmp_path_factory.mktemp("renders")
    assert run_here(folder, "render", "two_questions", "-q", "l", scenes=SCENES) == 0
    return folder


@pytest.fixture(scope="module")
def film(renders):
    return frames(renders / "two_questions" / "two_questions.mp4")


@pytest.fixture(scope="module")
def beats(renders):
    """First and last frame of each beat."""
    score = json.loads((renders / "two_questions" / "score.json").read_text())
    return [(round(beat["start"] * 15), round(beat["end"] * 15)) for beat in score["beats"]]


def export(renders, target, *arguments, scene="two_questions"):
    return run_here(renders, "export", scene, "-q", "l", "-o", str(target), *arguments, scenes=SCENES)


def frames(path):
    with av.open(path) as opened:
        return [picture_in(frame) for frame in opened.decode(video=0)]


def picture_in(frame):
    exact = frame.reformat(format="gbrpf32le", src_colorspace="ITU709", dst_colorspace="ITU709").to_ndarray()
    return np.rint(np.clip(exact, 0, 1) * 255).astype(int)


def near(one, other, levels):
    return one.shape == other.shape and float(np.abs(one.astype(int) - other).mean()) < levels


def test_mp4_is_the_beats_as_they_are(renders, film, beats, tmp_path):
    assert export(renders, tmp_path / "x.mp4", "--to", "mp4", scene="two_questions:2..3") == 0
    found = frames(tmp_path / "x.mp4")
    assert len(found) == beats[2][1] - beats[1][0]
    assert all(np.array_equal(one, other) for one, other in zip(found, film[beats[1][0]:], strict=False))


@pytest.mark.parametrize(("target", "codec"), [("av1", "libdav1d"), ("webm", "vp9")])
def test_other_encodings_hold_every_frame_and_its_colours(renders, film, tmp_path, target, codec):
    assert export(renders, tmp_path / "x", "--to", target) == 0
    with av.open(tmp_path / "x") as opened:
        stream = opened.streams.video[0]
        assert stream.codec_context.name == codec and (stream.width, stream.height) == (854, 480)
        assert float(stream.average_rate) == 15
        tags = {(frame.colorspace, frame.color_primaries, frame.color_range) for frame in opened.decode(video=0)}
    assert tags == {(1, 1, 1)}
    found = frames(tmp_path / "x")
    assert len(found) == len(film) and all(near(found[at], film[at], 2.5) for at in (0, 20, len(film) - 1))


@pytest.mark.parametrize(("target", "most", "levels"),
                         [("gif", 25_000, 1.5), ("webp", 15_000, 2), ("avif", 4_500, 2)])
def test_loops_are_small_and_last_as_long_as_the_film(renders, film, beats, tmp_path, target, most, levels):
    path = tmp_path / f"x.{target}"
    assert export(renders, path, "--to", target) == 0
    image = Image.open(path)
    milliseconds = 0
    for number in range(image.n_frames):
        image.seek(number)
        image.load()
        milliseconds += image.info["duration"]
    assert milliseconds == pytest.approx(1000 * len(film) / 15, abs=100) and image.info.get("loop", 0) == 0
    assert image.width == 640 and path.stat().st_size < most * len(film) / 15  # bytes a second
    last = Image.fromarray(film[-1].astype(np.uint8)).resize(image.size, Image.Resampling.LANCZOS)
    assert near(np.asarray(image.convert("RGB")), np.asarray(last), levels)


def test_a_loop_that_is_too_long_or_has_no_exact_rate_is_refused(renders, tmp_path, capsys, monkeypatch):
    assert export(renders, tmp_path / "x.gif", "--to", "gif", "--fps", "15") == 2
    assert "10, 20, 25 or 50" in capsys.readouterr().err
    assert export(renders, tmp_path / "x.pdf", "--to", "pdf", "--width", "99") == 2
    assert "--width and --fps are for gif" in capsys.readouterr().err
    monkeypatch.setattr("attnviz.export.loops.LONGEST", 3.0)
    assert export(renders, tmp_path / "x.gif", "--to", "gif") == 2
    assert "name some beats" in (told := capsys.readouterr().err) and len(told.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_stills_are_the_films_last_frames(renders, film, beats, tmp_path):
    assert export(renders, tmp_path / "x", "--to", "png") == 0
    files = sorted((tmp_path / "x").glob("*.png"))
    assert [file.name for file in files] == [
        "01-first_question.png", "02-first_answer.png", "03-second_question.png", "04-second_answer.png"]
    assert all(np.array_equal(np.asarray(Image.open(file)), film[end - 1])
               for file, (_, end) in zip(files, beats, strict=True))
    assert export(renders, tmp_path / "one.png", "--to", "png", scene="two_questions:second_answer") == 0
    assert (tmp_path / "one.png").read_bytes() == files[3].read_bytes()


@needs_chromium
def test_vectors_look_like_the_film(browser, renders, film, beats, tmp_path):
    assert export(renders, tmp_path / "x", "--to", "svg") == 0
    with browser.new_context(viewport={"width": 854, "height": 480}) as context:
        page = context.new_page()
        for file, (_, end) in zip(sorted((tmp_path / "x").glob("*.svg")), beats, strict=True):
            content = base64.b64encode(file.read_bytes()).decode()
            page.set_content(f'<body style="margin:0"><img src="data:image/svg+xml;base64,{content}" width="854">')
            page.wait_for_timeout(100)
            shot = picture_of(page.screenshot())
            blocks = np.abs(blurred(shot) - blurred(film[end - 1]))
            assert blocks.mean() < 1 and blocks.max() < 25, file.name
    text = (tmp_path / "x" / "02-first_answer.svg").read_text()
    assert "<title>The largest score</title>" in text and text.count("<path") > 30 and "<image" not in text


def blurred(picture):
    """Means of blocks of 14 x 16 pixels: edges may lie a pixel beside, no shape may."""
    return picture[:480, :854].reshape(30, 16, 61, 14, 3).mean(axis=(1, 3))


def test_a_handout_has_a_row_a_beat_and_survives_hostile_words(renders, tmp_path):
    words = ("--case", "random", "--tokens", " ".join(HOSTILE))
    assert export(renders, tmp_path / "x.pdf", "--to", "pdf", *words) == 0
    content = (tmp_path / "x.pdf").read_bytes()
    assert content.startswith(b"%PDF-") and content.count(b"/Subtype/Image") >= 4


def test_manim_slides_lists_and_converts_it(renders, film, beats, tmp_path):
    assert export(renders, tmp_path / "x", "--to", "manim-slides", scene="two_questions:1..2") == 0
    program = [str(Path(sys.executable).with_name("manim-slides"))]
    lists = [*program, "list-scenes"]
    listed = subprocess.run(lists, cwd=tmp_path / "x", capture_output=True, text=True, check=True)
    assert "two_questions" in listed.stdout + listed.stderr
    convert = [*program, "convert", "two_questions", "out.html"]
    subprocess.run(convert, cwd=tmp_path / "x", capture_output=True, check=True)
    assert (tmp_path / "x" / "out.html").read_text().count("<section") == 2
    back = frames(tmp_path / "x/slides/files/two_questions/02-first_answer_reversed.mp4")
    there = film[beats[1][0]:beats[1][1]][::-1]
    assert len(back) == len(there) and all(near(back[at], there[at], 2) for at in (0, 20, len(back) - 1))


def test_powerpoint_has_a_film_a_slide_that_starts_by_itself(renders, tmp_path):
    assert export(renders, tmp_path / "x.pptx", "--to", "pptx") == 0
    deck = Presentation(str(tmp_path / "x.pptx"))
    assert next(slide.notes_slide.notes_text_frame.text for slide in deck.slides) == (
        "Which key does the query match best?\n\nWait for a show of hands.")
    assert len(deck.slides) == 4 and deck.slide_width / deck.slide_height == pytest.approx(854 / 480, rel=1e-3)
    with zipfile.ZipFile(tmp_path / "x.pptx") as archive:
        films = [name for name in archive.namelist() if name.endswith(".mp4")]
        slide = archive.read("ppt/slides/slide1.xml").decode()
        with av.open(io.BytesIO(archive.read(films[0]))) as opened:
            assert opened.streams.video[0].width == 854
    assert len(films) == 4 and 'delay="indefinite"' not in slide and "Which key does the query match best?" in slide


def test_html_is_the_player(renders, tmp_path):
    assert export(renders, tmp_path / "x.html", "--to", "html") == 0
    assert "attnviz player" in (tmp_path / "x.html").read_text()


def test_nothing_of_anybodys_is_lost(renders, tmp_path, capsys, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    (tmp_path / "file").write_text("x")
    before = everything_in(tmp_path)
    for target, kind in (("mine", "png"), ("mine", "mp4"), ("file", "manim-slides"), ("nowhere/x.mp4", "mp4")):
        assert export(renders, tmp_path / target, "--to", kind) == 2, target
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert export(renders, tmp_path / "x.mp4", "--to", "mp4", scene="two_questions:nothing") == 2

    def breaks(*arguments, **options):
        raise RenderError("in the middle of it")

    monkeypatch.setattr("attnviz.player.reel.write_reel", breaks)
    assert export(renders, tmp_path / "file", "--to", "mp4") == 1
    assert everything_in(tmp_path) == before


def test_a_folder_of_ours_is_made_anew(renders, tmp_path):
    assert export(renders, tmp_path / "x", "--to", "png") == 0
    assert export(renders, tmp_path / "x", "--to", "png", scene="two_questions:1..2") == 0
    assert len(list((tmp_path / "x").glob("*.png"))) == 2
