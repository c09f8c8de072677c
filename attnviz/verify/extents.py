"""Lines from one number to another on the axis of bars or of a histogram: held against the records, then measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.theme import Theme
from attnviz.trace.tensor import NamedTensor
from attnviz.verify.claims import Claim
from attnviz.verify.marks import OFF
from attnviz.verify.picture import Array
from attnviz.verify.report import Tally
from attnviz.verify.truth import Truth
from attnviz.verify.view import View

HAIR = 1e-4  # units: what rounding in the score may add
STROKE = 0.01  # units that one step of a stroke's width is
THICK = 6  # strokes: the line, as mobjects/extent.py draws it
AROUND = 6  # pixels that are looked at beyond either end
UNLIKE = 0.35  # of the way from a line's colour to what is around it, from which on a pixel is none of the line
ASIDE = 0.3  # of a bar's width: how far from its middle it is measured where a line stands there


def check(item: Claim, items: Sequence[Claim], truth: Truth, view: View, theme: Theme, tally: Tally) -> None:
    """Whether a line's ends are entries that belong to its host, stand where they lie on its axis, and are drawn."""
    host, tensor = _host(item, items), truth.tensor(item)
    place = None if item["place"].value is None else item["place"].whole()
    points = [item[end].numbers(2, -1000, 1000) for end in ("start", "end")]
    where = f"the line of {item['low']['address'].value}"
    for end, point in zip(("low", "high"), points, strict=True):
        value, sign = truth.value(item[end]), item[end]["sign"].number(-1, 1)
        entry = truth.tensor(item[end])
        if not _belongs(entry, tensor, place):
            tally.complain(f"the line at {item['address'].value}", f"it ends at {entry.address}",
                           "that is no number of what it stands on")
        at, wanted = point[place is not None], _on_axis(host, sign * value, place, truth)
        if abs(at - wanted) > HAIR:
            tally.complain(where, f"it ends at {at:.4g} in the score", f"{sign * value:.6g} lies at {wanted:.4g}")
    if item["color"].text() != theme.ink or item["stroke_width"].number(0, 100) != THICK:
        tally.complain(where, f"it is {item['color'].value}, {item['stroke_width'].value:g} strokes thick",
                       f"such lines are {theme.ink} and {THICK}")
    _look(item, points, place is not None, where, view, tally)


def aside(item: Claim, bar: Claim, items: Sequence[Claim]) -> float:
    """How far from a bar's middle it can be measured, in units: beside a line that stands over it."""
    mine = (item["record"].value, item["address"].value, bar["at"].value)
    over = (other for other in items if other["type"].value == "extent" and mine == (
        other["record"].value, other["address"].value, other["place"].value))
    return ASIDE * bar["width"].number(0, 1000) if any(over) else 0.0


def _host(item: Claim, items: Sequence[Claim]) -> Claim:
    wanted = (item["record"].value, item["address"].value)
    for other in items:
        if other["type"].value in ("bars", "histogram") and (other["record"].value, other["address"].value) == wanted:
            return other
    item["address"].refuse("bars or a histogram of the beat")


def _belongs(entry: NamedTensor, tensor: NamedTensor, place: int | None) -> bool:
    """Over a bar: of its stage, at its place. Below a histogram: computed from what that counts, where it does."""
    if entry.record != tensor.record:
        return False
    if place is not None:
        return entry.stage == tensor.stage and entry.at.get(tensor.axes[0]) == place
    alike = all(tensor.at.get(axis) == at for axis, at in entry.at.items())
    return alike and set(entry.stage.inputs) <= set(tensor.stage.inputs)


def _on_axis(host: Claim, value: float, place: int | None, truth: Truth) -> float:
    if place is not None:
        return host["zero"].number(-1000, 1000) + value * host["unit"].number(1e-9, 1e9)
    xs = host["x"].numbers(None, -1000, 1000)
    edges = truth.tensor(Claim({"record": host["record"].value, "address": host["edges"].value}, host.place)).values
    middles = (edges[1:] + edges[:-1]) / 2
    if len(xs) != len(middles) or len(xs) < 2:
        host["x"].refuse(f"the places of {len(middles)} bars")
    return float(xs[0] + (xs[-1] - xs[0]) * (value - middles[0]) / (middles[-1] - middles[0]))


def _look(item: Claim, points: Sequence[tuple[float, ...]], is_upright: bool, where: str, view: View,
          tally: Tally) -> None:
    """Measure along the line's middle from where to where there is its colour."""
    ends = sorted(view.y(y) if is_upright else view.x(x) for x, y in points)
    across = view.x(points[0][0]) if is_upright else view.y(points[0][1])
    first, last = int(ends[0]) - AROUND, int(ends[1]) + AROUND + 1
    middle = int(across)
    box = (middle, first, middle + 1, last) if is_upright else (first, middle, last, middle + 1)
    if view.picture.inside(box) != box or THICK * STROKE * view.unit < 2:
        tally.skipped["lines outside of the picture, or too thin"] += 1
        return
    if ends[1] - ends[0] < 2 * OFF:
        tally.skipped["lines too short to measure"] += 1
        return
    seen = _covered(view.picture.crop(box).reshape(-1, 3), np.array(item["color"].color(), np.float64))
    found = (first + seen[0], first + seen[1]) if seen else (0.0, 0.0)
    if max(abs(one - other) for one, other in zip(found, ends, strict=True)) > OFF + 0.5:
        tally.is_wrong(where, f"the film's line reaches from {found[0]:.1f} to {found[1]:.1f} px",
                       f"the score says {ends[0]:.1f} to {ends[1]:.1f} px")
    else:
        tally.colour += 1


def _covered(strip: Array, color: Array) -> tuple[float, float] | None:
    """Where a colour begins and ends in a strip of pixels, whose first and last are of what lies around it."""
    ground = np.stack([strip[0], strip[-1]])
    far = np.abs(ground - color).max(axis=-1).min()
    like = np.abs(strip - color).max(axis=-1) < UNLIKE * max(far, 1.0)
    places = np.flatnonzero(like)
    return (float(places[0]), float(places[-1]) + 1) if len(places) else None
