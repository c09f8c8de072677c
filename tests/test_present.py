"""The lecture player's parts, without a browser: what is chosen, which renders are taken, the reel, the page's file."""

import json
import os
import re
import shutil

import av
import numpy as np
import pytest

from attnviz.errors import InputError, RenderError
from attnviz.player.lecture import lecture_of
from attnviz.player.page import as_json
from attnviz.player.reel import Piece, write_reel
from attnviz.player.selection import select
from tests.browsing import data_of
from tests.running import ROOT, TESTS, everything_in, run_here

SCENES = ROOT / "scenes"
OWN = TESTS / "player_scenes"


def run(renders, *arguments):
    return run_here(renders, *arguments, scenes=OWN)


@pytest.mark.parametrize(("text", "beats"), [
    ("pipeline", (0, 12)), ("pipeline:softmax_row", (6, 7)), ("pipeline:inputs..all_scores", (2, 5)),
    ("pipeline:..inputs", (0, 3)), ("pipeline:check..", (11, 12)), ("pipeline:3..5", (2, 5)), ("pipeline:12", (11, 12)),
])  # fmt: skip
def test_beats_are_chosen_by_name_or_number(text, beats):
    chosen = select(text, SCENES)
    assert (chosen.entry.name, chosen.first, chosen.stop) == ("pipeline", *beats)


@pytest.mark.parametrize(("text", "complaint"), [
    ("pipelin", 'did you mean "pipeline"'), ("pipeline:", "leave the colon out"),
    ("pipeline:softmax", "softmax_row"), ("pipeline:0", "has no beat"), ("pipeline:13", "has no beat"),
    ("pipeline:check..inputs", "the other way round"), ("pipeline:inputs..check..", "has no beat"),
])  # fmt: skip
def test_beats_that_are_none_are_one_line(text, complaint):
    with pytest.raises(InputError, match=re.escape(complaint)) as told:
        select(text, SCENES)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("lines", "complaint"), [
    ("", "has no parts"), ("[[part]]", "part 1: needs one of scene, slide and picture"),
    ('[[part]]\nscene = "pipeline"\nslide = "x"', "and not two of them"), ("parts = []", 'knows no "parts" (did you'),
    ('[[part]]\nscene = "pipelne"', 'part 1: no scene is called "pipelne"'),
    ('[[part]]\nscene = "pipeline"\nbeats = "nowhere"', 'part 1: pipeline has no beat "nowhere"'),
    ('[[part]]\nslide = "x"\nlines = [1]', "write each in quotes"), ("minutes = -3", "minutes is -3"),
    ('[[part]]\nslide = "x"\nminutes = true', "minutes is True"), ("title = 3", "title is 3"),
    ('[[part]]\npicture = "no.png"\nalt = "x"', "there is no file"), ("part = 3", "part is 3"),
    ('[[part]]\npicture = "x.exe"\nalt = "x"', "no picture that browsers show"),
    ("[render]\nseed = true", "seed is True"),
    ('[render]\nquality = "x"', "use one of l, m, h, k"), ('[render]\ntheme = "drak"', "use one of dark"),
    ("title = ", "Invalid value"), ('[[part]]\nslide = "x"\nnots = "y"', 'did you mean "note"'),
])  # fmt: skip
def test_a_lecture_file_that_is_wrong_is_one_line(tmp_path, lines, complaint):
    path = tmp_path / "lecture.toml"
    path.write_text(lines)
    with pytest.raises(InputError, match=re.escape(complaint)) as told:
        lecture_of([str(path)], SCENES)
    assert str(path) in str(told.value) and "\n" not in str(told.value)


def test_a_picture_needs_words_for_those_who_do_not_see_it(tmp_path):
    (tmp_path / "x.png").write_bytes(b"")
    (tmp_path / "lecture.toml").write_text('[[part]]\npicture = "x.png"')
    with pytest.raises(InputError, match="alt"):
        lecture_of([str(tmp_path / "lecture.toml")], SCENES)


def test_a_lecture_file_is_given_alone(tmp_path):
    with pytest.raises(InputError, match="give it alone"):
        lecture_of(["pipeline", "x.toml"], SCENES)


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def renders(tmp_path_factory):
    """A folder with the page of a scene, and what it was made from."""
    folder = tmp_path_factory.mktemp("renders")
    assert present(folder) == 0
    return folder


def present(renders, *arguments, name="two.html"):
    return run(renders, "present", "two_questions", "-q", "l", "--no-open", "-o", str(renders / name), *arguments)


def test_the_page_says_what_it_weighs_and_where_it_lies(renders, capsys):
    assert present(renders) == 0
    out, told = capsys.readouterr()
    assert out == f"{renders / 'two.html'}\n"
    assert told == f"{(renders / 'two.html').stat().st_size / 1e6:.1f} MB\n"  # and nothing was rendered again


def test_above_25_mb_a_folder_is_offered(renders, capsys, monkeypatch):
    monkeypatch.setattr("attnviz.player.write.LARGE", 1000)
    assert present(renders) == 0
    assert "--folder" in capsys.readouterr().err


def test_a_render_that_lies_there_is_taken(renders, tmp_path, capsys):
    assert run(tmp_path, "render", "two_questions", "-q", "l", "-o", str(tmp_path / "two_questions")) == 0
    assert present(tmp_path) == 0
    assert "rendering" not in capsys.readouterr().err and not (tmp_path / "present").exists()
    assert present(tmp_path, "--theme", "light") == 0
    assert "rendering two_questions" in capsys.readouterr().err
    assert len(list((tmp_path / "present").iterdir())) == 1  # beside the one there was


def test_a_render_that_is_older_than_its_words_is_made_again(renders, capsys, monkeypatch):
    capsys.readouterr()
    words = OWN / "two_questions.en.toml"
    before = words.stat()
    try:
        os.utime(words)
        assert present(renders) == 0
    finally:
        os.utime(words, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "rendering two_questions" in capsys.readouterr().err


def test_a_render_that_was_changed_is_neither_shown_nor_replaced(renders, capsys):
    film = next((renders / "present").glob("*/two_questions.mp4"))
    film.write_bytes(film.read_bytes()[:-1])
    assert present(renders) == 2
    assert "two_questions.mp4" in (told := capsys.readouterr().err) and len(told.splitlines()) == 2
    shutil.rmtree(film.parent)
    assert present(renders) == 0


def test_nothing_but_a_page_of_ours_is_replaced(renders, tmp_path, capsys):
    (tmp_path / "mine.html").write_text("<p>my own page")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    before = everything_in(tmp_path)
    for target, options in (("mine.html", []), ("full", []), ("full", ["--folder"]), ("mine.html", ["--folder"]),
                            ("nowhere/x.html", [])):
        arguments = ["two_questions", "-q", "l", "--no-open", "-o", str(tmp_path / target), *options]
        assert run(renders, "present", *arguments) == 2, target
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert everything_in(tmp_path) == before


def test_the_options_of_a_lecture_yield_to_those_that_are_typed(renders, tmp_path):
    options = '[render]\nquality = "m"\ntheme = "light"\n'
    (tmp_path / "lecture.toml").write_text(f'{options}[[part]]\nscene = "two_questions"')
    arguments = [str(tmp_path / "lecture.toml"), "-q", "l", "--no-open", "-o", str(tmp_path / "x.html")]
    assert run(renders, "present", *arguments) == 0
    data = data_of(tmp_path / "x.html")
    assert data["size"] == [854, 480] and data["films"][0]["theme"] == "light"


def test_the_page_holds_only_the_beats_that_were_chosen(renders, tmp_path):
    target = tmp_path / "x.html"
    arguments = ["two_questions:2..3", "-q", "l", "--no-open", "-o", str(target)]
    assert run(renders, "present", *arguments) == 0
    data = data_of(target)
    assert [step["beat"] for step in data["steps"][1:]] == ["first_answer", "second_question"]
    assert data["steps"][1]["start"] == 0 and list(data["inspected"][0]["spots"]) == ["1", "2"]


def frames(path):
    with av.open(path) as film:
        return [frame.to_ndarray() for frame in film.decode(video=0)]


def test_a_reel_is_the_very_frames_of_its_pieces(renders, tmp_path):
    film = next((renders / "present").glob("*/two_questions.mp4"))
    score = json.loads((film.parent / "score.json").read_text())
    whole = frames(film)
    spans = [tuple(round(beat[at] * 15) for at in ("start", "end")) for beat in score["beats"]]
    chosen = [spans[2], spans[0], spans[2]]
    made = write_reel([Piece(film, *span) for span in chosen], tmp_path / "reel.mp4", "x")
    wanted = [frame for start, end in chosen for frame in whole[start:end]]
    found = frames(tmp_path / "reel.mp4")
    assert made.frames == len(wanted) == len(found)
    assert all(np.array_equal(one, other) for one, other in zip(found, wanted, strict=True))
    assert (tmp_path / "reel.mp4").read_bytes().index(b"moov") < (tmp_path / "reel.mp4").read_bytes().index(b"mdat")


def test_a_piece_that_does_not_begin_with_a_key_frame_is_refused(renders, tmp_path):
    film = next((renders / "present").glob("*/two_questions.mp4"))
    with pytest.raises(RenderError, match="no key frame at frame 3"):
        write_reel([Piece(film, 3, 9)], tmp_path / "reel.mp4", "x")


def test_json_cannot_end_the_script_that_holds_it():
    hostile = "</script><!--\u2028 \u2029"
    text = as_json({"x": hostile})
    assert "<" not in text and "\u2028" not in text and json.loads(text)["x"] == hostile


def test_what_works_unseen_is_spelled_out():
    assert json.loads(as_json({"x": ["a\0b\u202ec\nd"]})) == {"x": ["a‹NUL›b‹U+202E›c\nd"]}


def test_the_page_allows_its_own_script_and_no_request(renders):
    text = (renders / "two.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "connect-src" not in policy
    assert "http:" not in text.replace("http://www.w3.org/2000/svg", "") and "https:" not in text
