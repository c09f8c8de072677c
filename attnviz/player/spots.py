"""Where in a picture each number stands: read from the score of a finished render, nothing is looked at in the film.

A spot is a box in shares of the frame, from its left upper corner, with the entry that is drawn there or the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnviz.trace import Bundle, Entry, NamedTensor

SEEN = 0.1  # opacity from which something can be pointed at
_ROUND = 0.07  # units that a single number's box is larger than its digits: a frame around it leaves them free
_LETTER, _LINE = 0.19, 0.36  # units: about how wide and high a letter of a label is


@dataclass(frozen=True)
class Token:
    """A word of the case where it labels a position of an axis."""

    axis: str
    position: int
    text: str


@dataclass(frozen=True)
class Spot:
    """A box in shares of the frame (left, top, width, height) and what is drawn in it."""

    what: Entry | Token
    box: tuple[float, float, float, float]


def spots_of(beat: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> list[Spot]:
    """All spots of a beat's last picture, in the order of painting: of two, the later one lies on top."""
    frame = score["frame_size"]
    found = (spot for item in beat["visible"] for spot in _READERS.get(item["type"], _none)(item, score, bundle))
    return [Spot(what, _share(box, frame)) for what, box in found]


Found = Iterator[tuple[Entry | Token, tuple[float, float, float, float]]]  # in units: left, top, width, height


def _share(box: Sequence[float], frame: Sequence[float]) -> tuple[float, float, float, float]:
    left, top, width, height = box
    shares = (left / frame[0] + 0.5, 0.5 - top / frame[1], width / frame[0], height / frame[1])
    return tuple(round(share, 4) for share in shares)  # type: ignore[return-value]


def _grid(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    content, (left, top), (wide, high) = score["contents"][item["content"]], item["origin"], item["pitch"]
    tensor, sides = bundle.at(content["record"], content["address"]), content["positions"]
    for row, down in enumerate(sides[0]):
        for column, across in enumerate(sides[1]):
            if max(_at(item["opacity"], row, column), _at(item["digit_opacity"], row, column)) >= SEEN:
                coords = {axis: place for axis, place in zip(content["axes"], (down, across), strict=True) if axis}
                yield tensor.entry(**coords), (left + column * wide, top - row * high, wide, high)


def _at(opacity: Any, row: int, column: int) -> float:
    """A cell's opacity, of one for all, one a row, or one a cell."""
    for place in (row, column):
        opacity = opacity[place] if isinstance(opacity, list) else opacity
    return float(opacity)


def _number(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    if item["opacity"] >= SEEN:
        (x, y), wide, high = item["center"], item["width"] + 2 * _ROUND, item["height"] + 2 * _ROUND
        yield _single(item, bundle), (x - wide / 2, y + high / 2, wide, high)


def _strand(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    """A line whose width is a number: it is pointed at where it begins to end, at its middle."""
    xs, ys = zip(*item["points"], strict=True)
    x, y, side = sum(xs) / len(xs), sum(ys) / len(ys), 0.36
    yield _single(item, bundle), (x - side / 2, y + side / 2, side, side)


def _bars(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    tensor, zero = bundle.at(item["record"], item["address"]), item["zero"]
    for bar in filter(None, item["bars"]):
        yield _bar(tensor, bar["at"], (bar["x"], bar["width"]), zero, bar["height"])


def _histogram(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    tensor, xs = bundle.at(item["record"], item["address"]), item["x"]
    width = abs(xs[1] - xs[0]) if len(xs) > 1 else 0.1
    for place, (x, height) in enumerate(zip(xs, item["heights"], strict=True)):
        yield _bar(tensor, place, (x, width), item["zero"], height)


def _bar(tensor: NamedTensor, place: int, across: tuple[float, float], zero: float, height: float) -> Any:
    """A bar's box; one that is too low to be hit reaches a little further."""
    (x, width), least = across, 0.12
    top, bottom = zero + max(height, least if height >= 0 else 0), zero + min(height, -least if height < 0 else 0)
    return tensor.entry(**{tensor.axes[0]: place}), (x - width / 2, top, width, top - bottom)


def _tile(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    if item["opacity"] >= SEEN:
        (left, top), (wide, high) = item["origin"], item["pitch"]
        yield _single(item, bundle), (left, top, wide * len(item["keys"]), high * len(item["queries"]))


def _labels(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    for label in item["labels"]:
        (x, y), wide = label["center"], _LETTER * max(2, len(label["shown"]))
        yield Token(item["axis"], label["position"], label["token"]), (x - wide / 2, y + _LINE / 2, wide, _LINE)


def _single(item: Mapping[str, Any], bundle: Bundle) -> Entry:
    tensor = bundle.at(item["record"], item["address"])
    return tensor.entry()


def _none(item: Mapping[str, Any], score: Mapping[str, Any], bundle: Bundle) -> Found:
    yield from ()


_READERS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any], Bundle], Found]] = {
    "grid": _grid, "number": _number, "strand": _strand, "bars": _bars, "histogram": _histogram, "tile": _tile,
    "labels": _labels,
}  # fmt: skip
