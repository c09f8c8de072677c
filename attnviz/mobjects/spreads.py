"""Histograms of one record at several widths, one below the other over one axis, with what they spread by beside them.

Here is where the rows and columns of that table stand. A scene decides what comes when.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.extent import STROKE, deviation
from attnviz.mobjects.histogram import Histogram
from attnviz.mobjects.number import Number
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor, Record

ABOVE, BELOW = 0.5, 0.55  # room for headings above the first row, for the axis below the last, in units
APART = 0.12  # between the highest bar and the row above it
TALL = 0.6  # more room below, where names stand there too
WIDE = 10.0  # a region's width from which on columns stand beside the histograms; else over their empty ends
COLUMNS = {True: (1.2, 1.9), False: (0.7, 1.05)}  # widths of the first column and of the others, in units
MARGIN, INDENT = 0.35, 0.15  # units beside histograms that fill a narrow region; before words over a histogram
SIGMA = 0.5  # the length of the line that stands for one in the key, in units
OVER = {True: 0.3, False: 0.42}  # of the pitch: how far numbers stand over the line of their row


@dataclass(frozen=True)
class Row:
    """One width: its number, histograms in one place, the measured spread and the predicted one.

    `fine` are the scaled ones again, on an axis that ends where they do.
    """

    width: Number
    raw: Histogram
    scaled: Histogram
    fine: Histogram
    measured: Number
    predicted: Number


class Spreads:
    """The rows of a record of kind `samples`, narrowest first, filling `region`; `heads` are its columns, as `words`
    (table_width, measured, predicted) call them. What was predicted is then what is `divisor` by: the last head again.

    `axis` are the numbers below the last row, which hold for every row, and `fine_axis` those of the fine histograms;
    `axis_raw` and `axis_scaled` name both. `about` says how entries are drawn, `key` what the line below a row is, and
    `fitted`, in the place of `about`, that heights of scaled ones are not those of raw ones.
    """

    def __init__(self, record: Record, region: Region, words: Mapping[str, str], theme: Theme) -> None:
        self.record, self.region, self.theme = record, region, theme
        self.is_wide = region.width > WIDE
        first, other = COLUMNS[self.is_wide]
        self.xs = [region.left + first / 2, region.right - 1.5 * other, region.right - other / 2]
        self.span = (region.left + first, region.right - 2 * other) if self.is_wide else (
            region.left + MARGIN, region.right - MARGIN)
        below = BELOW if self.is_wide else BELOW + TALL
        self.pitch = (region.height - ABOVE - below) / record["head_dim"].size("width")
        heights = {name: self._height(record[name]) for name in ("counts_raw", "counts_scaled", "fine_counts_scaled")}
        self.rows = [self._row(width, heights) for width in range(record["head_dim"].size("width"))]
        heads = zip(("d_k", "sigma", "sqrt(d_k)"), ("table_width", "measured", "predicted"), self.xs, strict=True)
        self.heads = [self._head(source, words[key], x) for source, key, x in heads]
        self.divisor = self._head("sqrt(d_k)", words["divisor"], self.xs[-1])
        self.axis, self.fine_axis = (self._axis(one) for one in (self.rows[-1].raw, self.rows[-1].fine))
        self.about, self.key = self._about(words), self._key(words["deviation"])
        self.fitted = text.line(words["fitted"], size=theme.label_size, color=theme.muted)
        self._where_about(self.fitted)
        self.axis_raw, self.axis_scaled = (self._named(source) for source in ("q dot k", "q dot k \\/ sqrt(d_k)"))

    def _height(self, counts: NamedTensor) -> float:
        """The height of the whole scale with which the first row, the highest, ends below the top of the headings."""
        room = self.pitch + ABOVE - APART
        others = counts.values[1:].max(initial=0)
        shares = counts.values[0].max() / room, others / (self.pitch - 2 * APART)
        return float(stage_scale(counts, self.theme).high / max(*shares, 1e-9))

    def _row(self, width: int, heights: dict[str, float]) -> Row:
        y = self.region.top - ABOVE - (width + 1) * self.pitch
        raw, scaled, fine = (self._histogram(counts, edges, width, heights[counts], y) for counts, edges in (
            ("counts_raw", "bin_edges"), ("counts_scaled", "bin_edges"), ("fine_counts_scaled", "fine_edges")))
        numbers = [self._number(stage, width, x, y, color) for stage, x, color in zip(
            ("head_dim", "std_raw", "predicted_std"), self.xs,
            (self.theme.muted, self.theme.ink, self.theme.ink), strict=True)]
        return Row(numbers[0], raw, scaled, fine, numbers[1], numbers[2])

    def _histogram(self, stage: str, along: str, width: int, height: float, y: float) -> Histogram:
        counts, edges = self.record[stage], self.record[along]
        left, right = self.span
        made = Histogram(counts.sel(width=width), edges, size=(right - left, height), theme=self.theme,
                         scale=stage_scale(counts, self.theme), has_ticks=False)
        made.shift(((left + right) / 2 - made.line.get_center()[0], y - made.zero, 0))
        std = "std_raw" if stage == "counts_raw" else "std_scaled"
        deviation(made, self.record[std].entry(width=width), self.theme)
        return made

    def _number(self, stage: str, width: int, x: float, y: float, color: str) -> Number:
        tensor = self.record[stage]
        number = Number(tensor.entry(width=width), stage_format(tensor), size=self.theme.body_size, color=color)
        return number.move_to((x, y + OVER[self.is_wide] * self.pitch, 0))

    def _head(self, source: str, said: str, x: float) -> manim.VMobject:
        """A column's symbol, and what it is in a word below."""
        symbol = text.math(source, size=self.theme.formula_size, color=self.theme.ink)
        words = text.line(said, size=self.theme.label_size, color=self.theme.muted)
        head = manim.VGroup(symbol, words).arrange(manim.DOWN, buff=0.05)
        return head.move_to((x, self.region.top, 0), aligned_edge=manim.UP)

    def _axis(self, last: Histogram) -> list[Number]:
        """The ticks of a histogram in the last row: they are its own, and alone on screen."""
        low, high = last.scale_used.ends
        named = Histogram(last.tensor, last.edges, size=(last.line.width, last.unit * (high - low)), theme=self.theme,
                          scale=last.scale_used)
        named.shift((last.line.get_center()[0] - named.line.get_center()[0], last.zero - named.zero, 0))
        return named.ticks

    def _named(self, source: str) -> manim.VMobject:
        """What the axis measures, to the right of its numbers, or below their middle."""
        name = text.math(source, size=self.theme.caption_size, color=self.theme.muted)
        if self.is_wide:
            return name.next_to(self.axis[-1], manim.RIGHT, buff=0.35)
        return name.next_to(self.axis[1], manim.DOWN, buff=0.12)

    def _about(self, words: Mapping[str, str]) -> manim.Group:
        """How entries are drawn, and how many: over the empty end of the first row, or below the axis."""
        size, color = self.theme.label_size, self.theme.muted
        drawn = text.math("q_i\\, k_i med tilde.op med cal(N) thin (0, 1)", size=self.theme.caption_size,
                          color=self.theme.ink, reason="the standard normal distribution")
        counted = manim.Group(*(part for stage, said in (("query_count", "queries"), ("key_count", "keys"))
                                for part in (Number(self.record[stage].entry(), size=size, color=color),
                                             text.line(words[said], size=size, color=color))))
        both = manim.Group(drawn, counted.arrange(manim.RIGHT, buff=0.1)).arrange(manim.DOWN, buff=0.08)
        self._where_about(both)
        return both

    def _where_about(self, said: manim.Mobject) -> None:
        """Put what is said of all rows over the empty end of the first, or below the axis."""
        if self.is_wide:
            said.move_to((self.span[0] + INDENT, self.region.top, 0), aligned_edge=manim.UL)
        else:
            said.move_to((self.region.left, self.region.bottom, 0), aligned_edge=manim.DL)

    def _key(self, words: str) -> manim.VMobject:
        """What the line below a row stands for: to the right of the axis, or below it."""
        line = manim.Line(color=self.theme.ink, stroke_width=STROKE).set_length(SIGMA)
        said = text.line(words, size=self.theme.label_size, color=self.theme.muted)
        key = manim.VGroup(line, said).arrange(manim.RIGHT, buff=0.12)
        if self.is_wide:
            return key.move_to((self.region.right, self.axis[0].get_y(), 0), aligned_edge=manim.RIGHT)
        return key.move_to((self.region.right, self.region.bottom, 0), aligned_edge=manim.DR)


class Nearer(manim.Transform):
    """A fine histogram comes in: as narrow at first as the scaled one whose place it takes, then as wide as its axis.

    Its counts are those of its record all the while: only the axis grows.
    """

    def __init__(self, row: Row, **options: Any) -> None:
        wide, fine = (float(shown.edges.values[-1] - shown.edges.values[0]) for shown in (row.scaled, row.fine))
        self.share = fine / wide
        super().__init__(row.fine, introducer=True, **options)

    def create_target(self) -> Any:
        """What it is at the end."""
        return self.mobject

    def create_starting_mobject(self) -> Any:
        """What it is at first."""
        return super().create_starting_mobject().stretch(self.share, 0)
