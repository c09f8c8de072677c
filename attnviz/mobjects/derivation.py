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
    ("sum", ("q dot k", f"= med sum_i {_TERM}")),
    ("mean", (f'op("E") [{_TERM}]', '= med op("E") [q_i] thin op("E") [k_i]', "= 0")),
    ("variance", (f'op("Var") ({_TERM})', '= med op("E") [q_i^2] thin op("E") [k_i^2]', "= 1")),
    ("total", ('op("Var") (q dot k)', f'= med sum_i op("Var") ({_TERM})', "= d_k", '=> sigma = sqrt(d_k)')),
)
REASON = "moments of a standard normal variable"
WORDS_GAP = 0.25  # between a formula and its words below it, in units
PITCH = 1.3  # from line to line at most


@dataclass(frozen=True)
class DerivedLine:
    """A line: its formula, the names of its terms in order, and what it rests on, in words."""

    formula: CursorFormula
    steps: tuple[str, ...]
    words: manim.VMobject


class Derivation:
    """The four lines one below the other in `region`, each with its `words` (sum, mean, variance, total)."""

    def __init__(self, words: Mapping[str, str], region: Region, theme: Theme) -> None:
        self.lines = [self._line(key, terms, words, theme) for key, terms in _LINES]
        wide = region.width > 10
        pairs = [manim.Group(line.formula, line.words) for line in self.lines]
        for pair in pairs:
            if not wide:
                pair.arrange(manim.DOWN, buff=0.12, aligned_edge=manim.LEFT)
        if wide:
            self._in_columns(region)
        else:
            manim.Group(*pairs).arrange(manim.DOWN, buff=0.4, aligned_edge=manim.LEFT)
        fit_into(manim.Group(*pairs), region)

    def _line(self, key: str, terms: tuple[str, ...], words: Mapping[str, str], theme: Theme) -> DerivedLine:
        names = tuple(f"step_{'abcd'[place]}" for place in range(len(terms)))
        source = " med ".join(f'part("{name}", {term})' for name, term in zip(names, terms, strict=True))
        formula = CursorFormula(source, theme, reason=REASON)
        return DerivedLine(formula, names, text.line(words[key], size=theme.body_size, color=theme.muted))

    def _in_columns(self, region: Region) -> None:
        step, width = region.height / len(self.lines), max(line.formula.width for line in self.lines)
        for place, line in enumerate(self.lines):
            y = -place * step
            line.formula.move_to((line.formula.width / 2, y, 0))
            line.words.move_to((width + 0.6 + line.words.width / 2, y, 0))
