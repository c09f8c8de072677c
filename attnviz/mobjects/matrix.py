"""A grid with its name and its token labels: what a scene moves about as one thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim
import numpy as np

from attnviz import text
from attnviz.mobjects.animations import Handover
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ROOM, ColorBar, TokenLabels
from attnviz.mobjects.naming import StageName
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

NAME_GAP = 0.22
ABOVE = 1.25  # units that labels of columns may reach up: a name beyond them must be seen to belong to its grid
CORNER = 0.12  # units: a name in the corner above its grid, or above the lines that say that not all words stand there
CENTERED = 0.01  # units: a name that is no further from its grid's middle stays there when it is renamed
BAR = 0.2  # units of a colour bar's height
NARROWEST_BAR = 1.05  # units that the numbers at the ends of a colour bar need


class Matrix(manim.Group):
    """`grid`, `symbol` (its name in the stage's colour) and labels for its rows and columns where tokens are given.

    The name is that of the stage, with a T where the axes are exchanged; `symbol_side` is where it stands.
    """

    def __init__(self, grid: Grid, theme: Theme, *, symbol_side: np.ndarray = manim.UP,
                 row_tokens: Sequence[str] = (), column_tokens: Sequence[str] = (), label_role: str = "query",
                 room: float = ROOM) -> None:
        super().__init__()
        self.grid, self.theme = grid, theme
        self.symbol = self._named(grid.cells.tensor)
        self.labels = manim.Group()
        self.label(row_tokens=row_tokens, column_tokens=column_tokens, role=label_role, room=room)
        self.add(grid, self.labels, self.symbol)
        self.symbol_to(symbol_side)

    def label(self, *, row_tokens: Sequence[str] = (), column_tokens: Sequence[str] = (), role: str = "query",
              room: float = ROOM, slanted: bool = True) -> None:
        """Give the rows labels in the colour of `role`, and the columns, which are keys, in theirs.

        `room` is how far they may reach from the grid, in units. Without `slanted`, column labels that would have to be
        slanted are left out.
        """
        if row_tokens:
            self.labels.add(TokenLabels(row_tokens, self.grid, side="left", color=self.theme.role(role), room=room))
        if column_tokens:
            above = TokenLabels(column_tokens, self.grid, side="top", color=self.theme.role("key"),
                                room=min(room, ABOVE))
            self.labels.add(*([] if above.slanted and not slanted else [above]))

    def relabel(self, **labels: Any) -> Matrix:
        """Other labels in the place of those there are, as `label` makes them for the grid as it stands now."""
        self.remove(self.labels)
        self.labels = manim.Group()
        self.add(self.labels)
        self.label(**labels)
        return self

    def symbol_to(self, side: np.ndarray) -> Matrix:
        """Put the name on a side of the grid: above it beyond the labels of its columns."""
        above = [labels for labels in self.labels if labels.side == "top"]
        self.symbol.next_to(manim.Group(self.grid, *above) if side[1] else self.grid, side, buff=NAME_GAP)
        if side[1]:
            self.symbol.set_x(self.grid.get_x())
        return self

    def symbol_to_corner(self, room: float) -> Matrix:
        """Put the name above the labels of the rows, which take this `room`, and above the notices where there are."""
        notices = [one.notice for one in self.labels.submobjects if isinstance(one, TokenLabels) and one.notice]
        x, y = self.grid.get_left()[0] - room, manim.Group(self.grid, *notices).get_top()[1] + CORNER
        self.symbol.move_to((x, y, 0), aligned_edge=manim.DL)
        return self

    def resize(self, factor: float, point: tuple[float, float, float], side: np.ndarray) -> Matrix:
        """Make the grid so many times as large with its centre at `point`, and put the name on its side, as it is."""
        self.grid.scale(factor).move_to(point)
        return self.symbol_to(side)

    def name_beside(self, other: manim.Mobject) -> Matrix:
        """Leave the name to the left of the grid, or put it to the right where it would lie over `other`."""
        self.symbol_to(manim.LEFT)
        apart = np.abs(self.symbol.get_center() - other.get_center())
        sizes = np.array([self.symbol.width + other.width, self.symbol.height + other.height]) / 2
        return self.symbol_to(manim.RIGHT) if (apart[:2] < sizes).all() else self

    def times(self, factor: Matrix, gap: float) -> Matrix:
        """Stand before its right factor as a product is written: grids side by side, names above them on one line."""
        factor.grid_to((self.grid.get_right()[0] + gap + factor.grid.width / 2, self.grid.get_y(), 0))
        for matrix in (self, factor):
            matrix.symbol_to(manim.UP)
        names = self.symbol.formula, factor.symbol.formula
        factor.symbol.shift((names[0].baseline - names[1].baseline) * manim.UP)
        return self

    def rename(self, tensor: NamedTensor) -> manim.AnimationGroup:
        """The old name out, that of another stage in, in its place: to be played as the grid's numbers are swapped."""
        old, new = self.symbol, self._named(tensor)
        new.scale(old.em / new.em).move_to(old)
        if abs(old.get_x() - self.grid.get_x()) > CENTERED:
            new.align_to(old, manim.LEFT)
        self.remove(old)
        self.symbol = new
        self.add(new)
        return manim.Succession(manim.FadeOut(old), manim.FadeIn(new))

    def _named(self, tensor: NamedTensor) -> StageName:
        rows, columns = self.grid.cells.axes
        order = tensor.stage.axes
        is_transposed = bool(rows and columns) and order.index(str(rows)) > order.index(str(columns))
        return StageName(tensor, self.theme, is_transposed=is_transposed)

    def line_below(self, words: str, room: float = ROOM) -> manim.VMobject:
        """A line of words below the grid, no more than `room` wider than it (in units)."""
        line = text.fitted(words, width=self.grid.width + room, size=self.theme.label_size, color=self.theme.ink)
        return line.next_to(self.grid, manim.DOWN, buff=NAME_GAP)

    def explained(self, words: str, room: float = ROOM, *, is_beside: bool = False) -> manim.Group:
        """A line of words and the colour bar: below the grid, no more than `room` wider than it (in units), or
        beside its name to the right of the grid, no wider than `room`.
        """
        width = room if is_beside else self.grid.width + room
        line = text.fitted(words, width=width, size=self.theme.body_size, color=self.theme.ink)
        bar = ColorBar(self.grid.scale_used, theme=self.theme, height=BAR, size=self.theme.number_size,
                       width=max((0.75 * room if is_beside else 0.9 * self.grid.width), NARROWEST_BAR))
        if (beyond := bar.width - bar.strip.width) + NARROWEST_BAR <= self.grid.width < bar.width:  # its numbers too
            bar = ColorBar(self.grid.scale_used, width=self.grid.width - beyond, theme=self.theme, height=BAR,
                           size=self.theme.number_size)
        group = manim.Group(line, bar).arrange(manim.DOWN, buff=NAME_GAP)
        if not is_beside:
            return group.next_to(self.grid, manim.DOWN, buff=NAME_GAP)
        return group.next_to(self.symbol, manim.RIGHT, buff=NAME_GAP).set_y(self.grid.get_y())

    def grid_to(self, point: Sequence[float]) -> Matrix:
        """Move all of it so that the grid's centre comes to `point`."""
        self.shift(np.asarray(point) - self.grid.get_center())
        return self


class Transpose(Handover):
    """Each cell of `source` flies, whole and bound to its entry, to its place in `target`, which then stands there.

    `passed` are matrices that they fly over.
    """

    def __init__(self, source: Grid, target: Grid, *, passed: Sequence[Grid] = (), **options: Any) -> None:
        self.passed = tuple(passed)
        rows, columns = source.cells.shape
        cells = manim.Group(*(source.block([row], [column]) for row in range(rows) for column in range(columns)))
        places = [target.cell(column, row).get_center() for row in range(rows) for column in range(columns)]
        moves = [manim.ApplyMethod(cell.move_to, place) for cell, place in zip(cells, places, strict=True)]
        super().__init__(source, cells, target, moves, lag_ratio=0.03, **options)
