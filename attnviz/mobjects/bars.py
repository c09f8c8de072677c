"""One row of a tensor as bars: heights from the stage's scale, the side of the line its sign, minus infinity apart."""

from __future__ import annotations

import math
from typing import Any, Self

import manim
import numpy as np

from attnviz.colors import ColorScale
from attnviz.errors import InputError
from attnviz.mobjects.number import Number
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.numbers import NumberFormat
from attnviz.text.owner import own
from attnviz.theme import DARK, PIXEL, Theme
from attnviz.trace import NamedTensor

FILLED = 0.7  # of the room for a bar that it takes
NUMBER_GAP = 0.05  # between a bar and its number, in units


class Bars(manim.VGroup):
    """A tensor of one axis as bars on a common zero line, `size` wide and high, each with its number.

    `bars[i]` and `numbers[i]` belong to position i; a bar of minus infinity is None and its number says −∞. The whole
    scale fits in the height, so bars of several rows with one scale can be compared. `number_size` is the em of
    numbers, where it is not what fits over a bar. InputError for two axes, or NaN.
    """

    described_as = "bars"

    def __init__(
        self,
        tensor: NamedTensor,
        *,
        size: tuple[float, float] = (4.0, 2.0),
        scale: ColorScale | None = None,
        fmt: NumberFormat | None = None,
        theme: Theme = DARK,
        filled: float = FILLED,
        has_numbers: bool = True,
        number_size: float | None = None,
    ) -> None:
        if len(tensor.axes) != 1:
            axes = ", ".join(tensor.axes) or "none"
            raise InputError(f"{tensor.address} has the axes {axes}, but bars show one: select the others away")
        self.tensor, self.scale_used = tensor, scale or stage_scale(tensor, theme)
        self._unit = size[1] / (self.scale_used.high - self.scale_used.low)
        fmt = fmt or stage_format(tensor)
        entries = [tensor.entry(**{tensor.axes[0]: place}) for place in range(tensor.size(tensor.axes[0]))]
        pitch = size[0] / max(len(entries), 1)
        self.line = manim.Line(color=theme.muted, stroke_width=2).set_length(size[0]).set_x(size[0] / 2)
        self.bars = [self._bar(entry.value, place, pitch, filled) for place, entry in enumerate(entries)]
        number_size = number_size or _digit_size(pitch, theme)
        self.numbers = [
            self._number(Number(entry, fmt, size=number_size, color=theme.ink), place, pitch)
            for place, entry in enumerate(entries if has_numbers else ())
        ]
        super().__init__(*(bar for bar in self.bars if bar), self.line, *self.numbers, stroke_width=0)
        own(self, [*self.submobjects])
        ends = [(0.0, end * self._unit, 0.0) for end in self.scale_used.ends]
        self.points = np.repeat(ends, 4, axis=0)  # two curves without length: nothing is drawn, they move with the bars
        self.center()

    def _bar(self, value: float, place: int, pitch: float, filled: float) -> manim.Rectangle | None:
        self.scale_used.color(value)  # refuses what the scale cannot show
        if value == -math.inf:
            return None
        color = self.scale_used.table[-1]
        height = abs(value) * self._unit
        bar = manim.Rectangle(width=filled * pitch, height=height, stroke_width=0, fill_color=color, fill_opacity=1)
        return bar.move_to(((place + 0.5) * pitch, math.copysign(height / 2, value), 0))

    def _number(self, number: Number, place: int, pitch: float) -> Number:
        value = number.entry.value
        tip = 0.0 if value == -math.inf else value * self._unit
        away = manim.UP if value >= 0 else manim.DOWN
        return number.next_to(((place + 0.5) * pitch, tip, 0), away, buff=NUMBER_GAP)

    def show_as(self, tensor: NamedTensor) -> Self:
        """Show another tensor of the same stage and size in the same place and scale; InputError for minus infinity."""
        values = [float(value) for value in tensor.values.tolist()]
        if tensor.name != self.tensor.name or len(values) != len(self.bars):
            raise InputError(f"{tensor.address} cannot take the place of the bars of {self.tensor.address}")
        bars = [bar for bar in self.bars if bar is not None]
        if len(bars) < len(values) or -math.inf in values:
            raise InputError(f"{tensor.address}: a bar of minus infinity is none, and cannot change its height")
        zero, unit = self.zero, self.unit
        for bar, value in zip(bars, values, strict=True):
            x, width, height = bar.get_x(), bar.width, abs(value) * unit
            self.scale_used.color(value)  # refuses what the scale cannot show
            bar.points = manim.Rectangle(width=width, height=height).points
            bar.move_to((x, zero + math.copysign(height / 2, value), 0))
            bar.set_fill(self.scale_used.table[-1])
        for place, number in enumerate(self.numbers):
            entry, away = tensor.entry(**{tensor.axes[0]: place}), manim.UP if values[place] >= 0 else manim.DOWN
            tip = (number.get_x(), zero + values[place] * unit, 0)
            number.show_as(number.other(entry).next_to(tip, away, buff=NUMBER_GAP), 1.0)
        self.tensor = tensor
        return self

    def describe(self) -> dict[str, Any]:
        """What is drawn, the height of a one, and the zero line, as plain JSON values."""
        zero = self.zero
        return {
            "type": self.described_as, "record": self.tensor.record, "address": self.tensor.address,
            "scale": list(self.scale_used.ends), "unit": self.unit, "zero": zero,
            "bars": [described(place, bar, zero) if bar else None for place, bar in enumerate(self.bars)],
        }  # fmt: skip

    @property
    def unit(self) -> float:
        """The height of a one as the bars stand now, in units."""
        low, high = self.scale_used.ends
        return float((self.points[-1, 1] - self.points[0, 1]) / (high - low))

    @property
    def zero(self) -> float:
        """The y of the zero line."""
        return float(self.points[0, 1] - self.scale_used.low * self.unit)


def described(place: int, bar: manim.Rectangle, zero: float) -> dict[str, Any]:
    """Where a bar stands and how far it reaches from the zero line, as plain JSON values."""
    (x, y), color = bar.get_center()[:2], bar.get_fill_color().to_hex().lower()
    height = math.copysign(bar.height, y - zero) if bar.height else 0.0
    return {"at": place, "x": float(x), "width": float(bar.width), "height": float(height), "color": color}


def _digit_size(pitch: float, theme: Theme) -> float:
    """The em of the numbers over bars: as grids have it, or what fits over a bar, but readable."""
    return max(float(theme.minimum_size), min(theme.number_size, 0.95 * pitch / (2.7 * PIXEL)))
