"""Lines from one number to another on the axis of bars or of a histogram: ends, places, colour, and whose they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.extent import BELOW, STROKE, End, Extent, beside_bar, spread_of
from attnviz.mobjects.histogram import Histogram

OFF = 0.01  # units that an end may lie beside its number


def complaints(view: View) -> Iterator[str]:
    """What is false about extents; at rest, as they move with what they stand on."""
    for thing in view.things:
        if isinstance(thing.mobject, Extent):
            hosts = [one for one in thing.kin if isinstance(one, Bars)]
            yield from _extent(view, thing.mobject, hosts[-1] if hosts else None)


def _extent(view: View, extent: Extent, host: Bars | None) -> Iterator[str]:
    where = f"the line from {_said(extent.low)} to {_said(extent.high)}"
    if host is None:
        yield f"{where} stands on no axis"
        return
    for end, point in ((extent.low, extent.points[0]), (extent.high, extent.points[-1])):
        value = view.value(end.entry)
        if value is None or value != end.entry.value:
            yield f"{end.entry.address} of {end.entry.record!r} is in no record with the value {end.entry.value:g}"
        elif not _belongs(extent, host, end):
            yield f"{where} stands on {host.tensor.address}, whose numbers those are not"
        elif np.abs(point[:2] - _place(extent, host, end)).max() > OFF:
            yield f"{where} on {host.tensor.address} ends beside {_said(end)} = {end.value:.6g}"
    if np.ptp(extent.points[:, 0 if extent.place is not None else 1]) > OFF:
        yield f"{where} is bent or aslant"
    if str(extent.get_stroke_color()).lower() != view.theme.ink or extent.get_stroke_width() != STROKE:
        yield f"{where} has another colour or thickness than such lines have"


def _belongs(extent: Extent, host: Bars, end: End) -> bool:
    if extent.place is not None:
        return beside_bar(host, extent.place, end.entry)
    return isinstance(host, Histogram) and spread_of(host, end.entry)


def _place(extent: Extent, host: Bars, end: End) -> np.ndarray:
    """Where an end lies on its axis."""
    if extent.place is None:
        assert isinstance(host, Histogram)
        return np.array([host.x_of(end.value), host.zero - BELOW * _grown(host)])
    bar = host.bars[extent.place]
    return np.array([np.inf if bar is None else float(bar.get_center()[0]), host.zero + end.value * host.unit])


def _grown(host: Histogram) -> float:
    """How many times as large as when made a histogram stands now: its axis is that much longer."""
    return float(host.line.width) / host.made_wide


def _said(end: End) -> str:
    return f"{'−' if end.sign < 0 else ''}{end.entry.address}"
