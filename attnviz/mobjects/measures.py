"""Where the cells of a picture lie, in whole pixels: their spans, the gaps between them, the sides that frames run on.

Colours and digits are no matter here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from attnviz.mobjects.cells import Array, Part

Span = tuple[int, int]
FRAME_WIDTH = 3  # pixels at 1080 lines


@dataclass(frozen=True, eq=False)
class Side:
    """The lines (or columns) of a picture: the cell of each, -1 in a gap, and whether a frame runs along it."""

    spans: list[Span]
    cell: Array
    is_edge: Array

    def pixels(self, cells: slice) -> slice:
        """The lines of these cells and between them; with the outer gaps if these are all cells."""
        if (cells.start, cells.stop) == (0, len(self.spans)):
            return slice(0, len(self.cell))
        chosen = self.spans[cells]
        return slice(chosen[0][0], chosen[-1][1]) if chosen else slice(0, 0)

    def places(self, cells: slice, *, is_framed: bool) -> Array:
        """For each line of these cells the place of its cell among them, beyond them all on a frame; -1 in a gap."""
        lines = self.pixels(cells)
        cell, is_edge = self.cell[lines], self.is_edge[lines]
        place = cell - cells.start + (is_edge * (cells.stop - cells.start) if is_framed else 0)
        return np.where(cell < 0, -1, place)


@dataclass(frozen=True)
class Measures:
    """How many cells (rows, columns) a picture has, its size (width, height) and the em of its digits in pixels.

    `zoom` is output pixels for a pixel at 1080 lines.
    """

    shape: tuple[int, int]
    size: tuple[int, int]
    zoom: float
    em: float

    @property
    def sides(self) -> tuple[Side, Side]:
        """Downwards and across."""
        return _side(self.size[1], self.shape[0], self.zoom), _side(self.size[0], self.shape[1], self.zoom)

    @property
    def whole(self) -> Part:
        """All rows and columns of cells."""
        return slice(0, self.shape[0]), slice(0, self.shape[1])

    def pixels(self, part: Part) -> Part:
        """The lines and columns of pixels of these rows and columns of cells."""
        down, across = self.sides
        return down.pixels(part[0]), across.pixels(part[1])


def spans(length: int, count: int, zoom: float) -> list[Span]:
    """First and last pixel (half open) of each of `count` cells, a thin gap around each unless they are tiny."""
    edges = np.rint(np.linspace(0, length, count + 1)).astype(int).tolist()
    gap = max(1, round(zoom)) if count and length / count >= 8 else 0
    return [(start + gap, end - gap) for start, end in pairwise(edges)]


@lru_cache(maxsize=64)
def _side(length: int, count: int, zoom: float) -> Side:
    width = max(1, round(FRAME_WIDTH * zoom))
    side = Side(spans(length, count, zoom), np.full(length, -1), np.zeros(length, dtype=bool))
    for number, (start, end) in enumerate(side.spans):
        side.cell[start:end], side.is_edge[start:end] = number, True
        if end - start > 2 * width:
            side.is_edge[start + width : end - width] = False
    return side
