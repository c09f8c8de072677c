"""The pipeline scene, played without a film: its beats, its words, and that everything it shows is in its records."""

from __future__ import annotations

import json
from typing import Any

import manim
import numpy as np
import pytest

from attnviz import numbers
from attnviz.errors import InputError
from attnviz.layout import SAFE
from attnviz.mobjects.notices import every_word
from attnviz.scene import SETTLE, LessonScene
from attnviz.theme import PIXEL
from tests.playing import own, played

pytestmark = pytest.mark.xdist_group("pipeline")  # plays the scene once with those of test_scenes

BEATS = ("words_alone", "conventions", "inputs", "one_score", "all_scores", "scale_down", "softmax_row",
         "all_weights", "blend", "all_outputs", "answer", "check")
WORDS = tuple(f"{word}{place}" for place in range(8) for word in
              ("the", "cat", "sits", "on", "because", "it", "purrs", "loudly"))  # 64 of them


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return own("pipeline")


def grids(scene: LessonScene, beat: str) -> dict[str, dict[str, Any]]:
    visible = next(b.visible for b in scene.beats if b.id == beat)
    shown = [{**item, **item["content"]} for item in visible if item["type"] == "grid"]
    return {item["address"]: item for item in shown}


def test_a_pause_at_the_end_of_a_beat_is_not_its_last_change(scene):
    """The conventions end with a pause of their own: the picture stood still before it."""
    beat = next(beat for beat in scene.beats if beat.id == "conventions")
    assert beat.end - beat.last_change == pytest.approx(SETTLE + scene.theme.step, abs=0.1)


def test_the_caption_quotes_the_difference_that_was_computed(scene):
    value = float(scene.bundle["difference"]["max_abs_difference"].values)
    shown = numbers.format_for("max_abs_difference").text(value)
    assert "e-0" in shown
    assert scene.beats[-1].caption.endswith(f"to within {shown}.")
    assert any(item.get("text") == shown for item in scene.beats[-1].visible)


def test_every_stage_of_the_formula_is_drawn_from_the_record(scene):
    drawn = {address.partition("[")[0] for beat in BEATS for address in grids(scene, beat)}
    wanted = {"query", "key", "value", "score_terms", "dot_products", "scores", "shifted_scores", "exp_scores",
              "attn_weights", "weighted_values", "output"}
    assert wanted <= drawn


def test_only_what_the_beat_has_reached_is_shown(scene):
    def opacity(beat: str, stage: str) -> np.ndarray:
        item = next(item for item in grids(scene, beat).values() if item["stage"] == stage and item["axes"][0])
        rows, columns = item["shape"]
        said = item["opacity"] if isinstance(item["opacity"], list) else [item["opacity"]] * rows
        return np.array([np.broadcast_to(row, columns) for row in said])

    worked = scene.data.worked_query
    one = opacity("one_score", "dot_products")
    assert one[worked, scene.data.worked_key] > 0
    assert np.count_nonzero(one) == 1
    assert opacity("all_scores", "dot_products").all()
    assert not [item for item in grids(scene, "scale_down").values()
                if item["stage"] == "dot_products" and item["axes"][0]]  # swapped for the scores
    blended = opacity("blend", "output")
    assert blended[worked].all()
    assert np.count_nonzero(blended) == blended.shape[1]
    assert opacity("all_outputs", "output").all()


def test_the_weights_stand_where_the_scores_stood_and_move_only_to_be_blended(scene):
    def origin(beat: str, stage: str) -> Any:
        found = grids(scene, beat).values()
        return next(item["origin"] for item in found if item["stage"] == stage and item["axes"][0])

    assert origin("all_weights", "attn_weights") == origin("softmax_row", "scores")
    assert origin("blend", "attn_weights") != origin("all_weights", "attn_weights")


def standing_still(**choices: Any) -> tuple[float, float]:
    """Seconds of the film, and those of them in which nothing moves."""
    spans: list[tuple[float, bool]] = []
    plain = LessonScene.play

    def play(self: LessonScene, *args: Any, **kwargs: Any) -> None:
        before = self.time
        plain(self, *args, **kwargs)
        spans.append((self.time - before, all(isinstance(animation, manim.Wait) for animation in args)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LessonScene, "play", play)
        length = played("pipeline", **choices).beats[-1].end
    assert sum(seconds for seconds, _ in spans) == pytest.approx(length)
    return length, sum(seconds for seconds, is_still in spans if is_still)


@pytest.mark.parametrize("choices", [
    {"case": "lesson"},
    *(pytest.param(choices, marks=pytest.mark.slow) for choices in (
        {"case": "trained"}, {"case": "cross"}, {"case": "random"}, {"case": "random", "tokens": WORDS},
        {"case": "trained", "frame": "9:16"}, {"case": "lesson", "tokens": ("the",)})),
], ids=lambda choices: f"{choices['case']}{len(choices.get('tokens', ()))}")
def test_every_film_stands_still_for_half_of_it_and_is_two_minutes_at_most(choices):
    length, still = standing_still(**choices)
    assert 45 <= length <= 120
    assert still >= 0.5 * length


def test_digits_stand_in_every_matrix_of_eight_words_and_in_what_is_worked_out():
    scene = played("pipeline", case="trained")
    for beat in BEATS:
        for address, item in grids(scene, beat).items():
            assert item["em"] >= 18 * PIXEL - 1e-6, (beat, address)


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["16:9", "9:16", "1:1"])
def test_of_64_words_every_nth_is_named_and_five_are_worked_out_and_both_are_said(frame):
    scene = played("pipeline", case="random", tokens=WORDS, frame=frame)
    shown = {beat.id: beat.visible for beat in scene.beats}
    said = {beat: {item["text"] for item in items if item["type"] == "literal"} for beat, items in shown.items()}
    cut = ("words_alone", "conventions", "scale_down", "softmax_row", "blend", "answer")
    assert all("5 of 64 words" in said[beat] for beat in cut)
    for beat, items in shown.items():
        for labels in (item for item in items if item["type"] == "labels"):
            places = [label["position"] for label in labels["labels"]]
            if len(places) == 5 and labels["every"] == 1:
                continue  # those of a worked row
            assert places == list(range(0, 64, labels["every"])) and labels["every"] > 1
            assert every_word(labels["every"]) in said[beat]
    weights = scene.tensor("attn_weights").sel(query_pos=scene.data.worked_query).values
    largest = sorted(np.argsort(-weights)[:5].tolist())
    rows = grids(scene, "softmax_row").values()
    assert all(row["positions"][1] == largest for row in rows if not row["axes"][0] and row["axes"][1] == "key_pos")
    assert not [item for item in shown["softmax_row"] if item["type"] == "relation" and item["operation"] == "sum"]


def test_the_score_is_plain_json_and_small(scene):
    text = json.dumps(scene.score(), allow_nan=False)
    assert len(text) < 200_000
    assert json.loads(text)["scene"] == "pipeline"


def is_inside(item: dict[str, Any], width: float, height: float) -> bool:
    (x, y), (pitch_x, pitch_y), (rows, columns) = item["origin"], item["pitch"], item["shape"]
    across, down = width * (0.5 - SAFE) + 1e-6, height * (0.5 - SAFE) + 1e-6
    return -across <= x and x + columns * pitch_x <= across and y <= down and y - rows * pitch_y >= -down


@pytest.mark.parametrize(("frame", "case"), [
    ("9:16", "lesson"),
    pytest.param("1:1", "lesson", marks=pytest.mark.slow),
    *(pytest.param(frame, case, marks=pytest.mark.slow)
      for frame in ("16:9", "9:16") for case in ("trained", "cross", "random")),
])
def test_grids_stay_in_the_safe_area_in_every_frame_and_case(frame, case):
    scene = played("pipeline", frame=frame, case=case)
    for beat in BEATS:
        for address, item in grids(scene, beat).items():
            assert is_inside(item, scene.layout.width, scene.layout.height), (beat, address)
    if case == "lesson":
        assert all(item["em"] > 0 for item in grids(scene, "softmax_row").values())


def test_the_names_of_values_and_output_stand_beside_them_where_the_formula_hangs_low():
    scene = played("pipeline", frame="1:1")
    for matrix in (scene.v, scene.o):
        assert matrix.symbol.get_left()[0] > matrix.grid.get_right()[0]
        assert abs(matrix.symbol.get_y() - matrix.grid.get_y()) < 0.1


def test_the_background_is_the_theme_s_and_an_unknown_choice_is_refused():
    assert played("pipeline", theme="light").camera.background_color == manim.ManimColor("#ffffff")
    for wrong, message in ({"theme": "dusk"}, "dusk"), ({"case": "lessen"}, "lesson"):
        with pytest.raises(InputError, match=message):
            played("pipeline", **wrong)
