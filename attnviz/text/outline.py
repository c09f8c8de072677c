"""A page of Typst's SVG, read into outlines: numpy arrays of cubic curves, in em units, y upwards.

Only what Typst writes is understood (paths, uses, groups, translate and matrix); anything else is refused, so
that nothing is left out in silence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import RenderError

Points = NDArray[np.float64]
_SVG, _HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_TOKENS = re.compile(r"[MmLlHhVvQqCcZz]|-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
_LENGTHS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "C": 6, "Z": 0}
IDENTITY = np.eye(3)


@dataclass(frozen=True, eq=False)
class Mark:
    """One drawn thing: `points` (4k, 2) are k cubic curves, three control points and an end each.

    `glyph` names the outline (equal glyphs have equal names), "" for a rule such as a fraction bar.
    `stroke` is its width in em, 0 for a filled outline.
    """

    points: Points
    glyph: str
    color: str
    stroke: float


@dataclass(frozen=True)
class Page:
    """The marks of one page in drawing order, in points from its upper left corner, y downwards."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def read_page(svg: bytes) -> Page:
    """All that Typst drew on one page."""
    root = ElementTree.fromstring(svg)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    symbols = {symbol.attrib["id"]: curves(symbol[0].attrib["d"]) for symbol in root.iter(f"{_SVG}symbol")}
    return Page(width, height, tuple(_marks(root, IDENTITY, symbols)))


def _marks(parent: ElementTree.Element, place: Points, symbols: dict[str, Points]) -> Iterator[Mark]:
    for element in parent:
        tag, inner = element.tag.removeprefix(_SVG), place @ _matrix(element.get("transform", ""))
        if tag == "g":
            yield from _marks(element, inner, symbols)
        elif tag == "use":
            glyph = element.attrib[_HREF][1:]
            shifted = inner @ _translation(float(element.get("x", 0)), float(element.get("y", 0)))
            yield Mark(_moved(symbols[glyph], shifted), glyph, element.attrib["fill"], 0.0)
        elif tag == "path":
            yield _rule(element, inner)
        elif tag != "defs":
            raise RenderError(f"Typst wrote a <{tag}> that attnviz cannot draw: use glyphs, rules and rectangles")


def _rule(element: ElementTree.Element, place: Points) -> Mark:
    filled = element.get("fill", "none") != "none"
    color = element.get("fill" if filled else "stroke", "#000000")
    width = 0.0 if filled else float(element.get("stroke-width", 0)) * abs(np.linalg.det(place[:2, :2])) ** 0.5
    return Mark(_moved(curves(element.attrib["d"], closed=filled), place), "", color, width)


def _moved(points: Points, place: Points) -> Points:
    return np.asarray(points @ place[:2, :2].T + place[:2, 2])


def _translation(x: float, y: float = 0.0) -> Points:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], dtype=float)


def _matrix(transform: str) -> Points:
    if not transform:
        return IDENTITY
    name, numbers = transform.rstrip(")").split("(")
    values = [float(number) for number in re.split(r"[\s,]+", numbers.strip())]
    if name == "translate":
        return _translation(*values)
    if name != "matrix":
        raise RenderError(f"Typst wrote the transform {transform!r} that attnviz cannot draw")
    a, b, c, d, e, f = values
    return np.array([[a, c, e], [b, d, f], [0, 0, 1]])


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    tokens, command, start = _TOKENS.findall(path), "", 0
    while start < len(tokens):
        if tokens[start].isalpha():
            command, start = tokens[start], start + 1
        count = _LENGTHS[command.upper()]
        yield command, [float(token) for token in tokens[start : start + count]]
        start += count
        if command in "Mm":
            command = "L" if command == "M" else "l"


@cache
def curves(path: str, closed: bool = True) -> Points:
    """The cubic curves of an SVG path, (4k, 2); with `closed` every subpath ends where it began."""
    pen = _Pen(closed)
    for command, numbers in _commands(path):
        pen.draw(command, numbers)
    pen.close()
    flat = np.array(pen.points, dtype=complex)
    points = np.stack([flat.real, flat.imag], axis=1)
    points.setflags(write=False)
    return points


class _Pen:
    """Follows a path and keeps its cubic curves; points are complex numbers, x + iy."""

    def __init__(self, closed: bool) -> None:
        self.points: list[complex] = []
        self.closed = closed
        self.at = self.start = 0j

    def draw(self, command: str, numbers: list[float]) -> None:
        kind, base = command.upper(), self.at if command.islower() else 0j
        if kind == "Z":
            self.close()
        elif kind == "H":
            self._curve(complex(base.real + numbers[0], self.at.imag))
        elif kind == "V":
            self._curve(complex(self.at.real, base.imag + numbers[0]))
        else:
            points = [base + complex(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
            self._move(points[0]) if kind == "M" else self._curve(*points)

    def _move(self, to: complex) -> None:
        self.close()
        self.at = self.start = to

    def close(self) -> None:
        if self.closed and abs(self.at - self.start) > 1e-9:
            self._curve(self.start)
        self.at = self.start

    def _curve(self, *points: complex) -> None:
        first, last = self.at, points[-1]
        if len(points) == 1:
            inner = (first + (last - first) / 3, first + (last - first) * 2 / 3)
        elif len(points) == 2:
            inner = (first + (points[0] - first) * 2 / 3, last + (points[0] - last) * 2 / 3)
        else:
            inner = (points[0], points[1])
        self.points += [first, *inner, last]
        self.at = last
