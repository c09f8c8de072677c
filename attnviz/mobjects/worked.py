"""Worked examples beside the picture: a dot product, the scaling, a row of softmax, a blend, line by line.

Every number in them is an entry of a record; the sign before a result is an equals sign only where the shown
digits give the shown result. `Worked` makes the lines, a scene decides when each appears.

A row with too many keys is worked out for those with the largest weights, and a line says how many of how many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import manim
import numpy as np

from attnviz import text
from attnviz.colors import ColorScale
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.notices import COUNTED, some_words
from attnviz.mobjects.number import Bound, Literal, Number
from attnviz.mobjects.places import LABEL_GAP, Sheet, fit_into
from attnviz.mobjects.relation import Claim, Relation, each, shown_row, total_of
from attnviz.mobjects.rooms import HEADER
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.numbers import NumberFormat
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

LABEL_ROOM = 2.1  # units kept for the labels of a sheet at least
READABLE = (0.7, 0.45)  # a cell with room for its digits, where the picture beside has smaller ones
GROWN = 1.3  # times their size that lines may grow where there is room
FILLED = 0.84  # of a line's height that its cells take
SAME_SCALE = {"scores": ("dot_products",)}  # so that dividing shows in the colours too
Line = tuple[manim.Mobject, manim.Mobject]


@dataclass(frozen=True)
class WorkedBlend:
    """One line for each shown key: `first`, whose value is still whole, the `rest` weighted already, and their `total`.

    `first_key` is the position of the first, and `product` what its value becomes, weighted.
    """

    first: manim.Group
    first_key: int
    product: NamedTensor
    rest: tuple[manim.Group, ...]
    total: manim.Group


class Worked:
    """Makes the lines of worked examples for one row, `query_pos`, from the tensors of a case.

    `tensor` gives a stage with batch and head selected away, `words` the words on screen, `cell` the pitch of grids.
    `region` is where the lines stand, or one for each of `scores` (a dot product), `alone` (scaling and softmax) and
    `blend`. `keys` are the positions that are worked out: `most` of them at most.
    """

    def __init__(self, tensor: Callable[[str], NamedTensor], query_pos: int, words: Mapping[str, str],
                 region: Region | Mapping[str, Region], cell: tuple[float, float], theme: Theme, *,
                 most: int | None = None) -> None:
        self.tensor, self.query_pos, self.words, self.theme = tensor, query_pos, words, theme
        self.cell, self.sides = cell, region
        weights = tensor("attn_weights")
        self.keys = self._largest(weights.size("key_pos") if most is None else most)
        self.is_cut = len(self.keys) < weights.size("key_pos")

    def scale_of(self, stage: str) -> ColorScale:
        """The colour scale that this stage has all through the film."""
        also = [self.tensor(other) for other in SAME_SCALE.get(stage, ())]
        return stage_scale(self.tensor(stage), self.theme, also=also)

    def format_of(self, stage: str) -> NumberFormat:
        """The format that this stage has all through the film."""
        return stage_format(self.tensor(stage))

    def dot_product(self, key_pos: int, query_token: str, key_token: str) -> Sheet:
        """q, k, their products and the sum of those."""
        self._begin("scores", 4)
        pair = {"query_pos": self.query_pos, "key_pos": key_pos}
        query = self._row("query", "head_dim", {"query_pos": self.query_pos})
        key = self._row("key", "head_dim", {"key_pos": key_pos})
        terms = self._row("score_terms", "head_dim", pair)
        total = self._number(self.tensor("dot_products").entry(**pair))
        return self._sheet(
            (self._named("q", query_token, "query"), query),
            (self._named("k", key_token, "key"), key),
            (self._relation("q times k", each("product", terms, query, key), "scores"), terms),
            (self._pair(self._words("add_up"), self._relation("", total_of(terms, total), "scores")), total),
        )

    def scaling(self, key_tokens: Sequence[str]) -> Sheet:
        """The dot products of the row, what they are divided by, and the scores."""
        self._begin("alone", 3, HEADER)
        width = self.tensor("query").size("head_dim")
        root = NumberFormat("trimmed", 2).text(math.sqrt(width))
        exact = "=" if math.isqrt(width) ** 2 == width else "≈"
        wide, divisor = (Literal(shown, "the width of queries and keys, head_dim", size=self.theme.body_size,
                                 color=self.theme.ink) for shown in (str(width), root))
        said = self._pair(wide, self._words("so"), self._math(f"sqrt(d_k) {exact}", "neutral"), divisor)
        products, scores = self._over_keys("dot_products"), self._over_keys("scores")
        return self._headed(key_tokens, products, self._sheet(
            (self._math("q K^(sans(upright(T)))", "scores"), products),
            (self._pair(self._words("width"), self._math("d_k =", "neutral")), said),
            (self._relation("s", each("quotient", scores, products, root), "scores"), scores),
        ))

    def softmax(self, key_tokens: Sequence[str]) -> Sheet:
        """Scores, their largest, what lies below it, the exponentials, their sum, and the weights."""
        self._begin("alone", 6, HEADER)
        row = {"query_pos": self.query_pos}
        scores, shifted, exponentials, weights = map(
            self._over_keys, ("scores", "shifted_scores", "exp_scores", "attn_weights"))
        largest, total = (self._number(self.tensor(stage).entry(**row)) for stage in ("row_max", "row_sum"))
        less, power = each("difference", shifted, scores, largest), each("exp", exponentials, shifted)
        over = each("quotient", weights, exponentials, total)
        return self._headed(key_tokens, scores, self._sheet(
            (self._math("s", "scores"), scores),
            (self._pair(self._words("largest"), self._math("m", "scores")), largest),
            (self._relation("s - m", less, "scores"), shifted),
            (self._relation("e^(s - m)", power, "weights"), exponentials),
            (self._total("sum", "ell", total_of(exponentials, total), "weights"), total),
            (self._relation("a = e^(s - m) \\/ ell", over, "weights"), weights),
        ))

    def blend(self, key_tokens: Sequence[str]) -> WorkedBlend:
        """The values of the row's keys, the one with the largest weight first, and what they add up to."""
        self._begin("blend", len(self.keys) + 1 + self.is_cut)
        labels = [self._weighted_label(key_pos, key_tokens[key_pos]) for key_pos in self.keys]
        room = max(LABEL_ROOM, *(label.width + LABEL_GAP for label in labels))
        pairs = [{"query_pos": self.query_pos, "key_pos": key_pos} for key_pos in self.keys]
        weighted, [first_key] = [self.tensor("weighted_values").sel(**pair) for pair in pairs], self._largest(1)
        rows = [self._row("value", "value_dim", {"key_pos": first_key}, room) if pair["key_pos"] == first_key
                else self._row("weighted_values", "value_dim", pair, room) for pair in pairs]
        output = self._row("output", "value_dim", {"query_pos": self.query_pos}, room)
        claims = [Claim("sum", tuple(column), total)
                  for column, total in zip(self._columns(weighted), shown_row(output), strict=True)]
        more = [(self._words("etc"), self._counted())] if self.is_cut else []
        total_label = self._total("add_up", "o", claims, "output")
        sheet = self._sheet(*zip(labels, rows, strict=True), *more, (total_label, output))
        *lines, total = sheet.lines
        first = self.keys.index(first_key)
        return WorkedBlend(lines[first], first_key, weighted[first], (*lines[:first], *lines[first + 1:]), total)

    def _weighted_label(self, key_pos: int, token: str) -> manim.Group:
        weight = self._number(self.tensor("attn_weights").entry(query_pos=self.query_pos, key_pos=key_pos),
                              self.theme.role("weights"))
        return self._pair(self._token(token, "value"), weight, self._math("times v", "value"))

    def _columns(self, rows: Sequence[NamedTensor]) -> list[list[Bound]]:
        width, fmt = rows[0].size("value_dim"), self.format_of(rows[0].name)
        return [[Bound(row.entry(value_dim=place), fmt) for row in rows] for place in range(width)]

    def _largest(self, count: int) -> tuple[int, ...]:
        """The keys with the largest weights in the row, in their order; of equals the earlier ones."""
        weights = self.tensor("attn_weights").sel(query_pos=self.query_pos).values
        return tuple(sorted(np.argsort(-weights, kind="stable")[:count].tolist()))

    # --- parts of lines

    def _begin(self, side: str, lines: int, above: float = 0.0) -> None:
        """What follows stands in this region of the plan, in so many lines, with room above them."""
        whole, self.lines = self.sides if isinstance(self.sides, Region) else self.sides[side], lines
        self.region = Region(whole.x, whole.y - above / 2, whole.width, whole.height - above)

    def _headed(self, key_tokens: Sequence[str], row: Grid, sheet: Sheet) -> Sheet:
        """The same lines; the first has the words of its columns above `row`, and how many of all they are."""
        label = sheet.lines[0][0]
        words = TokenLabels(key_tokens, row, "top", color=self.theme.role("key"), room=HEADER)
        sheet.lines[0].add(words)
        if self.is_cut:
            counted = self._counted()
            sheet.lines[0].add(counted.next_to(label, manim.UP, buff=0).align_to(label, manim.RIGHT)
                               .set_y(words.get_y()))
        return sheet

    def _counted(self) -> manim.Group:
        """That the lines are about some of the keys only."""
        total = self.tensor("attn_weights").size("key_pos")
        counted = some_words(len(self.keys), total)
        return self._pair(self._words("largest"), Literal(counted, COUNTED, size=self.theme.label_size,
                                                          color=self.theme.muted))

    def _total(self, words: str, symbol: str, claims: Sequence[Claim], role: str) -> manim.Group:
        """What stands before a sum: a sign only where all of its terms are shown."""
        if self.is_cut:
            return self._pair(self._words(f"{words}_all"), self._math(symbol, role))
        return self._pair(self._words(words), self._relation(symbol, claims, role))

    def _over_keys(self, stage: str) -> Grid:
        return self._row(stage, "key_pos", {"query_pos": self.query_pos}, columns=self.keys)

    def _row(self, stage: str, axis: str, at: Mapping[str, int], label_room: float = LABEL_ROOM,
             columns: Sequence[int] | None = None) -> Grid:
        whole = self.tensor(stage)
        count = whole.size(axis) if columns is None else len(columns)
        wide, high = map(max, self.cell, READABLE)
        cell = (min(wide, (self.region.width - label_room) / count),
                min(high, FILLED * self.region.height / self.lines))
        return Grid(whole.sel(**at), rows=None, columns=axis, scale=self.scale_of(stage), fmt=self.format_of(stage),
                    cell=cell, column_positions=columns, theme=self.theme)

    def _number(self, entry: Entry, color: str | None = None) -> Number:
        fmt = self.format_of(entry.name)
        return Number(entry, fmt, size=self.theme.body_size, color=color or self.theme.ink)

    def _sheet(self, *lines: Line) -> Sheet:
        """The lines in their region, as large as it allows."""
        sheet = Sheet.place(lines, self.region)
        whole, region = sheet.all, self.region
        if whole.width < region.width and whole.height < region.height:
            fit_into(whole, region, grow=GROWN)
        return sheet

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
