"""What a block changes, in numbers: the lines of the running maximum, the factor and the running sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.number import Bound, Number
from attnviz.mobjects.places import Sheet
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.stages import stage_format
from attnviz.theme import PIXEL, Theme
from attnviz.trace import NamedTensor

APART_SIGNS, SIGN_GAP = {"plus", "minus"}, 0.31  # units: nearer to a number they would be read as its sign
NEAR, INNER = 0.14, 0.06  # units between other signs and numbers, and inside of brackets
TERMS = 2  # of a sum that are written out; for more, it is the sum of the row that stands above
LARGE, SMALLER, LINE = 1.3, 2, 1.4  # of the size of text at most; pixels to the next size; em from line to line
LETTER_GAP, PITCH = 0.16, 0.75  # units between a line's letter and what it becomes, and from line to line at most
DIGITS = (2, 3, 4, 5)  # behind the point: the fewest with which what is shown can be worked out again
Stages = Callable[[str], NamedTensor]
Line = tuple[manim.Mobject, manim.Mobject]


class Updates:
    """Lines of signs, numbers and results: `steps` has a stage block by block, `whole` as it is drawn."""

    def __init__(self, steps: Stages, whole: Stages, theme: Theme) -> None:
        self._steps, self._whole, self.theme, self.size = steps, whole, theme, float(theme.body_size)

    def lines(self, tile: int, columns: Sequence[int], region: Region) -> tuple[manim.Group, ...]:
        """What a block (not the first) of these columns does to maximum, factor and sum, as large as a region allows.

        Its numbers have as many digits as it takes for the shown ones to give the shown results.
        """
        ways = [self.claims(tile, columns, digits) for digits in DIGITS]
        claims = next((way for way in ways if all(claim.works_out for claim in way)), ways[1])
        self.size = min(LARGE * self.theme.body_size, region.height / (LINE * len(claims) * PIXEL))
        made = self._made(claims, len(columns))
        while sum(max(part.width for part in parts) for parts in zip(*made, strict=True)) + LETTER_GAP > region.width:
            self.size -= SMALLER
            made = self._made(claims, len(columns))
        return Sheet.place(made, region, pitch=PITCH, gap=LETTER_GAP).lines

    def claims(self, tile: int, columns: Sequence[int], digits: int) -> tuple[Claim, Claim, Claim]:
        """What gives the maximum, the factor and the sum, written with so many digits; the sum as it is kept."""
        old, new, alpha, total, largest = (
            self._bound(digits, stage, key_tile=at)
            for stage, at in (("running_max", tile - 1), ("running_max", tile), ("rescale", tile),
                              ("running_sum", tile - 1), ("tile_row_max", tile)))
        of_exps = digits if len(columns) <= TERMS else 0  # as the row above shows them
        exps = [self._bound(of_exps, "tile_exp", key_tile=tile, column=column) for column in columns]
        return (Claim("largest", (old, largest), new), Claim("exp", (old, new), alpha),
                Claim("rescaled", (alpha, total, *exps), self._bound(0, "running_sum", key_tile=tile)))

    def _made(self, claims: Sequence[Claim], columns: int) -> list[Line]:
        """A letter and what it becomes, for each claim, in the present size."""
        (old, largest), (_, new), (alpha, total, *exps) = (claim.terms for claim in claims)
        told = exps if columns <= TERMS else ["inline(sum) e"]
        return [self._line("m", "running_max", claims[0], "max thin \\(", old, "comma", largest, "\\)"),
                self._line("alpha", "rescale", claims[1], 'op("exp") thin \\(', old, "minus", new, "\\)"),
                self._line("l", "running_sum", claims[2], alpha, "times", total,
                           *(part for exp in told for part in ("plus", exp)))]

    def _line(self, letter: str, stage: str, claim: Claim, *parts: Bound | str) -> Line:
        """Signs (Typst) and numbers side by side, then the sign that is right for the shown digits, and the result."""
        line, before = manim.Group(self._math("arrow.l")), ""
        sign = Relation("", [claim], size=self.size, color=self.theme.ink)
        for part in (*parts, sign, claim.total):
            shown, now = self._shown(part), part if isinstance(part, str) else ""
            line.add(shown.next_to(line, manim.RIGHT, buff=_gap(before, now)))
            before = now
        return self._math(letter, self.theme.stage_color(stage)), line

    def _shown(self, part: Bound | str | Relation) -> manim.Mobject:
        if isinstance(part, Bound):
            return Number(part.entry, part.fmt, size=self.size, color=self.theme.ink)
        return self._math(part) if isinstance(part, str) else part

    def _bound(self, digits: int, stage: str, **at: int) -> Bound:
        """An entry with so many digits behind its point; 0: with those of its stage, as where it is large or tiny."""
        fmt = stage_format(self._whole(stage))
        is_plain = digits and fmt.style == "fixed"
        return Bound(self._steps(stage).entry(**at), replace(fmt, digits=digits) if is_plain else fmt)

    def _math(self, source: str, color: str | None = None) -> manim.VMobject:
        return text.math(source, size=self.size, color=color or self.theme.ink)


def _gap(before: str, now: str) -> float:
    if {before, now} & APART_SIGNS:
        return SIGN_GAP
    return INNER if before.endswith("(") or now in ("comma", "\\)") else NEAR
