"""Self or cross: only where K and V come from differs. Two sentences, of two lengths."""

from __future__ import annotations

from typing import Any

import manim

from attnviz.errors import InputError
from attnviz.mobjects.animations import FillRows, SwapRows
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.labels import ShapeLabel
from attnviz.mobjects.matrix import Matrix, Transpose
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into, halves
from attnviz.mobjects.plan import film_plan
from attnviz.mobjects.product import MatrixProduct, quickening
from attnviz.mobjects.shapes import ShapeProduct
from attnviz.mobjects.sources import Sources
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.storyboard import Storyboard

GLOSSED, FED = 0.84, 0.7  # of the whole region: what a picture has above its gloss, and above the difference

class CrossAttention(Storyboard):
    """Self or cross: only where K and V come from differs. Two sentences, of two lengths."""

    case = "cross"
    is_causal = False
    poster_beat = "one_word"

    def read_words(self) -> None:
        if self.data.projections is None or self.data.is_self_attention:
            why = "is self-attention, of one sentence" if self.data.projections else "has no sentences to come from"
            raise InputError(f"case {self.data.name!r} {why}: cross_attention needs queries from one sentence and keys "
                             "from another, as in the case 'cross'")
        super().read_words()

    def construct(self) -> None:
        self.lay_out()
        self.play_beats(self.one_sentence, self.two_sentences, self.inputs, self.scores, self.weights, self.one_word,
                        self.output, self.shapes, self.check)

    def one_sentence(self) -> None:
        picture = self.sources
        self.reveal(picture.asking, keep=True)
        for box, arrow in zip(picture.boxes, picture.arrows, strict=True):
            self.play(manim.GrowArrow(arrow), run_time=self.theme.step)
            self.play(manim.FadeIn(box), run_time=self.theme.step)
        self.still()

    def two_sentences(self) -> None:
        picture = self.sources
        self.reveal(picture.answering, keep=True)
        for arrow, other in zip(picture.arrows[1:], picture.others, strict=True):
            self.play(manim.FadeOut(arrow), manim.GrowArrow(other), run_time=self.theme.slow)
        self.past += self.fed_by_both()
        self.show_gloss()

    def inputs(self) -> None:
        for matrix in (self.q, self.k, self.v):
            shape = ShapeLabel(matrix.grid, size=self.theme.caption_size, color=self.theme.ink)
            self.play(manim.FadeIn(matrix.labels, matrix.symbol), FillRows(matrix.grid))
            beside, side = (matrix.symbol, manim.RIGHT) if self.plan.is_stacked else (matrix.grid, manim.DOWN)
            self.reveal(shape.next_to(beside, side, buff=0.25))
        self.play(manim.FadeIn(self.formula), run_time=self.theme.step)

    def scores(self) -> None:
        theme, product = self.theme, MatrixProduct(self.q.grid, self.kt.grid, self.s.grid)
        self.play(manim.FadeOut(self.q, self.v, self.k.symbol, self.k.labels), run_time=theme.quick)
        self.play(Transpose(self.k.grid, self.kt.grid), run_time=theme.slow)
        self.q.grid_to(self.plan.scores.left).symbol_to(manim.UP)
        self.play(manim.FadeIn(self.q, self.kt.symbol, self.kt.labels), self.formula.light("scores"))
        self.say("rows_columns", "scores")
        self.slide_all(product, self.s.symbol)

    def weights(self) -> None:
        self.play(self.formula.light("scale"), *self.swapped("scores"))
        self.still(self.theme.step)
        self.play(self.formula.light("softmax"), *self.swapped("attn_weights"))
        self.say("shares", "scores")
        self.play(self.s.grid.animate.focus(rows=[self.data.worked_query]))

    def one_word(self) -> None:
        self.play(manim.FadeOut(self.q, self.kt, self.s), run_time=self.theme.step)
        word = self.data.query_tokens[self.data.worked_query]
        picture = Asking(word, self.data.key_tokens, self.picture, self.theme)
        row = self.tensor("attn_weights").sel(query_pos=self.data.worked_query)
        entries = [row.entry(key_pos=place) for place in range(row.size("key_pos"))]
        strands = picture.answer(entries, stage_format(self.tensor(row.name)))
        self.play(manim.FadeIn(picture), run_time=self.theme.step)
        for strand, number in strands:
            self.play(manim.Create(strand), manim.FadeIn(number), run_time=self.theme.step)
            self.past += [strand, number]
        self.past.append(picture)
        self.show_gloss()

    def output(self) -> None:
        self.s.grid.focus().move_to(self.plan.blend.left)
        self.s.relabel(row_tokens=self.data.query_tokens, column_tokens=self.data.key_tokens, slanted=False,
                     room=self.plan.beside)  # slanted labels would meet those of the values
        self.s.symbol_to(manim.UP)
        self.v.grid_to(self.plan.blend.top).symbol_to(manim.UP)
        self.play(manim.FadeIn(self.s, self.v), self.formula.light("blend"))
        self.product = MatrixProduct(self.s.grid, self.v.grid, self.o.grid)
        self.slide_all(self.product, self.o.symbol)
        self.say("blends", "blend")
        self.play(self.formula.light("output"))

    def shapes(self) -> None:
        grids = self.product.left, self.product.top, self.product.result
        letters = ("s_q times s_k", "s_k times d_v", "s_q times d_v")
        shapes = ShapeProduct(grids, ("A", "V", "O"), letters, self.plan.sides["blend"], self.theme)
        self.reveal(shapes.named, shapes.lettered, shapes.counted, shapes.inner)
        self.still()

    def check(self) -> None:
        above, below = halves(self.region("whole"), FED)
        picture = fit_into(manim.Group(*self.fed_by_both()), above)
        self.play(manim.FadeOut(self.s, self.v, self.o), self.formula.rest(), run_time=self.theme.quick)
        self.reveal(picture, still=self.theme.step)
        entry = self.tensor("max_abs_difference", "difference").entry()
        number = Number(entry, size=1.5 * self.theme.title_size, color=self.theme.accent)
        words = self.paragraph("difference", below)
        fit_into(manim.Group(words, number).arrange(manim.DOWN, buff=0.2), below)
        self.reveal(words, number)
        self.still()

    # --- moves

    def say(self, key: str, side: str) -> None:
        """A sentence beside a product, which then stands still."""
        self.reveal(self.paragraph(key, self.plan.sides[side]), still=self.theme.read)

    def slide_all(self, product: MatrixProduct, name: manim.Mobject) -> None:
        """Each row of the left factor slides into its row of the product: the first slowly, then quicker."""
        self.play(product.left.animate.focus(rows=()), run_time=self.theme.quick)
        rows = product.rest()
        for row, seconds in zip(rows, quickening(len(rows), self.theme.read, self.theme.step), strict=True):
            named = [manim.FadeIn(name)] if row == rows[0] else []
            self.play(product.slide([row], seconds), *named)
        self.play(product.left.animate.focus())

    def swapped(self, stage: str) -> list[manim.Animation]:
        """The numbers of the product become those of the next stage, row after row, and its name with them."""
        tensor = self.tensor(stage)
        return [SwapRows(self.s.grid, tensor, scale=stage_scale(tensor, self.theme)), self.s.rename(tensor)]

    def show_gloss(self) -> None:
        """What the words mean, where that is known, and then nothing moves."""
        self.reveal(*self.gloss, still=self.theme.step)
        self.still()

    # --- what is shown

    def fed_by_both(self) -> list[manim.Mobject]:
        """The parts of the picture of two sentences."""
        picture = self.sources
        return [picture.asking, picture.answering, picture.boxes, picture.arrows[0], picture.others]

    def meaning(self) -> str | None:
        """Which line of the words says what the answering sentence means: it is told of these very sentences only."""
        asking, answering, told = " ".join(self.data.query_tokens), " ".join(self.data.key_tokens), self.words.text
        if answering != told["glossed"]:
            return None
        return "translation" if asking == told["translated"] else "gloss"

    def lay_out(self) -> None:
        """Make every matrix of the film, all with one cell, and say where each will stand."""
        tensors = [self.tensor(name) for name in ("query", "key", "value")]
        sizes = {axis: tensor.size(axis) for tensor in tensors for axis in tensor.axes}
        self.plan = film_plan(self.layout, sizes, self.data.key_tokens)
        meaning, whole = self.meaning(), self.region("whole")
        self.picture, below = halves(whole, GLOSSED) if meaning else (whole, whole)
        self.gloss = [self.paragraph(meaning, below, size=self.theme.body_size)] if meaning else []
        self.sources = Sources(self.data.query_tokens, self.data.key_tokens, self.words.text, self.picture, self.theme)
        self._make_matrices()
        self.q.grid_to(self.plan.scores.left)
        self.kt.grid_to(self.plan.scores.top).name_beside(self.q.symbol)
        for matrix, place in zip((self.q, self.k, self.v), self.plan.line, strict=True):
            matrix.symbol_to(manim.RIGHT if self.plan.is_stacked else manim.UP).grid_to(place)
        self.s.grid_to(self.plan.scores.result)
        self.o.grid_to(self.plan.blend.result)
        self.formula = self.formula_in_corner()

    def _make_matrices(self) -> None:
        asking, answering = self.data.query_tokens, self.data.key_tokens
        beside, above = self.plan.beside, self.plan.above
        self.q = self._matrix("query", "query_pos", "head_dim", row_tokens=asking, room=beside)
        self.k = self._matrix("key", "key_pos", "head_dim", row_tokens=answering, label_role="key", room=beside)
        self.v = self._matrix("value", "key_pos", "value_dim", row_tokens=answering, label_role="value", room=beside)
        self.kt = self._matrix("key", "head_dim", "key_pos", column_tokens=answering, room=above,
                               symbol_side=manim.LEFT)
        self.s = self._matrix("dot_products", "query_pos", "key_pos", symbol_side=manim.RIGHT)
        self.o = self._matrix("output", "query_pos", "value_dim",
                              symbol_side=manim.UP if self.plan.is_abreast else manim.RIGHT)

    def _matrix(self, stage: str, rows: str, columns: str, **labels: Any) -> Matrix:
        return self.matrix(self.tensor(stage), rows, columns, cell=self.plan.cell, **labels)
