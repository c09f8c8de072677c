"""Which pixels changed: rectangles, and the blocks of 16 x 16 pixels that they touch.

Blocks, because x264 skips or codes whole ones, and because a conversion to YUV that starts at a block's edge gives the
same bytes as that of the whole frame. Nothing here knows what is drawn.
"""

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 16  # pixels: x264's macroblock
CLOSE = 4  # blocks: two runs of a row that are no further apart are taken as one


class Box(NamedTuple):
    """A rectangle of pixels, half open: `right` and `bottom` are the first that are no longer in it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def rows(self) -> slice:
        """Its rows in a picture."""
        return slice(self.top, self.bottom)

    @property
    def columns(self) -> slice:
        """Its columns in a picture."""
        return slice(self.left, self.right)


NOWHERE = Box(0, 0, 0, 0)


def around(left: float, top: float, right: float, bottom: float, size: tuple[int, int]) -> Box:
    """Return the whole pixels that these edges touch, and one around them, within a frame of `size`."""
    if not all(map(math.isfinite, (left, top, right, bottom))):
        return NOWHERE
    width, height = size
    box = Box(
        max(0, min(width, math.floor(left) - 1)),
        max(0, min(height, math.floor(top) - 1)),
        max(0, min(width, math.ceil(right) + 1)),
        max(0, min(height, math.ceil(bottom) + 1)),
    )
    return box if box.left < box.right and box.top < box.bottom else NOWHERE


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes share a pixel."""
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


class Blocks:
    """The blocks of `side` x `side` pixels of a frame of `size` that changed."""

    def __init__(self, size: tuple[int, int], side: int = BLOCK) -> None:
        self.size, self.side = size, side
        self._marked: NDArray[np.bool_] = np.zeros([-(-length // side) for length in size[::-1]], dtype=bool)

    def mark(self, box: Box) -> None:
        """Say that the pixels of `box` changed."""
        self._part(box)[...] = True

    def mark_all(self) -> None:
        """Say that every pixel changed."""
        self._marked[...] = True

    def clear(self) -> None:
        """Say that nothing changed yet."""
        self._marked[...] = False

    def touch(self, box: Box) -> bool:
        """Return whether something changed in a block that `box` reaches into."""
        return bool(self._part(box).any())

    def boxes(self) -> list[Box]:
        """Return the marked blocks, and few others, as disjoint rectangles."""
        (width, height), side = self.size, self.side
        return [
            Box(left * side, top * side, min(right * side, width), min(bottom * side, height))
            for left, top, right, bottom in _rectangles(self._marked)
        ]

    def _part(self, box: Box) -> NDArray[np.bool_]:
        side = self.side
        right, bottom = -(-box.right // side), -(-box.bottom // side)
        return self._marked[box.top // side : bottom, box.left // side : right]


def _rectangles(marked: NDArray[np.bool_]) -> Iterable[Box]:
    """Yield rectangles of blocks: for each band of rows that are alike, its runs."""
    edges = [0, *(np.flatnonzero((marked[1:] != marked[:-1]).any(axis=1)) + 1).tolist(), len(marked)]
    for top, bottom in pairwise(edges):
        for left, right in _runs(marked[top]):
            yield Box(left, top, right, bottom)


def _runs(row: NDArray[np.bool_]) -> list[tuple[int, int]]:
    places = np.flatnonzero(row).tolist()
    if not places:
        return []
    breaks = [(end + 1, start) for end, start in pairwise(places) if start - end > CLOSE]
    edges = [places[0], *(edge for pair in breaks for edge in pair), places[-1] + 1]
    return list(zip(edges[::2], edges[1::2], strict=True))
