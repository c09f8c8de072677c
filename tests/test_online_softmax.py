"""The records of the online softmax, and the one NaN that may be shown: drawn, audited, verified, refused elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import manim
import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.audit import sheets
from attnviz.errors import CheckError, InputError, RecordError
from attnviz.layout import FRAMES, LAYOUTS
from attnviz.mobjects import Grid, Number
from attnviz.mobjects.accumulated import Accumulated
from attnviz.mobjects.number import Bound
from attnviz.mobjects.reading import STRIDES, Reading
from attnviz.mobjects.recipe import OUTPUT
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.running import OnePass, Places
from attnviz.numbers import NumberFormat, Operation, format_for
from attnviz.registry import SCENES
from attnviz.sdpa import reading_order, trace_gap, trace_online, trace_overflow
from attnviz.sdpa.online import MOST_BLOCKS, USUAL_BLOCKS
from attnviz.theme import DARK
from attnviz.trace import Bundle, Record
from attnviz.verify.chain import recomputed
from attnviz.verify.check import verify
from attnviz.verify.shown import agrees
from attnviz.words import Words
from tests.acting import Staged, stage
from tests.follow import build
from tests.forging import honest, paint_number, picture_of, words
from tests.playing import own, played

pytestmark = pytest.mark.xdist_group("online_softmax")  # plays the scene once with those of test_scenes

RECORDS = ("sdpa", "online", "passes", "overflow")
WITH_NAN = NumberFormat("fixed", 2, has_nan=True)
Act = Callable[[Staged], None]


def overflow(*scores: float) -> Record:
    return trace_overflow(torch.tensor(scores or (151.29, 150.0, 149.0)))


def ragged() -> Record:
    """Three keys in blocks of two: the last block has a lane that holds no number."""
    draws = torch.randn(3, 1, 1, 3, 2, generator=torch.Generator().manual_seed(0))
    return trace_online(draws[0], draws[1], draws[2], [0, 1, 2], 2)


# --- the row that overflows


def test_the_known_row_overflows_in_float32_and_does_not_with_the_largest_subtracted() -> None:
    record = overflow()
    assert np.isposinf(record["naive_exp"].values).all() and np.isposinf(record["naive_sum"].values)
    assert np.isnan(record["naive_weights"].values).all()
    assert record["attn_weights"].values == pytest.approx([0.72646, 0.19997, 0.07357], abs=5e-6)
    assert float(record["largest_score"].values) == pytest.approx(math.log(3.4028235e38))
    assert recomputed(record) == 22


def test_a_row_that_fits_gives_the_same_both_ways() -> None:
    record = overflow(3.0, 2.0, -1.0)
    assert record["naive_weights"].values == pytest.approx(record["attn_weights"].values, rel=1e-6)
    at_the_edge = overflow(88.7, 1.0)["naive_exp"].values
    beyond = overflow(88.8, 1.0)["naive_exp"].values
    assert np.isfinite(at_the_edge).all() and np.isposinf(beyond[0]) and np.isfinite(beyond[1])


@pytest.mark.parametrize(("changed", "value"), [
    ("naive_exp", 3.4e38), ("naive_sum", 3.4e38), ("naive_weights", 1 / 3), ("naive_weights", np.inf),
    ("attn_weights", np.nan), ("largest_score", 89.0)])
def test_what_does_not_overflow_so_is_refused_by_the_record_and_by_the_verifier(changed: str, value: float) -> None:
    record = overflow()
    false = {**record.arrays, changed: np.full_like(record.arrays[changed], value)}
    with pytest.raises(RecordError, match=f"overflow.{changed}"):
        build("overflow", false, {})
    with pytest.raises(RecordError, match=changed):
        recomputed(replace(record, arrays=false))


def test_the_verifier_does_not_take_an_infinity_for_an_exponential_that_fits() -> None:
    record = overflow(3.0, 2.0, -1.0)
    false = {**record.arrays, "naive_exp": np.full(3, np.inf, np.float32)}
    with pytest.raises(RecordError, match="naive_exp"):
        build("overflow", false, {})
    with pytest.raises(RecordError, match="naive_exp"):
        recomputed(replace(record, arrays=false))


def test_numbers_that_a_wider_type_could_hold_do_not_overflow_so() -> None:
    wide = {name: array.astype(np.float64) for name, array in overflow().arrays.items()}
    limit = np.log(np.asarray(np.finfo(np.float32).max, np.float64))
    false = {**wide, "largest_score": limit, "naive_exp": np.exp(wide["scores"])}
    with pytest.raises(RecordError, match=r"overflow\.naive_exp"):
        build("overflow", false, {}, dtype="float64")


@pytest.mark.parametrize("scores", [torch.zeros(3, dtype=torch.float64), torch.zeros(1, 3), torch.zeros(0)])
def test_only_a_row_of_float32_overflows(scores: torch.Tensor) -> None:
    with pytest.raises(InputError, match="give one row of float32"):
        trace_overflow(scores)


# --- one pass


def test_the_worked_flash_attention_example_in_one_pass_over_single_rows() -> None:
    q, k, v = (torch.tensor([[rows]], dtype=torch.float32) for rows in (
        [[1, 0, 2, 0], [0, 1, 1, 0], [1, 1, 0, 1], [0, 2, 1, 1]],
        [[2, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 2, 1]], [[1, 0], [0, 1], [1, 1], [2, 1]]))
    record = trace_online(q, k, v, [0, 1, 2, 3], 2)
    rows = {name: record[name].sel(batch=0, head=0, row=0).values
            for name in ("running_max", "rescale", "running_sum")}
    assert rows["running_max"] == pytest.approx(np.array([[1, 2], [1, 1], [1.5, 1.5], [1.5, 1.5]]))
    assert rows["rescale"][:, 1] == pytest.approx([0.36788, 1, 1, 1], abs=5e-6)
    assert rows["running_sum"][:, 1] == pytest.approx([2.34229, 3.21306, 2.34229, 3.21306], abs=5e-6)
    wanted = [[1.26987, 0.84294], [1, 0.81123], [1, 0.57307], [1, 0.81123]]
    assert record["output"].values[0, 0] == pytest.approx(np.array(wanted), abs=5e-6)
    backwards = trace_online(q, k, v, [2, 3, 0, 1], 2)
    assert backwards["output"].values == pytest.approx(record["output"].values, abs=1e-6)
    assert backwards["rescale"].values[0, 0, 0, 1, 0] == 1  # its largest score comes first now


@pytest.mark.parametrize(("scores", "order", "block"), [
    ([0, 5, 0, 1, 1, 2], [4, 5, 2, 3, 0, 1], 2),  # the largest in the first block: from the end
    ([0, 5, 1, 2], [0, 1, 2, 3], 1),          # two blocks rise or do not: single keys do both
    ([0, 1, 0, 0, 5], [0, 1, 2, 3, 4], 2),    # the largest last: from the start
    ([5, 1, 0, 0, 2], [3, 4, 1, 2, 0], 2),    # from the end, blocks are counted from there
    ([0, 5, 1], [0, 1, 2], 1),                # in the middle of three: single keys
    ([0, 1, 2], [0, 1, 2], 2), ([3, 1], [1, 0], 1)])
def test_a_row_is_read_so_that_its_maximum_rises(scores: list[float], order: list[int], block: int) -> None:
    assert reading_order(torch.tensor(scores, dtype=torch.float32)) == (order, block)


def rises(scores: Sequence[float], order: Sequence[int], block: int) -> list[bool]:
    """For each block but the first, whether it raises the maximum."""
    read = [scores[place] for place in order]
    return [max(read[end:end + block]) > max(read[:end]) for end in range(block, len(read), block)]


def test_six_keys_are_read_two_at_a_time_or_one_by_one() -> None:
    ways = [(list(range(6)), 2), ([4, 5, 2, 3, 0, 1], 2), (list(range(6)), 1), (list(range(5, -1, -1)), 1)]
    for scores in map(list, permutations(range(6))):
        risen = [(way, rises(scores, *way)) for way in ways]
        wanted = [way for way, found in risen if {True, False} <= set(found)] or [
            way for way, found in risen if True in found]
        assert reading_order(torch.tensor(scores, dtype=torch.float32)) == wanted[0]


@pytest.mark.parametrize("count", range(2, 65))
def test_a_row_of_any_length_has_few_blocks_whose_maximum_rises(count: int) -> None:
    dice = Random(count)
    for _ in range(20):
        scores = dice.sample(range(1000), count)
        order, block = reading_order(torch.tensor(scores, dtype=torch.float32))
        found = rises(scores, order, block)
        assert sorted(order) == list(range(count)) and True in found
        assert len(found) < MOST_BLOCKS and (block == 1 or count <= block * USUAL_BLOCKS or False in found)


def test_a_long_row_whose_maximum_climbs_from_block_to_block_is_read_in_blocks_that_also_let_it_stay() -> None:
    scores = [float(place % 20 + place // 16) for place in range(64)]
    order, block = reading_order(torch.tensor(scores))
    assert {True, False} == set(rises(scores, order, block)) and len(scores) <= block * MOST_BLOCKS


def test_a_long_row_whose_largest_score_stands_near_both_ends_is_read_in_smaller_blocks() -> None:
    scores = [0.0, 5.0, *[0.0] * 17, 5.0]
    assert reading_order(torch.tensor(scores)) == (list(range(20)), 1)


@pytest.mark.parametrize("count", [1, 6, 10, 11, 20, 64])
def test_a_walk_along_a_row_takes_few_strides_and_leaves_no_key_out(count: int) -> None:
    strides = Reading((tuple(range(count)),), 0).strides
    assert [key for keys in strides for key in keys] == list(range(count))
    assert len(strides) == count if count <= STRIDES else len(strides) <= STRIDES


@pytest.mark.parametrize("scores", [[1.0], [2.0, 2.0, 2.0]])
def test_a_row_that_never_rises_is_refused_with_a_remedy(scores: list[float]) -> None:
    with pytest.raises(InputError, match="never rise: choose a case, or tokens"):
        reading_order(torch.tensor(scores))


def test_orders_and_outputs_that_do_not_fit_are_refused() -> None:
    one = torch.zeros(1, 1, 3, 2)
    with pytest.raises(InputError, match="name each once"):
        trace_online(one, one, one, [0, 1, 1], 2)
    with pytest.raises(InputError, match="give both alike"):
        trace_gap(one, one[:, :, :2], one, one, one)


@pytest.mark.parametrize("name", cases.names())
def test_one_pass_over_a_case_rises_once_at_least_and_gives_what_two_give(name: str) -> None:
    case = cases.load(name)
    bundle = case.bundle(is_causal=False, names=RECORDS)
    online, row = bundle["online"], {"batch": 0, "head": case.drawn_head, "query_tile": case.worked_query, "row": 0}
    reading = Reading.of(online, online["rescale"].sel(**row))
    assert sorted(key for block in reading.blocks for key in block) == list(range(len(case.key_tokens)))
    assert reading.rise >= 1 and float(online["rescale"].sel(**row).values[reading.rise]) < 1
    assert reading.is_forward == (name in ("lesson", "cross"))
    assert "key_tokens" not in online.provenance  # its keys stand in another order than their words
    for stage_name, record, other in (("ours", "online", "output"), ("theirs", "sdpa", "output")):
        np.testing.assert_array_equal(bundle["passes"].arrays[stage_name], bundle[record].arrays[other])
    assert 0 < float(bundle["passes"]["max_abs_difference"].values) < 2e-6
    assert all(recomputed(record) for record in bundle.values())


def test_one_pass_is_made_without_a_mask_or_not_at_all() -> None:
    with pytest.raises(InputError, match="is_causal = False"):
        cases.load("trained").bundle(is_causal=True, names=("sdpa", "online"))


# --- the NaN that may be shown


def test_a_nan_is_written_only_where_its_format_says_so() -> None:
    assert format_for("naive_weights", [math.nan]).text(math.nan) == "NaN"
    assert WITH_NAN.text(0.5) == "0.50"
    for other in ("attn_weights", "naive_exp", "tile_exp", "scores"):
        with pytest.raises(InputError, match="NaN cannot be written"):
            format_for(other, [math.nan]).text(math.nan)


def test_a_nan_agrees_with_its_name_and_with_nothing_else() -> None:
    assert agrees("NaN", math.nan)
    assert not any((agrees("NaN", 0.0), agrees("NaN", math.inf), agrees("0.00", math.nan), agrees("nan", math.nan)))


def test_numbers_show_the_nan_of_a_softmax_and_refuse_any_other() -> None:
    bundle = Bundle({"overflow": overflow(), "online": ragged()})
    assert Number(bundle["overflow"]["naive_weights"].entry(place=0)).text == "NaN"
    missing = bundle["online"]["tile_exp"].entry(batch=0, head=0, query_tile=0, key_tile=1, row=0, column=1)
    assert math.isnan(missing.value)
    with pytest.raises(InputError, match=r"tile_exp.* is NaN and cannot be drawn"):
        Number(missing, WITH_NAN)


def test_grids_refuse_the_nan_of_a_softmax_too() -> None:
    with pytest.raises(InputError, match=r"naive_weights.* is NaN and cannot be drawn"):
        Grid(overflow()["naive_weights"], None, "place", fmt=WITH_NAN)


def test_grids_refuse_an_infinity_which_has_no_colour() -> None:
    with pytest.raises(InputError, match=r"naive_exp\[place=0\] is infinite and has no colour"):
        Grid(overflow()["naive_exp"], None, "place")


def test_a_nan_reads_as_one() -> None:
    assert sheets.looks_like("NaN") == "NaN"


LIES: dict[str, tuple[Act, str]] = {}


def lie(expected: str) -> Callable[[Act], Act]:
    def enter(act: Act) -> Act:
        LIES[act.__name__] = (act, expected)
        return act

    return enter


def shown_as(scene: Staged, entry: Any, fmt: NumberFormat, like: Any) -> None:
    """A number that says what another entry says, as no scene could make it."""
    number = Number(like, size=DARK.body_size)
    number.bound = Bound(entry, fmt)
    scene.reveal(number)


def nan_of(scene: Staged) -> Any:
    return scene.bundle["overflow"]["naive_weights"].entry(place=0)


@lie(r"tile_exp\[.*column=1\] is NaN, which is no result of this stage")
def a_lane_that_does_not_exist(scene: Staged) -> None:
    at = {"batch": 0, "query_tile": 0, "key_tile": 1, "row": 0, "column": 1}
    shown_as(scene, scene.bundle["online"]["tile_exp"].entry(head=0, **at), WITH_NAN, nan_of(scene))


@lie(r"attn_weights\[place=0\] shows NaN, the record says 0\.726")
def a_nan_for_a_number(scene: Staged) -> None:
    shown_as(scene, scene.bundle["overflow"]["attn_weights"].entry(place=0), WITH_NAN, nan_of(scene))


@lie(r"naive_weights\[place=0\] shows 0\.73, the record says nan")
def a_number_for_a_nan(scene: Staged) -> None:
    shown_as(scene, nan_of(scene), WITH_NAN, scene.bundle["overflow"]["attn_weights"].entry(place=0))


@lie(r"naive_exp\[place=0\] .*is bound to 3\.4e\+38, the records say inf")
def an_exponential_that_is_held(scene: Staged) -> None:
    entry = scene.bundle["overflow"]["naive_exp"].entry(place=0)
    scene.reveal(Number(replace(entry, value=3.4e38), NumberFormat("scientific", 1)))


def signed(scene: Staged, operation: Operation) -> None:
    """A sign before the sum of a row that two others do not give."""
    factor, old, new = (Number(scene.one("row_sum", query_pos=row), size=DARK.body_size) for row in (1, 2, 0))
    sign = Relation("", [Claim(operation, (factor.bound, old.bound), new.bound)], size=30, color="#ffffff")
    scene.reveal(manim.Group(factor, old, sign, new).arrange(manim.RIGHT, buff=0.4))


@lie(r"row_sum.* is .*, but a sign says that it is .* × ")
def a_result_that_a_rescaled_sum_does_not_give(scene: Staged) -> None:
    signed(scene, "rescaled")


@lie(r"row_sum.* is .*, but a sign says that it is max\(")
def a_result_that_is_not_the_largest(scene: Staged) -> None:
    signed(scene, "largest")


@pytest.mark.parametrize("name", LIES)
def test_the_audit_catches(name: str) -> None:
    act, expected = LIES[name]
    with pytest.raises(CheckError, match=expected):
        stage(act, records={"overflow": overflow(), "online": ragged()})


def test_the_audit_lets_the_nan_of_a_softmax_pass() -> None:
    scene = stage(lambda scene: scene.reveal(Number(nan_of(scene))), records={"overflow": overflow()})
    assert "NaN" in [item.get("text") for item in scene.beats[0].visible]


# --- and in a finished film


def film_of(folder: Path, item: dict[str, Any], *, painted: str | None = None) -> list[str]:
    """What is wrong with a film that shows a number more, or in its place other digits than its score says."""
    film = honest()
    film.bundle = Bundle({**film.bundle, "overflow": overflow(), "online": ragged()})
    film.pictures[1] = picture_of(film.score, 1)
    film.score["beats"][1]["visible"].append(item)
    paint_number(film.pictures[1], {**item, "text": painted or item["text"]})
    return [wrong.line() for wrong in verify(film.write(folder)).wrongs]


def item_of(text: str, record: str, address: str) -> dict[str, Any]:
    return words("number", text, (3.0, -2.0), 0.35, record=record, address=address, color=DARK.ink)


NAIVE = ("overflow", "naive_weights[place=0]")


def test_a_film_that_shows_the_nan_of_a_softmax_holds(tmp_path: Path) -> None:
    assert film_of(tmp_path / "nan", item_of("NaN", *NAIVE)) == []
    assert film_of(tmp_path / "infinity", item_of("∞", "overflow", "naive_exp[place=0]")) == []


@pytest.mark.parametrize(("item", "painted", "expected"), [
    (item_of("NaN", *NAIVE), "0.73", "naive_weights"),
    (item_of("0.73", *NAIVE), None, "the score shows 0.73, but the record says nan"),
    (item_of("0.73", "overflow", "attn_weights[place=0]"), "NaN", "attn_weights"),
    (item_of("NaN", "overflow", "attn_weights[place=0]"), None, "the score shows NaN, but the record says 0.726"),
    (item_of("NaN", "online", "tile_exp[batch=0, head=0, query_tile=0, key_tile=1, row=0, column=1]"), None,
     "NaN is no result of this stage")])
def test_a_film_that_does_not_is_found(
    tmp_path: Path, item: dict[str, Any], painted: str | None, expected: str) -> None:
    assert any(expected in line for line in film_of(tmp_path / "film", item, painted=painted))


# --- the scene


def addresses(beat: Any) -> set[str]:
    """Record and stage of everything bound that a beat shows at its end."""
    found = set()
    for item in beat.visible:
        content = item.get("content", item)
        if "address" in content:
            found.add(f"{content['record']}.{content['address'].partition('[')[0]}")
    return found


@cache
def of_case(name: str) -> Any:
    """The scene played with a case, once."""
    return own("online_softmax") if name == "trained" else played("online_softmax", case=name)


@pytest.mark.parametrize("name", ["trained", "cross"])
def test_beats_show_the_stages_that_they_speak_of(name: str) -> None:
    beats = {beat.id: addresses(beat) for beat in of_case(name).beats}
    assert {"overflow.naive_exp", "overflow.naive_sum", "overflow.naive_weights"} <= beats["overflow"]
    assert {"overflow.shifted_scores", "overflow.attn_weights", "overflow.naive_weights"} <= beats["subtract"]
    assert {"sdpa.row_max", "sdpa.row_sum", "sdpa.exp_scores"} <= beats["two_passes"]
    state = {"online.running_max", "online.rescale", "online.running_sum", "online.tile_exp"}
    assert state <= beats["blocks"] and state <= beats["larger"]
    assert {"online.running_max", "online.tile_exp", "online.rescale", "sdpa.exp_scores"} <= beats["exact"]
    assert state | {"online.accumulator", "sdpa.value"} <= beats["values"]
    assert {"online.output", "sdpa.output", "passes.max_abs_difference"} <= beats["same"]


def test_a_factor_of_one_and_one_below_are_shown() -> None:
    shown = {beat.id: {item["text"] for item in beat.visible if item.get("address", "").startswith("rescale")}
             for beat in own("online_softmax").beats}
    assert shown["blocks"] == {"1.00"} and shown["larger"] == {"0.12", "0.124"}  # on its card, and to be worked with


@pytest.mark.parametrize("name", ["trained", "lesson", "cross"])
def test_every_worked_line_has_its_result_and_the_sign_that_the_digits_allow(name: str) -> None:
    [larger] = [beat for beat in of_case(name).beats if beat.id == "larger"]
    signs = {item["operation"]: item for item in larger.visible if item["type"] == "relation"}
    assert set(signs) == {"largest", "exp", "rescaled"} and signs["largest"]["sign"] == "="
    (factor, before, *exps), total = signs["rescaled"]["lines"][0].values()
    worked_out = Decimal(factor) * Decimal(before) + sum(map(Decimal, exps))
    assert worked_out.quantize(Decimal(total)) == Decimal(total)
    (old, new), shown = signs["exp"]["lines"][0].values()
    assert shown == factor == f"{math.exp(Decimal(old) - Decimal(new)):.{len(factor) - 2}f}"
    assert {card["text"] for card in larger.visible if card.get("address", "").startswith("running_sum")} >= {total}


def test_the_row_and_every_factor_are_explained_where_they_stand() -> None:
    said = {beat.id: {item["text"] for item in beat.visible if item["type"] == "text"}
            for beat in own("online_softmax").beats}
    assert "it" in said["two_passes"] and "it" in said["blocks"]
    assert "no larger score: α is one" in said["blocks"] and "a larger score: α is less than one" in said["larger"]
    assert "before: infinity over infinity" in said["subtract"]
    assert {"largest", "factor", "sum"} <= said["larger"] & said["values"]  # what the cards hold


def test_the_rule_of_the_accumulator_stands_where_it_is_used() -> None:
    [shown] = [beat.visible for beat in own("online_softmax").beats if beat.id == "values"]
    texts = [item["text"] for item in shown if item["type"] == "text"]
    assert OUTPUT[-1][1] in texts and "weighted sum" in texts
    assert any(item["type"] == "grid" and "accumulator" in item["content"]["address"] for item in shown)


def test_what_a_block_finds_is_read_from_its_factor() -> None:
    one = own("online_softmax").one
    factors = one.steps("rescale").values
    assert one.change(0) == "first" and factors[0] == 0
    for tile in range(1, len(factors)):
        assert one.change(tile) == ("larger" if factors[tile] < 1 else "none")


# --- many words

LONGEST = 120  # seconds


WORDS = Words.load(SCENES / "online_softmax.en.toml").text


def words_of(count: int) -> tuple[str, ...]:
    return tuple(f"w{place}" for place in range(count))


@cache
def pass_over(count: int, frame: str) -> tuple[OnePass, Accumulated]:
    """The pictures of a pass over so many words, and of its values, without a scene."""
    case = cases.load("random", tokens=words_of(count))
    bundle, query = case.bundle(is_causal=False, names=("sdpa", "online")), case.worked_query

    def tensor(stage_name: str, record: str) -> Any:
        whole, drawn = bundle[record][stage_name], {"batch": 0, "head": case.drawn_head, "kv_head": case.drawn_kv_head}
        return whole.sel(**{axis: at for axis, at in drawn.items() if axis in whole.axes})

    one = OnePass(tensor, bundle["online"], query, "w", case.key_tokens, WORDS, Places.of(LAYOUTS[frame]), DARK)
    return one, Accumulated(one, tensor, case.key_tokens, DARK)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "frame"), [
    (9, "16:9"), (13, "1:1"), (16, "9:16"), (24, "1:1"), (40, "16:9"), (63, "9:16"), (64, "16:9"), (64, "9:16"),
    (64, "1:1")])
def test_many_words_make_no_long_film(count: int, frame: str) -> None:
    scene = played("online_softmax", case="random", tokens=words_of(count), frame=frame)
    assert scene.beats[-1].end <= LONGEST


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [6, 16, 64])
def test_values_of_any_block_stand_between_the_exponentials_and_the_accumulator(count: int, frame: str) -> None:
    one, total = pass_over(count, frame)
    room = one.places.other
    for tile in range(len(one.reading.blocks)):
        values, labels, name = total.values(tile).submobjects
        assert name.get_bottom()[1] >= values.get_top()[1] and name.get_top()[1] <= room.top
        assert max(labels.get_top()[1], name.get_top()[1]) < one.exps(tile).get_bottom()[1]
        assert values.get_bottom()[1] > total.grid.get_top()[1] and total.grid.get_bottom()[1] >= room.bottom - 1e-6
        assert values.width == pytest.approx(total.grid.width)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [6, 64])
def test_the_lines_of_an_update_are_large_and_fit_below_the_cards(count: int, frame: str) -> None:
    one, _ = pass_over(count, frame)
    lines, room = one.update(one.reading.rise), one.places.sums
    whole = manim.Group(*lines)
    assert whole.width <= room.width + 1e-6 and whole.height <= room.height
    numbers = [part for part in lines[-1].get_family() if isinstance(part, Number)]
    assert len(numbers) == {6: 5, 64: 3}[count]  # of many exponentials, the sum is a sign
    assert numbers[0].size > DARK.body_size  # so that a back row reads them
    assert lines[0].get_top()[1] < one.cards.get_bottom()[1]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [6, 64])
def test_the_first_factor_is_explained_below_the_cards(count: int, frame: str) -> None:
    one, _ = pass_over(count, frame)
    why = one.remark(0)
    assert [part.text for part in why] == ["alpha = e^(-infinity) = 0", WORDS["first"]]
    assert why.get_top()[1] < one.cards.get_bottom()[1] and why.get_bottom()[1] >= one.places.said.bottom
    assert one.cards.get_top()[1] < one.exps(0).get_bottom()[1] - 0.1
