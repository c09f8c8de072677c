"""Lines from one number to another on an axis that is drawn: a standard deviation to both sides, quartiles of bars.

An extent stands in the bars or the histogram whose axis it is measured on, and its ends are entries of their record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import manim

from attnviz.errors import InputError
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.histogram import Histogram
from attnviz.text.owner import own
from attnviz.theme import Theme
from attnviz.trace import Entry

STROKE = 6  # of the line
BELOW = 0.1  # from the axis of a histogram to its line, in units


@dataclass(frozen=True)
class End:
    """Where a line ends: at an entry's value, or at minus that."""

    entry: Entry
    sign: Literal[1, -1] = 1

    def __deepcopy__(self, memo: object) -> End:
        return self  # nothing in it ever changes

    @property
    def value(self) -> float:
        """The number on the axis."""
        return self.sign * self.entry.value

    def described(self) -> dict[str, Any]:
        """Record, address and sign, as plain JSON values."""
        return {"record": self.entry.record, "address": self.entry.address, "sign": self.sign}


class Extent(manim.Line):
    """A line from `low` to `high` on the axis of `host`: along y over the bar at `place`, along x below a histogram."""

    def __init__(self, host: Bars, low: End, high: End, place: int | None, theme: Theme) -> None:
        self.host_address, self.record, self.low, self.high, self.place = (
            host.tensor.address, host.tensor.record, low, high, place)
        start, end = (_point(host, one.value, place) for one in (low, high))
        super().__init__(start, end, color=theme.ink, stroke_width=STROKE)
        host.add(self)
        own(host, [self])

    def describe(self) -> dict[str, Any]:
        """Whose axis it stands on, its ends, and where they are, as plain JSON values."""
        start, end = ([float(at) for at in point[:2]] for point in (self.points[0], self.points[-1]))
        return {"type": "extent", "record": self.record, "address": self.host_address, "place": self.place,
                "low": self.low.described(), "high": self.high.described(), "start": start, "end": end,
                "stroke_width": float(self.get_stroke_width()), "color": str(self.get_stroke_color()).lower()}


def deviation(histogram: Histogram, std: Entry, theme: Theme) -> Extent:
    """One standard deviation to both sides of zero, below the axis; InputError if it is of other numbers."""
    if not spread_of(histogram, std):
        raise InputError(f"{std.address} is not the spread of {histogram.tensor.address}: give the one of its record, "
                         "computed from what it counts, at the same coordinates")
    return Extent(histogram, End(std, -1), End(std), None, theme)


def whisker(bars: Bars, place: int, low: Entry, high: Entry, theme: Theme) -> Extent:
    """From one entry to another of the bars' stage, over the bar at `place`; InputError if they are not of that bar."""
    for entry in (low, high):
        if not beside_bar(bars, place, entry):
            raise InputError(f"{entry.address} does not belong over the bar {place} of {bars.tensor.address}")
    return Extent(bars, End(low), End(high), place, theme)


def spread_of(histogram: Histogram, std: Entry) -> bool:
    """Whether an entry is computed from what the histogram counts, at the coordinates where it does."""
    tensor = histogram.tensor
    alike = all(tensor.at.get(axis) == at for axis, at in std.coords.items())
    return alike and std.record == tensor.record and set(std.stage.inputs) <= set(tensor.stage.inputs)


def beside_bar(bars: Bars, place: int, entry: Entry) -> bool:
    """Whether an entry is of the bars' stage, and differs from that of a bar in what was selected away alone."""
    tensor = bars.tensor
    return (entry.record, entry.stage, entry.coords.get(tensor.axes[0])) == (tensor.record, tensor.stage, place)


def _point(host: Bars, value: float, place: int | None) -> tuple[float, float, float]:
    if place is None:
        if not isinstance(host, Histogram):
            raise InputError(f"{host.tensor.address} has no numbers along x: say over which bar the line stands")
        return (host.x_of(value), host.zero - BELOW, 0.0)
    bar = host.bars[place]
    if bar is None:
        raise InputError(f"{host.tensor.address} has no bar at {place}: minus infinity has no height")
    return (float(bar.get_center()[0]), host.zero + value * host.unit, 0.0)
