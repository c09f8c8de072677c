"""A histogram: counts that a record holds as bars without gaps, over an axis whose numbers are edges of the bins."""

from __future__ import annotations

from typing import Any

import manim

from attnviz.colors import ColorScale
from attnviz.errors import InputError
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.number import Number
from attnviz.numbers import NumberFormat
from attnviz.text.owner import own
from attnviz.theme import DARK, Theme
from attnviz.trace import NamedTensor

TICK_GAP = 0.12  # units below the axis


class Histogram(Bars):
    """`counts` (one axis) as bars, `edges` (one more) named below at both ends and in the middle.

    Histograms with one `scale` have one height for a count. InputError where edges and counts do not fit.
    """

    described_as = "histogram"

    def __init__(self, counts: NamedTensor, edges: NamedTensor, *, size: tuple[float, float] = (4.0, 2.0),
                 scale: ColorScale | None = None, theme: Theme = DARK) -> None:
        if edges.values.size != counts.values.size + 1:
            raise InputError(f"{counts.address} has {counts.values.size} bins and {edges.address} "
                             f"{edges.values.size} edges: give one edge more than bins")
        if edges.record != counts.record:
            raise InputError(f"{counts.address} is of the record {counts.record!r} and {edges.address} of "
                             f"{edges.record!r}: give counts and edges of one")
        super().__init__(counts, size=size, scale=scale, theme=theme, filled=1.0, has_numbers=False)
        self.edges = edges
        count, whole = counts.values.size, NumberFormat("trimmed", 1)
        self.ticks = [Number(edges.entry(**{edges.axes[0]: place}), whole, size=theme.small_size, color=theme.muted)
                      for place in (*([0, count // 2] if count % 2 == 0 else [0]), count)]
        for tick in self.ticks:
            x = self.x_of_edge(tick.entry.coords[edges.axes[0]])
            tick.next_to((x, self.line.get_center()[1], 0), manim.DOWN, buff=TICK_GAP)
        self.add(*self.ticks)
        own(self, self.ticks)

    def x_of_edge(self, place: int) -> float:
        """Where an edge of a bin stands now: bins are evenly wide on screen, as their edges are."""
        left, right = float(self.line.get_left()[0]), float(self.line.get_right()[0])
        return left + (right - left) * place / self.tensor.values.size

    def describe(self) -> dict[str, Any]:
        """What bars say, and the address of the edges."""
        return {**super().describe(), "edges": self.edges.address}
