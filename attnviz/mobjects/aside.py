"""Lines at the side of a picture: words, and beside them cells or a number of what they name.

Here are their sizes and places; what they show is bound to entries like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import LABEL_GAP, LARGEST_CELL, Sheet, fit_into, halves
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

LABELS = 2.1  # units that the words may take
ROW = 0.5  # the height of cells
WORD_GAP = 0.12  # units between words and the token after them
HEAD = {True: 0.38, False: 0.34}  # of a region, for what is large: of its height where it is high, else of its width
HIGH = 0.9  # times its width: a region that is higher is high
NAME_GAP = 0.25  # between a large number and its name

Stages = Callable[[str, str], NamedTensor]  # a stage of a record as it is drawn


def headed(region: Region) -> tuple[Region, Region]:
    """Where something large goes, and where lines go: below it, or to its right where the region is low."""
    is_high = region.height > HIGH * region.width
    if is_high:
        return halves(region, HEAD[True])
    wide = HEAD[False] * region.width
    return (Region(region.left + wide / 2, region.y, wide, region.height),
            Region(region.left + (region.width + wide) / 2, region.y, region.width - wide, region.height))


class Knob(manim.Group):
    """A quantity that a film turns: its name over its `number`, which is what changes, as large as a region allows.

    `widest` is the widest number that will stand there.
    """

    def __init__(self, name: str, number: Number, widest: Number, region: Region, theme: Theme) -> None:
        said = text.fitted(name, width=region.width, size=theme.caption_size, color=theme.muted)
        manim.Group(said, widest).arrange(manim.DOWN, buff=NAME_GAP)
        fit_into(manim.Group(said, widest), region)
        number.scale(widest.height / number.height).move_to(widest).align_to(widest, manim.LEFT)
        self.number = number
        super().__init__(said, number)


class Aside:
    """Makes the lines at the side of a region from tensors of one axis.

    `words` are those that may be said, and `tokens` the tokens that follow some of them, as texts of their own.
    """

    def __init__(self, stages: Stages, words: Mapping[str, str], tokens: Mapping[str, str], region: Region,
                 theme: Theme) -> None:
        self.stages, self.words, self.tokens, self.region, self.theme = stages, words, tokens, region, theme

    def cells(self, tensor: NamedTensor) -> Grid:
        """A row of cells, in the scale of its stage."""
        whole = self.stages(tensor.name, tensor.record)
        width = (self.region.width - LABELS) / tensor.values.size
        return Grid(tensor, None, tensor.axes[0], scale=stage_scale(whole, self.theme),
                    fmt=stage_format(whole), cell=(min(width, LARGEST_CELL[0]), ROW), theme=self.theme)

    def sheet(self, *lines: tuple[str, manim.Mobject]) -> Sheet:
        """Words and what they name, line below line."""
        return Sheet.place([(self._said(words), content) for words, content in lines], self.region, pitch=0.9)

    def instead(self, line: manim.Group, words: str, content: manim.Mobject) -> manim.Group:
        """Other words and numbers in the place of a line."""
        said = self._said(words).move_to(line[0]).align_to(line[0], manim.RIGHT)
        return manim.Group(said, content.move_to(line[1]).align_to(line[1], manim.LEFT))

    def _said(self, words: str) -> manim.VMobject:
        room, size = LABELS - LABEL_GAP, self.theme.label_size
        said = manim.VGroup(text.fitted(self.words[words], width=room, size=size, color=self.theme.ink))
        if words in self.tokens:
            left = room - said.width - WORD_GAP
            said.add(text.fitted(self.tokens[words], width=left, size=size, color=self.theme.role("key")))
        return said.arrange(manim.RIGHT, buff=WORD_GAP)
