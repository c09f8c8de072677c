"""The whole formula once, with real numbers: dot products, scale, softmax, blend."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.mobjects.animations import FillCells, FillRows, Swap
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.convention import ConventionCard
from attnviz.mobjects.formula import AttentionFormula
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.matrix import Matrix, Transpose
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into, in_a_line, product_places, shared_cell
from attnviz.mobjects.worked import Worked
from attnviz.scene import LessonScene

LABELS = (1.0, 0.55, 0.7)  # room to the left of a product and above it for tokens, to its right for a name, in units
LINE_LABELS = (1.1, 1.7)  # room to the left of a matrix for tokens, above and below it for its name and its words
ROOM_ABOVE = 0.45  # above the weights, before labels meet those of the values; longer ones stand there already
TRANSPOSED = "K^(sans(upright(T)))"


class Pipeline(LessonScene):
    """The whole formula, once, with real numbers: dot products, scale, softmax, blend."""

    case = "lesson"
    is_causal = False
    poster_beat = "softmax_row"

    def construct(self) -> None:
        self.play_beats(self.words_alone, self.conventions, self.inputs, self.one_score, self.all_scores,
                        self.scale_down, self.softmax_row, self.all_weights, self.blend, self.all_outputs, self.check)

    def words_alone(self) -> None:
        asking_token = self.data.query_tokens[self.data.worked_query]
        picture = Asking(asking_token, self.data.key_tokens, self.region("whole"), self.theme)
        self.play(manim.FadeIn(picture.words, shift=0.3 * manim.UP))
        self.play(manim.FadeIn(picture.asker, shift=0.3 * manim.DOWN))
        self.play(manim.LaggedStart(*map(manim.Create, picture.lines), lag_ratio=0.3), run_time=self.theme.slow)
        self.past = picture

    def conventions(self) -> None:
        card = ConventionCard(self.data.query_tokens, self.data.key_tokens, self.words.text, self.region("whole"),
                              self.theme, beside=self.layout.flow == "beside")
        self.play(manim.FadeOut(self.past), manim.FadeIn(card.lattice))
        for part in (card.row, card.column, card.along):
            self.play(manim.FadeIn(part), run_time=self.theme.step)
            self.wait(self.theme.step)
        self.past = card

    def inputs(self) -> None:
        self.lay_out()
        self.play(manim.FadeOut(self.past), run_time=self.theme.quick)
        for matrix, words in zip((self.q, self.k, self.v), ("query", "key", "value"), strict=True):
            matrix.say(self.words.text[words])
            self.play(manim.FadeIn(matrix.labels, matrix.symbol, matrix.words), FillRows(matrix.grid))
        self.play(manim.FadeIn(self.formula), run_time=self.theme.step)

    def one_score(self) -> None:
        query_pos, theme = self.data.worked_query, self.theme
        self.play(manim.FadeOut(self.v, self.k.symbol, self.k.labels, *(m.words for m in (self.q, self.k, self.v))),
                  self.q.animate.grid_to(self.scores_at.left), run_time=theme.step)
        self.play(Transpose(self.k.grid, self.kt.grid, run_time=theme.slow))
        self.play(manim.FadeIn(self.kt.symbol), manim.FadeIn(self.kt.labels), self.formula.light("scores"),
                  self.q.grid.animate.focus(rows=[query_pos]), self.kt.grid.animate.focus(columns=[0]))
        sheet = self.worked.dot_product(0, self.data.query_tokens[query_pos], self.data.key_tokens[0])
        sources = (self.q.grid.row(query_pos), self.kt.grid.column(0))
        for line, source in zip(sheet.lines, sources, strict=False):
            self.play(manim.FadeIn(line[0]), manim.FadeIn(line[1], target_position=source), run_time=theme.step)
        for line in sheet.lines[2:]:
            self.play(manim.FadeIn(line), run_time=theme.step)
        self.play(FillCells(self.s.grid, rows=[query_pos], columns=[0]), run_time=theme.step)
        self.past = sheet.all

    def all_scores(self) -> None:
        self.play(manim.FadeOut(self.past), manim.FadeIn(self.s.symbol), self.kt.grid.animate.focus())
        for query_pos in range(self.s.grid.cells.shape[0]):
            self.play(self.q.grid.animate.focus(rows=[query_pos]), run_time=self.theme.quick)
            self.play(FillCells(self.s.grid, rows=[query_pos]), run_time=self.theme.slow)
        self.play(self.q.grid.animate.focus(), run_time=self.theme.quick)

    def scale_down(self) -> None:
        self.play(self.formula.light("scale"))
        sheet = self.worked.scaling()
        for line in sheet.lines:
            self.play(manim.FadeIn(line), run_time=self.theme.step)
        self.play(Swap(self.s.grid, self.tensor("scores")), self.s.rename("S", "scores"))
        self.past = sheet.all

    def softmax_row(self) -> None:
        query_pos = self.data.worked_query
        self.play(manim.FadeOut(self.past), self.formula.light("softmax"), self.s.grid.animate.focus(rows=[query_pos]),
                  *(factor.grid.animate.focus(rows=()) for factor in (self.q, self.kt)))
        sheet = self.worked.softmax()
        first, *rest = sheet.lines
        self.play(manim.FadeIn(first[0]), manim.FadeIn(first[1], target_position=self.s.grid.row(query_pos)))
        for line in rest:
            self.play(manim.FadeIn(line), run_time=self.theme.step)
            self.wait(self.theme.quick)
        self.past = sheet.all

    def all_weights(self) -> None:
        self.play(self.s.grid.animate.focus(), manim.FadeOut(self.past), run_time=self.theme.quick)
        self.play(Swap(self.s.grid, self.tensor("attn_weights")), self.s.rename("A", "attn_weights"))
        bar = ColorBar(self.s.grid.scale_used, width=3.2, height=0.26, size=self.theme.label_size, theme=self.theme)
        words = text.paragraph(self.words.text["shares"], width=self.region("side").width * 0.8,
                               size=self.theme.caption_size, color=self.theme.ink, align="center")
        self.past = manim.Group(bar, words).arrange(manim.DOWN, buff=0.5).move_to(self.region("side").center)
        self.play(manim.FadeIn(self.past), run_time=self.theme.step)

    def blend(self) -> None:
        query_pos, theme = self.data.worked_query, self.theme
        self.play(manim.FadeOut(self.past, self.q, self.kt, self.s.symbol))
        self.play(self.s.grid.animate.move_to(self.blend_at.left), run_time=theme.step)
        self.s.label(row_tokens=self.data.query_tokens, column_tokens=self.data.key_tokens, room_above=ROOM_ABOVE)
        self.s.symbol_to(manim.UP)
        self.play(manim.FadeIn(self.s.labels, self.s.symbol), run_time=theme.step)
        self.play(manim.FadeIn(self.v.grid_to(self.blend_at.top)), self.formula.light("blend"))
        sheet = self.worked.blend(self.data.key_tokens)
        *lines, total = sheet.lines
        for key_pos, line in enumerate(lines):
            row = self.v.grid.row(key_pos)
            self.play(self.v.grid.animate.focus(rows=[key_pos]),
                      self.s.grid.animate.focus(rows=[query_pos], columns=[key_pos]),
                      manim.FadeIn(line[0]), manim.FadeIn(line[1], target_position=row), run_time=theme.step)
        self.play(self.v.grid.animate.focus(), self.s.grid.animate.focus(rows=[query_pos]), manim.FadeIn(total))
        self.play(FillCells(self.o.grid, rows=[query_pos]), run_time=theme.step)
        self.past = sheet.all

    def all_outputs(self) -> None:
        self.play(manim.FadeOut(self.past), manim.FadeIn(self.o.symbol), self.formula.light("output"))
        for query_pos in range(self.o.grid.cells.shape[0]):
            self.play(self.s.grid.animate.focus(rows=[query_pos]), run_time=self.theme.quick)
            self.play(FillCells(self.o.grid, rows=[query_pos]), run_time=self.theme.step)
        self.play(self.s.grid.animate.focus(), run_time=self.theme.quick)

    def check(self) -> None:
        theme = self.theme
        entry = self.tensor("max_abs_difference", "difference").entry()
        number = Number(entry, size=1.6 * theme.title_size, color=theme.accent)
        words = text.paragraph(self.words.text["difference"], width=self.region("side").width * 0.9,
                               size=theme.caption_size, color=theme.ink, align="center")
        fit_into(manim.Group(words, number).arrange(manim.DOWN, buff=0.4), self.region("side"))
        self.play(manim.FadeIn(words), run_time=theme.step)
        self.play(manim.FadeIn(number), run_time=theme.step)

    def lay_out(self) -> None:
        """Make every matrix of the film, all with one cell, and say where each will stand."""
        tensors = [self.tensor(name) for name in ("query", "key", "value")]
        (rows, inner), (columns, width) = tensors[0].values.shape, tensors[2].values.shape
        stage, shapes = self.region("stage"), ((rows, inner, columns), (rows, columns, width))
        places = [product_places(stage, shape, labels=LABELS) for shape in shapes]
        shown = in_a_line(self.region("whole"), [tensor.values.shape for tensor in tensors], LINE_LABELS)
        self.cell = shared_cell(*(place.cell for place in places), shown.cell)
        self.scores_at, self.blend_at = (product_places(stage, s, labels=LABELS, cell=self.cell) for s in shapes)
        self._make_matrices()
        for matrix, place in zip((self.q, self.k, self.v), shown.at(self.cell), strict=True):
            matrix.grid_to(place)
        self.formula = fit_into(AttentionFormula(self.theme), self.region("formula"), grow=1.3)
        self.worked = Worked(self.tensor, self.data.worked_query, self.words.text, self.region("side"), self.cell,
                             self.theme)

    def _make_matrices(self) -> None:
        queries, keys = self.data.query_tokens, self.data.key_tokens
        self.q = self._matrix("query", "Q", "query_pos", "head_dim", row_tokens=queries)
        self.k = self._matrix("key", "K", "key_pos", "head_dim", row_tokens=keys, label_role="key")
        self.v = self._matrix("value", "V", "key_pos", "value_dim", row_tokens=keys, label_role="value")
        top = self.scores_at.top
        self.kt = self._matrix("key", TRANSPOSED, "head_dim", "key_pos", column_tokens=keys, symbol_side=manim.LEFT)
        self.kt.grid_to(top)
        self.s = self._matrix("dot_products", f"Q {TRANSPOSED}", "query_pos", "key_pos", symbol_side=manim.RIGHT)
        self.s.grid_to(self.scores_at.result)
        self.o = self._matrix("output", "O", "query_pos", "value_dim", symbol_side=manim.RIGHT)
        self.o.grid_to(self.blend_at.result)
        for hidden in (self.s.grid, self.o.grid):
            hidden.focus(rows=(), to=0)

    def _matrix(self, stage: str, name: str, rows: str, columns: str, **labels: Any) -> Matrix:
        tensor = self.tensor(stage)
        grid = Grid(tensor, rows, columns, cell=self.cell, theme=self.theme)
        return Matrix(grid, name, self.theme, **labels)
