"""Every planted fault is found, with hashes that a forger made fit and without; an honest film holds."""

import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from attnviz.errors import CheckError, RecordError
from attnviz.theme import DARK
from attnviz.trace import Bundle
from attnviz.verify import items, reading
from attnviz.verify.check import verify
from tests import drawn
from tests.forging import (
    AT,
    EM,
    UNIT,
    Forged,
    cell_box,
    grid_of,
    honest,
    number_of,
    paint_bars,
    paint_cell,
    paint_color_bar,
    paint_number,
    paint_strand,
    picture_of,
    write,
    x_of,
    y_of,
)
from tests.running import ROOT, run_here

Fault = Callable[[Forged], None]


def found(film: Forged, folder: Path) -> list[str]:
    return [wrong.line() for wrong in verify(film.write(folder)).wrongs]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return honest().write(tmp_path_factory.mktemp("honest"))


def test_an_honest_film_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(folder.parent, "verify", str(folder)) == 0
    *table, closing = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in table] == ["beat", "weights", "row"]
    assert closing.startswith("verify: 152 values, 152 read (82 by their digits), 0 skipped, 0 wrong; largest colour")


def test_it_says_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(folder.parent, "verify", folder.name, "--json") == 0  # by its scene's name
    said = json.loads(capsys.readouterr().out)
    assert (said["values"], said["digits"], said["wrong"], said["holds"]) == (152, 82, 0, True)
    assert said["recomputed"] == 1112 and [beat["beat"] for beat in said["beats"]][2:] == ["weights", "row"]


def test_stills_are_verified_in_place_of_a_film(tmp_path: Path) -> None:
    film = honest()
    film.kind = "png"
    assert verify(film.write(tmp_path / "true")).wrongs == []
    film.pictures[0][cells(film, 0, 0)] = (90, 60, 60)
    assert "#5a3c3c" in found(film, tmp_path / "false")[0]


def test_it_needs_neither_manim_nor_torch(folder: Path) -> None:
    code = ("import sys\nfor name in ('manim', 'torch', 'triton', 'typst', 'cairo', 'safetensors'):\n"
            "    sys.modules[name] = None\n"
            "from attnviz.commands import main\nmain(sys.argv[1:])\n")
    command = [sys.executable, "-c", code, "verify", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "0 wrong" in done.stdout, done.stderr


# --- the trace


def test_one_weight_changed_in_the_trace_is_found(tmp_path: Path) -> None:
    film = honest()
    weights = film.bundle["sdpa"].arrays["attn_weights"].copy()
    weights[0, 0, 2, 1] += 0.01
    arrays = {**film.bundle["sdpa"].arrays, "attn_weights": weights}
    film.bundle = Bundle({"sdpa": dataclasses.replace(film.bundle["sdpa"], arrays=MappingProxyType(arrays))})
    with pytest.raises(RecordError, match=r"trace\.npz: sdpa\.attn_weights is off by 1.00e-02 at \[.*query_pos=2"):
        verify(film.write(tmp_path))


def test_a_trace_of_other_numbers_that_follows_is_found_though_the_film_carries_its_hash(tmp_path: Path) -> None:
    film, other = honest(), drawn.record(8, 4)
    arrays = {name: array.copy() for name, array in other.arrays.items()}
    arrays["value"] = arrays["value"] * 1.5
    arrays["weighted_values"], arrays["output"] = arrays["weighted_values"] * 1.5, arrays["output"] * 1.5
    film.bundle = Bundle({"sdpa": dataclasses.replace(film.bundle["sdpa"], arrays=MappingProxyType(arrays))})
    film.score["beats"][1]["visible"].append(number_of("output", (3.0, -1.0), 0.35, query_pos=2, value_dim=1))
    film.pictures[1] = picture_of(film.score, 1)
    lines = found(film, tmp_path)
    assert len(lines) == 1 and "output[batch=0, head=0, query_pos=2, value_dim=1]: the score shows" in lines[0]


def test_a_film_of_another_trace_is_refused(tmp_path: Path) -> None:
    film = honest()
    film.comment = "0" * 64
    with pytest.raises(CheckError, match=r"tiny\.mp4 was not made from the trace\.npz beside it"):
        verify(film.write(tmp_path))


# --- the score


def _digit_in_the_score(film: Forged) -> None:
    film.score["contents"][0]["strings"][2][1] = "0.19"


def _minus_in_the_score(film: Forged) -> None:
    film.score["contents"][0]["strings"][2][1] = "−" + film.score["contents"][0]["strings"][2][1]


def _shade_in_the_score(film: Forged) -> None:
    film.score["contents"][0]["fill"][2][1] = "123456"


def _ends_in_the_score(film: Forged) -> None:
    film.score["contents"][1]["scale"] = [-2.0, 2.0]


def _stretched_scale(film: Forged) -> None:
    film.score["contents"][0]["scale"] = [0.0, 2.0]


def _number_in_the_score(film: Forged) -> None:
    film.item("number")["text"] = "0.77"


def _thick_line(film: Forged) -> None:
    film.item("strand")["stroke_width"] += 3


def _high_bar(film: Forged) -> None:
    film.item("bars")["bars"][1]["height"] *= 1.2


def _bar_of_another_colour(film: Forged) -> None:
    bars = film.item("bars")["bars"]
    bars[1]["color"] = "#ff0000"


def _ends_of_the_colour_bar(film: Forged) -> None:
    film.item("color_bar")["ends"] = [0.0, 2.0]


def _labels_exchanged(film: Forged) -> None:
    labels = film.item("labels")["labels"]
    labels[1]["token"], labels[2]["token"] = labels[2]["token"], labels[1]["token"]


def _labels_out_of_order(film: Forged) -> None:
    labels = film.item("labels")["labels"]
    labels[1]["center"], labels[2]["center"] = labels[2]["center"], labels[1]["center"]


def _label_missing(film: Forged) -> None:
    del film.item("labels")["labels"][1]


def _every_second_label_too_low(film: Forged) -> None:
    item = film.item("labels")
    item["every"], item["labels"] = 2, item["labels"][1::2]


def _labels_left_out_in_silence(film: Forged) -> None:
    item = film.item("labels")
    item["every"], item["labels"] = 2, item["labels"][::2]


def _labels_left_out_with_another_count(film: Forged) -> None:
    _labels_left_out_in_silence(film)
    film.item("literal")["text"] = "every 3rd word"


def _arrow_that_is_none(film: Forged) -> None:
    film.item("arrow")["source"]["stage"] = "output"


def _equals_sign(film: Forged) -> None:
    film.item("relation")["sign"] = "="


def _relation_of_nothing(film: Forged) -> None:
    film.item("relation")["lines"][0]["terms"][0] = "0.123"


def _quoted_number(film: Forged) -> None:
    film.score["beats"][1]["note"] = "The weight is 0.77777."


def _caption(film: Forged) -> None:
    film.score["beats"][1]["caption"] = "Another sentence."


def _captions_exchanged(film: Forged) -> None:
    film.captions.reverse()


def _title(film: Forged) -> None:
    film.score["beats"][0]["title"] = "No weights"


def _facts(film: Forged) -> None:
    film.facts = {"width": 1920}


def _theme(film: Forged) -> None:
    film.score["theme"] = "light"


def _duration(film: Forged) -> None:
    film.facts = {"duration": 999.0}


def _nothing_shown(film: Forged) -> None:
    for beat in film.score["beats"]:
        beat["visible"] = []


def _words_on_a_label(film: Forged) -> None:
    film.item("labels")["labels"][0]["shown"] = "king"


def _name_of_another_stage(film: Forged) -> None:
    film.beat(0).append({"type": "name", "record": "sdpa", "stage": "lse", "transposed": False})


def _digits_in_words(film: Forged) -> None:
    film.item("text")["text"] = "weight 0.99"


def _empty_number(film: Forged) -> None:
    film.item("number")["text"] = ""


@pytest.mark.parametrize(("fault", "words"), [
    (_digit_in_the_score, "query_pos=2, key_pos=1]: the score shows 0.19"),
    (_minus_in_the_score, "the score shows −0"),
    (_shade_in_the_score, "the score fills it with #123456"),
    (_ends_in_the_score, "it.* -2 to 2|the colour scale of scores"),
    (_stretched_scale, "the colour scale of attn_weights"),
    (_number_in_the_score, "exp_scores.*the score shows 0.77"),
    (_thick_line, "the score's line is .* strokes thick"),
    (_high_bar, "the score's bar is .* high"),
    (_bar_of_another_colour, "the score's bar is #ff0000"),
    (_ends_of_the_colour_bar, "the colour bar of attn_weights: it is sequential from 0 to 2"),
    (_labels_exchanged, "the label of query_pos=1: the score says “sits”, but the record says “cat”"),
    (_labels_out_of_order, "the labels of query_pos: they stand as"),
    (_label_missing, "the labels of query_pos: they stand as"),
    (_every_second_label_too_low, "the labels of query_pos: they stand as"),
    (_labels_left_out_in_silence, "one in 2 is there, but no line in the beat says so"),
    (_labels_left_out_with_another_count, "one in 2 is there, but no line in the beat says so"),
    (_arrow_that_is_none, "an arrow to attn_weights: it comes from output, but that is computed from exp_scores"),
    (_equals_sign, "an equals sign before"),
    (_relation_of_nothing, "it speaks of 0.123"),
    (_quoted_number, "the note of row: it quotes 0.77777"),
    (_caption, r"tiny\.en\.vtt: from 1 to 2 s it says"),
    (_captions_exchanged, r"tiny\.en\.vtt: from 0 to 1 s it says"),
    (_title, "its chapters differ from the 1. on"),
    (_facts, "its width is 1280, but manifest.json says 1920"),
    (_theme, "score.json: its theme is 'light'"),
    (_duration, "its duration is .*, but manifest.json says 999"),
    (_nothing_shown, "score.json: it shows no value at all"),
    (_nothing_shown, r"score.json: attn_weights\[.*no beat shows it"),
    (_words_on_a_label, "the label of query_pos=0: the score shows “king”"),
    (_name_of_another_stage, "the name of lse: the score shows it, but nothing of that stage is shown"),
    (_digits_in_words, "the text “weight 0.99”: it holds digits"),
    (_empty_number, "the score shows , but the record says")])  # fmt: skip
def test_a_false_claim_is_found(fault: Fault, words: str, tmp_path: Path) -> None:
    film = honest()
    chapters = [dict(beat) for beat in film.score["beats"]]
    fault(film)
    if fault is _title:  # the film keeps its own
        claimed = film.score["beats"]
        film.score["beats"] = [{**now, "title": before["title"]} for now, before in zip(claimed, chapters, strict=True)]
        film.write(tmp_path)
        film.score["beats"] = claimed
        (tmp_path / "score.json").write_text(json.dumps(film.score))
        lines = [wrong.line() for wrong in verify(film.seal(tmp_path)).wrongs]
    else:
        lines = found(film, tmp_path)
    assert any(re.search(words, line) for line in lines), lines


def with_a_part(film: Forged) -> Forged:
    """The first grid as that of a second record (also in the order of names), which is about other words."""
    record = film.bundle["sdpa"]
    noted = MappingProxyType({"query_tokens": tuple(OTHER), "key_tokens": record.provenance["key_tokens"]})
    film.bundle = Bundle({"sdpa": record, "some": dataclasses.replace(record, provenance=noted)})
    film.score["contents"][0]["record"] = "some"
    return film


OTHER = ["a", "king", "with", "no", "crown", "and", "no", "land"]


def test_labels_are_the_words_of_the_record_that_they_stand_at(tmp_path):
    film = with_a_part(honest())
    lines = found(film, tmp_path / "case")
    assert any("the label of query_pos=0: the score says “the”, but the record says “a”" in line for line in lines)
    for label, token in zip(film.item("labels")["labels"], OTHER, strict=True):
        label["token"] = label["shown"] = token
    assert found(film, tmp_path / "own") == []


def test_labels_between_two_records_belong_to_the_nearer_grid(tmp_path):
    film = with_a_part(honest())
    film.score["contents"].append({**film.score["contents"][0], "record": "sdpa"})
    film.beat(0)[5]["content"] = 2  # a second grid, of the first record, far to the right of the labels
    assert any("query_pos=0: the score says “the”" in line for line in found(film, tmp_path))


# --- the film


def cells(film: Forged, row: int, column: int) -> tuple[slice, slice]:
    left, top, right, bottom = cell_box(film.beat(0)[1], row, column)
    return slice(top, bottom), slice(left, right)


def _patch(film: Forged) -> None:
    rows, columns = cells(film, 5, 2)
    film.pictures[0][rows.start:rows.start + 12, columns] = (100, 92, 50)


def _digit(film: Forged) -> None:
    text = film.score["contents"][0]["strings"][2][1]
    _with_text(film, 2, 1, text[:-1] + ("8" if text[-1] != "8" else "3"))


def _digit_taken_away(film: Forged) -> None:
    _with_text(film, 2, 1, " ")


def _digit_added(film: Forged) -> None:
    _, _, right, bottom = cell_box(film.beat(0)[1], 2, 1)
    em = 0.6 * EM * UNIT
    write(film.pictures[0], "7", right - 0.6 * em - 5, bottom - 6, em, DARK.ink)


def _minus_added(film: Forged) -> None:
    _with_text(film, 2, 1, "−" + film.score["contents"][0]["strings"][2][1])


def _with_text(film: Forged, row: int, column: int, text: str) -> None:
    content = film.score["contents"][0]
    strings = [list(line) for line in content["strings"]]
    strings[row][column] = text
    paint_cell(film.pictures[0], film.beat(0)[1], {**content, "strings": strings}, row, column)


def _rows_exchanged(film: Forged) -> None:
    one, other = cells(film, 2, 0)[0], cells(film, 5, 0)[0]
    pictured = film.pictures[0]
    pictured[one], pictured[other] = pictured[other].copy(), pictured[one].copy()


def _small_cell(film: Forged) -> None:
    left, top, right, bottom = cell_box(film.beat(0)[5], 3, 3)
    film.pictures[0][top:bottom, left:right] = (240, 220, 80)


def _number(film: Forged) -> None:
    item = film.item("number")
    _again(film, item, lambda picture: paint_number(picture, {**item, "text": item["text"][:-1] + "8"}), (3.0, 2.0))


def _number_longer(film: Forged) -> None:
    item = film.item("number")
    right = x_of(item["center"][0] + item["width"] / 2)
    baseline = y_of(item["center"][1] - item["height"] / 2) - 0.251 * item["em"] * UNIT
    write(film.pictures[1], "5", right, baseline, item["em"] * UNIT, item["color"])


def _again(film: Forged, item: dict, paint: Callable, center: tuple[float, float]) -> None:
    x, y = round(x_of(center[0])), round(y_of(center[1]))
    film.pictures[1][y - 25:y + 25, x - 60:x + 60] = film.pictures[1][0, 0]
    paint(film.pictures[1])


def _bar_in_the_film(film: Forged) -> None:
    item = json.loads(json.dumps(film.item("bars")))
    item["bars"][1]["height"] += 4 / UNIT * np.sign(item["bars"][1]["height"])
    paint_bars(film.pictures[1], item)


def _line_in_the_film(film: Forged) -> None:
    item = film.item("strand")
    paint_strand(film.pictures[1], {**item, "stroke_width": item["stroke_width"] + 2.2})


def _colour_bar_in_the_film(film: Forged) -> None:
    item = film.item("color_bar")
    paint_color_bar(film.pictures[0], {**item, "stage": "scores"}, (-1.0, 1.0))


@pytest.mark.parametrize(("fault", "words"), [
    (_patch, "query_pos=5, key_pos=2]: the film's colour is #"),
    (_digit, "query_pos=2, key_pos=1]: the film shows 0.08, but the score says"),
    (_digit_taken_away, "query_pos=2, key_pos=1]: the film shows ????"),
    (_digit_added, "query_pos=2, key_pos=1]: the film shows 0.09 and something beside it"),
    (_minus_added, "query_pos=2, key_pos=1]: the film shows"),
    (_rows_exchanged, "query_pos=5, key_pos=1]: the film"),
    (_small_cell, "query_pos=3, key_pos=3]: the film's colour is #"),
    (_number, "exp_scores[batch=0, head=0, query_pos=2, key_pos=1]: the film shows"),
    (_number_longer, "exp_scores[batch=0, head=0, query_pos=2, key_pos=1]: the film shows"),
    (_bar_in_the_film, "the film's bar is"),
    (_line_in_the_film, "the film's line is"),
    (_colour_bar_in_the_film, "the colour bar of attn_weights: its colour at")])  # fmt: skip
def test_a_repainted_film_is_found(fault: Fault, words: str, tmp_path: Path) -> None:
    film = honest()
    fault(film)
    lines = found(film, tmp_path)
    assert any(words in line for line in lines), lines
    assert len(lines) <= (16 if fault is _rows_exchanged else 1), lines


def test_digits_that_cannot_be_told_are_unread_and_too_many_of_them_fail(tmp_path: Path) -> None:
    film = honest()
    noise = np.random.default_rng(0).integers(-60, 60, film.pictures[0].shape)
    film.pictures[0] = np.clip(film.pictures[0] + noise, 0, 255).astype(np.uint8)
    report = verify(film.write(tmp_path))
    assert report.wrongs and report.count("digits") < 40


def test_numbers_that_nobody_can_read_fail_though_none_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SURE", 1.1)
    report = verify(honest().write(tmp_path))
    assert [wrong.line() for wrong in report.wrongs] == [
        "wrong: files: the picture: 82 of 82 drawn numbers could not be read, but no more than 5% may be so"]
    assert report.count("unread") == 82 and "82 unread, 1 wrong" in report.closing()


def test_a_small_grid_of_cells_too_small_to_be_looked_at_fails(tmp_path: Path) -> None:
    film = honest()
    film.score["beats"][0]["visible"][5] = grid_of(0, 2.0, 2.0, cell=7 / UNIT, em=0.0)
    film.pictures[0] = picture_of(film.score, 0)
    report = verify(film.write(tmp_path))
    assert ["not all of its cells" in wrong.shown for wrong in report.wrongs] == [True]
    assert report.closing().count("64 skipped (cells under 8 px)") == 1


def test_digits_where_the_score_has_none_are_found(tmp_path: Path) -> None:
    film = honest()
    film.score["beats"][0]["visible"][1]["em"] = 0.0
    lines = found(film, tmp_path)
    assert len(lines) == 64 and all("the film shows something in its cell" in line for line in lines)


# --- the hashes


def test_a_changed_file_is_found_by_its_hash_alone(tmp_path: Path, folder: Path) -> None:
    film = honest()
    film.write(tmp_path)
    sheet = (tmp_path / "sheet.png").read_bytes()
    (tmp_path / "sheet.png").write_bytes(sheet[:-20] + b"x" + sheet[-19:])
    (tmp_path / "note.txt").write_text("not ours")
    lines = [wrong.line() for wrong in verify(tmp_path).wrongs]
    assert [line.split(": ")[2] for line in lines] == ["note.txt", "sheet.png"], lines


def test_exit_code_and_lines_of_a_false_film(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = honest()
    _digit(film)
    assert run_here(tmp_path, "verify", str(film.write(tmp_path / "x"))) == 4
    said = capsys.readouterr()
    assert "wrong: weights: sdpa.attn_weights[batch=0, head=0, query_pos=2, key_pos=1]: the film shows" in said.out
    assert said.out.splitlines()[-1].count("1 wrong") == 1 and said.err.count("\n") == 1


def test_strokes_are_those_that_scenes_draw() -> None:
    from attnviz.mobjects import asking, sprites

    assert (items.THINNEST, items.THICKEST) == (asking.THINNEST, asking.THICKEST)
    assert sprites.CAP_HEIGHT == 0.698 and AT["batch"] == 0
