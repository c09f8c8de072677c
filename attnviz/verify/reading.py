"""Reading a number in a picture: each character against what it should be, and against all that it might be.

Normalised correlation with the glyphs of the bundled font, at the place that the layout gives. A character that no
other comes near is read; one that another fits better, or that is not there, is wrong; all else is unread. Luma only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attnviz.verify.glyphs import ABOVE, ALIKE, BELOW, Coverage, advance, characters_for, stamp, width_of

Array = NDArray[np.float64]
SURE, MARGIN = 0.85, 0.08  # what a character that is read must reach, and by how much it must beat any other
ABSENT = 0.6  # below it a character is not there
ALIGNED = 0.97  # of a whole number at its place: no better place is looked for
REACH = 1.5  # pixels that a number may be off its place
STRAY = 0.85  # what a digit must reach that stands where none should
FAINTEST = 14.0  # levels of luma between ink and ground that can be read
REACHED = 0.5  # of the contrast that the score states at least


@dataclass(frozen=True)
class Reading:
    """`status` is read, unread or wrong; `seen` is what the characters look like, `?` for what cannot be told."""

    status: str
    seen: str


@dataclass(frozen=True)
class Place:
    """Where a number's pen starts, x and baseline in pixels of the picture, and its em in pixels."""

    x: float
    y: float
    em: float

    def box(self, text: str) -> tuple[int, int, int, int]:
        """The pixels that the number may touch."""
        room = REACH + 1
        right = math.ceil(self.x + width_of(text) * self.em + room)
        return (math.floor(self.x - room), math.floor(self.y - ABOVE * self.em - room), right,
                math.ceil(self.y + BELOW * self.em + room))


def read(luma: Array, text: str, place: Place, contrast: float) -> Reading:
    """Read `text` at its place; `contrast` is the luma of full ink less that of its ground, with its sign."""
    left, top, right, bottom = place.box(text)
    if left < 0 or top < 0 or bottom > luma.shape[0] or right > luma.shape[1]:
        return Reading("unread", "?" * len(text))
    if not text or abs(contrast) < FAINTEST or any(character not in characters_for(text) for character in text):
        return Reading("unread", "?" * len(text))
    seen = luma[top:bottom, left:right] * math.copysign(1.0, contrast)
    line = _aligned(seen, text, Place(place.x - left, place.y - top, round(place.em, 2)))
    slots = [_slot(seen, line, number, abs(contrast)) for number in range(len(text))]
    statuses = {status for status, _ in slots}
    status = next(status for status in ("wrong", "unread", "read") if status in statuses)
    return Reading(status, "".join(character for _, character in slots))


@dataclass(frozen=True, eq=False)
class Line:
    """A number as it should look, with the pen's place before each character."""

    text: str
    place: Place
    pens: tuple[float, ...]
    coverage: Coverage


@lru_cache(maxsize=8192)
def _line(text: str, x: float, y: float, em: float, shape: tuple[int, int]) -> Line:
    pens, coverage = [x], np.zeros(shape)
    for character in text:
        stamp(coverage, character, em, pens[-1], y)
        pens.append(pens[-1] + advance(character) * em)
    return Line(text, Place(x, y, em), tuple(pens), coverage)


def _aligned(seen: Array, text: str, place: Place) -> Line:
    """The number where it fits best, near its place."""
    shape = (seen.shape[0], seen.shape[1])

    def at(right: float, down: float) -> Line:
        return _line(text, round((place.x + right) * 8) / 8, round((place.y + down) * 8) / 8, place.em, shape)

    best = at(0.0, 0.0)
    if correlation(seen, best.coverage) >= ALIGNED:
        return best
    steps = np.arange(-REACH, REACH + 0.1, 0.5)
    coarse = max((at(x, y) for x in steps for y in steps), key=lambda line: correlation(seen, line.coverage))
    off = coarse.place.x - place.x, coarse.place.y - place.y
    fine = (at(off[0] + x, off[1] + y) for x in (-0.25, 0, 0.25) for y in (-0.25, 0, 0.25))
    return max((best, coarse, *fine), key=lambda line: correlation(seen, line.coverage))


def _slot(seen: Array, line: Line, number: int, contrast: float) -> tuple[str, str]:
    """What is to be said of one character, and what it looks like."""
    wanted, choices, known = line.text[number], _choices(line, number), characters_for(line.text)
    part = seen[choices.part].ravel()
    centred = part - part.mean()
    size = math.sqrt(float(centred @ centred))
    fits = dict(zip(known, (choices.patterns @ centred / max(size, 1e-9)).tolist(), strict=True))
    best = max((c for c in fits if c not in (wanted, ALIKE.get(wanted))), key=lambda c: fits[c])
    expected = choices.patterns[known.index(wanted)]
    reached = float(expected @ centred) / max(choices.sizes[known.index(wanted)], 1e-9)
    return _judged(wanted, fits[wanted], best, fits[best], reached / contrast)


@dataclass(frozen=True, eq=False)
class Choices:
    """What a part of a number would look like with each character in a slot: patterns of length 1 around their mean."""

    part: tuple[slice, slice]
    patterns: Array
    sizes: list[float]


@lru_cache(maxsize=1024)
def _choices(line: Line, number: int) -> Choices:
    em, pen, y = line.place.em, line.pens[number], line.place.y
    columns = slice(max(math.floor(pen - 0.5), 0), math.ceil(line.pens[number + 1] + 0.5))
    rows = slice(max(math.floor(y - ABOVE * em), 0), math.ceil(y + BELOW * em))
    others, patterns = np.zeros(line.coverage.shape), []
    for place in (number - 1, number + 1):
        if 0 <= place < len(line.text):
            stamp(others, line.text[place], em, line.pens[place], y)
    for character in characters_for(line.text):
        whole = others.copy()
        stamp(whole, character, em, pen, y)
        flat = whole[rows, columns].ravel()
        patterns.append(flat - flat.mean())
    sizes = [math.sqrt(float(pattern @ pattern)) for pattern in patterns]
    return Choices((rows, columns), np.stack(patterns) / np.maximum(sizes, 1e-9)[:, None], sizes)


def _judged(wanted: str, fit: float, other: str, other_fit: float, reached: float) -> tuple[str, str]:
    if fit < ABSENT or reached < REACHED / 2:
        return "wrong", other if other_fit > SURE else "?"
    if other_fit >= fit + MARGIN and other_fit >= SURE:
        return "wrong", other
    if fit >= SURE and fit >= other_fit + MARGIN and reached >= REACHED:
        return "read", wanted
    return "unread", "?"


def stray(luma: Array, text: str, place: Place, contrast: float) -> str:
    """The number with the digit that stands right before or behind it, where one does; else an empty string."""
    start, end = place.x - advance("0") * place.em, place.x + width_of(text) * place.em
    for x, words in ((start, "{}" + text), (end, text + "{}")):
        found = _digit_at(luma, Place(x, place.y, place.em), contrast)
        if found:
            return words.format(found)
    return ""


def _digit_at(luma: Array, place: Place, contrast: float) -> str:
    """The digit that stands at a place, if one does: only as wide a part is looked at as a digit takes."""
    left, right = math.floor(place.x), math.ceil(place.x + advance("0") * place.em)
    top, bottom = math.floor(place.y - ABOVE * place.em), math.ceil(place.y + BELOW * place.em)
    if left < 0 or top < 0 or bottom > luma.shape[0] or right > luma.shape[1]:
        return ""
    seen, shape = luma[top:bottom, left:right] * math.copysign(1.0, contrast), (bottom - top, right - left)
    for digit in "0123456789":
        line = _line(digit, round((place.x - left) * 8) / 8, round((place.y - top) * 8) / 8, round(place.em, 2), shape)
        is_like = correlation(seen, line.coverage) > STRAY
        if is_like and strength(seen, line.coverage) > REACHED * abs(contrast):
            return digit
    return ""


def correlation(one: Array, other: Array) -> float:
    """Normalised correlation, -1 to 1; 0 where one of them is all alike."""
    a, b = one - one.mean(), other - other.mean()
    size = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return float((a * b).sum()) / size if size > 1e-9 else 0.0


def strength(part: Array, coverage: Coverage) -> float:
    """By how much the picture changes where the coverage goes from none to all (least squares)."""
    centred = coverage - coverage.mean()
    power = float((centred * centred).sum())
    return float((centred * part).sum()) / power if power > 1e-9 else 0.0
