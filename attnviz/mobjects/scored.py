"""One score in numbers: the dot product of a query and a key, what it is divided by, and the score that this gives."""

from __future__ import annotations

import math
from collections.abc import Callable

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.number import Literal, Number
from attnviz.mobjects.places import Sheet
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.stages import stage_format
from attnviz.numbers import NumberFormat
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

PITCH = 0.62  # units from line to line


class Scored(manim.Group):
    """Three lines in `region`: q · k with its number, √d_k, and the quotient; `token` is the key's word, above them."""

    def __init__(self, tensor: Callable[[str], NamedTensor], query_pos: int, key_pos: int, token: str, region: Region,
                 theme: Theme) -> None:
        product, score = (self._number(tensor(stage), query_pos, key_pos, theme)
                          for stage in ("dot_products", "scores"))
        root = NumberFormat("trimmed", 2).text(math.sqrt(tensor("query").size("head_dim")))
        divisor = Literal(root, "the root of head_dim, the width of queries and keys", size=theme.body_size,
                          color=theme.ink)
        gives = [Claim("quotient", (product.bound, root), score.bound)]
        color = theme.role("scores")
        sign = Relation("(q dot k) \\/ sqrt(d_k)", gives, size=theme.caption_size, color=color)
        labels = (text.math("q dot k", size=theme.caption_size, color=color),
                  text.math("sqrt(d_k)", size=theme.caption_size, color=theme.role("neutral")), sign)
        lines = Sheet.place([*zip(labels, (product, divisor, score), strict=True)], region, pitch=PITCH).all
        word = text.fitted(token, width=region.width, size=theme.body_size, color=theme.role("key"))
        super().__init__(word.next_to(lines, manim.UP, buff=0.3).align_to(product, manim.LEFT), lines)

    def _number(self, stage: NamedTensor, query_pos: int, key_pos: int, theme: Theme) -> Number:
        entry = stage.entry(query_pos=query_pos, key_pos=key_pos)
        return Number(entry, stage_format(stage), size=theme.body_size, color=theme.ink)
