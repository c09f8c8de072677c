"""Worked examples beside the picture: a dot product, the scaling, a row of softmax, a blend, line by line.

Every number in them is an entry of a record; the sign before a result is an equals sign only where the shown
digits add up. `Worked` makes the lines, a scene decides when each appears.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid, stage_scale
from attnviz.mobjects.number import Literal, Number
from attnviz.mobjects.places import Sheet
from attnviz.numbers import NumberFormat, relation
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

LABEL_ROOM = 2.0  # units kept for the labels of a sheet
READABLE = (0.7, 0.45)  # a cell with room for its digits, where the picture beside has smaller ones
FILLED = 0.82  # of a line's height that its cells take
Line = tuple[manim.Mobject, manim.Mobject]


class Worked:
    """Makes the lines of worked examples for one row, `query_pos`, from the tensors of a case.

    `tensor` gives a stage with batch and head selected away, `words` the words on screen, `cell` the pitch of grids.
    """

    def __init__(self, tensor: Callable[[str], NamedTensor], query_pos: int, words: Mapping[str, str],
                 region: Region, cell: tuple[float, float], theme: Theme) -> None:
        self.tensor, self.query_pos, self.words = tensor, query_pos, words
        self.region, self.cell, self.theme = region, cell, theme
        self.lines = 1

    def dot_product(self, key_pos: int, query_token: str, key_token: str) -> Sheet:
        """q, k, their products and the sum of those."""
        self.lines, pair = 4, {"query_pos": self.query_pos, "key_pos": key_pos}
        terms = self._row("score_terms", "head_dim", **pair)
        return self._sheet(
            (self._named("q", query_token, "query"), self._row("query", "head_dim", query_pos=self.query_pos)),
            (self._named("k", key_token, "key"), self._row("key", "head_dim", key_pos=key_pos)),
            (self._math("q times k", "scores"), terms),
            (self._words("add_up"), self._result(terms, "dot_products", **pair)),
        )

    def scaling(self) -> Sheet:
        """The dot products of the row, what they are divided by, and the scores."""
        self.lines, width = 3, self.tensor("query").size("head_dim")
        root = NumberFormat("trimmed", 2).text(math.sqrt(width))
        sign = "=" if math.isqrt(width) ** 2 == width else "≈"
        divisor = Literal(f"√{width} {sign} {root}", "the width of queries and keys, head_dim",
                          size=self.theme.body_size, color=self.theme.ink)
        return self._sheet(
            (self._math("q K^(sans(upright(T)))", "scores"), self._over_keys("dot_products")),
            (self._math("div sqrt(d_k)", "neutral"), divisor),
            (self._math("s", "scores"), self._over_keys("scores")),
        )

    def softmax(self) -> Sheet:
        """Scores, their largest, the exponentials, their sum, and the weights."""
        self.lines, row = 5, {"query_pos": self.query_pos}
        exponentials = self._over_keys("exp_scores")
        largest = Number(self.tensor("row_max").entry(**row), size=self.theme.body_size, color=self.theme.ink)
        return self._sheet(
            (self._math("s", "scores"), self._over_keys("scores")),
            (self._pair(self._words("largest"), self._math("m", "scores")), largest),
            (self._math("e^(s - m)", "weights"), exponentials),
            (self._pair(self._words("sum"), self._math("l", "weights")),
             self._result(exponentials, "row_sum", **row)),
            (self._math("a = e^(s - m) \\/ l", "weights"), self._over_keys("attn_weights")),
        )

    def blend(self, key_tokens: Sequence[str]) -> Sheet:
        """One line for each key, its weight times its value, and their sum, the output."""
        self.lines, labels, products = len(key_tokens) + 1, [], []
        for key_pos, token in enumerate(key_tokens):
            pair = {"query_pos": self.query_pos, "key_pos": key_pos}
            weight = Number(self.tensor("attn_weights").entry(**pair), size=self.theme.body_size,
                            color=self.theme.role("weights"))
            label = self._pair(self._token(token, "value"), weight, self._math("times v", "value"))
            labels.append(label)
            products.append(self._row("weighted_values", "value_dim", **pair))
        output = self._row("output", "value_dim", query_pos=self.query_pos)
        sign = self._sign_of_columns(products, output)
        total = self._pair(self._words("add_up"), self._math(f"{sign} o", "output"))
        return self._sheet(*zip(labels, products, strict=True), (total, output))

    def _over_keys(self, stage: str) -> Grid:
        return self._row(stage, "key_pos", query_pos=self.query_pos)

    def _row(self, stage: str, axis: str, **at: int) -> Grid:
        whole = self.tensor(stage)
        count = whole.size(axis)
        width = min(max(self.cell[0], READABLE[0]), (self.region.width - LABEL_ROOM) / count)
        height = min(max(self.cell[1], READABLE[1]), FILLED * self.region.height / self.lines)
        return Grid(whole.sel(**at), rows=None, columns=axis, scale=stage_scale(whole, self.theme),
                    cell=(width, height), theme=self.theme)

    def _result(self, terms: Grid, stage: str, **at: int) -> manim.Group:
        total = Number(self.tensor(stage).entry(**at), size=self.theme.body_size, color=self.theme.ink)
        sign = relation(_digits(terms), total.text)
        return self._pair(self._math(sign, "neutral"), total)

    def _sign_of_columns(self, rows: Sequence[Grid], output: Grid) -> str:
        columns = zip(*map(_digits, rows), strict=True)
        signs = {relation(list(column), total) for column, total in zip(columns, _digits(output), strict=True)}
        return "=" if signs == {"="} else "≈"

    def _sheet(self, *lines: Line) -> Sheet:
        return Sheet.place(lines, self.region)

    def _math(self, source: str, role: str) -> manim.VMobject:
        return text.math(source, size=self.theme.caption_size, color=self.theme.role(role))

    def _words(self, key: str) -> manim.VMobject:
        return text.line(self.words[key], size=self.theme.label_size, color=self.theme.muted)

    def _token(self, token: str, role: str) -> manim.VMobject:
        label = text.line(token, size=self.theme.body_size, color=self.theme.role(role))
        return label.scale(min(1.0, 0.9 / label.width))

    def _named(self, symbol: str, token: str, role: str) -> manim.Group:
        return self._pair(self._math(symbol, role), self._token(token, role))

    def _pair(self, *parts: manim.Mobject) -> manim.Group:
        return manim.Group(*parts).arrange(manim.RIGHT, buff=0.14)


def _digits(row: Grid) -> list[str]:
    return [row.cells.digits(0, column) for column in range(row.cells.shape[1])]


