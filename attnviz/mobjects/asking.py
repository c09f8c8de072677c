"""The question that attention answers, one word and all the words it may take from, and its answer.

While it is a question all lines are alike: nothing is known yet, so nothing is hinted at. In the answer each line
is bound to a weight: as thick as that, with its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim

from attnviz import text
from attnviz.errors import InputError
from attnviz.layout import Region
from attnviz.mobjects.notices import COUNTED, some_words
from attnviz.mobjects.number import Literal, Number
from attnviz.mobjects.places import fit_into
from attnviz.numbers import NumberFormat
from attnviz.theme import PIXEL, Theme
from attnviz.trace import Entry

CARD, MARGINS, CARD_GAP = 1.5, 0.7, 0.45  # the least width of a card, beside its word, between cards, in units
TIGHT = 0.22  # between cards that stand below each other
LONGEST = (20, 15, 12, 9, 7, 5, 4, 3, 2)  # em that a word may be wide, most first
THINNEST, THICKEST = 1.0, 22.0  # strokes of a weight of 0 and of 1
NUMBER, ACROSS = 1.25, 2.4  # room for a weight below or beside its card; between the asker and words beside it
LARGEST = 1.45  # times their size that cards may grow
IN_A_ROW, TALL = 4, 0.7  # words that stand side by side in a region higher than so much of its width


class Strand(manim.VMobject):
    """A line as thick as a weight between 0 and 1: `entry` says which."""

    def __init__(self, entry: Entry, line: manim.VMobject, theme: Theme) -> None:
        super().__init__()
        self.entry = entry
        self.set_points(line.points)
        width = THINNEST + (THICKEST - THINNEST) * entry.value
        self.set_stroke(theme.role("weights"), width=width)

    def describe(self) -> dict[str, Any]:
        """Which weight it shows and how thick that makes it, as plain JSON values."""
        return {"type": "strand", "record": self.entry.record, "address": self.entry.address,
                "stroke_width": float(self.get_stroke_width()), "color": str(self.get_stroke_color()).lower(),
                "points": [[float(x), float(y)] for x, y, _ in self.points]}


class Asking(manim.Group):
    """`asker` (a card) and `words` (cards) with one line to each in `lines`: those of `tokens` at `positions`, or all.

    The asker stands above the words, or beside them where these are stacked. Where they are not all, `notice` says so
    (else None).
    """

    def __init__(self, asking_token: str, tokens: Sequence[str], region: Region, theme: Theme, *,
                 positions: Sequence[int] | None = None) -> None:
        super().__init__()
        total, self.positions = len(tokens), tuple(range(len(tokens)) if positions is None else positions)
        tokens = [tokens[position] for position in self.positions]
        is_stacked = len(tokens) > IN_A_ROW and region.height > TALL * region.width
        self.theme, self.is_stacked = theme, is_stacked
        self.away = manim.RIGHT if is_stacked else manim.DOWN
        shrinks = theme.title_size / theme.minimum_size
        longest = (_longest([asking_token, *tokens], (region.width - NUMBER) * shrinks - ACROSS, theme, is_stacked=True)
                   if is_stacked else _longest(tokens, region.width * shrinks, theme))
        cards = [self._card(text.shortened(token, longest), "key") for token in tokens]
        self.words = manim.VGroup(*cards).arrange(manim.DOWN if is_stacked else manim.RIGHT,
                                                  buff=TIGHT if is_stacked else CARD_GAP)
        self.asker = self._card(text.shortened(asking_token, longest), "query")
        gap = ACROSS if is_stacked else 1.2 + 0.12 * len(tokens)
        self.asker.next_to(self.words, -self.away, buff=gap)
        self.lines = manim.VGroup(*(self._line(card) for card in cards))
        self.add(self.lines, self.words, self.asker)
        self.notice = self._told(total, region) if len(tokens) < total else None
        self._fit(region)
        self.add(*([self.notice] if self.notice else []))

    def answer(self, weights: Sequence[Entry], fmt: NumberFormat | None = None) -> list[tuple[Strand, Number]]:
        """For each word a line as thick as its weight, and the weight; InputError unless there is one for each."""
        if len(weights) != len(self.words):
            raise InputError(f"{len(weights)} weights for {len(self.words)} words: give one for each")
        if [entry.coords.get("key_pos") for entry in weights] != [*self.positions]:
            raise InputError(f"{weights[0].address}: the weights do not come in the order of the words: sort them")
        factor = self.words[0][1].height / text.line("x", size=self.theme.title_size).height
        answers = []
        for entry, line, card in zip(weights, self.lines, self.words, strict=True):
            number = Number(entry, fmt, size=self.theme.title_size, color=self.theme.role("weights")).scale(factor)
            answers.append((Strand(entry, line, self.theme), number.next_to(card, self.away, buff=0.25)))
        return answers

    def _fit(self, region: Region) -> None:
        """As large as the region allows, with room for weights, and for the notice at its lower edge."""
        right, below = (NUMBER, 0.0) if self.is_stacked else (0.0, NUMBER)
        below += self.notice.height + CARD_GAP if self.notice else 0.0
        room = Region(region.x - right / 2, region.y + below / 2, region.width - right, region.height - below)
        fit_into(self, room, grow=LARGEST)

    def _told(self, total: int, region: Region) -> Literal:
        shown = some_words(len(self.positions), total)
        notice = Literal(shown, COUNTED, size=self.theme.body_size, color=self.theme.muted)
        return notice.move_to((region.x, region.bottom + notice.height / 2, 0))

    def _card(self, token: str, role: str) -> manim.VGroup:
        label = text.line(token, size=self.theme.title_size, color=self.theme.ink)
        card = manim.RoundedRectangle(width=max(CARD, label.width + MARGINS), height=label.height + 0.4,
                                      corner_radius=0.15, stroke_color=self.theme.role(role), stroke_width=3,
                                      fill_color=self.theme.panel, fill_opacity=1)
        return manim.VGroup(card, label.move_to(card))

    def _line(self, card: manim.VGroup) -> manim.VMobject:
        start, end = self.asker.get_edge_center(self.away), card.get_edge_center(-self.away)
        half = self.away * abs((end - start) @ self.away) / 2
        curve = manim.CubicBezier(start, start + half, end - half, end)
        return curve.set_stroke(self.theme.muted, width=3)


def _longest(tokens: Sequence[str], room: float, theme: Theme, *, is_stacked: bool = False) -> float:
    """How wide a word may be, in em, so that all cards fit side by side into `room` units.

    Where they are stacked, so that the first does beside the widest of the others.
    """
    em = theme.title_size * PIXEL
    widths = [text.width_of(token) for token in tokens]

    def taken(longest: float) -> float:
        first, *others = (max(CARD, min(width, longest) * em + MARGINS) for width in widths)
        return first + max(others) if is_stacked else sum(card + CARD_GAP for card in (first, *others))

    return next((longest for longest in LONGEST if taken(longest) <= room), LONGEST[-1])
