"""The whole formula once, with real numbers: dot products, scale, softmax, blend."""

from __future__ import annotations

from typing import Any

import manim

from attnviz.mobjects.animations import FillCells, FillRows, SwapCells
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.convention import ConventionCard
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.matrix import Matrix, Transpose
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into, keep_within
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
        picture, theme = self.asking(), self.theme
        notice = [picture.notice] if picture.notice else []
        self.play(manim.FadeIn(picture.words, *notice, shift=0.3 * manim.UP), run_time=theme.step)
        self.play(manim.FadeIn(picture.asker, shift=0.3 * manim.DOWN), run_time=theme.quick)
        self.play(manim.LaggedStart(*map(manim.Create, picture.lines), lag_ratio=0.3), run_time=theme.step)
        self.still()
        self.past.append(picture)

    def conventions(self) -> None:
        card = ConventionCard(self.data.query_tokens, self.data.key_tokens, self.words.text, self.region("whole"),
                              self.theme, beside=self.layout.flow == "beside")
        self.show(card.lattice, card.row, card.column, card.along, card.rounded, still=self.theme.step)
        self.past.append(card)

    def inputs(self) -> None:
        for matrix, words in zip((self.q, self.k, self.v), ("query", "key", "value"), strict=True):
            explained = self.explained(matrix, self.words.text[words])
            self.play(manim.FadeIn(matrix.labels, matrix.symbol, explained),
                      FillRows(matrix.grid, run_time=self.theme.step), run_time=self.theme.step)
            self.still(self.theme.glance)
            self.past.append(explained)
        self.show(self.formula, still=self.theme.step)

    def one_score(self) -> None:
        query_pos, key_pos, theme = self.data.worked_query, self.data.worked_key, self.theme
        told = self.turn_keys()
        self.q.grid_to(self.plan.scores.left).symbol_to(manim.UP)
        self.play(manim.FadeOut(told), manim.FadeIn(self.q), self.formula.light("scores"), run_time=theme.step)
        self.play(self.q.grid.animate.focus(rows=[query_pos]), self.kt.grid.animate.focus(columns=[key_pos]),
                  run_time=theme.quick)
        tokens = self.data.query_tokens[query_pos], self.data.key_tokens[key_pos]
        query, key, products, total = self.worked.dot_product(key_pos, *tokens).lines
        self.show(query, key, still=theme.step)
        self.play(manim.FadeIn(products[0]), FillCells(products[1], run_time=theme.glance), run_time=theme.glance)
        self.still()
        self.show(total, still=theme.glance)
        self.play(FillCells(self.s.grid, rows=[query_pos], columns=[key_pos]), run_time=theme.quick)
        self.past += [query, key, products, total]

    def all_scores(self) -> None:
        query_pos, theme = self.data.worked_query, self.theme
        self.play(manim.FadeIn(self.s.symbol), self.kt.grid.animate.focus(), run_time=theme.quick)
        self.fill(self.s.grid, self.q.grid, [query_pos])
        self.still()
        self.fill(self.s.grid, self.q.grid)
        self.explain(self.s.grid, "match", "scores")

    def scale_down(self) -> None:
        self.play(manim.FadeOut(self.q, self.kt), self.formula.light("scale"), run_time=self.theme.quick)
        self.play(self.s.animate.resize(self.plan.grown, self.plan.alone, manim.RIGHT), run_time=self.theme.step)
        self.s.relabel(row_tokens=self.data.query_tokens, column_tokens=self.data.key_tokens, room=self.plan.beside)
        self.play(manim.FadeIn(self.s.labels), self.s.grid.animate.focus(rows=[self.data.worked_query]),
                  run_time=self.theme.quick)
        lines = self.worked.scaling(self.data.key_tokens).lines
        self.show(*lines, still=self.theme.glance)
        self.play(self.s.grid.animate.focus(), run_time=self.theme.quick)
        self.swap_all("scores")
        self.past += lines

    def softmax_row(self) -> None:
        self.play(self.formula.light("softmax"), self.s.grid.animate.focus(rows=[self.data.worked_query]),
                  run_time=self.theme.quick)
        lines = self.worked.softmax(self.data.key_tokens).lines
        self.show(*lines, still=self.theme.glance)
        self.past += lines

    def all_weights(self) -> None:
        self.play(self.s.grid.animate.focus(), run_time=self.theme.quick)
        self.swap_all("attn_weights")
        self.explain(self.s.grid, "shares", "alone")

    def blend(self) -> None:
        query_pos, theme = self.data.worked_query, self.theme
        self.play(manim.FadeOut(self.s.labels, self.s.symbol), run_time=theme.quick)
        self.play(self.s.grid.animate.scale(1 / self.plan.grown).move_to(self.plan.blend.left), run_time=theme.step)
        self.s.relabel(row_tokens=self.data.query_tokens, column_tokens=self.data.key_tokens, slanted=False,
                       room=self.plan.beside)  # slanted labels would meet those of the values
        self.s.symbol_to(manim.UP)
        self.v.grid_to(self.plan.blend.top).symbol_to(self.beside_blend)
        self.play(manim.FadeIn(self.s.labels, self.s.symbol, self.v), self.formula.light("blend"), run_time=theme.step)
        worked = self.worked.blend(self.data.key_tokens)
        self.play(self.v.grid.animate.focus(rows=[worked.first_key]),
                  self.s.grid.animate.focus(rows=[query_pos], columns=[worked.first_key]), run_time=theme.quick)
        label, value = worked.first
        self.show(value, still=theme.step)
        scale = self.worked.scale_of(worked.product.name)
        self.play(manim.FadeIn(label), SwapCells(value, worked.product, scale=scale), run_time=theme.glance)
        self.still()
        others = [manim.FadeIn(*worked.rest)] if worked.rest else []
        self.play(self.v.grid.animate.focus(), self.s.grid.animate.focus(rows=[query_pos]), *others,
                  run_time=theme.step)
        self.still()
        self.show(worked.total, still=theme.glance)
        self.play(FillCells(self.o.grid, rows=[query_pos]), run_time=theme.step)
        self.past += [label, value, *worked.rest, worked.total]

    def all_outputs(self) -> None:
        self.play(manim.FadeIn(self.o.symbol), self.formula.light("output"), self.s.grid.animate.focus(),
                  run_time=self.theme.quick)
        self.fill(self.o.grid, self.s.grid)
        self.explain(self.o.grid, "blends", "blend")

    def answer(self) -> None:
        self.play(manim.FadeOut(self.s, self.v, self.o), run_time=self.theme.quick)
        picture, row = self.asking(), self.tensor("attn_weights").sel(query_pos=self.data.worked_query)
        entries = [row.entry(key_pos=place) for place in picture.positions]
        self.play(manim.FadeIn(picture), run_time=self.theme.quick)
        strands, numbers = zip(*picture.answer(entries, self.worked.format_of(row.name)), strict=True)
        self.play(manim.LaggedStart(*map(manim.Create, strands), lag_ratio=0.3), run_time=self.theme.slow)
        self.show(manim.Group(*numbers))
        self.past += [picture, *strands, *numbers]

    def check(self) -> None:
        stage, side = self.plan.stages["scores"], self.plan.sides["scores"]
        both = manim.Group(*(self.beside_its_words(stage) for stage in ("ours", "theirs")))
        fit_into(both.arrange(manim.RIGHT, buff=0.8), stage, grow=self.plan.grown)
        entry = self.tensor("max_abs_difference", "difference").entry()
        number = Number(entry, size=2 * self.theme.title_size, color=self.theme.accent)
        told = manim.Group(self.paragraph("difference", side), number).arrange(manim.DOWN, buff=0.4)
        self.show(*both, fit_into(told, side))

    def beside_its_words(self, stage: str) -> manim.Group:
        """An output, ours or theirs, with its name, and below it whose it is."""
        matrix = self.matrix(self.tensor(stage, "difference"), "query_pos", "value_dim", cell=self.plan.cell,
                             row_tokens=self.data.query_tokens, room=self.plan.beside)
        return manim.Group(matrix, matrix.line_below(self.words.text[stage], self.plan.beside))

    def asking(self) -> Asking:
        """The worked word and all the words it may take from, or those that it takes most from."""
        word = self.data.query_tokens[self.data.worked_query]
        return Asking(word, self.data.key_tokens, self.region("whole"), self.theme, positions=self.worked.keys)

    def show(self, *parts: manim.Mobject, still: float | None = None) -> None:
        """Each part comes briskly, and then nothing moves."""
        for part in parts:
            self.play(manim.FadeIn(part), run_time=self.theme.quick)
            self.still(still)

    def turn_keys(self) -> manim.Mobject:
        """K becomes its transpose, slowly and said: gives the words, which still stand."""
        told = self.paragraph("turned", self.plan.sides["scores"])
        self.play(manim.FadeOut(self.q, self.v, self.k.symbol), run_time=self.theme.quick)
        self.play(manim.FadeIn(told), run_time=self.theme.quick)
        self.still(self.theme.glance)
        self.play(manim.FadeOut(self.k.labels), run_time=self.theme.quick)  # the cells cross where they stand
        self.play(Transpose(self.k.grid, self.kt.grid), run_time=self.theme.read)
        self.play(manim.FadeIn(self.kt.symbol, self.kt.labels), run_time=self.theme.quick)
        return told

    def fill(self, product: Grid, factor: Grid, rows: list[int] | None = None) -> None:
        """Rows of a product (all where none are named) appear, from the rows of its left factor that are bright."""
        self.play(factor.animate.focus(rows=rows), run_time=self.theme.quick)
        fill = FillCells if rows else FillRows
        self.play(fill(product, rows=rows, run_time=self.theme.glance), run_time=self.theme.glance)

    def swap_all(self, stage: str) -> None:
        """The result's numbers become those of the next stage, cell after cell, and its name with them."""
        tensor = self.tensor(stage)
        self.play(SwapCells(self.s.grid, tensor, scale=self.worked.scale_of(stage)), self.s.rename(tensor))

    def explained(self, matrix: Matrix, words: str) -> manim.Group:
        """What a matrix of the line is for, and what its colours mean."""
        said = matrix.explained(words, self.plan.words, is_beside=self.plan.is_stacked)
        return keep_within(said, self.region("whole"), self.plan.pitch)

    def explain(self, grid: Grid, words: str, side: str) -> None:
        """What the colours of a grid mean, and a line of words, at the side."""
        region = self.plan.sides[side]
        bar = ColorBar(grid.scale_used, width=3.2, height=0.26, size=self.theme.label_size, theme=self.theme)
        group = manim.Group(bar, self.paragraph(words, region)).arrange(manim.DOWN, buff=0.5)
        self.show(fit_into(group, region))
        self.past.append(group)

    def lay_out(self) -> None:
        """Make every matrix of the film, all with one cell, and say where each will stand."""
        tensors = [self.tensor(name) for name in ("query", "key", "value")]
        sizes = {axis: tensor.size(axis) for tensor in tensors for axis in tensor.axes}
        self.plan = film_plan(self.layout, sizes, self.data.key_tokens)
        self.worked = Worked(self.tensor, self.data.worked_query, self.words.text, self.plan.sides, self.plan.cell,
                             self.theme, most=self.plan.worked_keys)
        self._make_matrices()
        self.q.grid_to(self.plan.scores.left)
        self.kt.grid_to(self.plan.scores.top).name_beside(self.q.symbol)
        for matrix, place in zip((self.q, self.k, self.v), self.plan.line, strict=True):
            matrix.symbol_to(manim.RIGHT if self.plan.is_stacked else manim.UP).grid_to(place)
        self.s.grid_to(self.plan.scores.result)
        self.o.grid_to(self.plan.blend.result)
        self.formula = self.formula_in_corner()

    @property
    def beside_blend(self) -> Any:
        """The side of V and of the output that their names stand on, while A takes them up."""
        return manim.UP if self.plan.is_abreast else manim.RIGHT

    def _make_matrices(self) -> None:
        queries, keys = self.data.query_tokens, self.data.key_tokens
        room, above = self.plan.beside, self.plan.above
        self.q = self._matrix("query", "query_pos", "head_dim", row_tokens=queries, room=room)
        self.k = self._matrix("key", "key_pos", "head_dim", row_tokens=keys, label_role="key", room=room)
        self.v = self._matrix("value", "key_pos", "value_dim", row_tokens=keys, label_role="value", room=room)
        self.kt = self._matrix("key", "head_dim", "key_pos", column_tokens=keys, room=above, symbol_side=manim.LEFT)
        self.s = self._matrix("dot_products", "query_pos", "key_pos", symbol_side=manim.RIGHT)
        self.o = self._matrix("output", "query_pos", "value_dim", symbol_side=self.beside_blend)
        for hidden in (self.s.grid, self.o.grid):
            hidden.dim_cells(to=0)

    def _matrix(self, stage: str, rows: str, columns: str, **labels: Any) -> Matrix:
        grid = Grid(self.tensor(stage), rows, columns, cell=self.plan.cell, theme=self.theme)
        return Matrix(grid, self.theme, **labels)
