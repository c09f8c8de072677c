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
from attnviz.scene import SETTLE, LessonScene
from tests.playing import played

BEATS = ("words_alone", "conventions", "inputs", "one_score", "all_scores", "scale_down", "softmax_row",
         "all_weights", "blend", "all_outputs", "answer", "check")


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return played("pipeline")


def grids(scene: LessonScene, beat: str) -> dict[str, dict[str, Any]]:
    visible = next(b.visible for b in scene.beats if b.id == beat)
    shown = [{**item, **item["content"]} for item in visible if item["type"] == "grid"]
    return {item["address"]: item for item in shown}


def test_a_pause_at_the_end_of_a_beat_is_not_its_last_change(scene):
    """The conventions end with a pause of their own: the picture stood still before it."""
    beat = next(beat for beat in scene.beats if beat.id == "conventions")
    assert beat.end - beat.last_change == pytest.approx(SETTLE + scene.theme.quick, abs=0.1)


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
        found = [np.broadcast_to(item["opacity"], item["shape"]) for address, item in grids(scene, beat).items()
                 if item["stage"] == stage and item["axes"][0]]
        return found[0]

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


def test_the_background_is_the_theme_s_and_an_unknown_choice_is_refused():
    assert played("pipeline", theme="light").camera.background_color == manim.ManimColor("#ffffff")
    for wrong, message in ({"theme": "dusk"}, "dusk"), ({"case": "lessen"}, "lesson"):
        with pytest.raises(InputError, match=message):
            played("pipeline", **wrong)
