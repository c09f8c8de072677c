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

TICK_GAP = 0.26  # units from the axis to its numbers: between them is room for a line
X_DIGITS, HEIGHT_DIGITS = 5, 7  # of units, as they are described
FILLED = 1.2  # of the room for a bar: bars overlap by less than a pixel, or seams would show between them
MARK = 0.08  # the length of the marks on the axis, in units


class Histogram(Bars):
    """`counts` (one axis) as bars, `edges` (one more) marked below at both ends and in the middle, with their numbers.

    Histograms with one `scale` have one height for a count. Without numbers (`has_ticks`) where one axis names what
    stands below others. InputError where edges and counts do not fit.
    """

    described_as = "histogram"

    def __init__(self, counts: NamedTensor, edges: NamedTensor, *, size: tuple[float, float] = (4.0, 2.0),
                 scale: ColorScale | None = None, theme: Theme = DARK, has_ticks: bool = True) -> None:
        if edges.values.size != counts.values.size + 1:
            raise InputError(f"{counts.address} has {counts.values.size} bins and {edges.address} "
                             f"{edges.values.size} edges: give one edge more than bins")
        if edges.record != counts.record:
            raise InputError(f"{counts.address} is of the record {counts.record!r} and {edges.address} of "
                             f"{edges.record!r}: give counts and edges of one")
        super().__init__(counts, size=size, scale=scale, theme=theme, filled=FILLED, has_numbers=False)
        self.edges, count, whole = edges, counts.values.size, NumberFormat("trimmed", 1)
        self.made_wide = float(self.line.width)
        places = (0, count // 2, count) if count % 2 == 0 else (0, count)
        self.marks = [self._mark(place, theme) for place in places]
        self.ticks = [Number(edges.entry(**{edges.axes[0]: place}), whole, size=theme.label_size, color=theme.muted)
                      for place in (places if has_ticks else ())]
        for tick in self.ticks:
            x = self.x_of_edge(tick.entry.coords[edges.axes[0]])
            tick.next_to((x, self.line.get_center()[1], 0), manim.DOWN, buff=TICK_GAP)
        self.add(*self.marks, *self.ticks)
        own(self, [*self.marks, *self.ticks])

    def _mark(self, place: int, theme: Theme) -> manim.Line:
        x, y = self.x_of_edge(place), float(self.line.get_center()[1])
        return manim.Line((x, y, 0), (x, y - MARK, 0), color=theme.muted, stroke_width=self.line.stroke_width)

    def x_of_edge(self, place: int) -> float:
        """Where an edge of a bin stands now: bins are evenly wide on screen, as their edges are."""
        left, right = float(self.line.get_left()[0]), float(self.line.get_right()[0])
        return left + (right - left) * place / self.tensor.values.size

    def x_of(self, value: float) -> float:
        """Where a number lies on the axis as it stands now."""
        first, last = (float(edge) for edge in self.edges.values[[0, -1]])
        left, right = float(self.line.get_left()[0]), float(self.line.get_right()[0])
        return left + (right - left) * (value - first) / (last - first)

    def describe(self) -> dict[str, Any]:
        """What bars say, but in lists, as there are many; and the address of the edges."""
        said = super().describe()
        bars = said.pop("bars")
        colors = [bar["color"] for bar in bars]
        return {**said, "edges": self.edges.address, "colors": colors[:1] if len(set(colors)) == 1 else colors,
                "x": [round(bar["x"], X_DIGITS) for bar in bars],
                "heights": [round(bar["height"], HEIGHT_DIGITS) for bar in bars]}
