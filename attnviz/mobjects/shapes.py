"""The shapes of a matrix product, below its names: as letters, and as the rows and columns that are drawn.

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

LINE = 0.34  # between the lines, in units
PARTS = ("left", "top", "product")
FORMULA = 'part("left", {}) quad quad dot quad quad part("top", {}) quad quad = quad quad part("product", {})'


class ShapeProduct(manim.Group):
    """For each of three grids (left, top, product) its name, its shape in letters, and its shape.

    `names` and `letters` are maths without digits, such as `W^Q` and `d times d_k`. Lines, in order: `named`,
    `lettered`, `counted`.
    """

    def __init__(self, grids: Sequence[Grid], names: Sequence[str], letters: Sequence[str], region: Region,
                 theme: Theme) -> None:
        super().__init__()
        colors = [theme.stage_color(grid.cells.tensor.name) for grid in grids]
        self.named = text.math(FORMULA.format(*names), dict(zip(PARTS, colors, strict=True)), size=theme.formula_size,
                               color=theme.muted)
        columns = [self.named.part(part).get_x() for part in PARTS]
        lettered = [text.math(source, size=theme.caption_size, color=color)
                    for source, color in zip(letters, colors, strict=True)]
        counted = [ShapeLabel(grid, size=theme.caption_size, color=color)
                   for grid, color in zip(grids, colors, strict=True)]
        self.lettered, self.counted = manim.Group(*lettered), manim.Group(*counted)
        y = self.named.get_bottom()[1]
        for line in (lettered, counted):
            y -= LINE + line[0].height / 2
            for one, x in zip(line, columns, strict=True):
                one.move_to((x, y, 0))
            y -= line[0].height / 2
        self.add(self.named, self.lettered, self.counted)
        fit_into(self, region)
