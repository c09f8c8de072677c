"""A text that is being written: the words that were there before, whose keys were kept, and the new ones, which ask.

Words only: no number is shown here.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

WIDEST = 1.3  # units that a word may take
AIR, SAID_GAP = 0.3, 0.25  # units around words and between them; between them and what is said of them
GROWS = 1.6  # times its size that it may be, where there is room


class NewWords(manim.VGroup):
    """`known` and `new` in one line, each a card with its words, and `said` of it below.

    `tokens` are all words, of which the last `count` are new.
    """

    def __init__(self, tokens: Sequence[str], count: int, said: tuple[str, str], region: Region, theme: Theme) -> None:
        self.theme, first = theme, len(tokens) - count
        self.known = self._card(tokens[:first], said[0], "key")
        self.new = self._card(tokens[first:], said[1], "query")
        super().__init__(self.known, self.new)
        self.arrange(manim.RIGHT, buff=AIR)
        fit_into(self, region, grow=GROWS)

    def _card(self, tokens: Sequence[str], said: str, role: str) -> manim.VGroup:
        theme = self.theme
        words = manim.VGroup(*(text.fitted(token, width=WIDEST, size=theme.body_size, color=theme.role(role))
                               for token in tokens))
        line = text.line(said, size=theme.label_size, color=theme.ink)
        words.arrange(manim.RIGHT, buff=AIR, aligned_edge=manim.DOWN)
        frame = manim.RoundedRectangle(
            width=max(words.width, line.width) + 2 * AIR, height=2 * AIR + words.height, corner_radius=0.12,
            stroke_width=3, stroke_color=theme.role(role), fill_color=theme.panel, fill_opacity=1)
        return manim.VGroup(frame, words.move_to(frame), line.next_to(frame, manim.DOWN, buff=SAID_GAP))
