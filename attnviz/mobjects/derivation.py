"""Why a dot product of random vectors has the variance d_k, in four lines: formulas whose terms light up in turn.

Nothing here is a number of a record: the lines are algebra, and their digits have a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.formula import CursorFormula
from attnviz.mobjects.places import fit_into
from attnviz.theme import Theme

_TERM = "q_i thin k_i"
_LINES = (  # of each: the key of its words, its terms in the order in which they light up
    ("sum", ("q dot k", f"= med scripts(sum)_i {_TERM}")),
    ("mean", (f'op("E") [{_TERM}]', '= med op("E") [q_i] thin op("E") [k_i]', "= 0")),
    ("variance", (f'op("Var") ({_TERM})', '= med op("E") [q_i^2] thin op("E") [k_i^2]', "= 1")),
    ("total", ('op("Var") (q dot k)', f'= med scripts(sum)_i op("Var") ({_TERM})', "= d_k", '=> sigma = sqrt(d_k)')),
)
REASON = "moments of a standard normal variable"
WIDE = 10.0  # a region's width from which on words stand beside their formula
WORDS_GAP, BELOW = 0.8, 0.15  # between a formula and its words beside or below it, in units
WIDER = 1.15  # times its size that a line beside its words becomes, for which the words leave room
GROWS = 1.3  # times its size that all may be, where the region has the room


@dataclass(frozen=True)
class DerivedLine:
    """A line: its formula, the names of its terms in order, and what it rests on, in words."""

    formula: CursorFormula
    steps: tuple[str, ...]
    words: text.Typed


class Derivation:
    """The four lines one below the other in `region`, each with its `words` (sum, mean, variance, total)."""

    def __init__(self, words: Mapping[str, str], region: Region, theme: Theme) -> None:
        formulas = {key: self._formula(terms, theme) for key, terms in _LINES}
        width = max(formula.width for formula in formulas.values())
        room = region.width / WIDER - width - WORDS_GAP if region.width > WIDE else region.width
        self.lines = [DerivedLine(formulas[key], _names(terms), text.paragraph(
            words[key], width=room, size=theme.body_size, color=theme.ink)) for key, terms in _LINES]
        step = region.height / len(self.lines)
        for place, line in enumerate(self.lines):
            line.formula.move_to((line.formula.width / 2, -place * step, 0))
            if region.width > WIDE:
                line.words.move_to((width + WORDS_GAP + line.words.width / 2, line.formula.get_y(), 0))
            else:
                line.words.next_to(line.formula, manim.DOWN, buff=BELOW, aligned_edge=manim.LEFT)
        fit_into(manim.Group(*(manim.Group(line.formula, line.words) for line in self.lines)), region, grow=GROWS)

    def _formula(self, terms: tuple[str, ...], theme: Theme) -> CursorFormula:
        parts = (f'part("{name}", {term})' for name, term in zip(_names(terms), terms, strict=True))
        return CursorFormula(" med ".join(parts), theme, reason=REASON)


def _names(terms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"step_{'abcd'[place]}" for place in range(len(terms)))
