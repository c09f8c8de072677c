"""Rows, columns and scales across several grids: blocks of one tensor stand in its order, a stage has one scale.

What is inside of one grid is looked at in `grids.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from attnviz.audit.view import View, seen_cells
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid

ALIGNED = 0.02  # units: edges that are no further apart are one line
SAME_UNIT = 0.01  # of a unit of height


def complaints(view: View) -> Iterator[str]:
    """What is false between grids, or between bars, on screen."""
    groups: dict[Any, list[Grid]] = {}
    for grid in view.grids:
        for side in (0, 1):
            if grid.cells.axes[side] and grid.is_upright():
                groups.setdefault(_line(grid, side), []).append(grid)
    for (side, *_), grids in groups.items():
        if len(grids) > 1:
            yield from _out_of_order(grids, side)
    yield from _scales(view)
    yield from _units(view)


def _line(grid: Grid, side: int) -> tuple[Any, ...]:
    """What grids share that continue each other downwards (side 0) or to the right (1)."""
    cells, corner = grid.cells, grid.points[0]
    edge, pitch = round(float(corner[side]) / ALIGNED), round(grid.pitch[side] / ALIGNED)
    return side, cells.tensor.record, cells.tensor.address, cells.axes, cells.positions[1 - side], edge, pitch


def _out_of_order(grids: list[Grid], side: int) -> Iterator[str]:
    """Of several grids in one line: all rows (or columns) that can be seen, in the order of the screen."""
    found: dict[tuple[float, int], str] = {}
    for grid in grids:
        for index in np.flatnonzero(seen_cells(grid).any(axis=1 - side)).tolist():
            at = float(grid.points[0][1 - side]) + (index + 0.5) * grid.pitch[1 - side] * (-1 if side == 0 else 1)
            place = grid.cells.positions[side][index]
            found[round(-at if side == 0 else at, 2), place] = f"{grid.cells.axes[side]}={place}"
    for (_, before), (key, after) in pairwise([(key, key[1]) for key in sorted(found)]):
        if after < before:
            address = grids[0].cells.tensor.address
            yield f"{address}: {found[key]} stands behind {grids[0].cells.axes[side]}={before}"
            return


def _scales(view: View) -> Iterator[str]:
    seen: dict[tuple[str, str], Any] = {}
    drawn = [(grid.cells.tensor, grid.cells.scale) for grid in view.grids]
    drawn += [(bars.tensor, bars.scale_used) for bars in view.all_of(Bars)]
    for tensor, scale in drawn:
        other = seen.setdefault((tensor.record, tensor.name), scale)
        if other.ends != scale.ends:
            yield (f"{tensor.address} has the colours of {scale.low:g} to {scale.high:g}, other {tensor.name} those of "
                   f"{other.low:g} to {other.high:g}: one stage has one scale")
            return


def _units(view: View) -> Iterator[str]:
    seen: dict[tuple[str, str], float] = {}
    for bars in view.all_of(Bars):
        other = seen.setdefault((bars.tensor.record, bars.tensor.name), bars.unit)
        if abs(other - bars.unit) > SAME_UNIT * max(other, bars.unit):
            yield (f"{bars.tensor.address}: a one is {bars.unit:.3g} high here, and {other:.3g} in other bars of "
                   f"{bars.tensor.name}")
