"""The shapes of a matrix product, under one another with the names: rows and columns as they are drawn.

The digits are those of the grids' own shapes; nothing else is written here.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ShapeLabel
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

SPREAD = 0.32  # between a shape and a sign, in units
LINE = 0.34  # between the lines


class ShapeProduct(manim.Group):
    """For each of three grids (left, top, product) its name, its `letters` and its shape, with signs between them.

    `names` and `letters` are maths without digits, such as `W^Q` and `d times d_k`. Lines, in order: `named`,
    `lettered`, `counted`.
    """

    def __init__(self, grids: Sequence[Grid], names: Sequence[str], letters: Sequence[str], region: Region,
                 theme: Theme) -> None:
        super().__init__()
        colors = [theme.stage_color(grid.cells.tensor.name) for grid in grids]
        named, lettered = ([text.math(source, size=theme.formula_size * size, color=color)
                            for source, color in zip(sources, colors, strict=True)]
                           for sources, size in ((names, 1.0), (letters, 0.75)))
        counted = [ShapeLabel(grid, size=theme.caption_size, color=color)
                   for grid, color in zip(grids, colors, strict=True)]
        columns = [manim.Group(*column).arrange(manim.DOWN, buff=LINE)
                   for column in zip(named, lettered, counted, strict=True)]
        signs = [text.math(sign, size=theme.formula_size, color=theme.muted) for sign in ("dot", "=")]
        line = (columns[0], signs[0], columns[1], signs[1], columns[2])
        manim.Group(*line).arrange(manim.RIGHT, buff=SPREAD, aligned_edge=manim.UP)
        for sign in signs:
            sign.set_y(named[0].get_y())
        self.named = manim.Group(*named, *signs)
        self.lettered, self.counted = manim.Group(*lettered), manim.Group(*counted)
        self.add(self.named, self.lettered, self.counted)
        for part in (named, lettered, counted):
            for one in part:
                one.set_y(part[0].get_y())
        fit_into(self, region)
