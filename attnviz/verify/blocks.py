"""Cells that are too small to be read one by one: the mean or the median of blocks of them. They count as skipped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from attnviz.colors import rgb
from attnviz.theme import Theme
from attnviz.verify.grids import HIDDEN, Shown
from attnviz.verify.picture import Array, Box
from attnviz.verify.report import Tally
from attnviz.verify.shades import hexadecimal, over
from attnviz.verify.view import View

LEAST = 32  # pixels of a block's side
NARROW, ROUGH = 16, 30.0  # pixels of a block's shorter side below which its colour may be off by so many levels
HATCH = 12.0  # levels that the hatch of masked cells may make a block lighter or darker
TOO_SMALL = "cells under 8 px"
Part = tuple[slice, slice]
Spans = Sequence[tuple[int, int]]


def look_at_blocks(grid: Shown, view: View, theme: Theme, tally: Tally) -> None:
    """Compare the colours of blocks of cells that are too small to be read one by one."""
    step = math.ceil(LEAST / max(grid.side, 0.5))
    rows, columns = (_cut(count, step) for count in grid.content.shape)
    for down in rows:
        for across in columns:
            _look_at_block(grid, (down, across), view, theme, tally)


def _cut(count: int, step: int) -> list[slice]:
    """Blocks of about `step` cells, all alike: a narrow last one would be all rim."""
    edges = [round(count * place / max(1, count // step)) for place in range(max(1, count // step) + 1)]
    return [slice(*pair) for pair in pairwise(edges)]


def _look_at_block(grid: Shown, part: Part, view: View, theme: Theme, tally: Tally) -> None:
    opacity = grid.opacity[part]
    if opacity.max(initial=0.0) < HIDDEN:
        return
    tally.skipped[TOO_SMALL] += opacity.size
    down, across = (side[place] for side, place in zip((grid.lattice.down, grid.lattice.across), part, strict=True))
    box = (across[0][0], down[0][0], across[-1][1], down[-1][1])
    if view.picture.inside(box) != box or box[0] >= box[2] or box[1] >= box[3]:
        return
    wanted = over(theme, grid.content.fill[part], opacity[..., None])
    off = min(_mean_off(view, box, wanted, down, across, theme), _median_off(view, wanted, down, across), key=_size)
    is_narrow, is_hatched = min(box[2] - box[0], box[3] - box[1]) < NARROW, np.isneginf(grid.content.values[part]).any()
    room = max(view.levels, ROUGH * is_narrow, HATCH * is_hatched)
    tally.levels = max(tally.levels, _size(off))
    if _size(off) > room:
        first, mean = grid.content.entry(part[0].start, part[1].start), wanted.reshape(-1, 3).mean(axis=0)
        tally.complain(f"{opacity.size} cells from {first}", f"the film's mean colour is #{hexadecimal(mean + off)}",
                       f"their values give #{hexadecimal(mean)} (± {room:.0f} levels)")


def _size(off: Array) -> float:
    return float(np.abs(off).max())


def _mean_off(view: View, box: Box, wanted: Array, down: Spans, across: Spans, theme: Theme) -> Array:
    """By how much the mean of all pixels is off, the gaps between cells with them: no colour that ran is lost in it."""
    shares = np.outer([b - a for a, b in down], [b - a for a, b in across])
    gaps = (box[2] - box[0]) * (box[3] - box[1]) - shares.sum()
    mean = np.average([*wanted.reshape(-1, 3), rgb(theme.background)], axis=0, weights=[*shares.ravel(), gaps])
    return np.asarray(view.picture.crop(box).reshape(-1, 3).mean(axis=0) - mean)


def _median_off(view: View, wanted: Array, down: Spans, across: Spans) -> Array:
    """By how much the median cell is off: a line across a block, as a frame, covers few of its cells."""
    offs = [view.picture.crop((left, top, right, bottom)).reshape(-1, 3).mean(axis=0) - color
            for (top, bottom), colors in zip(down, wanted, strict=True) if top < bottom
            for (left, right), color in zip(across, colors, strict=True) if left < right]
    return np.median(offs, axis=0) if offs else np.full(3, np.inf)
