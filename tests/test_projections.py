"""The projections' scene: what its beats show, whose rows are labelled, and which cases it can be about."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.layout import FRAMES
from attnviz.scene import LessonScene
from tests.playing import own, played
from tests.shown import digits, grids, items, names, shapes, texts, wrong_labels, wrong_numbers

pytestmark = pytest.mark.xdist_group("projections")  # plays the scene once with those of test_scenes

FIRST = ["query_input", "weight_query"]
SECOND = ["key", "key_input", "query", "weight_key", "weight_query"]
THIRD = [*SECOND, "value", "weight_value"]
VIEWS = ["key", "key_input", "query", "value"]
BRIGHT = 1.0
MOST_DIGITS = {"16:9": 8, "9:16": 6, "1:1": 6}  # words up to which a matrix shows digits; beyond, shades
AGAIN = "same word, another position: another row"


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return own("projections")


@pytest.mark.parametrize(("beat", "whole", "parts"), [
    ("rows", ["query_input"], []), ("weights", FIRST, []),
    ("entry", [*FIRST, "query"], ["query_input query_pos=7", "query_terms query_pos=7 head_dim=0",
                                  "weight_query head_dim=0"]),
    ("row", [*FIRST, "query"], []), ("all_rows", [*FIRST, "query"], []), ("shapes", [*FIRST, "query"], []),
    ("keys", SECOND, []), ("values", THIRD, []),
    ("views", VIEWS, ["key key_pos=7", "key_input key_pos=7", "query query_pos=7", "value key_pos=7"])])
def test_each_beat_ends_with_the_stages_it_is_about_and_their_names(scene, beat, whole, parts):
    assert grids(scene, beat) == sorted([*whole, *parts])
    assert names(scene, beat) == sorted(whole)


def test_every_number_is_that_of_the_record_and_every_label_a_word_of_its_row(scene):
    assert wrong_numbers(scene) == []
    assert wrong_labels(scene) == []
    for beat in scene.beats:
        [labels] = items(scene, beat.id, "labels")
        assert (labels["side"], labels["axis"]) == ("left", "query_pos" if beat.id not in ("keys", "values", "views")
                                                    else "key_pos")


def test_q_k_and_v_are_x_times_their_weights(scene):
    """What is written on screen, against the case's own X and weights, multiplied by numpy in float64."""
    data = scene.data
    x = [side[0].double().numpy() for side in (data.projections.query_input, data.projections.key_input)]
    for stage, side in (("query", 0), ("key", 1), ("value", 1)):
        weight = getattr(data.projections, f"weight_{stage}")[data.drawn_head].double().numpy()
        np.testing.assert_allclose(digits(scene, "values", stage), x[side] @ weight, atol=0.0051)
        np.testing.assert_allclose(digits(scene, "values", f"weight_{stage}"), weight, atol=0.0051)
    np.testing.assert_allclose(digits(scene, "rows", "query_input"), x[0], atol=0.0051)


def bright(scene: LessonScene, beat: str, stage: str) -> list[int]:
    """The rows of the one whole grid of a stage of which an entry is there, and not dimmed."""
    [item] = [one for one in items(scene, beat, "grid") if one["content"]["stage"] == stage
              and None not in one["content"]["axes"]]
    shown, rows = item["opacity"], item["content"]["shape"][0]
    lines = [shown] * rows if isinstance(shown, float) else shown
    return [row for row, line in enumerate(lines) if np.max(line) == BRIGHT]


def test_q_comes_entry_by_entry_then_row_by_row(scene):
    rows = [*range(8)]
    [made] = [one for one in items(scene, "entry", "grid") if one["content"]["address"].startswith("query[")]
    shown = np.array([np.broadcast_to(line, 4) for line in made["opacity"]])
    assert shown[7].tolist() == [1, 0, 0, 0] and not shown[:7].any()
    assert bright(scene, "entry", "query_input") == [7] == bright(scene, "row", "query") == bright(scene, "rows",
                                                                                                   "query_input")
    assert bright(scene, "all_rows", "query") == rows == bright(scene, "all_rows", "query_input")
    assert [bright(scene, "views", stage) for stage in ("query", "key", "value")] == [[7], [7], [7]]


def test_the_worked_entry_is_the_sum_of_its_terms_with_the_sign_that_holds(scene):
    [number] = items(scene, "entry", "number")
    assert number["address"] == "query[batch=0, head=1, query_pos=7, head_dim=0]"
    [terms] = [one["content"]["strings"] for one in items(scene, "entry", "grid")
               if one["content"]["stage"] == "query_terms"]
    shown = [float(cell.replace("−", "-")) for [cell] in terms]
    signs = {item["operation"]: item["sign"] for item in items(scene, "entry", "relation")}
    total = float(number["text"].replace("−", "-"))
    assert signs["sum"] == ("=" if round(sum(shown), 2) == total else "≈") and abs(sum(shown) - total) < 0.05
    assert total == digits(scene, "row", "query")[7, 0]


def test_the_shapes_written_are_those_of_the_tensors(scene):
    projections, head = scene.data.projections, scene.data.drawn_head
    x, weight = projections.query_input[0], projections.weight_query[head]
    assert shapes(scene, "shapes") == [tuple(x.shape), tuple(weight.shape), tuple((x @ weight).shape)]
    assert [beat.id for beat in scene.beats if items(scene, beat.id, "literal")] == ["shapes"]


def test_that_a_word_has_another_row_elsewhere_is_said_only_of_a_sentence_that_has_it_again(scene):
    assert AGAIN in texts(scene, "rows")
    assert scene.repeated() == [0, 4]
    rows = scene.tensor("query_input", "projection").values
    assert not np.allclose(rows[0], rows[4])


def test_it_is_said_where_the_keys_and_values_come_from(scene):
    assert "the same X" in texts(scene, "keys")
    assert {"how “it” comes in", "what “it” asks", "what it is matched by",
            "what it passes on"} <= texts(scene, "views")


def test_a_shorter_sentence_plays_with_its_own_words_and_shapes():
    scene = played("projections", tokens=("a", "dog", "waits"))
    assert wrong_numbers(scene) == [] and wrong_labels(scene) == []
    assert shapes(scene, "shapes") == [(3, 8), (8, 4), (3, 4)]
    assert {"a", "dog", "waits", "a dog waits"} <= texts(scene, "rows") and "it" not in texts(scene, "rows")
    assert AGAIN not in texts(scene, "rows")
    assert "“waits”" in next(beat.caption for beat in scene.beats if beat.id == "entry")


def test_a_case_without_an_x_is_refused_with_a_remedy():
    with pytest.raises(InputError, match=r"^case 'random' .*without an X.*has one, such as 'trained'$") as said:
        played("projections", case="random")
    assert "\n" not in str(said.value)


# --- other cases and frames


@pytest.mark.slow
def test_with_two_sentences_keys_and_values_are_of_the_other_one():
    scene = played("projections", case="cross")
    assert wrong_numbers(scene) == [] and wrong_labels(scene) == []
    assert grids(scene, "keys") == SECOND and "the same X" not in texts(scene, "keys")
    assert shapes(scene, "shapes") == [(4, 8), (8, 4), (4, 4)]
    sides = [(item["axis"], len(item["labels"])) for item in items(scene, "views", "labels")]
    assert set(sides) == {("query_pos", 4), ("key_pos", 7)}
    assert {"what “gekauft” is matched by", "what “gekauft” passes on"} <= texts(scene, "views")


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("choice", [{"case": "trained"}, {"case": "lesson"}, {"case": "cross"}, {"tokens": ("a",)},
                                    {"tokens": ("a", "dog", "waits")}], ids=str)
def test_it_plays_with_every_case_that_has_an_x_in_every_frame(choice, frame):
    scene = played("projections", frame=frame, theme="light", **choice)
    wrong, many = wrong_numbers(scene), len(scene.data.key_tokens) > MOST_DIGITS[frame]
    assert len(scene.beats) == 9 and wrong_labels(scene) == []
    assert [line for line in wrong if not (many and line.endswith("has 0 rows of digits"))] == []
