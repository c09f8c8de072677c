"""Lengths that stand for numbers: bars, the bins of a histogram, and lines as thick as a weight."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import manim
import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.asking import THICKEST, THINNEST, Strand
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.histogram import Histogram
from attnviz.theme import scale_for

OFF = 0.004  # of the whole height, or of the thickest line
UNEQUAL = 1e-3  # units that widths of bars may differ by


def complaints(view: View) -> Iterator[str]:
    """What is false about lengths; at rest, as bars grow and lines come in plays."""
    for bars in view.all_of(Bars):
        yield from _bars(view, bars)
    for strand in view.lone(Strand):
        yield from _strand(view, strand)


def stepping(view: View) -> Iterator[str]:
    """What is false about bars that a play takes along the steps of a sweep: each moment is one of them."""
    for bars in view.all_of(Bars):
        if id(bars) in view.stepping:
            yield from _bars(view, bars)


def _strand(view: View, strand: Strand) -> Iterator[str]:
    value = view.value(strand.entry)
    if value is None or value != strand.entry.value:
        yield f"{strand.entry.address} of {strand.entry.record!r} is in no record with the value {strand.entry.value:g}"
        return
    drawn, wanted = float(strand.get_stroke_width()), THINNEST + (THICKEST - THINNEST) * value
    if abs(drawn - wanted) > OFF * THICKEST:
        yield f"the line of {strand.entry.address} is {drawn:.2f} thick, its value {value:.6g} has {wanted:.2f}"


def _bars(view: View, bars: Bars) -> Iterator[str]:
    whole = view.recorded(bars.tensor)
    if whole is None or not np.array_equal(whole, bars.tensor.values, equal_nan=True):
        yield f"{bars.tensor.address} of {bars.tensor.record!r} holds other numbers than the records"
        return
    scale, zero, unit = bars.scale_used, bars.zero, bars.unit
    if scale != scale_for(bars.tensor.name, scale.low, scale.high, view.theme):
        yield f"{bars.tensor.address}: its colour scale is not that of {bars.tensor.name}"
    if abs(float(bars.line.get_center()[1]) - zero) > OFF * unit * (scale.high - scale.low):
        yield f"the zero line of {bars.tensor.address} does not stand at 0"
    parts = {id(part) for part in bars.submobjects}
    strangers = [part for part in bars.submobjects if isinstance(part, manim.Rectangle)
                 and not isinstance(part, manim.SurroundingRectangle) and part not in bars.bars]
    if strangers or any(id(bar) not in parts for bar in bars.bars if bar is not None):
        yield f"{bars.tensor.address}: a bar was exchanged for another shape"
    widths = [float(bar.width) for bar in bars.bars if bar is not None]
    if max(widths, default=0.0) - min(widths, default=0.0) > UNEQUAL:
        yield f"{bars.tensor.address}: its bars are not equally wide"
    xs = []
    for place, (bar, value) in enumerate(zip(bars.bars, map(float, whole), strict=True)):
        address = bars.tensor.entry(**{bars.tensor.axes[0]: place}).address
        yield from _bar(bar, value, address, zero, unit, scale.table)
        xs += [float(bar.get_center()[0])] if bar is not None else []
    if xs != sorted(xs):
        yield f"the bars of {bars.tensor.address} do not stand in the order of {bars.tensor.axes[0]}"
    yield from _numbers(bars)
    if isinstance(bars, Histogram):
        yield from _edges(view, bars)


def _bar(bar: Any, value: float, address: str, zero: float, unit: float, table: Sequence[str]) -> Iterator[str]:
    if value == -math.inf or bar is None:
        if (bar is None) != (value == -math.inf):
            yield f"{address} is {value:.6g}, but {'no bar' if bar is None else 'a bar'} is drawn for it"
        return
    low, high = float(bar.get_bottom()[1]), float(bar.get_top()[1])
    edges = sorted((zero, zero + value * unit))
    slack = OFF * unit * (abs(value) + 1)
    if abs(low - edges[0]) > slack or abs(high - edges[1]) > slack:
        drawn = ((low - zero) if abs(low - zero) > abs(high - zero) else (high - zero)) / unit
        yield f"the bar of {address} reaches {drawn:.4g}, the record says {value:.6g}"
    elif bar.stroke_width > 0 and float(np.max(bar.stroke_rgbas[:, 3])) > 0:
        yield f"the bar of {address} has a line around it, which makes it longer"
    elif str(bar.get_fill_color()).lower() != table[0 if value < 0 else -1]:
        yield f"the bar of {address} has the colour of {'positive' if value < 0 else 'negative'} numbers or of none"


def _numbers(bars: Bars) -> Iterator[str]:
    """Each bar's number is that of its own entry, and stands over it."""
    for place, number in enumerate(bars.numbers):
        address = bars.tensor.entry(**{bars.tensor.axes[0]: place}).address
        bar = bars.bars[place]
        if (number.entry.record, number.entry.address) != (bars.tensor.record, address):
            yield f"the bar of {address} has the number of {number.entry.address}"
        elif bar is not None and abs(number.get_center()[0] - bar.get_center()[0]) > 0.6 * bar.width:
            yield f"the number of {address} does not stand at its bar"


def _edges(view: View, histogram: Histogram) -> Iterator[str]:
    """The edges are recorded, evenly apart as they are drawn, and named where they stand."""
    edges = histogram.edges
    whole = view.recorded(edges)
    if whole is None or not np.array_equal(whole, edges.values):
        yield f"{edges.address} of {edges.record!r} holds other numbers than the records"
        return
    steps = np.diff(np.asarray(whole, dtype=float))
    if steps.size and np.ptp(steps) > 1e-6 * np.abs(whole).max():
        yield f"{edges.address} are not evenly apart, but drawn so"
    pitch = float(histogram.line.width) / max(histogram.tensor.values.size, 1)
    for place, bar in enumerate(histogram.bars):
        middle = (histogram.x_of_edge(place) + histogram.x_of_edge(place + 1)) / 2
        if bar is not None and abs(float(bar.get_center()[0]) - middle) > 0.1 * pitch:
            address = histogram.tensor.entry(**{histogram.tensor.axes[0]: place}).address
            yield f"the bar of {address} is not in its place"
    for tick in histogram.ticks:
        x = histogram.x_of_edge(tick.entry.coords[edges.axes[0]])
        if abs(float(tick.get_center()[0]) - x) > 0.5 * pitch:
            yield f"{tick.entry.address} is not written where it lies on the axis"
