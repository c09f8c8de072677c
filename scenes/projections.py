"""Q, K and V are three views of the same X: one row multiplied out, then all of them, three times."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.errors import InputError
from attnviz.mobjects.animations import FillCells, FillRows
from attnviz.mobjects.formula import CursorFormula
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.places import Sheet, fit_into
from attnviz.mobjects.product import MatrixProduct, quickening
from attnviz.mobjects.shapes import ShapeProduct
from attnviz.mobjects.terms import Terms
from attnviz.mobjects.views import CLOSE, LABELS, WORDS, view_plan
from attnviz.storyboard import Storyboard
from attnviz.trace import NamedTensor

FORMULA = 'part("query", Q = X W^Q) quad part("key", K = X W^K) {} part("value", V = X W^V)'
NARROW = 4.0  # units of width below which the formula has two lines
STRIP = (0.7, 0.5)  # the largest cell of a single row
OVER = 0.25  # units that the words above a row may be wider than it


class Projections(Storyboard):
    """Q, K and V are three views of the same X: one row multiplied out, then all of them, three times."""

    records_used = ("projection",)
    poster_beat = "views"

    def read_words(self) -> None:
        if "projection" not in self.bundle:
            raise InputError(f"case {self.data.name!r} gives Q, K and V without an X that they come from: "
                             "projections needs a case that has one, such as 'trained'")
        super().read_words()

    def construct(self) -> None:
        self.lay_out()
        self.play_beats(self.rows, self.weights, self.entry, self.row, self.all_rows, self.shapes, self.keys,
                        self.values, self.views)

    def rows(self) -> None:
        sentence = text.fitted(" ".join(self.data.query_tokens), width=self.plan.head.width, size=self.theme.title_size,
                               color=self.theme.ink)
        self.reveal(fit_into(sentence, self.plan.head))
        self.play(manim.FadeIn(self.x.labels, self.x.symbol), FillRows(self.x.grid, run_time=2 * self.theme.slow))
        self.say("rows")
        if again := self.repeated():
            self.play(manim.FadeOut(self.past.pop()), self.x.grid.animate.focus(rows=again), run_time=self.theme.step)
            self.say("again")
        self.play(self.x.grid.animate.focus(rows=[self.data.worked_query]))
        self.still()

    def weights(self) -> None:
        self.play(manim.FadeIn(self.formula), self.x.grid.animate.focus())
        self.show_weight(0)
        self.say("learned")

    def entry(self) -> None:
        product, terms, place = self.products[0], self.terms(), self.data.worked_query
        self.play(*product.aim(place, 0))
        for line, source, label in ((terms.column, product.top.column(0), terms.second),
                                    (terms.row, self.x.grid.row(place), terms.first)):
            self.play(terms.bring(line, source, (product.left, product.top), run_time=self.theme.slow))
            self.play(manim.FadeIn(label), run_time=self.theme.quick)
        self.play(manim.FadeIn(terms.third), FillCells(terms.products, run_time=2 * self.theme.slow))
        self.play(manim.FadeIn(terms.last), run_time=self.theme.step)
        self.still()
        self.play(product.arrive(place, 0, terms.total, self.theme.slow), manim.FadeIn(self.made[0].symbol))
        self.past.append(terms)

    def row(self) -> None:
        product, place = self.products[0], self.data.worked_query
        for column in product.result.cells.positions[1][1:]:
            self.play(*product.aim(place, column), run_time=self.theme.quick)
            self.play(FillCells(product.result, [place], [column], run_time=self.theme.step))
        self.say("columns")
        self.play(*product.aim(place), run_time=self.theme.step)

    def all_rows(self) -> None:
        product = self.products[0]
        self.play(product.left.animate.focus(rows=()), run_time=self.theme.quick)
        rest = product.rest([self.data.worked_query])
        for row, seconds in zip(rest, quickening(len(rest), self.theme.slow, self.theme.step), strict=True):
            self.meet(product, row, seconds, each=row == rest[0])
        self.play(*product.aim())

    def shapes(self) -> None:
        product = self.products[0]
        shapes = ShapeProduct((product.left, product.top, product.result), ("X", "W^Q", "Q"),
                              ("s times d", "d times d_k", "s times d_k"), self.plan.sheet, self.theme)
        self.reveal(shapes.named, shapes.lettered, shapes.counted, shapes.inner)
        self.still()

    def keys(self) -> None:
        self.turn_to(1)
        self.note("same" if self.data.is_self_attention else "other")
        self.fill(1)

    def values(self) -> None:
        self.turn_to(2)
        self.fill(2)

    def views(self) -> None:
        self.settle(2)
        self.play(manim.FadeOut(*self.leaving()), self.formula.rest(), run_time=self.theme.step)
        places = [self.data.worked_query, self.key_row, self.key_row]
        lit = [*([(self.x_keys, self.key_row)] if self.plan.beside else []), *zip(self.made, places, strict=True)]
        self.play(*(one.grid.animate.focus(rows=[place]) for one, place in lit))
        for line, (one, place) in zip(self.strips(lit), lit, strict=True):
            self.play(manim.FadeIn(line[1], target_position=one.grid.row(place)), run_time=self.theme.slow)
            self.play(manim.FadeIn(line[0]), run_time=self.theme.quick)
            self.still(self.theme.step)

    # --- moves

    def say(self, key: str) -> None:
        """A sentence where the first view leaves room, which then stands still."""
        self.reveal(self.paragraph(key, self.plan.aside), still=self.theme.read)

    def note(self, key: str) -> None:
        """A sentence where the second view leaves room."""
        self.reveal(self.paragraph(key, self.plan.note))

    def meet(self, product: MatrixProduct, row: int, seconds: float, *, each: bool) -> None:
        """A row of X meets the columns of the weights, which fill its row of the product: one at a time, or all."""
        if not each:
            self.play(*product.aim(row), FillCells(product.result, [row]), run_time=seconds)
            return
        for column in product.result.cells.positions[1]:
            self.play(*product.aim(row, column), FillCells(product.result, [row], [column]), run_time=self.theme.step)

    def show_weight(self, index: int) -> None:
        """The weights of a view come, and its part of the formula is lit."""
        self.play(FillRows(self.w[index].grid), manim.FadeIn(self.w[index].symbol),
                  self.formula.light(("query", "key", "value")[index]))

    def turn_to(self, index: int) -> None:
        """The view before stands aside; its successor's weights come. Its X is the same one in self-attention."""
        self.settle(index - 1)
        self.play(self.made[index - 1].grid.animate.focus(rows=()), run_time=self.theme.quick)
        if index == 1 and self.data.is_self_attention:
            self.remove(*self.x.get_family()).add(self.x_keys)  # the same picture: a record holds X once a side
        elif index == 1:
            self.play(manim.FadeOut(self.x), run_time=self.theme.step)
            self.play(manim.FadeIn(self.x_keys), run_time=self.theme.step)
        self.show_weight(index)

    def fill(self, index: int) -> None:
        """All rows of a view, from the top down."""
        self.play(manim.FadeIn(self.made[index].symbol), FillRows(self.made[index].grid, run_time=2 * self.theme.slow))

    def settle(self, index: int) -> None:
        """A finished view goes to where it stays, with labels of its own where X's do not stand for it."""
        matrix, own = self.made[index], not self.data.is_self_attention
        if not self.plan.beside:
            self.play(manim.FadeOut(self.w[index]), run_time=self.theme.quick)
            made, kept = self.plan.made[index], self.plan.kept[index]
            corner = (made[0], kept[1], 0) if kept[0] < made[0] else (kept[0], made[1], 0)
            for place in (corner, kept):  # along two sides: on the straight way lie other matrices
                self.play(matrix.animate.grid_to(place), run_time=self.theme.step)
        if (index == 0 and not self.plan.beside) or (index < 2 and own):
            tokens = self.data.key_tokens if index else self.data.query_tokens
            matrix.label(row_tokens=tokens, role=("query", "key")[index], room=LABELS)
            self.play(manim.FadeIn(matrix.labels), run_time=self.theme.quick)

    def leaving(self) -> list[manim.Mobject]:
        """What makes room for the rows that are looked at last."""
        return [*self.w] if self.plan.beside else [self.x_keys]

    # --- what is shown

    def terms(self) -> Terms:
        """The worked entry of Q: a row of X, the first column of the weights, their products, the sum."""
        place = self.data.worked_query
        x, weight, terms, query = (self.of(name) for name in ("query_input", "weight_query", "query_terms", "query"))
        lines = x.sel(query_pos=place), weight.sel(head_dim=0), terms.sel(query_pos=place, head_dim=0)
        return Terms(lines, query.entry(query_pos=place, head_dim=0), (x, weight, terms, query), ("x", "w", "x w"),
                     self.words.text["add_up"], self.plan.sheet, self.theme)

    def strips(self, lit: list[tuple[Matrix, int]]) -> list[manim.Group]:
        """Of each of these one row, with what it is: above the matrix, or line by line where the product stood."""
        end = "" if self.data.is_self_attention else "_other"
        words, lines = (f"enters{end}", "asks", f"matched{end}", f"passes{end}")[-len(lit):], []
        cell = (self.plan.cell[0], STRIP[1]) if self.plan.beside else STRIP
        for key, (one, place) in zip(words, lit, strict=True):
            rows, columns = one.grid.cells.axes
            row = self.matrix(one.grid.cells.tensor.sel(**{str(rows): place}), None, columns, cell=cell).grid
            said = text.paragraph(self.words.text[key], width=one.grid.width + OVER if self.plan.beside else WORDS,
                                  align="center", size=self.theme.label_size,
                                  color=self.theme.stage_color(row.cells.tensor.name))
            lines.append((said, row))
        if not self.plan.beside:
            return list(Sheet.place(lines, self.region("stage")).lines)
        for (said, row), (one, _) in zip(lines, lit, strict=True):
            place = one.grid.get_x(), self.plan.weights[0][1], 0
            said.next_to(row.move_to(place), manim.UP, buff=0.2)
        return [manim.Group(*line) for line in lines]

    def repeated(self) -> list[int]:
        """The positions of the first word that the sentence has again, if any."""
        words = self.data.query_tokens
        word = next((word for word in words if words.count(word) > 1), None)
        return [place for place, other in enumerate(words) if other == word]

    def of(self, stage: str) -> NamedTensor:
        """A stage of the projection, as it is drawn."""
        return self.tensor(stage, "projection")

    def lay_out(self) -> None:
        """Make every matrix, all with one cell, and say where each stands."""
        sizes = {axis: tensor.size(axis) for tensor in map(self.of, ("query_input", "key", "value"))
                 for axis in tensor.axes}
        self.plan = view_plan(self.layout, sizes, is_self=self.data.is_self_attention)
        self.key_row = self.data.worked_query if self.data.is_self_attention else self.data.worked_key
        self.x = self.placed("query_input", "query_pos", "model_dim", 0, row_tokens=self.data.query_tokens)
        self.x_keys = self.placed("key_input", "key_pos", "model_dim", 1, row_tokens=self.data.key_tokens)
        side = manim.UP if self.plan.above else manim.RIGHT
        wide = ("head_dim", "head_dim", "value_dim")
        parts, rows = ("query", "key", "value"), ("query_pos", "key_pos", "key_pos")
        self.w = [self.placed(f"weight_{part}", "model_dim", columns, index, symbol_side=side)
                  for index, (part, columns) in enumerate(zip(parts, wide, strict=True))]
        self.made = [self.placed(part, row, columns, index)
                     for index, (part, row, columns) in enumerate(zip(parts, rows, wide, strict=True))]
        self.products = [MatrixProduct(x.grid, weight.grid, view.grid) for x, weight, view in
                         zip((self.x, self.x_keys, self.x_keys), self.w, self.made, strict=True)]
        apart = "\\ \\ " if self.region("formula").width < NARROW else "quad"  # a frame goes around each
        self.formula = CursorFormula(FORMULA.format(apart), self.theme, roles=("query", "key", "value"))
        self.to_corner(self.formula)

    def placed(self, stage: str, rows: str, columns: str, index: int, **labels: Any) -> Matrix:
        """A matrix of a stage where the plan has it."""
        where = {"weight": self.plan.weights, "input": self.plan.inputs}
        places = next((places for key, places in where.items() if key in stage), self.plan.made)
        matrix = self.matrix(self.of(stage), rows, columns, cell=self.plan.cell, label_role="neutral",
                             room=self.plan.labels, **labels)
        side = labels.get("symbol_side", manim.UP)
        matrix.symbol.scale(self.plan.names).next_to(matrix.grid, side, buff=CLOSE if side is manim.UP else 2 * CLOSE)
        return matrix.grid_to(places[index])
