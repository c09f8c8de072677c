"""Histograms of one record at several widths, one below the other over one axis, with what they spread by beside them.

Here is where the rows and columns of that table stand. A scene decides what comes when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.extent import deviation
from attnviz.mobjects.histogram import Histogram
from attnviz.mobjects.number import Number
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor, Record

ABOVE, BELOW = 0.5, 0.55  # room for headings above the first row, for the axis below the last, in units
APART = 0.12  # between the highest bar and the row above it
WIDE = 10.0  # a region's width from which on columns may be wide
COLUMNS = {True: (1.2, 1.9), False: (0.9, 1.15)}  # widths of the first column and of the others, in units


@dataclass(frozen=True)
class Row:
    """One width: its number, both histograms in one place, the measured spread and the predicted one."""

    width: Number
    raw: Histogram
    scaled: Histogram
    measured: Number
    predicted: Number


class Spreads:
    """The rows of a record of kind `samples`, narrowest first, filling `region`; `heads` are its columns, as `words`
    (table_width, measured, predicted) call them. What was predicted is then what is `divisor` by: the last head again.

    `axis` are the numbers below the last row, which hold for every row; `axis_raw` and `axis_scaled` name it.
    """

    def __init__(self, record: Record, region: Region, words: Mapping[str, str], theme: Theme) -> None:
        self.record, self.region, self.theme = record, region, theme
        first, other = COLUMNS[region.width > WIDE]
        self.xs = [region.left + first / 2, region.right - 1.5 * other, region.right - other / 2]
        self.span = region.left + first, region.right - 2 * other
        self.pitch = (region.height - ABOVE - BELOW) / record["head_dim"].size("width")
        heights = {name: self._height(record[name]) for name in ("counts_raw", "counts_scaled")}
        self.rows = [self._row(width, heights) for width in range(record["head_dim"].size("width"))]
        heads = zip(("d_k", "sigma", "sqrt(d_k)"), ("table_width", "measured", "predicted"), self.xs, strict=True)
        self.heads = [self._head(source, words[key], x) for source, key, x in heads]
        self.divisor = self._head("sqrt(d_k)", words["divisor"], self.xs[-1])
        self.axis = self._axis()
        self.axis_raw, self.axis_scaled = (self._named(source) for source in ("q dot k", "q dot k \\/ sqrt(d_k)"))

    def _height(self, counts: NamedTensor) -> float:
        """The height of the whole scale with which the first row, the highest, ends below the top of the headings."""
        room = self.pitch + ABOVE - APART
        others = counts.values[1:].max(initial=0)
        shares = counts.values[0].max() / room, others / (self.pitch - 2 * APART)
        return float(stage_scale(counts, self.theme).high / max(*shares, 1e-9))

    def _row(self, width: int, heights: dict[str, float]) -> Row:
        y = self.region.top - ABOVE - (width + 1) * self.pitch
        raw, scaled = (self._histogram(suffix, width, heights[f"counts_{suffix}"], y) for suffix in ("raw", "scaled"))
        numbers = [self._number(stage, width, x, y, color) for stage, x, color in zip(
            ("head_dim", "std_raw", "predicted_std"), self.xs,
            (self.theme.muted, self.theme.ink, self.theme.ink), strict=True)]
        return Row(numbers[0], raw, scaled, numbers[1], numbers[2])

    def _histogram(self, suffix: str, width: int, height: float, y: float) -> Histogram:
        counts, edges = self.record[f"counts_{suffix}"], self.record["bin_edges"]
        left, right = self.span
        made = Histogram(counts.sel(width=width), edges, size=(right - left, height), theme=self.theme,
                         scale=stage_scale(counts, self.theme), has_ticks=False)
        made.shift(((left + right) / 2 - made.line.get_center()[0], y - made.zero, 0))
        deviation(made, self.record[f"std_{suffix}"].entry(width=width), self.theme)
        return made

    def _number(self, stage: str, width: int, x: float, y: float, color: str) -> Number:
        tensor = self.record[stage]
        number = Number(tensor.entry(width=width), stage_format(tensor), size=self.theme.body_size, color=color)
        return number.move_to((x, y + 0.3 * self.pitch, 0))

    def _head(self, source: str, said: str, x: float) -> manim.VMobject:
        """A column's symbol, and what it is in a word below."""
        symbol = text.math(source, size=self.theme.formula_size, color=self.theme.ink)
        words = text.line(said, size=self.theme.label_size, color=self.theme.muted)
        head = manim.VGroup(symbol, words).arrange(manim.DOWN, buff=0.05)
        return head.move_to((x, self.region.top, 0), aligned_edge=manim.UP)

    def _axis(self) -> list[Number]:
        """The ticks of a histogram in the last row: they are its own, and alone on screen."""
        last = self.rows[-1].raw
        low, high = last.scale_used.ends
        named = Histogram(last.tensor, last.edges, size=(last.line.width, last.unit * (high - low)), theme=self.theme,
                          scale=last.scale_used)
        named.shift((last.line.get_center()[0] - named.line.get_center()[0], last.zero - named.zero, 0))
        return named.ticks

    def _named(self, source: str) -> manim.VMobject:
        """What the axis measures, to the right of its numbers."""
        name = text.math(source, size=self.theme.caption_size, color=self.theme.muted)
        return name.next_to(self.axis[-1], manim.RIGHT, buff=0.35)
