"""A dictionary and what Python answered: lines as at Python's prompt, and the dictionary as a shelf of labelled boxes.

All of it comes from what was recorded when the lines were run (`attnviz.cases.session`): nothing is run or invented here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import fit_into
from attnviz.theme import PIXEL, Theme

SIGN = ">>> "  # Python's own
LINES = 1.9  # line heights from one line to the next
BOX = (3.3, 0.62)  # width and height of a box on the shelf, in units
PITCH = 1.25  # box heights from one box to the next
GROWN = 1.35  # times its size that a shelf may be, where there is room


class PromptLines(manim.VGroup):
    """`made` (the line that makes the dictionary), and for each lookup its `lines[i]` and `answers[i]`, which takes the
    place of any other. An error is written in the accent colour, a value in that of values."""

    def __init__(self, dictionary: Mapping[str, Any], region: Region, theme: Theme) -> None:
        super().__init__()
        asked = [(line, answer) for _, line, answer in dictionary["answers"]]
        self.made = self._line(dictionary["made"], theme)
        self.lines = [self._line(line, theme) for line, _ in asked]
        self.answers = [text.line(answer, size=theme.caption_size, weight="semibold",
                                  color=theme.hues["scores" if "Error" in answer else "value"]) for _, answer in asked]
        for place, parts in enumerate(([self.made], self.lines, self.answers)):
            for part in parts:
                part.move_to((0, -place * LINES * theme.caption_size * PIXEL, 0)).align_to(self.made, manim.LEFT)
        self.add(self.made, *self.lines, *self.answers)
        fit_into(self, region)

    def _line(self, source: str, theme: Theme) -> manim.VGroup:
        looks = {"size": theme.caption_size}
        sign, line = text.line(SIGN, color=theme.muted, **looks), text.line(source, color=theme.ink, **looks)
        return manim.VGroup(sign, line).arrange(manim.RIGHT, buff=0.12)


class Shelf(manim.VGroup):
    """Boxes below each other, each with its label (a word) and what it holds (another), and above them `asker`.

    `frame` stands around the asker's card: it goes from label to label, and stops where both say the same.
    """

    def __init__(self, holds: Sequence[tuple[str, str]], asked: Sequence[str], region: Region, theme: Theme) -> None:
        super().__init__()
        self.theme, self.keys = theme, [key for key, _ in holds]
        self.boxes = manim.VGroup(*(self._box(key, held) for key, held in holds))
        self.boxes.arrange(manim.DOWN, buff=(PITCH - 1) * BOX[1])
        self.frame = manim.RoundedRectangle(width=BOX[0] / 2, height=BOX[1], corner_radius=0.12,
                                            stroke_color=theme.role("query"), stroke_width=5)
        self.frame.next_to(self.boxes, manim.UP, buff=PITCH * 0.5 * BOX[1]).align_to(self.boxes, manim.LEFT)
        self.askers = {word: self._word(word, "query").move_to(self.frame) for word in asked}
        self.add(self.boxes, self.frame, *self.askers.values())
        fit_into(self, region, grow=GROWN)

    def walk(self, word: str) -> list[tuple[manim.Animation, manim.Animation]]:
        """For each box up to the one whose label is `word`: the frame on its way there, and what becomes of the box."""
        steps = []
        for key, box in zip(self.keys, self.boxes, strict=True):
            went = self.frame.animate.move_to(box[1])
            if key == word:
                return [*steps, (went, box[0].animate.set_stroke(self.theme.role("value"), width=6))]
            steps.append((went, box.animate.set_opacity(0.45)))
        return steps

    def reset(self, word: str) -> list[Any]:
        """The frame back to its card, every box bright again, and another word on the card."""
        fresh = [box.animate.set_opacity(1).set_fill(opacity=1) for box in self.boxes]
        return [self.frame.animate.move_to(self.askers[word]), *fresh]

    def _box(self, key: str, held: str) -> manim.VGroup:
        outline = manim.RoundedRectangle(width=BOX[0], height=BOX[1], corner_radius=0.12,
                                         stroke_color=self.theme.grid_line, stroke_width=3)
        label = manim.RoundedRectangle(width=BOX[0] / 2, height=BOX[1], corner_radius=0.12,
                                       stroke_color=self.theme.role("key"), stroke_width=3).align_to(outline, manim.LEFT)
        name, content = self._word(key, "key"), self._word(held, "value")
        half = BOX[0] / 4 * manim.RIGHT
        return manim.VGroup(outline, label, name.move_to(outline.get_center() - half),
                            content.move_to(outline.get_center() + half))

    def _word(self, word: str, role: str) -> manim.VMobject:
        return text.fitted(word, width=BOX[0] / 2 - 0.2, size=self.theme.caption_size, color=self.theme.role(role))
