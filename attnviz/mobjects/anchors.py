"""Anchors: invisible rectangles that stand where some cells of a grid stand now.

They carry arrows and boxes; a brace takes their `copy()`. They hold no place of their own: it is worked out from the
grid each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import manim
import numpy as np

from attnviz.errors import InputError

if TYPE_CHECKING:
    from attnviz.mobjects.cells import Array
    from attnviz.mobjects.grid import Grid


class Anchor(manim.Mobject):
    """The place of a block of a grid's cells; `.copy()` is a small grid of those cells, bound to the same entries."""

    def __init__(self, grid: Grid, rows: list[int], columns: list[int]) -> None:
        self._grid, self._rows, self._columns = grid, rows, columns
        super().__init__()

    @property
    def points(self) -> Array:
        """The four corners, like those of an image: upper left, upper right, lower left, lower right."""
        height, width = self._grid.cells.shape
        left, right = self._columns[0] / width, (self._columns[-1] + 1) / width
        top, bottom = self._rows[0] / height, (self._rows[-1] + 1) / height
        corner, along, down = self._grid.corner_and_sides()
        return np.array([corner + x * along + y * down for y in (top, bottom) for x in (left, right)])

    @points.setter
    def points(self, points: Any) -> None:
        raise InputError("an anchor follows its grid: move the grid, or a copy() of the anchor")

    def reset_points(self) -> Self:
        """Nothing to reset: the place is the grid's."""
        return self

    def copy(self) -> Grid:  # type: ignore[override]  # a copy stands by itself, so it is a grid of its own
        """A grid of these cells alone, in the same place and with the same look."""
        return self._grid.block(self._rows, self._columns)
