"""The shapes of a matrix product, below its names: as letters, and as the rows and columns that are drawn.

One frame holds the two inner sizes: those that must agree, and that the product does not have.

The digits are those of the grids' own shapes; nothing else is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ShapeLabel
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

LINE = 0.34  # between the lines, in units
WIDE = "\u2003"  # beside the × sign of a shape in digits: the frame passes between
APART = 0.12  # units that both letters of a shape move away from their × sign, for the same
AROUND = (0.08, 0.12)  # between the inner sizes and the frame that holds them both
PARTS = ("left", "top", "product")
FORMULA = ('part("left", {}) quad quad quad part("times", dot) quad quad quad part("top", {}) quad quad quad '
           'part("equals", =) quad quad quad part("product", {})')


class ShapeProduct(manim.Group):
    """For each of three grids (left, top, product) its name, its shape in letters, and its shape.

    `names` and `letters` are maths without digits, such as `W^Q` and `d times d_k`. Lines, in order: `named`,
    `lettered`, `counted`; then `inner`, the frame around the inner sizes.
    """

    def __init__(self, grids: Sequence[Grid], names: Sequence[str], letters: Sequence[str], region: Region,
                 theme: Theme) -> None:
        super().__init__()
        colors = [theme.stage_color(grid.cells.tensor.name) for grid in grids]
        self.named = text.math(FORMULA.format(*names), dict(zip(PARTS, colors, strict=True)), size=theme.formula_size,
                               color=theme.muted)
        columns = [self.named.part(part).get_x() for part in PARTS]
        for sign, (before, after) in zip(("times", "equals"), pairwise(columns), strict=True):
            self.named.part(sign).set_x((before + after) / 2)
        lettered = [text.math(_parted(source), size=theme.caption_size, color=color)
                    for source, color in zip(letters, colors, strict=True)]
        counted = [ShapeLabel(grid, space=WIDE, size=theme.caption_size, color=color)
                   for grid, color in zip(grids, colors, strict=True)]
        for letter in lettered:
            letter.part("rows").shift(APART * manim.LEFT)
            letter.part("columns").shift(APART * manim.RIGHT)
        self.lettered, self.counted = manim.Group(*lettered), manim.Group(*counted)
        y = self.named.get_bottom()[1]
        for line in (lettered, counted):
            y -= LINE + line[0].height / 2
            for one, x in zip(line, columns, strict=True):
                one.move_to((x, y, 0))
            y -= line[0].height / 2
        self.inner = _framed(lettered, counted, theme)
        self.add(self.named, self.lettered, self.counted, self.inner)
        fit_into(self, region)


def _parted(letters: str) -> str:
    """The two sizes of a shape as parts of its formula."""
    rows, columns = letters.split(" times ")
    return f'part("rows", {rows}) times part("columns", {columns})'


def _framed(lettered: Sequence[text.Formula], counted: Sequence[ShapeLabel], theme: Theme) -> manim.VMobject:
    """A frame from the columns of the left shape to the rows of the top one, over both lines."""
    (left, top, _), (first, second, _) = lettered, counted
    columns, rows = (len(str(side)) for side in (first.columns, second.rows))
    inner = manim.VGroup(left.part("columns"), top.part("rows"), first[-columns:], second[:rows])
    return manim.SurroundingRectangle(inner, buff=AROUND, corner_radius=0.1, color=theme.accent, stroke_width=2)
