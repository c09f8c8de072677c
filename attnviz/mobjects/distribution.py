"""One row of weights as a distribution over words: bars, the words below them, and the digits below these.

Here only the three are laid out; what they show is bars and a grid like any other, so a sweep can take them along.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz.layout import Region
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid, whole_pixels
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

WIDEST, HEIGHT = 1.2, 0.6  # of a word's column, and of a digit's cell, in units
LABELS = 1.1  # units that words may take between bars and digits
GAP = 0.12


class Distribution(manim.Group):
    """`bars`, `labels` and `grid` of a tensor with the one axis key_pos; `whole` is its stage as the film shows it."""

    def __init__(self, tensor: NamedTensor, whole: NamedTensor, tokens: Sequence[str], region: Region,
                 theme: Theme) -> None:
        scale, fmt = stage_scale(whole, theme), stage_format(whole)
        pitch = min(WIDEST, region.width / len(tokens))
        self.grid, self.labels, beside = self._below(tensor, whole, tokens, pitch, theme)
        if beside:  # a line that says which words are named needs its room too
            pitch = (region.width - beside) / len(tokens)
            self.grid, self.labels, beside = self._below(tensor, whole, tokens, pitch, theme)
        pitch = self.grid.pitch[0]
        below = manim.Group(self.grid, self.labels)
        height = region.height - below.height - GAP
        self.bars = Bars(tensor, size=(pitch * len(tokens), height), scale=scale, fmt=fmt, theme=theme,
                         has_numbers=False)
        self.bars.shift((self.grid.get_x() - self.bars.line.get_x(), 0, 0))
        self.bars.shift((0, below.get_top()[1] + GAP - self.bars.line.get_y(), 0))
        super().__init__(self.bars, self.labels, self.grid)
        self.shift((region.x + beside / 2 - self.grid.get_x(), region.bottom - self.grid.get_bottom()[1], 0))

    def _below(self, tensor: NamedTensor, whole: NamedTensor, tokens: Sequence[str], pitch: float,
               theme: Theme) -> tuple[Grid, TokenLabels, float]:
        """The cells, their words, and how far the line beside these, if there is one, reaches beyond the cells."""
        grid = Grid(tensor, None, "key_pos", scale=stage_scale(whole, theme), fmt=stage_format(whole),
                    cell=(whole_pixels(pitch), HEIGHT), theme=theme)
        labels = TokenLabels(tokens, grid, side="top", color=theme.role("key"), room=LABELS)
        left = labels.notice.get_left()[0] if labels.notice else grid.get_left()[0]
        return grid, labels, float(grid.get_left()[0] - left)
