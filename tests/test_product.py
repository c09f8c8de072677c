"""A matrix product in motion: which grids belong together, how its rows slide, and what is false of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import manim
import numpy as np
import pytest

from attnviz import cases
from attnviz.errors import CheckError, InputError
from attnviz.layout import layout_for
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.places import product_places
from attnviz.mobjects.product import MatrixProduct, quickening
from tests.acting import Staged, stage

pytestmark = pytest.mark.xdist_group("projections")

SDPA = ("query_pos", "head_dim"), ("head_dim", "key_pos"), ("query_pos", "key_pos")
BLEND = ("query_pos", "key_pos"), ("key_pos", "value_dim"), ("query_pos", "value_dim")
VIEW = ("query_pos", "model_dim"), ("model_dim", "head_dim"), ("query_pos", "head_dim")
Axes = tuple[tuple[str, str], ...]
PLACES = product_places(layout_for("16:9").region("whole"), (8, 4, 8), labels=(1.0, 0.5, 0.5))


def drawn(name: str, axes: tuple[str, str], record: str = "sdpa", **at: int) -> Grid:
    """A stage of the trained case, of the drawn head unless said."""
    bundle = cases.load("trained").bundle(is_causal=True, names=("sdpa", "projection"))
    chosen = {"batch": 0, "head": 1, "kv_head": 1} | at
    whole = bundle[record][name]
    return Grid(whole.sel(**{axis: chosen[axis] for axis in whole.axes if axis in chosen}), *axes, cell=0.4)


def product(stages: tuple[str, ...], axes: Axes, record: str = "sdpa") -> MatrixProduct:
    return MatrixProduct(*(drawn(name, sides, record) for name, sides in zip(stages, axes, strict=True)))


# --- which grids belong together


@pytest.mark.parametrize(("stages", "axes", "record"), [
    (("query", "key", "dot_products"), SDPA, "sdpa"), (("attn_weights", "value", "output"), BLEND, "sdpa"),
    (("query_input", "weight_query", "query"), VIEW, "projection")])
def test_a_product_of_its_own_factors_is_hidden_until_it_is_made(stages, axes, record):
    made = product(stages, axes, record)
    assert (made.result.cells.opacity == 0).all() and (made.left.cells.opacity == 1).all()
    assert made.rest() == [*range(8)] and made.rest([0, 7]) == [*range(1, 7)]


def test_the_numbers_of_a_product_are_those_of_its_factors():
    """By numpy, in float64, from what the grids hold."""
    for stages, axes, record in ((("query", "key", "dot_products"), SDPA, "sdpa"),
                                 (("query_input", "weight_query", "query"), VIEW, "projection")):
        made = product(stages, axes, record)
        left, top, result = (grid.cells.tensor.values.astype(float) for grid in (made.left, made.top, made.result))
        np.testing.assert_allclose(left @ (top.T if record == "sdpa" else top), result, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("stages", "axes", "record", "why"), [
    (("query_input", "weight_key", "query"), VIEW, "projection", "not computed from them"),
    (("query", "key", "scores"), SDPA, "sdpa", "not computed from them"),
    (("query", "key", "attn_weights"), SDPA, "sdpa", "not computed from them"),
    (("scores", "value", "output"), BLEND, "sdpa", "not computed from them"),
    (("attn_weights", "key", "output"), (BLEND[0], ("key_pos", "head_dim"), BLEND[2]), "sdpa", "do not belong"),
    (("query", "key", "dot_products"), (SDPA[0], ("key_pos", "head_dim"), SDPA[2]), "sdpa", "do not belong"),
    (("query", "key", "dot_products"), (*SDPA[:2], ("key_pos", "query_pos")), "sdpa", "do not belong")])
def test_a_result_beside_the_wrong_factor_is_refused_by_name(stages, axes, record, why):
    wanted = rf"^{stages[2]}.* product of {stages[0]}.* and {stages[1]}.*: .*{why}"
    with pytest.raises(InputError, match=wanted) as said:
        product(stages, axes, record)
    assert "\n" not in str(said.value)


def test_grids_of_other_rows_of_another_head_or_record_are_refused():
    query, key, dots = (drawn(*one) for one in zip(("query", "key", "dot_products"), SDPA, strict=True))
    few = Grid(query.cells.tensor, *SDPA[0], row_positions=range(7))
    with pytest.raises(InputError, match="do not belong together"):
        MatrixProduct(few, key, dots)
    with pytest.raises(InputError, match="head=0 is not head=1"):
        MatrixProduct(drawn("query", SDPA[0], head=0), key, dots)
    of_views = drawn("query", SDPA[0], "projection")
    with pytest.raises(InputError, match="not computed from them"):
        MatrixProduct(of_views, key, dots)


def test_one_row_of_a_product_is_not_that_of_another():
    rows = [drawn("query_input", VIEW[0], "projection"), drawn("query", VIEW[2], "projection")]
    two, three = (Grid(rows[0].cells.tensor.sel(query_pos=row), None, "model_dim") for row in (2, 3))
    made = Grid(rows[1].cells.tensor.sel(query_pos=3), None, "head_dim")
    weight = drawn("weight_query", VIEW[1], "projection")
    with pytest.raises(InputError, match="query_pos=2 is not query_pos=3"):
        MatrixProduct(two, weight, made)
    assert MatrixProduct(three, weight, made).rest() == [0]


# --- how rows slide


def test_quickening_goes_from_the_first_time_to_the_last_by_equal_factors():
    times = quickening(5, 2.0, 0.5)
    assert (times[0], times[-1]) == pytest.approx((2.0, 0.5))
    assert np.diff(np.log(times)) == pytest.approx([np.log(0.25) / 4] * 4)
    assert quickening(1, 2.0, 0.5) == [2.0] and quickening(0, 2.0, 0.5) == []


def test_a_row_does_not_slide_into_a_product_that_stands_elsewhere():
    made = product(("query", "key", "dot_products"), SDPA).to(PLACES)
    made.slide([2])
    made.result.shift(0.4 * manim.DOWN)
    with pytest.raises(InputError, match="move the three grids to their places"):
        made.slide([2])
    made.to(PLACES).top.shift(0.4 * manim.RIGHT)
    with pytest.raises(InputError, match="move the three grids to their places"):
        made.slide([2])
    with pytest.raises(InputError, match="query_pos=8 is not drawn"):
        made.to(PLACES).slide([8])


@pytest.mark.parametrize("share", [0.0, 1 / 3, 0.5, 2 / 3, 0.9])
def test_a_row_keeps_its_numbers_on_its_way_and_gives_way_to_its_own_entries(share):
    made = product(("query", "key", "dot_products"), SDPA).to(PLACES)
    made.left.focus(rows=())
    start, end = (grid.row(2).points for grid in (made.left, made.result))
    [step] = made.slide([2], 1.0).animations
    step.begin()
    step.interpolate(share)
    assert step.moving.shows()[0].shows_same_as(made.left.block([2], [*range(4)]).cells)
    assert step.made.shows()[0].shows_same_as(made.result.block([2], [*range(8)]).cells)
    np.testing.assert_allclose(step.made.points, end)
    both = step.moving.cells.digit_opacity.max(), step.made.cells.digit_opacity.max()
    assert min(both) == 0  # never two rows of digits, one over the other
    if share >= 0.6:
        np.testing.assert_allclose(step.moving.points, end, atol=1e-6)
    if not share:
        np.testing.assert_allclose(step.moving.points, start)


# --- on stage: what is true passes the audit at rest and inside every play, what is false does not


def staged(scene: Staged) -> MatrixProduct:
    """Queries and keys on screen, and their product, of which nothing is there yet."""
    grids = (scene.grid(name, *sides, cell=0.4)
             for name, sides in zip(("query", "key", "dot_products"), SDPA, strict=True))
    made = MatrixProduct(*grids).to(PLACES)
    scene.reveal(made.left, made.top)
    return made


def test_rows_slide_entries_arrive_and_the_audit_passes():
    looked: list[float] = []
    left: list[MatrixProduct] = []

    def honest(scene: Staged) -> None:
        inside = scene.audit.inside
        scene.audit.inside = lambda share: (looked.append(share), inside(share))[1]
        made = staged(scene)
        left.append(made)
        scene.play(*made.aim(2, 5))
        scene.play(made.arrive(2, 5, made.top.column(5)))
        scene.play(*made.aim())
        scene.play(made.left.animate.focus(rows=()))
        for rows in ([0], [1, 3], made.rest([0, 1, 2, 3])):
            scene.play(made.slide(rows, 1.0))
        assert not made.result.cells.opacity[2, :5].any() and made.result.cells.opacity[2, 5] == 1
        scene.play(made.slide([2], 1.0), *[made.top.animate.focus()])
        scene.play(*made.aim())

    scene = stage(honest)
    assert {round(share, 2) for share in looked} >= {0.33, 0.67}
    assert (left[0].result.cells.opacity == 1).all() and left[0].result in scene.mobjects


Lie = Callable[[Staged], None]


def another_row_in_the_result(scene: Staged) -> None:
    """The row of the third word is filled with the numbers of the fourth."""
    made = staged(scene)
    order = [0, 1, 3, 2, 4, 5, 6, 7]
    cells = made.result.cells
    made.result.cells = replace(cells, fill=cells.fill[order], sprite_ids=cells.sprite_ids[order])
    scene.play(made.slide([2], 1.0))


def a_row_laid_into_the_gap_of_another(scene: Staged) -> None:
    made = staged(scene)
    scene.play(made.slide(made.rest([2]), 1.0))
    row = made.result.block([5], [*range(8)])
    scene.reveal(row.move_to(made.result.row(2)))


def a_row_that_carries_other_digits_on_its_way(scene: Staged) -> None:
    made = staged(scene)
    slide = made.slide([2], 1.0)
    [step] = slide.animations
    begin = step.begin

    def forged() -> None:
        begin()
        other = made.left.block([5], [*range(4)]).cells
        step.moving.cells = replace(step.moving.cells, sprite_ids=other.sprite_ids)

    step.begin = forged
    scene.play(slide)


def a_product_with_keys_as_rows(scene: Staged) -> None:
    sides = [axes[::-1] for axes in (SDPA[1], SDPA[0], SDPA[2])]
    made = MatrixProduct(*(scene.grid(name, *axes, cell=0.4)
                           for name, axes in zip(("key", "query", "dot_products"), sides, strict=True))).to(PLACES)
    scene.reveal(made.left, made.top)
    scene.play(made.slide([2], 1.0))


def an_entry_of_another_column(scene: Staged) -> None:
    made = staged(scene)
    arrive = made.arrive(2, 5, made.top.column(5))
    [entry] = arrive.parts
    entry.cells = replace(entry.cells, sprite_ids=made.result.block([2], [4]).cells.sprite_ids)
    scene.play(arrive)


def a_product_beside_other_rows(scene: Staged) -> None:
    made = staged(scene)
    made.result.shift(made.left.pitch[1] * manim.DOWN)
    scene.play(made.slide([2], 1.0))


LIES: list[tuple[Lie, str]] = [
    (another_row_in_the_result, r"67% into play 3 .*dot_products\[.*query_pos=2, key_pos=\d\] shows .* record says"),
    (a_row_laid_into_the_gap_of_another, r"dot_products\[.*query_pos=3 stands behind query_pos=5"),
    (a_row_that_carries_other_digits_on_its_way, r"33% into play 3 .*query\[.*query_pos=2, head_dim=\d\] shows"),
    (a_product_with_keys_as_rows, r"is drawn transposed: queries are rows and keys are columns"),
    (an_entry_of_another_column, r"dot_products\[.*query_pos=2, key_pos=5\] shows .* the record says"),
    (a_product_beside_other_rows, r"does not stand beside the rows and below the columns")]


@pytest.mark.parametrize(("act", "expected"), LIES, ids=[act.__name__ for act, _ in LIES])
def test_a_lie_about_a_product_is_caught(act, expected):
    with pytest.raises((CheckError, InputError)) as said:
        stage(act)
    assert re.search(expected, str(said.value)), said.value
