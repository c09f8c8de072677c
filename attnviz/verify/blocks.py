"""Cells that are too small to be read one by one: the means of blocks of them. The cells count as skipped."""

from __future__ import annotations

import math

import numpy as np

from attnviz.colors import rgb
from attnviz.theme import Theme
from attnviz.verify.grids import HIDDEN, Shown
from attnviz.verify.report import Tally
from attnviz.verify.shades import hexadecimal, over
from attnviz.verify.view import View

LEAST = 32  # pixels of a block's side
TOO_SMALL = "cells under 8 px"


def look_at_blocks(grid: Shown, view: View, theme: Theme, tally: Tally) -> None:
    """Compare the means of blocks of cells that are too small to be read one by one."""
    rows, columns = grid.content.shape
    step = math.ceil(LEAST / max(grid.side, 0.5))
    for row in range(0, rows, step):
        for column in range(0, columns, step):
            part = slice(row, min(row + step, rows)), slice(column, min(column + step, columns))
            _look_at_block(grid, part, view, theme, tally)


def _look_at_block(grid: Shown, part: tuple[slice, slice], view: View, theme: Theme, tally: Tally) -> None:
    opacity, fill = grid.opacity[part], grid.content.fill[part]
    if opacity.max(initial=0.0) < HIDDEN:
        return
    tally.skipped[TOO_SMALL] += opacity.size
    down, across = (side[place] for side, place in zip((grid.lattice.down, grid.lattice.across), part, strict=True))
    box = (across[0][0], down[0][0], across[-1][1], down[-1][1])
    if view.picture.inside(box) != box or box[0] >= box[2] or box[1] >= box[3]:
        return
    shares = np.outer([b - a for a, b in down], [b - a for a, b in across])
    each = over(theme, fill, opacity[..., None]).reshape(-1, 3)
    gaps = (box[2] - box[0]) * (box[3] - box[1]) - shares.sum()  # between the cells, where the background shows
    wanted = np.average([*each, rgb(theme.background)], axis=0, weights=[*shares.ravel(), gaps])
    seen = view.picture.crop(box).reshape(-1, 3).mean(axis=0)
    error = float(np.abs(seen - wanted).max())
    tally.levels = max(tally.levels, error)
    if error > view.levels:
        first = grid.content.entry(part[0].start, part[1].start)
        tally.complain(f"{opacity.size} cells from {first}", f"the film's mean colour is #{hexadecimal(seen)}",
                       f"their values give #{hexadecimal(wanted)} (± {view.levels:.0f} levels)")
