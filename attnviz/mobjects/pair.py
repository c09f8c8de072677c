"""Two maps to be compared: side by side or one below the other, as large as a region allows, with words below each.

Which maps and which words is a scene's choice; here is only how they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.places import WIDEST, InLine, fit_into, in_a_line
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

LABELS = (1.05, 1.3, 1.15)  # units: labels beside a map, labels and name above it, words below it
NARROWEST = 2.2  # units: a map of many rows and few columns has wider cells instead of becoming a thread
GROWS = 1.6  # times its size that a small pair becomes
WORDS_GAP, LINES_GAP = 0.22, 0.1
BETWEEN = 0.5  # units between maps side by side beyond the labels of the second, so that each is seen as one


class Captioned(manim.Group):
    """A `matrix` with `words` below its `grid`: a heading, and quieter lines."""

    def __init__(self, grid: Grid, theme: Theme, tokens: Mapping[str, Sequence[str]], words: Sequence[str]) -> None:
        columns = tokens["column_tokens"] if grid.cells.axes[1] == "key_pos" else ()
        rows, role = tokens["row_tokens"], "query"
        if grid.cells.axes[0] == "key_pos":  # keys or values, one below the other
            rows, role = tokens["column_tokens"], "value" if grid.cells.axes[1] == "value_dim" else "key"
        self.grid, self.matrix = grid, Matrix(grid, theme, row_tokens=rows, column_tokens=columns, label_role=role,
                                              room=LABELS[0])
        width = grid.width + 0.9 * LABELS[0]
        lines = [text.fitted(line, width=width, size=theme.label_size, color=theme.muted) for line in words[1:]]
        heading = text.fitted(words[0], width=width, size=theme.body_size, color=theme.ink, weight="semibold")
        self.words = manim.VGroup(heading, *lines).arrange(manim.DOWN, buff=LINES_GAP)
        self.words.next_to(grid, manim.DOWN, buff=WORDS_GAP)
        super().__init__(self.matrix, self.words)


class Pair(manim.Group):
    """`left` and `right` (or above and below, where that leaves wider cells), of tensors of two axes, in their order.

    `tokens` are the words of each tensor's rows and columns (columns only where they are keys), `words` the heading
    and the quieter lines below each. Tensors of one stage share one colour scale. Tops of maps side by side are level.
    """

    def __init__(self, tensors: Sequence[NamedTensor], tokens: Sequence[Mapping[str, Sequence[str]]],
                 words: Sequence[Sequence[str]], region: Region, theme: Theme) -> None:
        shapes = [(tensor.size(tensor.axes[0]), tensor.size(tensor.axes[1])) for tensor in tensors]
        ways = [_line(region, shapes, beside) for beside in (True, False)]
        place = max(ways, key=lambda way: way.cell[0])  # a cell's width is what its digits are bound by
        if place.beside:
            place = _line(replace(region, width=region.width - BETWEEN), shapes, beside=True)
        made = []
        for tensor, labels, lines in zip(tensors, tokens, words, strict=True):
            also = [other for other in tensors if other.name == tensor.name]
            grid = Grid(tensor, *tensor.axes, scale=stage_scale(tensor, theme, also=also), fmt=stage_format(tensor),
                        cell=place.cell, theme=theme)
            made.append(Captioned(grid, theme, labels, lines))
        for captioned, point in zip(made, place.at(place.cell), strict=True):
            captioned.shift(point - captioned.grid.get_center())
        self.left, self.right = made
        if place.beside:
            self.right.shift(BETWEEN * manim.RIGHT)
            self.left.shift((self.right.grid.get_top() - self.left.grid.get_top())[1] * manim.UP)
            lower, higher = sorted((part.words for part in made), key=lambda words: float(words.get_top()[1]))
            higher.align_to(lower, manim.UP)  # headings are level
            names = sorted((part.matrix.symbol for part in made), key=manim.Mobject.get_y)
            names[0].match_y(names[1])
        super().__init__(self.left, self.right)
        fit_into(self, region, grow=GROWS)


def _line(region: Region, shapes: Sequence[tuple[int, int]], beside: bool) -> InLine:
    """Where two maps of these rows and columns stand, none of them so narrow that the words below it have no room."""
    place = in_a_line(region, shapes, LABELS, beside=beside)
    needed = max(NARROWEST / columns for _, columns in shapes) / place.cell[1]
    return in_a_line(region, shapes, LABELS, beside=beside, widest=max(WIDEST, needed))
