"""A recipe: rules in mathematics, line below line, each with a word before it, its letters in their stages' colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.places import Sheet
from attnviz.theme import PIXEL, Theme

LINE = 1.6  # em: a rule and the room to the next
PITCH = 0.9  # units from line to line at most
ROLES = ("scores", "weights", "value", "output")  # whose colours parts of a rule may have

_M, _S, _ALPHA = 'part("scores", m)', 'part("scores", s)', 'part("weights", alpha)'
_E, _L, _V, _ACC = 'part("weights", e)', 'part("weights", l)', 'part("value", v)', 'part("output", op("acc"))'
START = "start"  # the key of the rule that says from which numbers a computation begins
SOFTMAX = ((START, f"{_M} arrow.l -infinity comma quad {_L} arrow.l 0"), ("m", f"{_M} arrow.l max({_M}, {_S})"),
           ("alpha", f'{_ALPHA} arrow.l e^(part("scores", m_"old") - {_M})'),
           ("e", f"{_E} arrow.l e^({_S} - {_M})"), ("l", f"{_L} arrow.l {_ALPHA} {_L} + inline(sum) {_E}"))
OUTPUT = ((START, f"{_ACC} arrow.l 0"),
          ("acc", f"{_ACC} arrow.l {_ALPHA} thin {_ACC} + inline(sum) {_E} thin {_V}"))


def recipe(rules: Sequence[tuple[str, str]], words: Mapping[str, str], region: Region,
           theme: Theme) -> tuple[manim.Group, ...]:
    """The lines of `rules` (the key of a word, Typst), as large as lets all of them stand in a region."""
    size = min(theme.formula_size, region.height / (LINE * len(rules) * PIXEL))
    pairs: list[tuple[manim.Mobject, manim.Mobject]] = []
    for key, rule in rules:
        word = text.line(words[key], size=theme.body_size, color=theme.muted)
        reason = "where a computation begins" if key == START else ""  # its digits are those of no record
        colors = {role: theme.role(role) for role in ROLES if f'"{role}"' in rule}
        pairs.append((word, text.math(rule, colors, size=size, color=theme.ink, reason=reason)))
    return Sheet.place(pairs, region, pitch=PITCH).lines
