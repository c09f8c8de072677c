"""The question that attention answers: one word above all the words it may take from.

All lines are alike: nothing is known yet, so nothing is hinted at.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme


class Asking(manim.Group):
    """`asker` (a card) above `words` (cards) with one line to each in `lines`."""

    def __init__(self, asking_token: str, tokens: Sequence[str], region: Region, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        cards = [self._card(token, "key") for token in tokens]
        self.words = manim.VGroup(*cards).arrange(manim.RIGHT, buff=0.45)
        self.asker = self._card(asking_token, "query").next_to(self.words, manim.UP, buff=1.2 + 0.12 * len(tokens))
        self.lines = manim.VGroup(*(self._line(card) for card in cards))
        self.add(self.lines, self.words, self.asker)
        fit_into(self, region, grow=1.45)

    def _card(self, token: str, role: str) -> manim.VGroup:
        label = text.line(token, size=self.theme.title_size, color=self.theme.ink)
        card = manim.RoundedRectangle(width=max(1.5, label.width + 0.7), height=label.height + 0.4, corner_radius=0.15,
                                      stroke_color=self.theme.role(role), stroke_width=3,
                                      fill_color=self.theme.panel, fill_opacity=1)
        return manim.VGroup(card, label.move_to(card))

    def _line(self, card: manim.VGroup) -> manim.VMobject:
        start, end = self.asker.get_bottom(), card.get_top()
        half = manim.UP * (end - start)[1] / 2
        curve = manim.CubicBezier(start, start + half, end - half, end)
        return curve.set_stroke(self.theme.muted, width=3)
