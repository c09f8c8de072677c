"""A dictionary and what Python answered: lines as at Python's prompt, and its keys and values as labelled boxes.

All of it comes from what was recorded when the lines were run (`attnviz.cases.session`): nothing is run here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.cells import DIM
from attnviz.mobjects.places import fit_into
from attnviz.theme import PIXEL, Theme

SIGN = ">>>"  # Python's own
LINES = 1.9  # line heights from one line to the next
BOX = (3.3, 0.66)  # width and height of a box on the shelf, in units
READABLE = 0.75  # the opacity of words that are dimmed in their colour: less cannot be read in the light theme
APART = 0.3  # units between boxes
GROWN = 1.5  # times their size that lines and shelf may be, where there is room


class PromptLines(manim.VGroup):
    """`made` (the line that makes the dictionary), and for each lookup its `lines[i]` and `answers[i]`, in one place.

    An error is written in the colour of scores, a value in that of values.
    """

    def __init__(self, dictionary: Mapping[str, Any], region: Region, theme: Theme) -> None:
        super().__init__()
        asked = [(line, answer) for _, line, answer in dictionary["answers"]]
        self.made = _line(dictionary["made"], theme)
        self.lines = [_line(line, theme) for line, _ in asked]
        self.answers = [text.line(answer, size=theme.caption_size, weight="semibold",
                                  color=theme.role("scores" if "Error" in answer else "value")) for _, answer in asked]
        rows: tuple[Sequence[manim.VMobject], ...] = ([self.made], self.lines, self.answers)
        for place, parts in enumerate(rows):
            for part in parts:
                part.move_to((0, -place * LINES * theme.caption_size * PIXEL, 0)).align_to(self.made, manim.LEFT)
        self.add(self.made, *self.lines, *self.answers)
        fit_into(self, region, grow=GROWN)


class Box(manim.VGroup):
    """One box of the shelf: its outline, the outline of its label, the label's word, and the word that it holds."""

    def __init__(self, key: str, held: str, theme: Theme) -> None:
        whole = manim.RoundedRectangle(width=BOX[0], height=BOX[1], corner_radius=0.12, stroke_width=3,
                                       stroke_color=theme.role("value"))
        label = manim.RoundedRectangle(width=BOX[0] / 2, height=BOX[1], corner_radius=0.12, stroke_width=3,
                                       stroke_color=theme.role("key"))
        label.align_to(whole, manim.LEFT)
        self.plate, half = label, BOX[0] / 4 * manim.RIGHT
        words = _word(key, "key", theme).move_to(-half), _word(held, "value", theme).move_to(half)
        super().__init__(whole, label, *words)

    def shine(self, opacity: float) -> Self:
        """Make its outlines as faint as `opacity` says, and its words as far as they can be read."""
        self[:2].set_stroke(opacity=opacity)
        self[2:].set_opacity(max(opacity, READABLE))
        return self


class Shelf(manim.VGroup):
    """Boxes in a row (`across`) or below each other, and before them `askers`: the words asked, all on one `card`.

    `frame` stands around the card: it goes from label to label, and stops where both say the same.
    """

    def __init__(self, holds: Sequence[tuple[str, str]], asked: Sequence[str], region: Region, theme: Theme, *,
                 across: bool) -> None:
        super().__init__()
        self.keys = [key for key, _ in holds]
        boxes = [Box(key, held, theme) for key, held in holds]
        self.boxes = manim.VGroup(*boxes).arrange(manim.RIGHT if across else manim.DOWN, buff=APART)
        self.card = boxes[0].plate.copy().set_stroke(theme.role("query"), width=3)
        self.card.next_to(boxes[0].plate, manim.UP, buff=1.5 * APART)
        self.frame = self.card.copy().set_stroke(width=7)
        self.askers = {word: _word(word, "query", theme).move_to(self.card) for word in asked}
        self.add(self.boxes, self.card, self.frame, *self.askers.values())
        fit_into(self, region, grow=GROWN)

    def walk(self, word: str) -> list[tuple[Any, ...]]:
        """The plays that compare `word` with the labels: the frame goes to each, and a box with another is dimmed.

        Where no label is the word, the frame ends where it began.
        """
        plays: list[tuple[Any, ...]] = []
        for key, box in zip(self.keys, self.boxes, strict=True):
            plays.append((self.frame.animate.move_to(box[1]),))
            if key == word:
                return plays
            plays.append((box.animate.shine(DIM),))
        return [*plays, self.back()]

    def back(self) -> tuple[Any, ...]:
        """The play that takes the frame back to the card."""
        return (self.frame.animate.move_to(self.card),)

    def left(self, word: str) -> tuple[manim.VMobject, ...]:
        """What is on screen of the shelf while `word` is on its card."""
        return (self.boxes, self.card, self.frame, self.askers[word])

    def bright(self) -> list[Any]:
        """Animations that bring every box back."""
        return [box.animate.shine(1.0) for box in self.boxes]


def _line(source: str, theme: Theme) -> manim.VGroup:
    looks: dict[str, Any] = {"size": theme.caption_size}
    sign, line = text.line(SIGN, color=theme.muted, **looks), text.line(source, color=theme.ink, **looks)
    return manim.VGroup(sign, line).arrange(manim.RIGHT, buff=0.14)


def _word(word: str, role: str, theme: Theme) -> manim.VMobject:
    return text.fitted(word, width=BOX[0] / 2 - 0.2, size=theme.caption_size, color=theme.role(role))
