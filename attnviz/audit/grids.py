"""Grids: the arrays that are drawn, compared with the records, cell by cell.

These are the very arrays of `Cells` that the painter reads; how a sprite looks is read in `sheets.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.audit.view import View, seen_cells
from attnviz.colors import ColorScale, rgb
from attnviz.mobjects.cells import Cells
from attnviz.mobjects.grid import Grid
from attnviz.theme import Theme, scale_for
from attnviz.verify.shown import agrees

Array = NDArray[Any]
ROUNDING = 1  # level of a byte
LEVELS = 4  # opacities that the cells of one grid may have, besides hidden ones


class Grids:
    """The audit of grids; what was found sound is not looked at again while its arrays are the same."""

    def __init__(self) -> None:
        self._sound: dict[tuple[int, ...], tuple[object, ...]] = {}

    def complaints(self, view: View) -> Iterator[str]:
        """What is false about the grids on screen."""
        for grid in view.grids:
            yield from self._content(view, grid)
            yield from _placing(grid, view.at_rest)
            yield from _opacities(grid) if view.at_rest else ()

    def _content(self, view: View, grid: Grid) -> Iterator[str]:
        cells, arrays = grid.cells, _arrays(grid.cells)
        is_strict = view.is_settled(grid)
        key = (*map(id, arrays), is_strict, *map(hash, cells.positions))
        if key in self._sound and cells.opacity is self._sound[key][-1]:
            return
        found = list(_of_cells(view, grid, cells))
        if not found:
            self._sound[key] = (*arrays, cells.opacity)  # keeps them alive, so that no other gets their identity
        yield from found


def _arrays(cells: Cells) -> tuple[object, ...]:
    return cells.tensor, cells.strings, cells.sprite_ids, cells.fill, cells.masked, cells.scale, cells.format


def _of_cells(view: View, grid: Grid, cells: Cells) -> Iterator[str]:
    whole, tensor = view.recorded(cells.tensor), cells.tensor
    if whole is None or not np.array_equal(whole, tensor.values, equal_nan=True):
        yield f"{tensor.address} of {tensor.record!r} holds other numbers than the records"
        return
    yield from _order(cells)
    values = _drawn_values(cells)
    if not all(array.shape == values.shape for array in (cells.sprite_ids, cells.fill[..., 0], cells.masked)):
        yield f"{tensor.address}: its arrays have other shapes than {values.shape}, its numbers"
        return
    seen = seen_cells(grid)
    yield from _strings(cells, values, seen)
    if not np.array_equal(cells.masked[seen], np.isneginf(values)[seen]):
        row, column = np.argwhere(seen & (cells.masked != np.isneginf(values)))[0]
        said = "hatched as masked" if cells.masked[row, column] else "not hatched, though it is minus infinity"
        yield f"{cells.entry(row, column).address} is {said}"
    if cells.theme is not view.theme:
        yield f"{tensor.address} is drawn in the theme {cells.theme.name!r}, the film in {view.theme.name!r}"
    yield from _scale(cells, values)
    if view.is_settled(grid):
        yield from _fills(cells, values, seen)


def _order(cells: Cells) -> Iterator[str]:
    """Queries are rows, keys are columns, and both come in their order."""
    address, (rows, columns) = cells.tensor.address, cells.axes
    if (rows, columns) in (("key_pos", "query_pos"), ("column", "row")):
        yield f"{address} is drawn transposed: queries are rows and keys are columns in every map"
    for axis, side in zip(cells.axes, cells.positions, strict=True):
        if list(side) != sorted(set(side)):
            yield f"{address}: {axis} is drawn in the order {', '.join(map(str, side[:8]))}, not in its own"


def _drawn_values(cells: Cells) -> Array:
    named = [axis for axis in cells.axes if axis]
    values = np.transpose(cells.tensor.values, [cells.tensor.axes.index(axis) for axis in named]).astype(float)
    whole = values.reshape([cells.tensor.size(axis) if axis else 1 for axis in cells.axes])
    return np.asarray(whole[np.ix_(*cells.positions)])


def _strings(cells: Cells, values: Array, seen: Array) -> Iterator[str]:
    """Each text once with the values that it stands for: the lowest and the highest are enough."""
    for place, text in enumerate(cells.strings):
        own = seen & (cells.sprite_ids == place)
        if not own.any():
            continue
        for extreme in (np.where(own, values, np.inf).argmin(), np.where(own, values, -np.inf).argmax()):
            row, column = (int(at) for at in np.unravel_index(extreme, values.shape))
            if own[row, column] and not agrees(text, float(values[row, column])):
                yield f"{cells.entry(row, column).address} shows {text}, the record says {values[row, column]:.6g}"
                return


def _scale(cells: Cells, values: Array) -> Iterator[str]:
    """The colours are those of the stage's own scale, from end to end, and nothing lies beyond these."""
    scale, stage = cells.scale, cells.tensor.name
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    if low < scale.low or high > scale.high:
        beyond = low if low < scale.low else high
        row, column = np.argwhere(values == beyond)[0]
        yield (f"{cells.entry(int(row), int(column)).address} is {beyond:.6g}, beyond its colour scale "
               f"{scale.low:g}..{scale.high:g}: it would be clipped")
    elif scale != _own_scale(stage, scale.low, scale.high, cells.theme):
        yield f"{cells.tensor.address}: its colour scale is not that of {stage} in the theme {cells.theme.name!r}"


@lru_cache(maxsize=256)
def _own_scale(stage: str, low: float, high: float, theme: Theme) -> ColorScale:
    return scale_for(stage, low, high, theme)


def _fills(cells: Cells, values: Array, seen: Array) -> Iterator[str]:
    table = _bytes(cells.scale.table)
    finite = np.where(np.isfinite(values), values, 0.0)
    share = (finite - cells.scale.low) / (cells.scale.high - cells.scale.low)
    wanted = table[np.clip(np.rint(share * (len(table) - 1)), 0, len(table) - 1).astype(int)]
    wanted[np.isneginf(values)] = rgb(cells.scale.minus_infinity)
    wrong = seen & (np.abs(wanted - cells.fill.astype(int)).max(axis=-1, initial=0) > 0)
    if wrong.any():
        row, column = (int(at) for at in np.argwhere(wrong)[0])
        has, needs = bytes(cells.fill[row, column]).hex(), bytes(wanted[row, column].astype(np.uint8)).hex()
        yield (f"{cells.entry(row, column).address} has the colour #{has}, "
               f"its value {values[row, column]:.6g} has #{needs}")


@lru_cache(maxsize=64)
def _bytes(table: tuple[str, ...]) -> Array:
    return np.array([rgb(color) for color in table], dtype=int)


def _placing(grid: Grid, at_rest: bool) -> Iterator[str]:
    """A mirrored or skewed grid shows its cells in another order, and no digits."""
    first, right, below, last = grid.points
    if grid.is_mirrored():
        yield f"{grid.cells.tensor.address} is drawn mirrored: its rows or columns run backwards"
    elif np.abs(first + last - right - below).max() > 1e-6:
        yield f"{grid.cells.tensor.address} is drawn skewed: its corners are those of no rectangle"
    elif at_rest and not grid.is_upright():
        yield f"{grid.cells.tensor.address} stands turned: its rows do not run from left to right"


def _opacities(grid: Grid) -> Iterator[str]:
    """Bright, dimmed, and perhaps one more: opacities that differ from cell to cell would look like numbers."""
    for what, looks in (("opacities", grid.cells.opacity), ("strengths of frames", grid.cells.highlight)):
        seen = np.unique(looks[seen_cells(grid)].round(2))
        if len(seen) > LEVELS:
            some = ", ".join(f"{look:g}" for look in seen[:5].tolist())
            yield f"{grid.cells.tensor.address} has cells of {len(seen)} {what} ({some}, ...), which look like numbers"


def is_beyond(middle: Array, ends: Sequence[Array]) -> Array:
    """Which of the middle colours do not lie between those at the ends."""
    low, high = np.min(ends, axis=0).astype(int), np.max(ends, axis=0).astype(int)
    return np.asarray(((middle < low - ROUNDING) | (middle > high + ROUNDING)).any(axis=-1))
