"""Why the square root of d_k: how far dot products of random vectors spread, and what softmax makes of that."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.mobjects.animations import SwapNumber
from attnviz.mobjects.columns import Columns
from attnviz.mobjects.derivation import Derivation
from attnviz.mobjects.formula import AttentionFormula
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.spreads import Nearer, Spreads
from attnviz.mobjects.worked import Worked
from attnviz.storyboard import Storyboard
from attnviz.trace import Entry

RECORD = "samples"
LOWER, MEDIAN, UPPER = range(3)  # the quartiles, in the order of their axis


class Scaling(Storyboard):
    """Why the square root of d_k: the spread of dot products, and what softmax makes of it."""

    records_used = ("sdpa", RECORD)
    poster_beat = "spread"

    def construct(self) -> None:
        self.formula = self.formula_in_corner(lit="scores")
        self.spreads = Spreads(self.bundle[RECORD], self.region("whole"), self.words.text, self.theme)
        self.play_beats(self.one_product, self.spread, self.root, self.derive, self.divide, self.nearer,
                        self.saturate, self.gradient, self.honest, self.remember)

    def one_product(self) -> None:
        query_pos, key_pos = self.data.worked_query, self.data.worked_key
        worked = Worked(self.tensor, query_pos, self.words.text, self.region("whole"), (1.3, 0.9), self.theme)
        sheet = worked.dot_product(key_pos, self.data.query_tokens[query_pos], self.data.key_tokens[key_pos])
        self.play(manim.FadeIn(self.formula), run_time=self.theme.step)
        self.reveal(*sheet.lines)

    def spread(self) -> None:
        table, quick = self.spreads, self.theme.quick
        self.play(manim.FadeIn(table.about), run_time=self.theme.step)
        self.still()
        self.play(manim.FadeIn(*table.heads[:2], table.axis_raw, *table.axis, table.key), run_time=quick)
        for row in table.rows:
            self.play(manim.FadeIn(row.width, row.raw, row.measured), run_time=self.theme.step)
            self.still(self.theme.step)

    def root(self) -> None:
        self.play(manim.FadeIn(self.spreads.heads[-1]), run_time=self.theme.step)
        self.still()
        predicted = (manim.FadeIn(row.predicted) for row in self.spreads.rows)
        self.play(manim.LaggedStart(*predicted, lag_ratio=0.5), run_time=self.theme.slow)
        self.still()

    def derive(self) -> None:
        self.play(manim.FadeOut(self.spreads.about, *self.table_parts()), run_time=self.theme.quick)
        derivation = Derivation(self.words.text, self.region("whole"), self.theme)
        for line in derivation.lines:
            self.play(manim.FadeIn(line.formula, line.words), run_time=self.theme.step)
            self.still(self.theme.glance)
            for part in line.steps:
                self.play(line.formula.light(part), run_time=self.theme.quick)
                self.still(self.theme.step)
            self.play(line.formula.rest(), run_time=self.theme.quick)
            self.past += [line.formula, line.words]

    def divide(self) -> None:
        table = self.spreads
        self.play(manim.FadeIn(*self.table_parts()), self.formula.light("scale"), run_time=self.theme.step)
        self.still(self.theme.step)
        std = self.tensor("std_scaled", RECORD)
        self.play(manim.FadeOut(table.axis_raw, table.heads[-1]),
                  manim.FadeIn(table.axis_scaled, table.divisor, table.fitted),
                  *(manim.FadeOut(row.raw) for row in table.rows), *(manim.FadeIn(row.scaled) for row in table.rows),
                  *(SwapNumber(row.measured, std.entry(width=place)) for place, row in enumerate(table.rows)),
                  run_time=self.theme.slow)
        self.still()

    def nearer(self) -> None:
        table = self.spreads
        self.play(manim.FadeOut(*table.axis, *(row.scaled for row in table.rows), run_time=self.theme.quick),
                  *(Nearer(row, run_time=self.theme.slow) for row in table.rows))
        self.play(manim.FadeIn(*table.fine_axis), run_time=self.theme.step)
        self.still()
        self.past += [*table.heads[:-1], table.divisor, *table.fine_axis, table.axis_scaled, table.key, table.fitted]
        self.past += [part for row in table.rows for part in (row.width, row.fine, row.measured, row.predicted)]

    def saturate(self) -> None:
        self.play(self.formula.light("softmax"), run_time=self.theme.step)
        both = [self.tensor(f"mean_largest_{side}", RECORD) for side in ("raw", "scaled")]
        self.compare(self.chart("largest_weight", *both))

    def gradient(self) -> None:
        both = [self.tensor(f"quartiles_jacobian_{side}", RECORD) for side in ("raw", "scaled")]
        chart = self.chart("jacobian", *(part.sel(quartile=MEDIAN) for part in both), middle="middle")
        for bars, part in zip(chart.bars, both, strict=True):
            chart.whiskers(bars, part.sel(quartile=LOWER), part.sel(quartile=UPPER))
        self.compare(chart)

    def honest(self) -> None:
        both = [self.tensor(f"kept_{side}", RECORD) for side in ("raw", "scaled")]
        self.compare(self.chart("kept", *both, of=self.tensor("query_count", RECORD).entry()))

    def remember(self) -> None:
        formula = AttentionFormula(self.theme, lit="scale", size=self.theme.formula_size * 2)
        words = text.paragraph(self.words.text["takeaway"], width=self.region("whole").width * 0.8,
                               size=self.theme.title_size, color=self.theme.ink, align="center")
        fit_into(manim.Group(formula, words).arrange(manim.DOWN, buff=0.9), self.region("whole"))
        self.play(manim.FadeOut(self.formula), run_time=self.theme.quick)
        self.reveal(formula, words, keep=True)

    def table_parts(self) -> list[manim.Mobject]:
        """The table as it stands before the scale."""
        table = self.spreads
        rows = [part for row in table.rows for part in (row.width, row.raw, row.measured, row.predicted)]
        return [*table.heads, *table.axis, table.axis_raw, table.key, *rows]

    def chart(self, figure: str, *tensors: Any, middle: str | None = None, of: Entry | None = None) -> Columns:
        """A chart along the widths in the whole region: unscaled, and scaled beside it."""
        called = [self.words.text[side] for side in ("raw", "scaled")]
        return Columns(tensors, self.tensor("head_dim", RECORD), self.region("whole"), self.words.text[figure], called,
                       self.theme, middle=self.words.text[middle] if middle else None, of=of)

    def compare(self, chart: Columns) -> None:
        """The axis, then each set of bars with what it is called."""
        head = [chart.axis, chart.figure, *([chart.middle] if chart.middle else ())]
        self.play(manim.FadeIn(*head), run_time=self.theme.quick)
        self.past += head
        for bars, called in zip(chart.bars, chart.legend, strict=True):
            self.play(manim.FadeIn(called, bars), run_time=self.theme.step)
            self.still()
            self.past += [called, bars]
