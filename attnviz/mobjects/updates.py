"""What a block changes, in numbers: the lines of the running maximum, the factor and the running sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import manim

from attnviz import text
from attnviz.mobjects.number import Number
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.stages import stage_format
from attnviz.numbers import Operation
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

APART_SIGNS, SIGN_GAP = {"plus", "minus"}, 0.31  # units: nearer to a number they would be read as its sign
NEAR = 0.12  # units between other signs and numbers
TERMS = 2  # of a sum that are written out; for more, it is the sum of the row that stands above
Stages = Callable[[str], NamedTensor]


class Updates:
    """Lines of signs, numbers and results in one size: `steps` has a stage block by block, `whole` as it is drawn."""

    def __init__(self, steps: Stages, whole: Stages, theme: Theme, size: float) -> None:
        self._steps, self._whole, self.theme, self.size = steps, whole, theme, size

    def lines(self, tile: int, columns: Sequence[int]) -> list[manim.Group]:
        """What a block (not the first) of these columns does to maximum, factor and sum: a line each."""
        old, new, alpha, total = (self._number(stage, key_tile=at) for stage, at in (
            ("running_max", tile - 1), ("running_max", tile), ("rescale", tile), ("running_sum", tile - 1)))
        before, largest = self._number("running_max", key_tile=tile - 1), self._number("tile_row_max", key_tile=tile)
        exps = [self._number("tile_exp", key_tile=tile, column=column) for column in columns]
        risen, factor, added = (self._number(stage, key_tile=tile)
                                for stage in ("running_max", "rescale", "running_sum"))
        told: Sequence[str | Number] = exps if len(exps) <= TERMS else ["inline(sum) e"]
        return [self._line("m arrow.l max thin \\(", before, "comma", largest, "\\)",
                           *self._gives("largest", (before, largest), risen)),
                self._line('alpha arrow.l op("exp") thin \\(', old, "minus", new, "\\)",
                           *self._gives("exp", (old, new), factor)),
                self._line("l arrow.l", alpha, "times", total, *(part for exp in told for part in ("plus", exp)),
                           *self._gives("rescaled", (alpha, total, *exps), added))]

    def _gives(self, operation: Operation, terms: Sequence[Number], total: Number) -> tuple[Relation, Number]:
        """The sign that is right for the shown digits, and the result."""
        claim = Claim(operation, tuple(term.bound for term in terms), total.bound)
        return Relation("", [claim], size=self.size, color=self.theme.ink), total

    def _line(self, *parts: str | Number | Relation) -> manim.Group:
        """Signs (Typst) and numbers side by side, as wide as leaves room for a word before them at most."""
        line, before = manim.Group(), ""
        for part in parts:
            sign = part if isinstance(part, str) else ""
            shown: manim.Mobject = self._math(part) if isinstance(part, str) else part
            if len(line):
                shown.next_to(line, manim.RIGHT, buff=SIGN_GAP if {sign, before} & APART_SIGNS else NEAR)
            line.add(shown)
            before = sign
        return line

    def _number(self, stage: str, **at: int) -> Number:
        fmt = stage_format(self._whole(stage))
        return Number(self._steps(stage).entry(**at), fmt, size=self.size, color=self.theme.ink)

    def _math(self, source: str) -> manim.VMobject:
        return text.math(source, size=self.size, color=self.theme.ink)
