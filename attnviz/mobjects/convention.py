"""The card that states how every map of this project is read: queries are rows, keys are columns.

It shows no number: an empty lattice with the case's own tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.notices import COUNTED, some_words
from attnviz.mobjects.number import Literal
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

MOST = 5  # rows and columns of the lattice: enough to read it by
CELL = (1.05, 0.72)
BESIDE = 2.0  # units that a token beside a row may take


class ConventionCard(manim.Group):
    """A lattice with a marked row, a marked column, an arrow along the row, and a line of words for each.

    `words` has the keys `asks`, `answers`, `along` and `rounded`. Parts, to be shown one after the other:
    `lattice`, `row`, `column`, `along`, `rounded`.
    """

    def __init__(self, query_tokens: Sequence[str], key_tokens: Sequence[str], words: Mapping[str, str],
                 region: Region, theme: Theme, *, beside: bool) -> None:
        super().__init__()
        self.theme = theme
        queries, keys = list(query_tokens[:MOST]), list(key_tokens[:MOST])
        self.lattice = self._lattice(queries, keys)
        if len(keys) < len(key_tokens) or len(queries) < len(query_tokens):
            self.lattice.add(self._told(max(len(query_tokens), len(key_tokens))))
        marked_row, marked_column = len(queries) // 2, len(keys) // 2
        row_cells = manim.VGroup(*self._cells[marked_row])
        column_cells = manim.VGroup(*(line[marked_column] for line in self._cells))
        self.row = manim.VGroup(self._mark(row_cells, "query"), self._words(words["asks"], "query"))
        self.column = manim.VGroup(self._mark(column_cells, "key"), self._words(words["answers"], "key"))
        self.along = manim.VGroup(self._arrow(row_cells), self._words(words["along"], "weights"))
        self.rounded = text.line(words["rounded"], size=theme.body_size, color=theme.ink)
        lines = manim.VGroup(self.row[1], self.column[1], self.along[1], self.rounded).arrange(
            manim.DOWN, buff=0.4, aligned_edge=manim.LEFT)
        lines.next_to(self.lattice, manim.RIGHT if beside else manim.DOWN, buff=0.9)
        self.add(self.lattice, self.row, self.column, self.along, self.rounded)
        fit_into(self, region, grow=1.4)

    def _lattice(self, queries: Sequence[str], keys: Sequence[str]) -> manim.VGroup:
        self._cells = [[self._cell() for _ in keys] for _ in queries]
        flat = manim.VGroup(*(cell for line in self._cells for cell in line))
        flat.arrange_in_grid(rows=len(queries), cols=len(keys), buff=0.06)
        labels = manim.VGroup()
        for token, line in zip(queries, self._cells, strict=True):
            labels.add(self._token(token, "query").next_to(line[0], manim.LEFT, buff=0.2))
        for token, cell in zip(keys, self._cells[0], strict=True):
            labels.add(self._token(token, "key").next_to(cell, manim.UP, buff=0.15))
        return manim.VGroup(flat, labels)

    def _told(self, total: int) -> Literal:
        notice = Literal(some_words(MOST, total), COUNTED, size=self.theme.label_size, color=self.theme.muted)
        return notice.next_to(self.lattice[0], manim.DOWN, buff=0.2)

    def _cell(self) -> manim.Rectangle:
        return manim.Rectangle(width=CELL[0], height=CELL[1], stroke_color=self.theme.grid_line, stroke_width=1.5,
                               fill_color=self.theme.panel, fill_opacity=1)

    def _token(self, token: str, role: str) -> manim.VMobject:
        width = 0.95 * CELL[0] if role == "key" else BESIDE
        return text.fitted(token, width=width, size=self.theme.label_size, color=self.theme.role(role))

    def _mark(self, cells: manim.VGroup, role: str) -> manim.VMobject:
        mark = manim.SurroundingRectangle(cells, buff=0.04, corner_radius=0.06, color=self.theme.role(role))
        return mark.set_fill(self.theme.role(role), opacity=0.16)

    def _arrow(self, row: manim.VGroup) -> manim.Arrow:
        return manim.Arrow(row.get_left(), row.get_right(), buff=0.12, color=self.theme.role("weights"),
                           stroke_width=5, max_tip_length_to_length_ratio=0.1)

    def _words(self, words: str, role: str) -> manim.VMobject:
        return text.line(words, size=self.theme.body_size, color=self.theme.role(role))
