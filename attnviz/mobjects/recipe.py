"""A recipe: rules in mathematics, line below line, each with a word before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import Sheet
from attnviz.theme import PIXEL, Theme

LINE = 1.6  # em: a rule and the room to the next
PITCH = 0.9  # units from line to line at most


def recipe(rules: Sequence[tuple[str, str]], words: Mapping[str, str], region: Region, theme: Theme, *,
           start: str) -> tuple[manim.Group, ...]:
    """The lines of `rules` (the key of a word, Typst), as large as lets all of them stand in a region.

    The rule with the key `start` says from which numbers a computation begins: its digits are those of no record.
    """
    size = min(theme.formula_size, region.height / (LINE * len(rules) * PIXEL))
    pairs: list[tuple[manim.Mobject, manim.Mobject]] = []
    for key, rule in rules:
        word = text.line(words[key], size=theme.body_size, color=theme.muted)
        reason = "where a computation begins" if key == start else ""
        pairs.append((word, text.math(rule, size=size, color=theme.ink, reason=reason)))
    return Sheet.place(pairs, region, pitch=PITCH).lines
