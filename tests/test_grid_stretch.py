"""Stretched, mirrored and empty grids: a digit is drawn wholly or not at all, and what is said agrees with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import manim
import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.mobjects import Grid
from attnviz.mobjects import painter as painting
from attnviz.mobjects.animations import FillRows, Swap
from attnviz.trace import NamedTensor
from tests.drawn import tensor

LINES = 135  # pixels for a unit at 1080 lines


def wide_numbers() -> Grid:
    """Two by two cells whose widest number is −56.78."""
    shown = tensor("query", 2)
    values = np.zeros(shown.values.shape)
    values[:, :2] = [[12.34, -56.78], [90.12, -3.45]]
    return Grid(replace(shown, values=values), "query_pos", "head_dim", cell=(1.2, 0.8))


def ink_cut(grid: Grid, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For every stamped number, whether some of its ink lies outside of its cell."""
    cut = []

    def watch(part: np.ndarray, mask: np.ndarray, blends: np.ndarray) -> None:
        wide = np.zeros((part.shape[0] + 4000, part.shape[1] + 4000, 4), np.uint8)
        stamp(wide, mask, np.arange(256, dtype="<u4"))
        stamp(part, mask, blends)
        cell = wide[2000 : 2000 + part.shape[0], 2000 : 2000 + part.shape[1]]
        cut.append(int((cell.view("<u4") > 0).sum()) != int((mask > 0).sum()))

    stamp = painting._stamp
    monkeypatch.setattr(painting, "_stamp", watch)
    grid.painted(LINES)
    return cut


@pytest.mark.parametrize("change", [
    lambda grid: grid,
    lambda grid: grid.stretch(3, 1),
    lambda grid: grid.stretch(0.4, 0),
    lambda grid: grid.stretch(0.6, 0),
    lambda grid: grid.stretch_to_fit_width(1.0),
    lambda grid: grid.rotate(0.5).stretch(0.4, 0),
    lambda grid: grid.scale(4),
])
def test_no_digit_is_ever_cut_off(change: Callable[[Grid], Grid], monkeypatch: pytest.MonkeyPatch) -> None:
    grid = change(wide_numbers())
    cut = ink_cut(grid, monkeypatch)
    assert not any(cut)
    assert len(cut) == (8 if grid.describe()["em"] else 0)
    assert grid.describe()["em"] > 0


def test_digits_that_do_not_fit_the_pixels_are_dropped_for_the_whole_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = wide_numbers()
    monkeypatch.setattr(type(grid), "digit_size", property(lambda grid: 60.0))  # wider than a cell
    assert ink_cut(grid, monkeypatch) == []


def test_a_stretched_grid_keeps_the_size_of_its_digits_and_a_scaled_one_scales_them() -> None:
    size = wide_numbers().digit_size
    assert wide_numbers().stretch(3, 1).digit_size == pytest.approx(size)
    assert wide_numbers().stretch(0.4, 0).digit_size == pytest.approx(0.4 * size)
    assert wide_numbers().scale(0.5).digit_size == pytest.approx(size / 2)
    assert wide_numbers().rotate(1.0).digit_size == pytest.approx(size)
    assert wide_numbers().scale(0).digit_size == 0


def test_a_mirrored_grid_has_no_digits_and_a_turned_one_keeps_them() -> None:
    grid = wide_numbers()
    with_digits = grid.painted(LINES).picture.copy()
    grid.flip()
    assert grid.describe()["em"] == 0
    fill = {tuple(color) for color in grid.cells.fill.reshape(-1, 3).tolist()}
    drawn = grid.painted(LINES).picture.reshape(-1, 4)
    assert {tuple(color[:3]) for color in drawn[drawn[:, 3] > 0].tolist()} == fill
    assert np.array_equal(grid.flip().painted(LINES).picture, with_digits)
    assert wide_numbers().rotate(np.pi).describe()["em"] > 0


def empty(rows: int, columns: int, name: str = "scores") -> NamedTensor:
    shown = tensor(name, 3)
    return replace(shown, values=np.zeros((rows, columns)))


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (3, 0), (0, 0)])
def test_a_grid_without_cells_can_be_described_moved_and_swapped(rows: int, columns: int) -> None:
    grid = Grid(empty(rows, columns))
    said = grid.describe()
    assert said["content"]["shape"] == [rows, columns] and said["em"] == 0
    assert grid.copy().shift(manim.UP).scale(2).painted(LINES).picture.max(initial=0) == 0
    for animation in (Swap(grid, empty(rows, columns, "attn_weights")), FillRows(grid)):
        animation.begin()
        animation.interpolate(0.7)
        animation.finish()
    assert grid.cells.tensor.name == "attn_weights"


def test_copies_cannot_write_into_each_other() -> None:
    grid = Grid(tensor("scores")).focus(rows=[1])
    copy = grid.copy()
    for name in ("opacity", "fill", "digit_opacity", "highlight", "sprite_ids", "masked"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(copy.cells, name)[0, 0] = 1
    copy.focus(rows=[2]).highlight(columns=[0])
    assert grid.cells.opacity[1, 0] == 1 and not grid.cells.highlight.any()
    for changed in (copy.cells, copy.row(2).copy().cells, copy.bound_to(tensor("attn_weights"))):
        assert not changed.opacity.flags.writeable and not changed.fill.flags.writeable


@pytest.mark.parametrize("share", [1.5, -0.1, float("nan"), float("inf")])
def test_an_opacity_is_a_share(share: float) -> None:
    grid = Grid(tensor("scores"))
    for change in (lambda: grid.dim_cells(to=share), lambda: grid.focus(rows=[0], to=share),
                   lambda: grid.highlight(rows=[0], strength=share), lambda: grid.set_opacity(share)):  # fmt: skip
        with pytest.raises(InputError, match="give a number from 0 to 1"):
            change()
    assert (grid.cells.opacity == 1).all() and grid.opacity == 1
