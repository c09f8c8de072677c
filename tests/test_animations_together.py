"""Rate functions that swing too far, and animations that would write over each other in one play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import manim
import numpy as np
import pytest
from manim import rate_functions

from attnviz.errors import InputError
from attnviz.mobjects import FillCells, FillRows, Grid, Number, Swap, SwapNumber
from attnviz.mobjects.animations import SwapRows
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.scene import LessonScene
from tests.drawn import tensor

SWINGING = [rate_functions.running_start, rate_functions.ease_in_back, rate_functions.ease_out_back,
            rate_functions.ease_out_elastic, rate_functions.wiggle]


@pytest.mark.parametrize("rate", SWINGING, ids=lambda rate: rate.__name__)
def test_colours_and_opacities_stay_between_the_old_and_the_new(rate: Callable[[float], float]) -> None:
    grid = Grid(tensor("scores"))
    number = Number(tensor("scores").entry(query_pos=2, key_pos=1))
    swap = Swap(grid, tensor("attn_weights"), rate_func=rate)
    other = SwapNumber(number, tensor("scores").entry(query_pos=0, key_pos=0), rate_func=rate)
    ends = [Grid(tensor(name)).cells.fill.astype(int) for name in ("scores", "attn_weights")]
    swap.begin(), other.begin()
    for step in np.linspace(0, 1, 21):
        swap.interpolate(step), other.interpolate(step)
        assert (grid.cells.fill >= np.minimum(*ends)).all() and (grid.cells.fill <= np.maximum(*ends)).all()
        assert 0 <= grid.cells.digit_opacity.min() <= grid.cells.digit_opacity.max() <= 1
        assert all(0 <= glyph.fill_opacity <= 1 for glyph in number)


@pytest.mark.parametrize("rate", SWINGING, ids=lambda rate: rate.__name__)
def test_fading_never_wraps_around(rate: Callable[[float], float]) -> None:
    grid = Grid(tensor("scores"))
    for animation in (manim.FadeOut(grid, rate_func=rate), grid.animate(rate_func=rate).focus(rows=[0]).build()):
        animation.begin()
        for step in np.linspace(0, 1, 21):
            animation.interpolate(step)
            assert 0 <= grid.opacity <= 1 and 0 <= grid.cells.opacity.min() <= grid.cells.opacity.max() <= 1


@pytest.fixture
def scene(tmp_path: Path) -> Any:
    with configured(RenderOptions(quality="l", kind="png"), tmp_path):
        yield LessonScene(skip_animations=True)


@pytest.mark.parametrize("build", [
    lambda grid: [manim.AnimationGroup(Swap(grid, tensor("attn_weights")), grid.animate.focus(rows=[0]))],
    lambda grid: [manim.AnimationGroup(grid.animate.focus(rows=[0]), Swap(grid, tensor("attn_weights")))],
    lambda grid: [Swap(grid, tensor("attn_weights")), grid.animate.focus(rows=[0])],
    lambda grid: [FillRows(grid), manim.FadeIn(manim.Group(grid, manim.Square()))],
    lambda grid: [manim.LaggedStart(*(FillCells(grid, rows=[row]) for row in range(4)), lag_ratio=0.5)],
    lambda grid: [manim.Succession(manim.Wait(), manim.FadeOut(grid)), grid.animate.shift(manim.UP)],
])
def test_two_animations_of_one_grid_in_one_play_are_refused(
    scene: LessonScene, build: Callable[[Grid], list[Any]]
) -> None:
    grid = Grid(tensor("scores"))
    with pytest.raises(InputError, match=r"scores\[batch=0, head=0\].*one after the other") as caught:
        scene.play(*build(grid))
    assert "\n" not in str(caught.value)
    assert grid.cells.tensor.name == "scores"


@pytest.mark.parametrize("build", [
    lambda grid, other: [Swap(grid, tensor("attn_weights")), other.animate.focus(rows=[0])],
    lambda grid, other: [manim.Succession(Swap(grid, tensor("attn_weights")), manim.FadeOut(grid))],
    lambda grid, other: [SwapRows(grid, tensor("attn_weights")), manim.FadeIn(other, manim.Square())],
])
def test_different_grids_and_one_after_the_other_are_welcome(
    scene: LessonScene, build: Callable[[Grid, Grid], list[Any]]
) -> None:
    grid, other = Grid(tensor("scores")), Grid(tensor("scores"))
    scene.add(grid)
    scene.play(*build(grid, other))
    assert grid.cells.tensor.name == "attn_weights"
