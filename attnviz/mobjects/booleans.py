"""A boolean mask in words, over the cells of a map of the same rows and columns: True = may attend.

No number is shown here: the words are read from the additive mask of a record, where minus infinity is False.
"""

from __future__ import annotations

import manim
import numpy as np

from attnviz import text
from attnviz.errors import InputError
from attnviz.mobjects.labels import SLANT, TokenLabels
from attnviz.mobjects.matrix import Matrix
from attnviz.theme import PIXEL, Theme
from attnviz.trace import NamedTensor

WORDS = {True: "True", False: "False"}
FILLED, HIGHEST = 0.8, 0.5  # of a cell's width that the longer word takes, of its height that an em is at most
INSIDE = 0.94  # of a cell's sides that its card has


class BooleanMask(manim.VGroup):
    """`rows[i][j]` is a card with True where the `mask` (0 or minus infinity) lets query i see key j, else False.

    The cards stand where the cells of a `matrix` do, and its words beside them as they will; it is not shown meanwhile.
    `empty` are the rows without a True. InputError for a mask of other axes or sizes, or with other numbers.
    """

    def __init__(self, mask: NamedTensor, matrix: Matrix, theme: Theme) -> None:
        super().__init__()
        grid = matrix.grid
        if mask.axes != grid.cells.axes or np.shape(mask.values) != grid.cells.shape:
            raise InputError(f"{mask.address} has not the rows and columns of {grid.cells.tensor.address}")
        if not np.all((mask.values == 0) | np.isneginf(mask.values)):
            raise InputError(f"{mask.address} holds a bias, which is neither True nor False: show it as a grid")
        self.tensor, self.theme, self._sides = mask, theme, grid.pitch
        self._size = min(FILLED * grid.pitch[0] / max(map(text.width_of, WORDS.values())), HIGHEST * grid.pitch[1])
        self.rows = [manim.VGroup(*(self._card(bool(value == 0)).move_to(grid.cell(row, column).get_center())
                                    for column, value in enumerate(line))) for row, line in enumerate(mask.values)]
        self.empty = tuple(row for row, line in enumerate(mask.values) if np.isneginf(line).all())
        words = [_like(word, side) for side in matrix.labels.submobjects if isinstance(side, TokenLabels)
                 for word in side.labels]
        self.add(*self.rows, *words)

    def _card(self, may_attend: bool) -> manim.VGroup:
        theme, (width, height) = self.theme, self._sides
        card = manim.Rectangle(width=INSIDE * width, height=INSIDE * height, fill_opacity=1, stroke_width=2,
                               stroke_color=theme.accent if may_attend else theme.masked,
                               fill_color=theme.panel if may_attend else theme.masked)
        word = text.line(WORDS[may_attend], size=self._size / PIXEL, color=theme.ink if may_attend else theme.muted)
        return manim.VGroup(card, word)


def _like(word: text.Typed, labels: TokenLabels) -> text.Typed:
    """The word as it stands among the labels, which are those of a grid and are not shown without one."""
    line = text.line(word.text, size=word.em / PIXEL, color=str(word[0].get_fill_color()))
    return line.rotate(SLANT if labels.slanted else 0.0).move_to(word)
