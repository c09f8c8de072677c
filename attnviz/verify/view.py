"""From Manim's units to the pixels of a picture: origin at the middle, y upwards, as a score has them.

Nothing here looks at the pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from attnviz.theme import PIXEL
from attnviz.verify.picture import Box, Picture

LARGE = 720  # lines of a picture in which all that can be expected to be readable must be read
FRAME_WIDTH = 3  # pixels at 1080 lines: the frame that a scene may put around a cell
HAS_GAPS = 8  # pixels a cell from where there is a gap between cells


@dataclass(frozen=True, eq=False)
class View:
    """A picture, the size of the frame in units, and how far a colour may be off: the film's profile says that."""

    picture: Picture
    frame: tuple[float, float]
    levels: float

    @property
    def unit(self) -> float:
        """Pixels a unit."""
        return self.picture.size[1] / self.frame[1]

    @property
    def is_large(self) -> bool:
        """Whether all must be read that is drawn large enough."""
        return min(self.picture.size) >= LARGE

    @property
    def zoom(self) -> float:
        """Pixels for one at 1080 lines."""
        return self.unit * PIXEL

    def x(self, units: float) -> float:
        """Where a point lies from the left edge, in pixels."""
        width = self.picture.size[0]
        return units * width / self.frame[0] + width / 2

    def y(self, units: float) -> float:
        """Where a point lies from the upper edge, in pixels."""
        return self.picture.size[1] / 2 - units * self.unit


@dataclass(frozen=True)
class Lattice:
    """The cells of a grid in pixels: where each row and column starts and ends, gaps left out."""

    down: list[tuple[int, int]]
    across: list[tuple[int, int]]

    def cell(self, row: int, column: int) -> Box:
        """The pixels of one cell."""
        (top, bottom), (left, right) = self.down[row], self.across[column]
        return left, top, right, bottom


def lattice(view: View, origin: tuple[float, float], pitch: tuple[float, float], shape: tuple[int, int]) -> Lattice:
    """Where the cells of a grid lie: grids stand on whole pixels, and so does every cell in them."""
    left, top = (math.ceil(at - 0.5) for at in (view.x(origin[0]), view.y(origin[1])))
    high, wide = (max(1, round(count * side * view.unit)) for count, side in zip(shape, pitch[::-1], strict=True))
    return Lattice(_spans(top, high, shape[0], view.zoom), _spans(left, wide, shape[1], view.zoom))


def _spans(start: int, length: int, count: int, zoom: float) -> list[tuple[int, int]]:
    edges = [round(length * place / count) for place in range(count + 1)]
    gap = max(1, round(zoom)) if length / count >= HAS_GAPS else 0
    return [(start + edges[place] + gap, start + edges[place + 1] - gap) for place in range(count)]
