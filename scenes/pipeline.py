"""The whole formula once, with real numbers: dot products, scale, softmax, blend."""

from __future__ import annotations

from typing import Any

import manim

from attnviz.mobjects.animations import FillCells, FillRows, Swap, SwapRows
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.convention import ConventionCard
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.matrix import Matrix, Transpose
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.plan import film_plan
from attnviz.mobjects.worked import Worked
from attnviz.storyboard import Storyboard


class Pipeline(Storyboard):
    """The whole formula, once, with real numbers: dot products, scale, softmax, blend."""

    case = "lesson"
    is_causal = False
    poster_beat = "softmax_row"

    def construct(self) -> None:
        self.lay_out()
        self.play_beats(self.words_alone, self.conventions, self.inputs, self.one_score, self.all_scores,
                        self.scale_down, self.softmax_row, self.all_weights, self.blend, self.all_outputs,
                        self.answer, self.check)

    def words_alone(self) -> None:
        picture = self.asking()
        self.play(manim.FadeIn(picture.words, shift=0.3 * manim.UP))
        self.play(manim.FadeIn(picture.asker, shift=0.3 * manim.DOWN))
        self.play(manim.LaggedStart(*map(manim.Create, picture.lines), lag_ratio=0.3), run_time=self.theme.slow)
        self.past.append(picture)

    def conventions(self) -> None:
        card = ConventionCard(self.data.query_tokens, self.data.key_tokens, self.words.text, self.region("whole"),
                              self.theme, beside=self.layout.flow == "beside")
        for part in (card.lattice, card.row, card.column, card.along, card.rounded):
            self.play(manim.FadeIn(part), run_time=self.theme.step)
            self.wait(self.theme.quick)
        self.past.append(card)

    def inputs(self) -> None:
        for matrix, words in zip((self.q, self.k, self.v), ("query", "key", "value"), strict=True):
            explained = matrix.explained(self.words.text[words], self.plan.beside)
            self.play(manim.FadeIn(matrix.labels, matrix.symbol), FillRows(matrix.grid))
            self.play(manim.FadeIn(explained), run_time=self.theme.step)
            self.past.append(explained)
        self.play(manim.FadeIn(self.formula), run_time=self.theme.step)

    def one_score(self) -> None:
        query_pos, key_pos, theme = self.data.worked_query, self.data.worked_key, self.theme
        self.play(manim.FadeOut(self.v, self.k.symbol, self.k.labels), run_time=theme.quick)
        self.play(self.q.animate(path_arc=manim.PI / 2).grid_to(self.plan.scores.left),
                  Transpose(self.k.grid, self.kt.grid), run_time=theme.slow)
        self.play(manim.FadeIn(self.kt.symbol, self.kt.labels), self.formula.light("scores"),
                  self.q.grid.animate.focus(rows=[query_pos]), self.kt.grid.animate.focus(columns=[key_pos]))
        tokens = self.data.query_tokens[query_pos], self.data.key_tokens[key_pos]
        query, key, products, total = self.worked.dot_product(key_pos, *tokens).lines
        for line, source in ((query, self.q.grid.row(query_pos)), (key, self.kt.grid.column(key_pos))):
            self.fly(line, source)
        self.play(manim.FadeIn(products[0]), FillCells(products[1], run_time=2 * theme.slow))
        self.play(manim.FadeIn(total), run_time=theme.step)
        self.play(FillCells(self.s.grid, rows=[query_pos], columns=[key_pos]), run_time=theme.step)
        self.past += [query, key, products, total]

    def all_scores(self) -> None:
        self.play(manim.FadeIn(self.s.symbol), self.kt.grid.animate.focus())
        self.fill_rows(self.s.grid, self.q.grid, self.theme.slow)
        self.explain(self.s.grid, "match")

    def scale_down(self) -> None:
        self.play(self.formula.light("scale"))
        for line in self.worked.scaling().lines:
            self.play(manim.FadeIn(line), run_time=self.theme.step)
            self.past.append(line)
        self.swap_all("scores")

    def softmax_row(self) -> None:
        query_pos = self.data.worked_query
        self.play(self.formula.light("softmax"), self.s.grid.animate.focus(rows=[query_pos]),
                  *(factor.grid.animate.focus(rows=()) for factor in (self.q, self.kt)))
        scores, *rest = self.worked.softmax().lines
        self.fly(scores, self.s.grid.row(query_pos))
        for line in rest:
            self.play(manim.FadeIn(line), run_time=self.theme.step)
            self.wait(self.theme.quick)
        self.past += [scores, *rest]

    def all_weights(self) -> None:
        self.play(self.s.grid.animate.focus(), run_time=self.theme.quick)
        self.swap_all("attn_weights")
        self.explain(self.s.grid, "shares")

    def blend(self) -> None:
        query_pos, theme = self.data.worked_query, self.theme
        self.play(manim.FadeOut(self.q, self.kt, self.s.symbol), run_time=theme.step)
        self.play(self.s.grid.animate.move_to(self.plan.blend.left), run_time=theme.step)
        self.s.label(row_tokens=self.data.query_tokens, column_tokens=self.data.key_tokens, slanted=False,
                     room=self.plan.beside)  # slanted labels would meet those of the values
        self.s.symbol_to(manim.UP)
        self.play(manim.FadeIn(self.s.labels, self.s.symbol), run_time=theme.step)
        self.play(manim.FadeIn(self.v.grid_to(self.plan.blend.top)), self.formula.light("blend"))
        sheet, weighted = self.worked.blend(self.data.key_tokens)
        *lines, total = sheet.lines
        for key_pos, (line, product) in enumerate(zip(lines, weighted, strict=True)):
            self.play(self.v.grid.animate.focus(rows=[key_pos]),
                      self.s.grid.animate.focus(rows=[query_pos], columns=[key_pos]), run_time=theme.quick)
            self.fly(line, self.v.grid.row(key_pos))
            looks = {"scale": self.worked.scale_of(product.name), "fmt": self.worked.format_of(product.name)}
            self.play(Swap(line[1], product, run_time=theme.slow, **looks))
        self.play(self.v.grid.animate.focus(), self.s.grid.animate.focus(rows=[query_pos]), manim.FadeIn(total))
        self.play(FillCells(self.o.grid, rows=[query_pos]), run_time=theme.step)
        self.past += [*lines, total]

    def all_outputs(self) -> None:
        self.play(manim.FadeIn(self.o.symbol), self.formula.light("output"))
        self.fill_rows(self.o.grid, self.s.grid, self.theme.step)
        self.explain(self.o.grid, "blends")

    def answer(self) -> None:
        self.play(manim.FadeOut(self.s, self.v, self.o), run_time=self.theme.step)
        picture, row = self.asking(), self.tensor("attn_weights").sel(query_pos=self.data.worked_query)
        entries = [row.entry(key_pos=place) for place in range(row.size("key_pos"))]
        strands = picture.answer(entries, self.worked.format_of(row.name))
        self.play(manim.FadeIn(picture), run_time=self.theme.step)
        for strand, number in strands:
            self.play(manim.Create(strand), manim.FadeIn(number), run_time=self.theme.step)
            self.past += [strand, number]
        self.past.append(picture)

    def check(self) -> None:
        entry = self.tensor("max_abs_difference", "difference").entry()
        number = Number(entry, size=2 * self.theme.title_size, color=self.theme.accent)
        words = self.paragraph("difference", self.region("whole"))
        fit_into(manim.Group(words, number).arrange(manim.DOWN, buff=0.5), self.region("whole"))
        for part in (words, number):
            self.play(manim.FadeIn(part), run_time=self.theme.step)

    def asking(self) -> Asking:
        """The worked word above all words."""
        word = self.data.query_tokens[self.data.worked_query]
        return Asking(word, self.data.key_tokens, self.region("whole"), self.theme)

    def fill_rows(self, product: Grid, factor: Grid, run_time: float) -> None:
        """Each row of a product appears while the row of its left factor is bright."""
        for row in range(product.cells.shape[0]):
            self.play(factor.animate.focus(rows=[row]), run_time=self.theme.quick)
            self.play(FillCells(product, rows=[row]), run_time=run_time)
        self.play(factor.animate.focus(), run_time=self.theme.quick)

    def fly(self, line: manim.Group, source: manim.Mobject) -> None:
        """A worked line's numbers come from where they stand in the picture, then its label."""
        self.play(manim.FadeIn(line[1], target_position=source), run_time=self.theme.step)
        self.play(manim.FadeIn(line[0]), run_time=self.theme.quick)

    def swap_all(self, stage: str) -> None:
        """The result's numbers become those of the next stage, row after row, and its name with them."""
        tensor = self.tensor(stage)
        self.play(SwapRows(self.s.grid, tensor, scale=self.worked.scale_of(stage)), self.s.rename(tensor))

    def explain(self, grid: Grid, words: str) -> None:
        """What the colours of a grid mean, and a line of words, at the side."""
        bar = ColorBar(grid.scale_used, width=3.2, height=0.26, size=self.theme.label_size, theme=self.theme)
        group = manim.Group(bar, self.paragraph(words, self.region("side"))).arrange(manim.DOWN, buff=0.5)
        self.play(manim.FadeIn(fit_into(group, self.region("side"))), run_time=self.theme.step)
        self.past.append(group)

    def lay_out(self) -> None:
        """Make every matrix of the film, all with one cell, and say where each will stand."""
        tensors = [self.tensor(name) for name in ("query", "key", "value")]
        sizes = {axis: tensor.size(axis) for tensor in tensors for axis in tensor.axes}
        self.plan = film_plan(self.region("stage"), self.region("whole"), sizes, self.data.key_tokens)
        self.worked = Worked(self.tensor, self.data.worked_query, self.words.text, self.region("side"), self.plan.cell,
                             self.theme)
        self._make_matrices()
        self.q.grid_to(self.plan.scores.left)
        self.kt.grid_to(self.plan.scores.top).name_beside(self.q.symbol)
        for matrix, place in zip((self.q, self.k, self.v), self.plan.line, strict=True):
            matrix.grid_to(place)
        self.s.grid_to(self.plan.scores.result)
        self.o.grid_to(self.plan.blend.result)
        self.formula = self.formula_in_corner()

    def _make_matrices(self) -> None:
        queries, keys = self.data.query_tokens, self.data.key_tokens
        beside, above = self.plan.beside, self.plan.above
        self.q = self._matrix("query", "query_pos", "head_dim", row_tokens=queries, room=beside)
        self.k = self._matrix("key", "key_pos", "head_dim", row_tokens=keys, label_role="key", room=beside)
        self.v = self._matrix("value", "key_pos", "value_dim", row_tokens=keys, label_role="value", room=beside)
        self.kt = self._matrix("key", "head_dim", "key_pos", column_tokens=keys, room=above, symbol_side=manim.LEFT)
        self.s = self._matrix("dot_products", "query_pos", "key_pos", symbol_side=manim.RIGHT)
        self.o = self._matrix("output", "query_pos", "value_dim", symbol_side=manim.RIGHT)
        for hidden in (self.s.grid, self.o.grid):
            hidden.dim_cells(to=0)

    def _matrix(self, stage: str, rows: str, columns: str, **labels: Any) -> Matrix:
        grid = Grid(self.tensor(stage), rows, columns, cell=self.plan.cell, theme=self.theme)
        return Matrix(grid, self.theme, **labels)
