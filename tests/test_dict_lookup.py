"""`dict_lookup`: the lookup took place, its records hold the known values, and its beats show what they must."""

from __future__ import annotations

import code
import contextlib
import io
from functools import cache
from itertools import pairwise

import manim
import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.cases import grammar
from attnviz.cases.records import lookup
from attnviz.cases.session import HIT, NEAR_MISS, Prompt, lookups
from attnviz.errors import InputError
from attnviz.layout import FRAMES, layout_for
from attnviz.mobjects.aside import Knob, headed
from attnviz.mobjects.compared import Compared
from attnviz.mobjects.distribution import Distribution
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.number import Number
from attnviz.mobjects.room import Room
from attnviz.scene import LessonScene
from attnviz.sdpa import trace_gradient, trace_limits
from attnviz.theme import DARK, PIXEL
from attnviz.trace import Bundle, NamedTensor
from attnviz.verify.chain import recomputed
from tests.playing import own, played

pytestmark = pytest.mark.xdist_group("dict_lookup")  # plays the scene once with those of test_scenes

NAMES = ("sdpa", "temperature", "limits", "gradient", "nudge")
PLAIN = 240  # the step at which the temperature is 1


@cache
def bundle(case: str = "trained") -> Bundle:
    return cases.load(case).bundle(is_causal=False, names=NAMES)


@cache
def film() -> LessonScene:
    return own("dict_lookup")


# --- the dictionary


def test_what_is_shown_of_the_dictionary_is_what_python_says() -> None:
    shown = bundle()["limits"].provenance["dictionary"]
    typed = [shown["made"], *(line for _, line, _ in shown["answers"])]
    screen, console = io.StringIO(), code.InteractiveConsole({})
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        for line in typed:
            assert not console.push(line)
    said = [line for line in screen.getvalue().splitlines() if line and not line.startswith((" ", "Traceback"))]
    assert said == [answer for _, _, answer in shown["answers"]] == ["'purrs'", "KeyError: 'kitten'"]
    assert [word for word, _, _ in shown["answers"]] == [HIT, NEAR_MISS]
    assert all(grammar.NOUNS[key][1] == held for key, held in shown["holds"])


def test_the_prompt_answers_other_lines_as_python_does_and_leaves_it_as_it_was() -> None:
    import sys

    before, prompt = sys.displayhook, Prompt()
    assert [prompt.ask(line) for line in ("x = {}", "x", "x['a']", "len(x)")] == ["", "{}", "KeyError: 'a'", "0"]
    assert prompt.ask("x = ").startswith("SyntaxError") and prompt.ask("for a in x:") == "..."
    assert sys.displayhook is before
    assert lookups(["dog", "fox"])["answers"] == [["dog", 'does["dog"]', "'barks'"],
                                                  ["fox", 'does["fox"]', "KeyError: 'fox'"]]


# --- the records


@pytest.mark.parametrize("case", cases.names())
def test_every_record_of_every_case_is_computed_anew(case: str) -> None:
    for name in NAMES:
        assert recomputed(bundle(case)[name]) > 40


def test_at_temperature_one_the_sweep_is_attention_itself() -> None:
    case, held = cases.load("trained"), bundle()["temperature"]
    row = bundle()["sdpa"].arrays["attn_weights"][0, case.drawn_head, case.worked_query]
    assert held.arrays["parameter"][PLAIN] == 1 and held.provenance["first_shown"] == PLAIN
    assert np.array_equal(held.arrays["attn_weights"][PLAIN, 0], row)
    assert row[case.worked_key] == row.max() and 0.5 < row.max() < 0.9
    assert case.key_tokens[case.worked_key] == "cat" and case.query_tokens[case.worked_query] == "it"


def test_both_ends_of_the_temperature_are_the_dictionary_and_the_mean() -> None:
    sweep, limits = bundle()["temperature"].arrays, bundle()["limits"].arrays
    case = cases.load("trained")
    value = case.value[0, case.drawn_head].numpy()
    assert limits["temperature"].tolist() == sweep["parameter"][[0, -1]].tolist() == [1 / 16, 64]
    assert np.array_equal(limits["output"], sweep["output"][[0, -1], 0])
    assert sweep["attn_weights"][0, 0] == pytest.approx(np.eye(8)[case.worked_key], abs=1e-6)
    assert sweep["attn_weights"][-1, 0] == pytest.approx(1 / 8, abs=0.01)
    assert limits["target"] == pytest.approx(np.stack([value[case.worked_key], value.mean(axis=0)]), abs=1e-6)
    assert limits["largest_gap"] == pytest.approx([0, 0.008], abs=1e-4)


@pytest.mark.parametrize("name", ["temperature", "nudge"])
def test_a_sweep_has_steps_enough_that_no_bar_jumps(name: str) -> None:
    weights = bundle()[name].arrays["attn_weights"][:, 0]
    assert np.abs(np.diff(weights, axis=0)).max() < 0.01
    assert weights.sum(axis=-1) == pytest.approx(1, abs=1e-6)


def test_the_largest_weight_falls_as_the_temperature_rises() -> None:
    largest = bundle()["temperature"].arrays["attn_weights"][:, 0].max(axis=-1)
    assert (np.diff(largest) <= 1e-6).all()


def test_the_gradient_is_that_of_torchs_own_attention() -> None:
    query, key, value = (torch.from_numpy(bundle()["gradient"].arrays[name].copy()).double()
                         for name in ("query", "key", "value"))

    def blend(q: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q[None, None, None], key[None, None],
                                                                value[None, None])[0, 0, 0]

    steps = [(blend(query + 1e-6 * way) - blend(query - 1e-6 * way)) / 2e-6 for way in torch.eye(4).double()]
    held = bundle()["gradient"].arrays
    assert held["jacobian"] == pytest.approx(torch.stack(steps, dim=1).numpy(), abs=1e-5)
    moved = blend(query + torch.from_numpy(held["nudge"].copy())) - blend(query)
    assert held["moved"] == pytest.approx(moved.numpy(), abs=1e-5)
    assert held["predicted"] == pytest.approx(held["jacobian"] @ held["nudge"], abs=1e-6)
    assert held["largest_miss"] == pytest.approx(0.0172, abs=1e-4)


def test_the_nudge_ends_where_the_gradient_says_it_was_pushed() -> None:
    held, sweep = bundle()["gradient"], bundle()["nudge"].arrays
    case = cases.load("trained")
    assert sweep["output"][-1, 0] == pytest.approx(held.arrays["nudged_output"], abs=1e-6)
    assert sweep["query"][0, 0].tolist() == held.arrays["query"].tolist()
    scores = held.arrays["scores"]
    assert held.params["towards"] == np.argsort(-scores)[1] and case.key_tokens[held.params["towards"]] == "because"
    assert np.linalg.norm(held.arrays["nudge"]) == pytest.approx(lookup.LENGTH, abs=1e-6)


def test_half_the_nudge_is_missed_by_about_a_quarter() -> None:
    arrays = bundle()["gradient"].arrays
    one = [torch.from_numpy(arrays[name].copy()) for name in ("query", "key", "value")]
    towards = bundle()["gradient"].params["towards"]
    whole, half = (float(trace_gradient(*one, towards=towards, length=length)["largest_miss"].values)
                   for length in (0.5, 0.25))
    assert 3 < whole / half < 5


def test_what_is_no_lookup_is_refused() -> None:
    query, key, value = torch.ones(2), torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.5]]), torch.ones(3, 2)
    for towards in (0, 1):
        with pytest.raises(InputError, match="cannot be pushed"):
            trace_gradient(query, key, value, towards=towards, length=0.5)
    with pytest.raises(InputError, match=r"give \(head_dim,\)"):
        trace_limits(query[None], key, value, cold=0.1, hot=9.0)
    with pytest.raises(InputError, match="float16: give float64 or float32"):
        trace_limits(query.half(), key.half(), value.half(), cold=0.1, hot=9.0)


def test_one_word_is_nothing_to_choose_from() -> None:
    with pytest.raises(InputError, match=r"two keys or more .*--tokens"):
        cases.load("trained", tokens=("dog",)).bundle(names=NAMES)


# --- the film


def shown(beat: str, kind: str) -> set[str]:
    """Stages, by record, of everything of a type that a beat's end shows."""
    [visible] = [one.visible for one in film().beats if one.id == beat]
    items = [item for item in visible if item["type"] == kind]
    return {f"{item.get('content', item)['record']}.{item.get('content', item)['address'].partition('[')[0]}"
            for item in items}


@pytest.mark.parametrize(("beat", "kind", "stages"), [
    ("compare", "grid", {"sdpa.query", "sdpa.key", "sdpa.scores"}),
    ("weights", "grid", {"sdpa.query", "sdpa.key", "sdpa.scores", "sdpa.attn_weights"}),
    ("blend", "grid", {"sdpa.value", "sdpa.attn_weights", "sdpa.output"}),
    ("blend", "strand", {"sdpa.attn_weights"}),
    ("cold", "bars", {"temperature.attn_weights"}),
    ("cold", "number", {"temperature.parameter", "limits.largest_gap"}),
    ("hot", "grid", {"temperature.attn_weights", "temperature.output", "limits.target"}),
    ("nudge", "grid", {"nudge.attn_weights", "nudge.output", "nudge.query", "gradient.nudge"}),
    ("gradient", "bars", {"gradient.predicted", "gradient.moved"}),
    ("compare", "number", {"sdpa.dot_products", "sdpa.scores"}),
    ("gradient", "grid", {"gradient.nudge", "gradient.jacobian", "gradient.output"})])
def test_a_beat_shows_its_stages(beat: str, kind: str, stages: set[str]) -> None:
    assert shown(beat, kind) == stages


def test_the_film_ends_its_slides_at_both_limits() -> None:
    ends = {one.id: [item["text"] for item in one.visible if item["type"] == "number"] for one in film().beats}
    assert ends["cold"] == ["0.06", "0.000"] and ends["hot"] == ["64.00", "0.008"]


def test_the_temperature_is_the_largest_number_of_its_beats() -> None:
    for beat in film().beats:
        if beat.id in ("cold", "hot"):
            numbers = [item for item in beat.visible if item["type"] == "number"]
            high = {item["address"].partition("[")[0]: item["height"] for item in numbers}
            assert high["parameter"] > 2 * high["largest_gap"]


@pytest.mark.parametrize("frame", FRAMES)
def test_the_widest_temperature_stays_in_its_place(frame: str) -> None:
    head, lines = headed(layout_for(frame).region("side"))
    whole = bundle()["temperature"]["parameter"]
    first, last = (Number(whole.entry(step=step), size=2 * DARK.title_size) for step in (PLAIN, 600))
    knob = Knob("temperature", first, last, head, DARK)
    number = knob.number
    number.show_as(number.other(whole.entry(step=600)).align_to(number, manim.LEFT), 1.0)
    assert abs(number.get_x() - head.x) < (head.width - number.width) / 2 + 1e-6
    assert abs(knob.get_y() - head.y) < (head.height - knob.height) / 2 + 1e-6
    assert head.right <= lines.left + 1e-6 or head.bottom >= lines.top - 1e-6


def test_a_matrix_stands_before_its_factor_as_a_product_is_written() -> None:
    held = bundle()["gradient"]
    slope, push = (Matrix(Grid(held[stage], rows, columns, theme=DARK), DARK) for stage, rows, columns in (
        ("jacobian", "value_dim", "head_dim"), ("nudge", "head_dim", None)))
    slope.times(push, gap=0.3)
    assert push.grid.get_left()[0] - slope.grid.get_right()[0] == pytest.approx(0.3)
    assert push.grid.get_y() == pytest.approx(slope.grid.get_y())
    assert push.symbol.formula.baseline == pytest.approx(slope.symbol.formula.baseline)


@pytest.mark.parametrize("frame", FRAMES)
def test_which_words_are_named_is_said_within_the_frame(frame: str) -> None:
    tokens, region = tuple(f"word{place}" for place in range(64)), layout_for(frame).region("stage")
    sweep = cases.load("random", tokens=tokens).bundle(is_causal=False, names=("temperature",))["temperature"]
    weights = sweep["attn_weights"]
    notice = Distribution(weights.sel(step=0, query_pos=0), weights, tokens, region, DARK).labels.notice
    assert notice is not None and notice.get_left()[0] >= region.left


def test_both_lookups_are_on_screen_as_python_said_them() -> None:
    texts = {one.id: {item.get("text") for item in one.visible} for one in film().beats}
    assert {'does["cat"]', "'purrs'"} <= texts["hit"] and "KeyError: 'kitten'" not in texts["hit"]
    assert {'does["kitten"]', "KeyError: 'kitten'"} <= texts["near_miss"] and "'purrs'" not in texts["near_miss"]


def test_open_boxes_have_the_colour_of_values_and_their_words_that_of_keys() -> None:
    for outline, word in vars(film())["room"].boxes:
        assert outline.get_stroke_color().to_hex().lower() == DARK.role("value")
        assert {glyph.get_fill_color().to_hex().lower() for glyph in word.submobjects} == {DARK.role("key")}


@pytest.mark.parametrize("frame", FRAMES)
def test_predicted_and_real_move_are_beside_each_other_in_one_scale(frame: str) -> None:
    region = layout_for(frame).region("stage")
    pair = [bundle()["gradient"][stage] for stage in ("predicted", "moved")]
    made = Compared(pair, ("a", "b"), (bundle()["gradient"]["output"], "c"), region, DARK)
    one, other = made.bars
    assert one.unit == pytest.approx(other.unit) and one.zero == pytest.approx(other.zero)
    for left, right in zip(one.bars, other.bars, strict=True):
        assert 0 < right.get_left()[0] - left.get_right()[0] < left.width / 2
    numbers = sorted((number for bars in made.bars for number in bars.numbers), key=lambda number: number.get_x())
    assert all(first.get_right()[0] < second.get_left()[0] for first, second in pairwise(numbers))
    cells = made.entries[0]
    for place, (left, right) in enumerate(zip(one.bars, other.bars, strict=True)):
        assert cells.cell(0, place).get_x() == pytest.approx((left.get_x() + right.get_x()) / 2)
    assert cells.get_top()[1] < min(part.get_bottom()[1] for part in (*one.bars, *other.bars, *numbers))
    for part in (*made.bars, *made.legend, made.entries):
        assert abs(part.get_x() - region.x) < region.width / 2 and abs(part.get_top()[1] - region.y) < region.height / 2


@pytest.mark.parametrize("choices", [
    {"tokens": ("a", "dog", "waits")},
    *(pytest.param(choices, marks=pytest.mark.slow) for choices in (
        {"case": "cross"}, {"case": "lesson", "frame": "9:16"}, {"case": "random", "frame": "1:1"}))])
def test_the_scene_plays_with_other_words(choices: dict[str, object]) -> None:
    scene = played("dict_lookup", **choices)
    assert len(scene.beats) == 10


def room_of(count: int, frame: str) -> Room:
    case = cases.load("random", tokens=tuple(f"w{place}" for place in range(count)))
    record = case.bundle(is_causal=False, names=("sdpa",))["sdpa"]

    def tensor(stage: str) -> NamedTensor:
        drawn = {"batch": case.batch, "head": case.drawn_head, "kv_head": case.drawn_kv_head}
        return record[stage].sel(**{axis: index for axis, index in drawn.items() if axis in record[stage].axes})

    layout = layout_for(frame)
    return Room(tensor, case.worked_query, case.query_tokens[case.worked_query], case.key_tokens,
                layout.region("whole"), DARK, beside=layout.flow == "beside", sum_word="sum")


@pytest.mark.parametrize("frame", FRAMES)
def test_low_boxes_are_rows_of_one_grid_with_names_that_can_be_read_and_the_blend_stays_as_high(frame: str) -> None:
    few, many = (room_of(count, frame) for count in (8, 64))
    assert len(few.boxes) == len(few.keys) == len(few.values) == 8
    [names], [keys], [values] = many.boxes, many.keys, many.values
    assert isinstance(names, TokenLabels) and names.every > 1 and names.notice is not None
    assert min(label.em for label in names.labels) >= DARK.minimum_size * PIXEL
    assert keys.cells.shape[0] == values.cells.shape[0] == 64
    assert many.query.get_bottom()[1] > names.get_top()[1] and names.get_left()[0] >= many.query.get_left()[0]
    assert many.blend[1].height == pytest.approx(few.blend[1].height) and many.blend[1].digit_size > 0
    ends = [strand.points[-1][1] for strand in many.strands]
    assert min(high - low for high, low in pairwise(ends)) > 7.9 * PIXEL  # lines do not lie over each other
    for row in (0, 63):
        assert keys.row(row).get_y() == pytest.approx(many.scores.row(row).get_y())


@pytest.mark.parametrize("frame", FRAMES)
def test_words_and_digits_can_be_read_in_every_box_that_has_an_outline(frame: str) -> None:
    for count in (9, 12, 15, 20):
        room = room_of(count, frame)
        assert all(grid.digit_size >= DARK.minimum_size for grid in (*room.keys, *room.values, room.scores))
        assert room.blend[1].height >= room_of(8, frame).blend[1].height - 1e-6


@pytest.mark.slow
def test_sixty_four_low_boxes_do_not_cover_their_cells() -> None:
    scene = played("dict_lookup", case="random", tokens=tuple(f"word{place}" for place in range(64)))
    assert [one.id for one in scene.beats] == [one.id for one in film().beats]
    assert scene.renderer.time < 120


def test_a_prediction_that_is_far_off_is_not_called_close():
    """Of the trained case the bars are alike; of this seed one pair differs by a third of the longest bar."""
    captions = {}
    for case, seed in (("trained", 0), ("random", 12)):
        gradient = (scene := played("dict_lookup", case=case, seed=seed)).bundle["gradient"].arrays
        off = np.abs(gradient["miss"]).max() / np.abs([gradient["moved"], gradient["predicted"]]).max()
        captions[round(float(off), 1)] = next(beat.caption for beat in scene.beats if beat.id == "gradient")
    assert captions[0.1].endswith("the real move is close.")
    assert captions[0.3].endswith("here it does so roughly.")
