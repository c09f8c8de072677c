"""The task of a language model as a staircase of words: each line is a beginning, and what comes next is the question.

Words only: no number is shown here.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.errors import InputError
from attnviz.layout import Region
from attnviz.theme import PIXEL, Theme

WIDEST, HIGHEST = 2.6, 0.95  # of a word's room, in units: more looks empty
LEAST = 4  # words of a longer sentence that show what a beginning is
FILLED = 0.84  # of its room's width that the longest word may take
FRAME = 2.2  # em: the height of that frame at most
LINE = 1.7  # em: the height of a line with the frame around the word that is asked for


class NextWords(manim.VGroup):
    """`lines[i]` holds the first i + 1 words, `questions[i]` a mark in a frame after them, `answers[i]` the next word.

    `tokens` are two or more; of more than can be read in `region` as many of the first ones stand as can be read with
    ease, and dots below say that it goes on. InputError where not even `LEAST` can be read. Answers are not yet part of
    it.
    """

    def __init__(self, tokens: Sequence[str], region: Region, theme: Theme) -> None:
        super().__init__()
        self.theme, self._region = theme, region
        given, count = len(tokens), len(tokens)
        if self._measure(tokens, is_cut=False) < theme.minimum_size:
            count = min(LEAST, given)
            while self._measure(tokens[:count + 1], is_cut=True) >= theme.body_size:
                count += 1
        if self._measure(tokens[:count], is_cut=count < given) < theme.minimum_size:
            raise InputError(f"{given} words cannot be read as beginnings, one a line, in this frame: give fewer or "
                             "shorter ones with --tokens, or another frame")
        tokens, rows = tokens[:count], count - 1 + (count < given)
        self._corner = (region.x - count * self._room[0] / 2, region.y + rows * self._room[1] / 2)
        self.lines = [manim.VGroup(*(self._word(token, line, place) for place, token in enumerate(tokens[:line + 1])))
                      for line in range(count - 1)]
        self.questions = [self._question(line) for line in range(count - 1)]
        self.answers = [self._word(tokens[line + 1], line, line + 1, "output") for line in range(count - 1)]
        self.add(*self.lines, *self.questions)
        if count < given:
            self.lines[-1].add(self._word("…", count - 1, 0))

    def _measure(self, tokens: Sequence[str], *, is_cut: bool) -> float:
        """Make room for these words, and for the dots below where they are not all; the size that fits."""
        rows = len(tokens) - 1 + is_cut
        self._room = min(self._region.width / len(tokens), WIDEST), min(self._region.height / rows, HIGHEST)
        self._size: float = min(self.theme.title_size, self._room[1] / (LINE * PIXEL),
                                FILLED * self._room[0] / (max(map(text.width_of, tokens)) * PIXEL))
        return self._size

    def _at(self, line: int, place: int) -> tuple[float, float, float]:
        return self._corner[0] + (place + 0.5) * self._room[0], self._corner[1] - (line + 0.5) * self._room[1], 0.0

    def _word(self, token: str, line: int, place: int, role: str | None = None) -> manim.VMobject:
        color = self.theme.role(role) if role else self.theme.ink
        return text.line(token, size=self._size, color=color).move_to(self._at(line, place))

    def _question(self, line: int) -> manim.VGroup:
        height = min(0.86 * self._room[1], FRAME * self._size * PIXEL)
        frame = manim.RoundedRectangle(
            width=0.94 * self._room[0], height=height, corner_radius=0.12, stroke_width=3,
            stroke_color=self.theme.role("output"), fill_color=self.theme.panel, fill_opacity=1)
        mark = text.line("?", size=self._size, color=self.theme.role("output"))
        return manim.VGroup(frame, mark).move_to(self._at(line, line + 1))
