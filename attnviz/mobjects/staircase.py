"""One outline around the upper triangle of a map: what comes later than each row's own word.

A line only, and no number is shown here. The cells keep their look: a frame around each of many would be glaring.
"""

from __future__ import annotations

import manim
import numpy as np

from attnviz.mobjects.grid import Grid
from attnviz.text.typed import LINE_WIDTH
from attnviz.theme import Theme

STROKE = 3
LARGEST = 0.35  # of a cell's side that the line is wide at most, so that small cells can be seen beside it


class Staircase(manim.VMobject):
    """A line around all cells of a square `grid` to the right of its diagonal, where the grid stands now."""

    def __init__(self, grid: Grid, theme: Theme) -> None:
        thick = min(STROKE, LARGEST * min(grid.pitch) / LINE_WIDTH)
        super().__init__(stroke_color=theme.accent, stroke_width=thick)
        corner, along, down = grid.corner_and_sides()
        count = len(grid.cells.positions[0])
        turns = [turn for place in range(1, count) for turn in ((place, place - 1), (place, place))]
        turns += [(count, count - 1), (count, 0), turns[0]]
        self.set_points_as_corners(np.array([corner + x / count * along + y / count * down for x, y in turns]))
