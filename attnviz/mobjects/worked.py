"""Worked examples beside the picture: a dot product, the scaling, a row of softmax, a blend, line by line.

Every number in them is an entry of a record; the sign before a result is an equals sign only where the shown
digits give the shown result. `Worked` makes the lines, a scene decides when each appears.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import manim

from attnviz import text
from attnviz.colors import ColorScale
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Bound, Literal, Number
from attnviz.mobjects.places import LABEL_GAP, Sheet
from attnviz.mobjects.relation import Claim, Relation, each, shown_row, total_of
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.numbers import NumberFormat
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

LABEL_ROOM = 2.1  # units kept for the labels of a sheet at least
READABLE = (0.7, 0.45)  # a cell with room for its digits, where the picture beside has smaller ones
FILLED = 0.82  # of a line's height that its cells take
SAME_SCALE = {"scores": ("dot_products",)}  # so that dividing shows in the colours too
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

    def scale_of(self, stage: str) -> ColorScale:
        """The colour scale that this stage has all through the film."""
        also = [self.tensor(other) for other in SAME_SCALE.get(stage, ())]
        return stage_scale(self.tensor(stage), self.theme, also=also)

    def format_of(self, stage: str) -> NumberFormat:
        """The format that this stage has all through the film."""
        return stage_format(self.tensor(stage))

    def dot_product(self, key_pos: int, query_token: str, key_token: str) -> Sheet:
        """q, k, their products and the sum of those."""
        self.lines, pair = 4, {"query_pos": self.query_pos, "key_pos": key_pos}
        query = self._row("query", "head_dim", query_pos=self.query_pos)
        key = self._row("key", "head_dim", key_pos=key_pos)
        terms = self._row("score_terms", "head_dim", **pair)
        total = self._number(self.tensor("dot_products").entry(**pair))
        return self._sheet(
            (self._named("q", query_token, "query"), query),
            (self._named("k", key_token, "key"), key),
            (self._relation("q times k", each("product", terms, query, key), "scores"), terms),
            (self._pair(self._words("add_up"), self._relation("", total_of(terms, total), "scores")), total),
        )

    def scaling(self) -> Sheet:
        """The dot products of the row, what they are divided by, and the scores."""
        self.lines, width = 3, self.tensor("query").size("head_dim")
        root = NumberFormat("trimmed", 2).text(math.sqrt(width))
        exact = "=" if math.isqrt(width) ** 2 == width else "≈"
        divisor = Literal(f"√{width} {exact} {root}", "the width of queries and keys, head_dim",
                          size=self.theme.body_size, color=self.theme.ink)
        products, scores = self._over_keys("dot_products"), self._over_keys("scores")
        return self._sheet(
            (self._math("q K^(sans(upright(T)))", "scores"), products),
            (self._pair(self._words("width"), self._math("sqrt(d_k)", "neutral")), divisor),
            (self._relation("s", each("quotient", scores, products, root), "scores"), scores),
        )

    def softmax(self) -> Sheet:
        """Scores, their largest, what lies below it, the exponentials, their sum, and the weights."""
        self.lines, row = 6, {"query_pos": self.query_pos}
        scores, shifted, exponentials, weights = map(
            self._over_keys, ("scores", "shifted_scores", "exp_scores", "attn_weights"))
        largest, total = (self._number(self.tensor(stage).entry(**row)) for stage in ("row_max", "row_sum"))
        less, power = each("difference", shifted, scores, largest), each("exp", exponentials, shifted)
        add, over = total_of(exponentials, total), each("quotient", weights, exponentials, total)
        return self._sheet(
            (self._math("s", "scores"), scores),
            (self._pair(self._words("largest"), self._math("m", "scores")), largest),
            (self._relation("s - m", less, "scores"), shifted),
            (self._relation("e^(s - m)", power, "weights"), exponentials),
            (self._pair(self._words("sum"), self._relation("ell", add, "weights")), total),
            (self._relation("a = e^(s - m) \\/ ell", over, "weights"), weights),
        )

    def blend(self, key_tokens: Sequence[str]) -> tuple[Sheet, list[NamedTensor]]:
        """One line for each key, its weight and its value, then their sum; and what each value becomes, weighted."""
        self.lines, labels, weighted = len(key_tokens) + 1, [], []
        for key_pos, token in enumerate(key_tokens):
            pair = {"query_pos": self.query_pos, "key_pos": key_pos}
            weight = self._number(self.tensor("attn_weights").entry(**pair), self.theme.role("weights"))
            labels.append(self._pair(self._token(token, "value"), weight, self._math("times v", "value")))
            weighted.append(self.tensor("weighted_values").sel(**pair))
        room = max(LABEL_ROOM, *(label.width + LABEL_GAP for label in labels))
        lines = [(label, self._row("value", "value_dim", room, key_pos=place)) for place, label in enumerate(labels)]
        output = self._row("output", "value_dim", room, query_pos=self.query_pos)
        claims = [Claim("sum", tuple(column), total)
                  for column, total in zip(self._columns(weighted), shown_row(output), strict=True)]
        total = self._pair(self._words("add_up"), self._relation("o", claims, "output"))
        return self._sheet(*lines, (total, output)), weighted

    def _columns(self, rows: Sequence[NamedTensor]) -> list[list[Bound]]:
        width, fmt = rows[0].size("value_dim"), self.format_of(rows[0].name)
        return [[Bound(row.entry(value_dim=place), fmt) for row in rows] for place in range(width)]

    def _over_keys(self, stage: str) -> Grid:
        return self._row(stage, "key_pos", query_pos=self.query_pos)

    def _row(self, stage: str, axis: str, label_room: float = LABEL_ROOM, **at: int) -> Grid:
        whole = self.tensor(stage)
        width = min(max(self.cell[0], READABLE[0]), (self.region.width - label_room) / whole.size(axis))
        height = min(max(self.cell[1], READABLE[1]), FILLED * self.region.height / self.lines)
        return Grid(whole.sel(**at), rows=None, columns=axis, scale=self.scale_of(stage), fmt=self.format_of(stage),
                    cell=(width, height), theme=self.theme)

    def _number(self, entry: Entry, color: str | None = None) -> Number:
        fmt = self.format_of(entry.name)
        return Number(entry, fmt, size=self.theme.body_size, color=color or self.theme.ink)

    def _sheet(self, *lines: Line) -> Sheet:
        return Sheet.place(lines, self.region)

    def _math(self, source: str, role: str) -> manim.VMobject:
        return text.math(source, size=self.theme.caption_size, color=self.theme.role(role))

    def _relation(self, before: str, claims: Sequence[Claim], role: str) -> Relation:
        return Relation(before, claims, size=self.theme.caption_size, color=self.theme.role(role))

    def _words(self, key: str) -> manim.VMobject:
        return text.line(self.words[key], size=self.theme.label_size, color=self.theme.muted)

    def _token(self, token: str, role: str) -> manim.VMobject:
        return text.fitted(token, width=0.9, size=self.theme.body_size, color=self.theme.role(role))

    def _named(self, symbol: str, token: str, role: str) -> manim.Group:
        return self._pair(self._math(symbol, role), self._token(token, role))

    def _pair(self, *parts: manim.Mobject) -> manim.Group:
        return manim.Group(*parts).arrange(manim.RIGHT, buff=0.14)
