"""Rows of numbers in cards, for values that no colour scale can hold: infinity, and NaN where it is the result.

A card shows a number and no shade. What overflowed has a frame of its own, so that it is found at a glance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import Sheet
from attnviz.mobjects.stages import stage_format
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

GAP = 0.14  # units between cards
WIDEST, FLATTEST = 1.5, 0.78  # units of a card's width at most; of the pitch of lines that its height takes


class NumberCards(manim.Group):
    """A tensor of one axis, or of none, as numbers in cards side by side; `numbers` and `frames` in their order."""

    def __init__(self, tensor: NamedTensor, size: tuple[float, float], theme: Theme) -> None:
        super().__init__()
        entries = _entries(tensor)
        fmt, ink = stage_format(tensor), theme.ink
        self.numbers = [Number(entry, fmt, size=theme.caption_size, color=ink) for entry in entries]
        self.frames = [self._frame(entry, size, theme) for entry in entries]
        for frame, number in zip(self.frames, self.numbers, strict=True):
            self.add(manim.Group(frame, number.scale(min(1.0, 0.85 * size[0] / number.width)).move_to(frame)))
        self.arrange(manim.RIGHT, buff=GAP)

    def _frame(self, entry: Entry, size: tuple[float, float], theme: Theme) -> manim.RoundedRectangle:
        is_lost = not math.isfinite(entry.value)
        color = theme.role("scores") if is_lost else theme.grid_line
        return manim.RoundedRectangle(width=size[0], height=size[1], corner_radius=0.1, stroke_color=color,
                                      stroke_width=5 if is_lost else 2, fill_color=theme.panel, fill_opacity=1)


def _entries(tensor: NamedTensor) -> list[Entry]:
    if not tensor.axes:
        return [tensor.entry()]
    return [tensor.entry(**{tensor.axes[0]: place}) for place in range(tensor.size(tensor.axes[0]))]


class SoftmaxSheet:
    """The lines of one way through a softmax: a label in mathematics and the numbers of a stage, line below line.

    `stages` pairs the label's source (Typst, no digits) with a stage; `{stage}` in it is a number of no axis.
    """

    def __init__(self, tensor: Callable[[str], NamedTensor], stages: Sequence[tuple[str, str]], region: Region,
                 theme: Theme) -> None:
        self._tensor, self._theme = tensor, theme
        pitch = region.height / len(stages)
        labels = [self._label(source, tensor(stage)) for source, stage in stages]
        most = max(len(_entries(tensor(stage))) for _, stage in stages)
        room = region.width - max(label.width for label in labels) - (most + 1) * GAP
        size = min(WIDEST, room / most), FLATTEST * min(pitch, 1.0)
        rows = [NumberCards(tensor(stage), size, theme) for _, stage in stages]
        self.lines = Sheet.place(list(zip(labels, rows, strict=True)), region, pitch=pitch).lines

    def _label(self, source: str, tensor: NamedTensor) -> manim.Group:
        before, _, number = source.partition("{")
        size, color = self._theme.caption_size, self._theme.stage_color(tensor.name)
        label = manim.Group(text.math(before, size=size, color=color))
        if number:
            one = self._tensor(number.rstrip("}"))
            label.add(Number(one.entry(), stage_format(one), size=self._theme.body_size, color=color))
        return label.arrange(manim.RIGHT, buff=0.12)


def halves(region: Region, *, beside: bool, gap: float = 0.4) -> tuple[Region, Region]:
    """Two equal parts of a region, left and right or upper and lower, `gap` units apart."""
    if beside:
        width = (region.width - gap) / 2
        away = (width + gap) / 2
        return (Region(region.x - away, region.y, width, region.height),
                Region(region.x + away, region.y, width, region.height))
    height = (region.height - gap) / 2
    away = (height + gap) / 2
    return (Region(region.x, region.y + away, region.width, height),
            Region(region.x, region.y - away, region.width, height))


def above_and_foot(region: Region, foot: float) -> tuple[Region, Region]:
    """A region without a strip of `foot` units at its bottom, and that strip."""
    rest = region.height - foot
    return (Region(region.x, region.top - rest / 2, region.width, rest),
            Region(region.x, region.bottom + foot / 2, region.width, foot))


def headline(words: str, region: Region, theme: Theme) -> manim.VMobject:
    """Words above a column of cards, in the middle of a region and no wider."""
    shown = text.fitted(words, width=region.width, size=theme.body_size, color=theme.ink, weight="semibold")
    return shown.move_to(region.center)
