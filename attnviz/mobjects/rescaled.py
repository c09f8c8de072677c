"""Why rescaling is exact: the formula in which the old maximum cancels, and one key's numbers below its parts."""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.cards import halves
from attnviz.mobjects.formula import CursorFormula
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.running import OnePass
from attnviz.theme import Theme

SOURCE = ('part("old", e^(s - m_"old")) med dot med part("factor", e^(m_"old" - m_"new")) med = med '
          'part("new", e^(s - m_"new"))')
GROWN = 1.6  # times the size of a formula
PARTS = ("old", "factor", "new")


class Rescaled:
    """`formula`, and in `shown` the numbers below its parts, one after the other, of one exponential of a pass."""

    def __init__(self, one_pass: OnePass, tokens: Sequence[str], region: Region, theme: Theme) -> None:
        self.theme = theme
        upper, lower = halves(region, beside=False)
        self.formula = CursorFormula(SOURCE, theme, size=GROWN * theme.formula_size)
        fit_into(self.formula, upper)
        old, factor, new = (
            Number(entry, one_pass.format_of(entry), size=1.3 * theme.title_size, color=theme.ink)
            .move_to((self._part(name).get_x(), lower.y, 0))
            for entry, name in zip(one_pass.example(), PARTS, strict=True))
        sign = Relation("", [Claim("product", (old.bound, factor.bound), new.bound)], size=theme.title_size,
                        color=theme.ink)
        times = text.math("times", size=theme.title_size, color=theme.ink)
        for between, left, right in ((times, "old", "factor"), (sign, "factor", "new")):
            x = (self._part(left).get_right()[0] + self._part(right).get_left()[0]) / 2
            between.move_to((x, lower.y, 0))  # below the sign of the formula
        token = text.fitted(tokens[new.entry.coords["key_pos"]], width=2.0, size=theme.caption_size,
                            color=theme.role("key")).next_to(old, manim.DOWN, buff=0.2)
        alpha = StageName(one_pass.steps("rescale"), theme).next_to(factor, manim.DOWN, buff=0.2)
        self.shown = manim.Group(old, token), manim.Group(times, factor, alpha), manim.Group(sign, new)

    def _part(self, name: str) -> manim.VMobject:
        return self.formula.formula.part(name)
