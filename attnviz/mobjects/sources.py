"""Where Q, K and V come from: a sentence on a card, three boxes, and an arrow from a sentence to each.

A diagram without numbers: self-attention has all arrows from one sentence, cross-attention two of them from another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

ROLES = ("query", "key", "value")
APART, ACROSS = 1.15, 0.9  # between a card and the boxes, and between two boxes, in units
MARGINS = (0.7, 0.45)  # around the words of a card
BOX = (1.9, 1.15)


class Sources(manim.Group):
    """`asking` (a card) above `boxes` for Q, K and V, and `answering` (another card) below them.

    `words` has what each of `query`, `key` and `value` is for. `arrows` come from the upper card at first; `others`
    are those of keys and values from the lower one.
    """

    def __init__(self, asking_tokens: Sequence[str], answering_tokens: Sequence[str], words: Mapping[str, str],
                 region: Region, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        width = region.width - MARGINS[0]
        self.asking, self.answering = (self._card(" ".join(tokens), width)
                                       for tokens in (asking_tokens, answering_tokens))
        self.boxes = manim.VGroup(*(self._box(role, words[role]) for role in ROLES))
        self.boxes.arrange(manim.RIGHT, buff=ACROSS)
        self.asking.next_to(self.boxes, manim.UP, buff=APART)
        self.answering.next_to(self.boxes, manim.DOWN, buff=APART)
        self.add(self.asking, self.boxes, self.answering)
        fit_into(self, region)
        self.arrows = manim.VGroup(*(self._arrow(self.asking, box, role)
                                     for role, box in zip(ROLES, self.boxes, strict=True)))
        self.others = manim.VGroup(*(self._arrow(self.answering, box, role)
                                     for role, box in zip(ROLES[1:], self.boxes[1:], strict=True)))
        self.add(self.arrows, self.others)

    def _card(self, sentence: str, width: float) -> manim.VGroup:
        words = text.fitted(sentence, width=width, size=self.theme.title_size, color=self.theme.ink)
        card = self._frame(words.width + MARGINS[0], words.height + MARGINS[1], self.theme.role("neutral"))
        return manim.VGroup(card, words.move_to(card))

    def _box(self, role: str, words: str) -> manim.VGroup:
        color = self.theme.role(role)
        name = text.math(role[0].upper(), size=self.theme.formula_size, color=color)
        inside = manim.VGroup(name, text.line(words, size=self.theme.label_size, color=self.theme.ink))
        inside.arrange(manim.DOWN, buff=0.06)
        frame = self._frame(max(BOX[0], inside.width + 0.4), max(BOX[1], inside.height + 0.25), color)
        return manim.VGroup(frame, inside.move_to(frame))

    def _frame(self, width: float, height: float, color: str) -> manim.RoundedRectangle:
        return manim.RoundedRectangle(width=width, height=height, corner_radius=0.15, stroke_color=color,
                                      stroke_width=3, fill_color=self.theme.panel, fill_opacity=1)

    def _arrow(self, card: manim.VMobject, box: manim.VMobject, role: str) -> manim.Arrow:
        is_above = card.get_y() > box.get_y()
        edge, near = (card.get_bottom(), box.get_top()) if is_above else (card.get_top(), box.get_bottom())
        start = [min(max(box.get_x(), card.get_left()[0] + 0.3), card.get_right()[0] - 0.3), edge[1], 0]
        return manim.Arrow(start, near, buff=0.1, color=self.theme.role(role), stroke_width=6,
                           max_tip_length_to_length_ratio=0.3)
