"""A figure along the widths of a record: a bar for each, unscaled beside scaled, whiskers, and the widths below.

Here is where the parts of that chart stand. A scene decides what comes when.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.extent import STROKE, Extent, whisker
from attnviz.mobjects.number import Number
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

OVER, UNDER = 0.15, 0.2  # room above the words over the bars, and between both, in units
AXIS = 0.6  # room for the widths below the bars
NUMBER = 0.35  # room for the number over the highest bar
NAME = 0.9  # room for the name of the axis to its left, and as much to its right where there is room
EDGE = 0.05  # kept free for the width of lines
WIDE = 10.0  # a region's width from which on there is
BESIDE, ALONE = 0.21, 0.0  # of the room for a width: how far a bar stands from its middle
FILLED = {True: 0.34, False: 0.5}  # of that room, for a bar with another beside it, and alone
ABOVE, BELOW = 0.12, 0.42  # over the highest bar and below the axis, for bars with their numbers there
SAMPLE = 0.3  # the length of the line that stands for whiskers among the words, in units
ROOMY = 1.8  # units for a width from which on numbers may be large


class Columns:
    """One or two tensors of the axis `width` as bars in `region`, with one scale, over the numbers of `along`.

    `bars` are drawn side by side in their order, `legend` says which is which in `words`, `axis` are widths and name,
    `figure` says what the bars are, after the number `of` where they are parts of one. With `middle` (what whiskers
    are, in words) bars have whiskers, and their numbers stand below them; `middle` is then those words, and a line such
    as whiskers are.
    """

    def __init__(self, tensors: Sequence[NamedTensor], along: NamedTensor, region: Region, figure: str,
                 words: Sequence[str], theme: Theme, *, middle: str | None = None, of: Entry | None = None) -> None:
        self.along, self.region, self.theme, self.whole = along, region, theme, tensors
        self.is_wide, pair = region.width > WIDE, len(tensors) > 1
        offsets, count = (-BESIDE, BESIDE) if pair else (ALONE,), along.size("width")
        room = region.width - NAME * (2 if self.is_wide else 1) - EDGE
        self.pitch = room / (count + offsets[-1] - offsets[0])  # the zero lines of both lie within it
        self.width, self.left = count * self.pitch, region.left + NAME + offsets[-1] * self.pitch
        self.middle = self._sample(middle) if middle else None
        self.figure, self.legend = self._said(figure, of), self._legend(words)
        head = self._head(is_stacked=not self.is_wide or bool(middle or of))
        self.zero, self.top = region.bottom + AXIS + (BELOW if middle else 0.0), head.get_bottom()[1] - UNDER
        self.bars = [self._bars(tensor, offset * self.pitch, FILLED[pair])
                     for tensor, offset in zip(tensors, offsets, strict=True)]
        self.axis = manim.Group(*(self._below(place) for place in range(along.size("width"))), self._name())

    def x_of(self, place: int) -> float:
        """The middle of the room for one width."""
        return self.left + (place + 0.5) * self.pitch

    def _bars(self, tensor: NamedTensor, offset: float, filled: float) -> Bars:
        others = [other for other in self.whole if other is not tensor]
        height = self.top - self.zero - (ABOVE if self.middle else NUMBER)
        made = Bars(tensor, size=(self.width, height), scale=stage_scale(tensor, self.theme, also=others),
                    fmt=stage_format(tensor), theme=self.theme, filled=filled,
                    number_size=self.theme.number_size if self.pitch > ROOMY else self.theme.small_size)
        middle = self.left + self.width / 2 + offset
        return made.shift((middle - made.line.get_center()[0], self.zero - made.zero, 0))

    def whiskers(self, bars: Bars, low: NamedTensor, high: NamedTensor) -> list[Extent]:
        """Lines from `low` to `high` over the bars, whose numbers go below them: over a line they would be its end."""
        for number in bars.numbers:
            number.set_color(self.theme.stage_color(bars.tensor.name)).set_y(bars.zero - BELOW / 2)
        return [whisker(bars, place, low.entry(width=place), high.entry(width=place), self.theme)
                for place in range(len(bars.numbers))]

    def _sample(self, words: str) -> manim.VGroup:
        line = manim.Line(manim.ORIGIN, SAMPLE * manim.UP, color=self.theme.ink, stroke_width=STROKE)
        said = text.line(words, size=self.theme.body_size, color=self.theme.ink)
        return manim.VGroup(line, said).arrange(manim.RIGHT, buff=0.15)

    def _below(self, place: int) -> Number:
        number = Number(self.along.entry(width=place), size=self.theme.label_size, color=self.theme.ink)
        return number.move_to((self.x_of(place), self.region.bottom + AXIS / 2, 0))

    def _name(self) -> manim.VMobject:
        name = text.math("d_k", size=self.theme.caption_size, color=self.theme.muted)
        return name.move_to((self.region.left + 0.6 * NAME, self.region.bottom + AXIS / 2, 0))

    def _said(self, figure: str, of: Entry | None) -> manim.Mobject:
        """What the bars are, in as many lines as it takes; with the number that they are of, in one."""
        size, color = self.theme.body_size, self.theme.ink
        line = text.line(figure, size=size, color=color)
        if of is None and line.width > self.region.width:  # a paragraph is as wide as it may be, however few its words
            return text.paragraph(figure, width=self.region.width, size=size, color=color, align="center")
        if of is None:
            return line
        parts = Number(of, size=size, color=color), line
        said = manim.Group(*parts).arrange(manim.RIGHT, buff=0.12)
        return said.scale(min(1.0, self.region.width / said.width))

    def _legend(self, words: Sequence[str]) -> list[text.Typed]:
        """What each colour means."""
        return [text.line(said, size=self.theme.body_size, color=self.theme.stage_color(tensor.name))
                for said, tensor in zip(words, self.whole, strict=True)]

    def _head(self, *, is_stacked: bool) -> manim.Group:
        """What the bars are, what colours and lines mean: in one line above all, or below each other."""
        row, middle = manim.Group(*self.legend).arrange(manim.RIGHT, buff=0.7), [self.middle] if self.middle else []
        if is_stacked and self.is_wide:
            row, middle = manim.Group(row, *middle).arrange(manim.RIGHT, buff=0.9), []
        head = manim.Group(self.figure, row, *middle)
        head.arrange(*((manim.DOWN, 0.15) if is_stacked else (manim.RIGHT, 0.9)))
        return head.move_to((self.region.x, self.region.top - OVER, 0), aligned_edge=manim.UP)
