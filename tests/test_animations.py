from collections.abc import Callable, Iterator
from typing import Any

import manim
import numpy as np
import pytest

from attnviz import text
from attnviz.errors import InputError
from attnviz.mobjects import Grid, Number
from attnviz.mobjects.animations import FillCells, FillRows, Swap, SwapNumber, shade
from attnviz.mobjects.cells import DIM
from attnviz.render.renderer import QuickRenderer
from tests.drawn import tensor

STEPS = np.linspace(0, 1, 41)


@pytest.fixture
def scene() -> Iterator[manim.Scene]:
    small = {"pixel_width": 192, "pixel_height": 108, "frame_rate": 10, "dry_run": True, "disable_caching": True}
    with manim.tempconfig({**small, "verbosity": "ERROR", "progress_bar": "none"}):
        yield manim.Scene(renderer=QuickRenderer())


def strings(grid: Grid) -> list[list[str]]:
    return [[grid.cells.digits(row, column) for column in range(8)] for row in range(8)]


def test_swapped_numbers_are_old_or_new_and_whole() -> None:
    grid = Grid(tensor("scores"))
    animation = Swap(grid, tensor("attn_weights"), rate_func=manim.linear)
    old, new = strings(Grid(tensor("scores"))), strings(Grid(tensor("attn_weights")))
    animation.begin()
    seen = []
    animation.interpolate(0)
    assert np.array_equal(grid.cells.fill, Grid(tensor("scores")).cells.fill)
    for step in STEPS:
        animation.interpolate(step)
        shown, address = strings(grid), grid.cells.tensor.name
        assert (shown, address) in ((old, "scores"), (new, "attn_weights"))
        seen.append((address, float(grid.cells.digit_opacity.max())))
    animation.finish()
    assert [name for name, _ in seen] == ["scores"] * 20 + ["attn_weights"] * 21
    assert min(opacity for _, opacity in seen) == 0 and seen[0][1] == seen[-1][1] == 1
    fresh = Grid(tensor("attn_weights")).cells
    assert np.array_equal(grid.cells.fill, fresh.fill) and grid.cells.scale == fresh.scale


def test_a_swap_keeps_the_look() -> None:
    grid = Grid(tensor("scores"))
    animation = Swap(grid, tensor("masked_scores"))
    grid.focus(rows=[1])
    animation.begin()
    animation.interpolate(0.9)
    assert grid.cells.opacity[0, 0] < 1 and grid.cells.opacity[1, 0] == 1
    animation.interpolate(1)
    assert grid.cells.masked[0, 7] and grid.cells.digit_opacity[0, 0] < grid.cells.digit_opacity[1, 0] == 1


@pytest.mark.parametrize("kind", [FillRows, FillCells])
def test_cells_appear_in_order(kind: type[FillRows | FillCells]) -> None:
    grid = Grid(tensor("scores"))
    animation = kind(grid)
    animation.begin()
    animation.interpolate(0)
    assert not grid.cells.opacity.any()
    animation.interpolate(0.5)
    opacity = grid.cells.opacity.ravel()
    assert (np.diff(opacity) <= 0).all() and opacity[0] == 1 and opacity[-1] == 0
    animation.interpolate(1)
    assert (grid.cells.opacity == 1).all() and grid.cells.shows_same_as(Grid(tensor("scores")).cells)


def test_some_cells_appear_and_others_stay_as_they_are() -> None:
    grid = Grid(tensor("scores")).dim_cells(to=0)
    for animation in (FillCells(grid, rows=[2], columns=[0, 1]), FillRows(grid, rows=[5])):
        animation.begin()
        animation.interpolate(0.5)
        animation.interpolate(1)
    bright = np.argwhere(grid.cells.opacity == 1).tolist()
    assert bright == [[2, 0], [2, 1], *([5, column] for column in range(8))]


def test_a_number_is_swapped_whole() -> None:
    weights = tensor("attn_weights")
    number = Number(weights.entry(query_pos=3, key_pos=0), size=40).scale(1.5).shift((1, 2, 0))
    old, new = number.text, Number(weights.entry(query_pos=7, key_pos=0)).text
    height, baseline = number.height, number.baseline
    animation = SwapNumber(number, weights.entry(query_pos=7, key_pos=0), rate_func=manim.linear)
    animation.begin()
    for step in STEPS:
        animation.interpolate(step)
        assert number.text == (old if step < 0.5 else new)
        assert len({glyph.fill_opacity for glyph in number}) == 1 and len(number) == len(number.text)
        assert number[0].fill_opacity == pytest.approx(abs(1 - 2 * step))
    assert number.entry.coords["query_pos"] == 7
    assert (number.height, number.baseline) == (pytest.approx(height), pytest.approx(baseline))


def grids() -> tuple[Grid, Grid]:
    return Grid(tensor("scores")), Grid(tensor("attn_weights"))


def numbers() -> tuple[Number, Number]:
    return tuple(Number(tensor("scores").entry(query_pos=0, key_pos=key)) for key in (0, 1))  # type: ignore[return-value]


@pytest.mark.parametrize("two", [grids, numbers])
@pytest.mark.parametrize("kind", [manim.Transform, manim.ReplacementTransform, manim.TransformFromCopy])
def test_morphing_into_other_numbers_is_refused(
    scene: manim.Scene, two: Callable[[], tuple[Any, Any]], kind: type[manim.Transform]
) -> None:
    one, other = two()
    with pytest.raises(InputError, match=r"scores\[.*Swap"):
        scene.play(kind(one, other))


def test_other_ways_to_wrong_digits_are_refused(scene: manim.Scene) -> None:
    one, other = grids()
    with pytest.raises(InputError, match=r"FadeTransform.*Swap"):
        scene.play(manim.FadeTransform(one, other))
    with pytest.raises(InputError, match=r"Transform.*Swap"):
        one.become(other)
    for outlining in (manim.Create, manim.Write, manim.Unwrite, manim.DrawBorderThenFill):
        with pytest.raises(InputError, match=r"scores\[.*FillRows"):
            outlining(one)
    with pytest.raises(InputError, match="half a number"):
        scene.play(manim.Write(numbers()[0]))
    with pytest.raises(InputError, match="axes"):
        Swap(one, tensor("value"))


@pytest.mark.parametrize(
    "build",
    [
        manim.FadeIn,
        lambda grid: manim.FadeIn(grid, shift=manim.UP, scale=0.5),
        manim.FadeOut,
        manim.Indicate,
        manim.GrowFromCenter,
        lambda grid: manim.Rotate(grid, 0.5),
        lambda grid: grid.animate.shift(manim.RIGHT).scale(0.5),
        lambda grid: grid.animate.focus(rows=[2]),
        lambda grid: grid.animate.highlight(rows=[2]),
        lambda grid: manim.ReplacementTransform(grid, grid.copy().shift(manim.UP)),
        lambda grid: manim.TransformFromCopy(grid, grid.copy().scale(0.5)),
        lambda grid: manim.AnimationGroup(FillRows(grid), grid.animate.shift(manim.UP)),
        lambda grid: Swap(grid, tensor("attn_weights")),
    ],
)
def test_mannered_animations_play(scene: manim.Scene, build: Callable[[Grid], Any]) -> None:
    grid = Grid(tensor("scores"), cell=0.6)
    before = grid.cells
    animation = build(grid)
    scene.play(animation, run_time=0.4)
    drawn = {part for mobject in scene.mobjects for part in mobject.get_family() if isinstance(part, Grid)}
    assert bool(drawn) == (not isinstance(animation, manim.FadeOut))
    for shown in drawn:
        assert shown.opacity == 1
        assert shown.cells.shows_same_as(before) or shown.cells.tensor.name == "attn_weights"


def test_dimming_is_gradual(scene: manim.Scene) -> None:
    grid = Grid(tensor("scores"))
    animation = grid.animate(rate_func=manim.linear).focus(rows=[0]).build()
    animation.begin()
    animation.interpolate(0.5)
    assert grid.cells.opacity[1, 0] == pytest.approx((1 + DIM) / 2, abs=1e-6) and grid.cells.opacity[0, 0] == 1
    assert grid.cells.shows_same_as(Grid(tensor("scores")).cells)


def test_texts_in_plain_groups_are_shaded_and_brought_back() -> None:
    parts = manim.Group(text.line("rule"), manim.Group(text.math("alpha"), manim.Square()))
    for opacity in (0.5, 1.0):
        play = shade(parts, opacity)
        play.begin()
        play.interpolate(1)
        play.finish()
        assert {float(glyph.get_fill_opacity()) for part in (parts[0], parts[1][0]) for glyph in part} == {opacity}
