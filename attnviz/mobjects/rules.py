"""Rules of a loop, one at a time: what it is called and how it goes, as large as the place for it allows.

Words and formulas only; what a rule does to numbers is played by a scene.
"""

from __future__ import annotations

from collections.abc import Mapping

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.theme import Theme

APART = 0.35  # units between the words of a rule and its formula
ROLES = ("scores", "weights", "value", "output")  # parts of a formula that have the colour of their role


class Rules:
    """`lines` by name: `words`, and beside them a formula in Typst's notation where `formulas` has one, in one size.

    Parts of a formula that are named as a role have its colour, as the names of matrices have. `now` was said last.
    """

    def __init__(self, formulas: Mapping[str, str], words: Mapping[str, str], region: Region, theme: Theme) -> None:
        self.theme = theme
        self.lines = {name: self._line(said, formulas.get(name)) for name, said in words.items()}
        factor = min(1.0, *(min(region.width / line.width, region.height / line.height)
                            for line in self.lines.values()))
        for line in self.lines.values():
            line.scale(factor).move_to(region.center)
        self.now: manim.Mobject = manim.VGroup()

    def say(self, name: str) -> manim.Animation:
        """The rule that was said last goes, then this one comes in its place."""
        old, self.now = self.now, self.lines[name]
        return manim.Succession(manim.FadeOut(old), manim.FadeIn(self.now)) if old else manim.FadeIn(self.now)

    def hush(self) -> manim.Animation:
        """What was said last goes, and nothing comes in its place."""
        old, self.now = self.now, manim.VGroup()
        return manim.FadeOut(old)

    def _line(self, said: str, formula: str | None) -> manim.VGroup:
        words = text.line(said, size=self.theme.body_size, color=self.theme.ink)
        if formula is None:
            return manim.VGroup(words)
        parts = {role: self.theme.role(role) for role in ROLES if f'part("{role}"' in formula}
        rule = text.math(formula, parts, size=self.theme.formula_size, color=self.theme.ink)
        return manim.VGroup(words, rule.next_to(words, manim.RIGHT, buff=APART))
