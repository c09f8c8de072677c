"""One entry of a matrix product, term by term: a row, a column, their products, and the sum of those.

Upright (columns beside each other) where the room is high enough, else flat (lines below each other). Which entry it
is, and when each part appears, a scene decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Transpose
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import Sheet, fit_into, fitting_cell
from attnviz.mobjects.relation import Relation, each, total_of
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

LOWEST = 0.42  # units of a cell's height below which columns are too low, and lines are drawn
HEADING, SUM = 0.55, 0.9  # the room above the columns and below them, in units
BETWEEN = 0.6  # the room between two columns, for a sign
LABELS = 2.2  # the room before lines
PITCH = 0.82  # of a line's height that its cells take
BIG = 1.25  # times body text: the sum


class Terms(manim.Group):
    """`row`, `column` and `products` (grids of one line) and `total` (a number), with what stands at them.

    `lines` are those of one entry, along one axis, and `total` that entry; `wholes` are their whole stages, whose
    scales and formats are kept. `names` are the lines' names in maths, `add_up` is words. `first`, `second` and
    `third` are what comes with a line, `last` the sum.
    """

    def __init__(self, lines: tuple[NamedTensor, NamedTensor, NamedTensor], total: Entry,
                 wholes: Sequence[NamedTensor], names: tuple[str, str, str], add_up: str, region: Region,
                 theme: Theme) -> None:
        super().__init__()
        self.theme, self.region = theme, region
        axis, count = lines[0].axes[0], lines[0].size(lines[0].axes[0])
        cell = fitting_cell(region.width - 2 * BETWEEN, region.height - HEADING - SUM, 3, count)
        self.is_upright = cell[1] >= LOWEST
        if not self.is_upright:
            cell = fitting_cell(region.width - LABELS, PITCH * region.height, count, 4)
        sides = (axis, None) if self.is_upright else (None, axis)
        self.row, self.column, self.products = (
            Grid(line, *sides, scale=stage_scale(whole, theme), fmt=stage_format(whole), cell=cell, theme=theme)
            for line, whole in zip(lines, wholes, strict=False))
        self.total = Number(total, stage_format(wholes[-1]), size=BIG * theme.body_size, color=theme.ink)
        self.colors = [theme.stage_color(line.name) for line in lines]
        words = text.line(add_up, size=theme.label_size, color=theme.muted)
        place = self._upright if self.is_upright else self._flat
        self.first, self.second, self.third, self.last = place(names, words)
        self.add(self.row, self.first, self.column, self.second, self.products, self.third, self.last)

    def bring(self, line: Grid, source: manim.Mobject, passed: Sequence[Grid] = (), **options: Any) -> manim.Animation:
        """`line` comes from the cells at `source` (an anchor), turning where they lie the other way.

        `passed` are matrices that it flies over.
        """
        cells: Any = source.copy()
        rows, columns = cells.cells.shape
        if (rows > columns) == self.is_upright:
            return manim.FadeIn(line, target_position=source, **options)
        return Transpose(cells, line, passed=passed, **options)

    def _upright(self, names: tuple[str, str, str], words: manim.Mobject) -> tuple[manim.Mobject, ...]:
        grids = (self.row, self.column, self.products)
        step = self.row.width + BETWEEN
        for place, grid in enumerate(grids):
            grid.move_to(((place - 1) * step, 0, 0))
        heads = [self._math(*named).next_to(grid, manim.UP, buff=0.14)
                 for named, grid in zip(zip(names, self.colors, strict=True), grids, strict=True)]
        times = self._math("times", self.theme.muted).move_to((-step / 2, 0, 0))
        sign = self._relation("", self._products_claims(), self.colors[2]).move_to((step / 2, 0, 0))
        self.total.next_to(self.products, manim.DOWN, buff=0.3)
        adds = self._relation("", total_of(self.products, self.total), self.theme.ink)
        adds.next_to(self.total, manim.LEFT, buff=0.16)
        words.next_to(adds, manim.LEFT, buff=0.2)
        parts = (heads[0], manim.Group(times, heads[1]), manim.Group(sign, heads[2]),
                 manim.Group(words, adds, self.total))
        fit_into(manim.Group(*grids, *parts), self.region)
        return parts

    def _flat(self, names: tuple[str, str, str], words: manim.Mobject) -> tuple[manim.Mobject, ...]:
        heads = [self._math(*named) for named in zip(names[:2], self.colors[:2], strict=True)]
        sign = self._relation(names[2], self._products_claims(), self.colors[2])
        adds = self._relation("", total_of(self.products, self.total), self.theme.ink)
        before = manim.Group(words, adds).arrange(manim.RIGHT, buff=0.2)
        Sheet.place(((heads[0], self.row), (heads[1], self.column), (sign, self.products), (before, self.total)),
                    self.region)
        return heads[0], heads[1], sign, manim.Group(before, self.total)

    def _products_claims(self) -> Any:
        return each("product", self.products, self.row, self.column)

    def _math(self, source: str, color: str) -> manim.VMobject:
        return text.math(source, size=self.theme.caption_size, color=color)

    def _relation(self, before: str, claims: Any, color: str) -> Relation:
        return Relation(before, claims, size=self.theme.caption_size, color=color)
