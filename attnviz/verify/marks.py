"""What a picture shows beside grids: numbers, lines as thick as a weight, bars as high as a number, colour bars.

Extents are measured along one line of pixels, with the pixels at their ends counted by how far they are covered. What
the score claims of these things is held against the records in `items`.
"""

from __future__ import annotations

import math

import numpy as np

from attnviz.colors import ColorScale, rgb
from attnviz.theme import Theme
from attnviz.verify.cells import ROUGH
from attnviz.verify.claims import Claim
from attnviz.verify.digits import TRIED, is_due
from attnviz.verify.glyphs import CAP_HEIGHT, DESCENT, LINE, width_of
from attnviz.verify.grids import HIDDEN
from attnviz.verify.picture import Array, luma_of
from attnviz.verify.reading import Place, Reading, read, stray
from attnviz.verify.report import Tally
from attnviz.verify.view import View

OFF = 1.5  # pixels that a height or a thickness may be off
STROKE = 0.01  # units that one step of a stroke's width is
LINE_STROKE = 2  # of the zero line of bars
FAINT, RISE = 0.05, 0.12  # shares of a line's colour: that of none, and by how much a neighbour's is more
SAMPLES = 16  # places at which a colour bar is looked at
BLED = 4  # pixels at both ends of a colour bar that are not looked at: a film's colours run over an edge
SMALL, TINY = "numbers under 10 px that cannot be told", "numbers under 7 px"


def look_at_number(item: Claim, view: View, theme: Theme, entry: str, tally: Tally) -> None:
    """Read a number outside of grids."""
    text, opacity = item["text"].text(), item["opacity"].number(0, 1)
    em = item["em"].number(0, 1000) * view.unit
    if opacity < HIDDEN:
        return
    tally.due += 1
    if CAP_HEIGHT * em < TRIED:
        tally.missed += 1
        tally.skipped[TINY] += 1
        return
    reading = _number(item, text, opacity, view, em)
    tally.missed += reading.status == "unread"
    if reading.status == "wrong":
        tally.is_wrong(entry, f"the film shows {reading.seen}", f"the score says {text}")
    elif reading.status == "read":
        tally.digits += 1
    elif is_due(em):
        tally.is_unread(entry, text)
    else:
        tally.skipped[SMALL] += 1


def look_at_literal(item: Claim, view: View, tally: Tally) -> None:
    """Read a number that is bound to nothing: only one that is surely another counts, and then as a complaint."""
    text, opacity = item["text"].text(), item["opacity"].number(0, 1)
    em = item["em"].number(0, 1000) * view.unit
    if opacity < HIDDEN or not is_due(em):
        return
    reading = _number(item, text, opacity, view, em)
    if reading.status == "wrong":
        reason = item["reason"].text()
        tally.complain(f"“{text}” ({reason:.60})", f"the film shows {reading.seen}", "the score has that")


def _number(item: Claim, text: str, opacity: float, view: View, em: float) -> Reading:
    (x, y), height = item["center"].numbers(2, -1000, 1000), item["height"].number(0, 1000)
    bottom = view.y(y - height / 2)
    place = Place(view.x(x) - width_of(text) * em / 2, bottom - DESCENT * em * height * view.unit / (LINE * em), em)
    box = view.picture.inside(place.box(text))
    if box != place.box(text):
        return Reading("unread", "?" * len(text))
    ground = float(np.median(view.picture.luma[box[1]:box[3], box[0]:box[2]]))
    contrast = (luma_of(np.array(item["color"].color(), np.float64)) - ground) * opacity
    reading = read(view.picture.luma, text, place, contrast)
    if reading.status == "read" and (beside := stray(view.picture.luma, text, place, contrast)):
        return Reading("wrong", beside)
    return reading


def look_at_strand(item: Claim, view: View, theme: Theme, entry: str, tally: Tally) -> None:
    """Measure how thick a line is across its middle."""
    points = np.array([point.numbers(2, -1000, 1000) for point in item["points"].parts(4)])
    pixels = np.stack([[view.x(x), view.y(y)] for x, y in points])
    middle, along = pixels.T @ (1, 3, 3, 1) / 8, pixels.T @ (-1, -1, 1, 1)
    wanted = item["stroke_width"].number(0, 1000) * STROKE * view.unit
    seen = _thickness(view, middle, along, wanted, np.array(item["color"].color(), np.float64), theme)
    if seen is None:
        tally.skipped["lines outside of the picture"] += 1
    elif abs(seen - wanted) > OFF:
        tally.is_wrong(entry, f"the film's line is {seen:.1f} px thick", f"the score says {wanted:.1f} px")
    else:
        tally.colour += 1


def _thickness(view: View, middle: Array, along: Array, wanted: float, color: Array, theme: Theme) -> float | None:
    """The covered length across a line, in pixels: what is neither background nor the plain line under it."""
    length = float(np.hypot(*along))
    across = np.array([-along[1], along[0]]) / length if length > 1e-6 else np.array([1.0, 0.0])
    reach, step = wanted / 2 + 6, 0.25
    at = middle + np.arange(-reach, reach + step, step)[:, None] * across
    left, top = np.floor(at.min(axis=0)).astype(int) - 1
    right, bottom = np.ceil(at.max(axis=0)).astype(int) + 2
    if view.picture.inside((left, top, right, bottom)) != (left, top, right, bottom):
        return None
    seen = _sampled(view.picture.crop((left, top, right, bottom)), at - (left, top))
    ground = np.array(rgb(theme.background), np.float64)
    mixed = np.stack([color - ground, np.array(rgb(theme.muted), np.float64) - ground], axis=1)
    shares = np.clip(np.linalg.lstsq(mixed, (seen - ground).T, rcond=None)[0][0], 0, 1.2)
    middle_at, core = len(shares) // 2, int(max(wanted / 2 - 1, 0) / step)
    left_side, right_side = shares[:middle_at - core][::-1], shares[middle_at + core + 1:]
    own = shares[middle_at - core:middle_at + core + 1].sum() + _slope_down(left_side) + _slope_down(right_side)
    return float(own * step)


def _slope_down(side: Array) -> float:
    """The sum of the shares from a line's core outwards, up to where nothing is left or its neighbour begins."""
    total, lowest = 0.0, 1.2
    for share in side.tolist():
        if share < FAINT or share > lowest + RISE:
            break
        total, lowest = total + share, min(lowest, share)
    return total


def _sampled(pixels: Array, at: Array) -> Array:
    """Colours between pixels, whose centres lie at halves."""
    x, y = at[:, 0] - 0.5, at[:, 1] - 0.5
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    right, down = (x - left)[:, None], (y - top)[:, None]
    upper = pixels[top, left] * (1 - right) + pixels[top, left + 1] * right
    lower = pixels[top + 1, left] * (1 - right) + pixels[top + 1, left + 1] * right
    return np.asarray(upper * (1 - down) + lower * down)


def look_at_bar(
    item: Claim, bar: Claim, view: View, theme: Theme, entry: str, tally: Tally, aside: float = 0.0
) -> None:
    """Measure how high a bar is on its middle column, or so many units beside it, and its colour."""
    zero, height = view.y(item["zero"].number(-1000, 1000)), bar["height"].number(-1000, 1000) * view.unit
    middle = view.x(bar["x"].number(-1000, 1000) + aside)
    color = np.array(bar["color"].color(), np.float64)
    measured = _height(view, middle, zero, height, color, theme)
    if measured is None:
        tally.skipped["bars outside of the picture"] += 1
        return
    seen, shade = measured
    if abs(seen - abs(height)) > OFF:
        tally.is_wrong(entry, f"the film's bar is {seen:.1f} px high", f"the score says {abs(height):.1f} px")
    elif shade is not None and np.abs(shade - color).max() > (room := max(view.levels, 8)):
        tally.is_wrong(entry, "the film's bar has another colour", f"the score says {bar['color'].value} (± {room:g})")
    else:
        tally.colour += 1
        tally.tolerance = max(tally.tolerance, OFF / max(item["unit"].number(1e-9, 1e9) * view.unit, 1e-9))
        tally.levels = max(tally.levels, float(np.abs(shade - color).max()) if shade is not None else 0.0)


def _height(
    view: View, middle: float, zero: float, height: float, color: Array, theme: Theme
) -> tuple[float, Array | None] | None:
    """How far a bar reaches from its zero line in pixels, and the colour of its inside where that can be told."""
    sign, column = (-1 if height >= 0 else 1), math.floor(middle)  # a positive bar grows to the top of the picture
    far = zero + sign * (abs(height) + 4 * OFF)
    top, bottom = math.floor(min(zero, far)), math.ceil(max(zero, far))
    box = (column - 1, top, column + 2, bottom)
    if view.picture.inside(box) != box:
        return None
    line, ground = np.median(view.picture.crop(box), axis=1), np.array(rgb(theme.background), np.float64)
    share = np.clip((line - ground) @ (color - ground) / max(float(np.square(color - ground).sum()), 1e-9), 0, 1)
    away = (np.arange(top, bottom) + 0.5 - zero) * sign
    half = LINE_STROKE * STROKE * view.unit / 2  # the zero line lies over the bar's foot
    order = np.argsort(away)
    beyond = _reach(share[order][away[order] >= half + 0.5])
    first = float(away[away >= 0].min())
    covered = math.ceil(half + 0.5 - first) + first - 0.5
    seen = covered + beyond if beyond > 0.2 else min(abs(height), covered)
    inside = (away > half + 1) & (away < abs(height) - 1.5)
    return seen, np.median(line[inside], axis=0) if inside.sum() >= 3 else None


def _reach(share: Array) -> float:
    """The length from the start on that is covered: whole pixels, and the share of the one where it ends."""
    covered = 0.0
    for part in share.tolist():
        covered += min(float(part) / 0.95, 1.0)
        if part < 0.5:
            return covered
    return covered


def look_at_color_bar(item: Claim, scale: ColorScale, view: View, theme: Theme, tally: Tally) -> None:
    """Compare the strip's colours with those of the rebuilt scale, from left to right."""
    (x, y), (width, height) = item["origin"].numbers(2, -1000, 1000), item["size"].numbers(2, 1e-6, 1000)
    left, top = math.ceil(view.x(x) - 0.5), math.ceil(view.y(y) - 0.5)
    wide, high = max(1, round(width * view.unit)), max(1, round(height * view.unit))
    rim = min(2, max((high - 1) // 2, 0))
    box = (left, top + rim, left + wide, top + high - rim)
    if view.picture.inside(box) != box:
        tally.complain(f"the colour bar of {scale.stage}", "it lies outside of the picture", "it should be seen")
        return
    strip, last = np.median(view.picture.crop(box), axis=0), len(scale.table) - 1
    places = np.unique(np.linspace(min(BLED, wide - 1), max(wide - 1 - BLED, 0), SAMPLES).astype(int))
    wanted = np.array([rgb(scale.table[round(last * place / max(wide - 1, 1))]) for place in places], np.float64)
    off = np.abs(strip[places] - wanted).max(axis=1)
    if off.max() > (room := max(view.levels, ROUGH / 2)):
        place = int(places[off.argmax()])
        value = scale.low + (scale.high - scale.low) * place / max(wide - 1, 1)
        tally.complain(f"the colour bar of {scale.stage}", f"its colour at {value:.3g} is {off.max():.0f} levels off",
                       f"it runs from {scale.low:g} to {scale.high:g} (± {room:g} levels)")
