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
from attnviz.onscreen import Box, box_of
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
    boxes = [None if bar is None else box_of([bar]) for bar in bars.bars]
    widths = [box.width for box in boxes if box is not None]
    if max(widths, default=0.0) - min(widths, default=0.0) > UNEQUAL:
        yield f"{bars.tensor.address}: its bars are not equally wide"
    for place, (bar, box, value) in enumerate(zip(bars.bars, boxes, map(float, whole), strict=True)):
        if (bar is None) != (value == -math.inf):
            drawn = "no bar" if bar is None else "a bar"
            yield f"{_address(bars, place)} is {value:.6g}, but {drawn} is drawn for it"
        elif box is not None:
            false = _bar(bar, box, value, zero, unit, scale.table)
            yield from (f"the bar of {_address(bars, place)} {what}" for what in false)
    xs = [box.center[0] for box in boxes if box is not None]
    if xs != sorted(xs):
        yield f"the bars of {bars.tensor.address} do not stand in the order of {bars.tensor.axes[0]}"
    yield from _numbers(bars)
    if isinstance(bars, Histogram):
        yield from _edges(view, bars)


def _address(bars: Bars, place: int) -> str:
    return bars.tensor.entry(**{bars.tensor.axes[0]: place}).address


def _bar(bar: Any, box: Box, value: float, zero: float, unit: float, table: Sequence[str]) -> Iterator[str]:
    """What is false about a bar, as a verb that follows on its name."""
    edges = sorted((zero, zero + value * unit))
    slack = OFF * unit * (abs(value) + 1)
    if abs(box.bottom - edges[0]) > slack or abs(box.top - edges[1]) > slack:
        below, above = box.bottom - zero, box.top - zero
        drawn = (below if abs(below) > abs(above) else above) / unit
        yield f"reaches {drawn:.4g}, the record says {value:.6g}"
    elif bar.stroke_width > 0 and float(np.max(bar.stroke_rgbas[:, 3])) > 0:
        yield "has a line around it, which makes it longer"
    elif str(bar.get_fill_color()).lower() != table[-1]:
        yield "has another colour than its stage's"


def _numbers(bars: Bars) -> Iterator[str]:
    """Each bar's number is that of its own entry, and stands over it."""
    for place, number in enumerate(bars.numbers):
        address, bar = _address(bars, place), bars.bars[place]
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
    axis = box_of([histogram.line])
    pitch = axis.width / max(histogram.tensor.values.size, 1)
    for place, bar in enumerate(histogram.bars):
        middle = axis.left + (place + 0.5) * pitch
        if bar is not None and abs(box_of([bar]).center[0] - middle) > 0.1 * pitch:
            yield f"the bar of {_address(histogram, place)} is not in its place"
    for tick in histogram.ticks:
        x = histogram.x_of_edge(tick.entry.coords[edges.axes[0]])
        if abs(float(tick.get_center()[0]) - x) > 0.5 * pitch:
            yield f"{tick.entry.address} is not written where it lies on the axis"
