"""Checks of where things stand: frame and safe area, texts over each other, what sticks out of its cell or card.

Each takes a view and returns what it measured; pixels are those of a picture whose shorter side has 1080.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import manim
import numpy as np

from attnviz.layout import SAFE
from attnviz.looks.finding import Measured
from attnviz.looks.view import Array, Ink, View, boxes, named, quoted
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.sprites import CAP_HEIGHT
from attnviz.onscreen import Box, Thing, opacity_of
from attnviz.text import Formula, compose
from attnviz.text.typed import LINE_WIDTH
from attnviz.theme import PIXEL

SLACK = 1.0  # pixels: edges are smoothed over as much
HALF = 0.5  # opacity from which a text on its way is read
DIMMED = 0.45  # what is not spoken of stays as opaque as this
_ANGLES = np.arange(16) * math.pi / 16
_AXES = np.array([np.cos(_ANGLES), np.sin(_ANGLES)])


def safe_area(view: View) -> list[Measured]:
    """How far each thing stays inside the safe area."""
    return _inside(view, SAFE, "safe area", "move it into a region, or fit_into() one")


def frame_edges(view: View) -> list[Measured]:
    """How far each thing stays inside the frame."""
    return _inside(view, 0.0, "frame", "let it come from, and leave to, a place inside the frame")


def _inside(view: View, margin: float, check: str, remedy: str) -> list[Measured]:
    across, down = view.layout.width / 2, view.layout.height / 2
    found = []
    for thing in view.things:
        box = _outset(thing)
        if box.holds(Box(-across, -down, across, down)):
            continue  # a ground for all else
        room = min(box.left + across, across - box.right) - 2 * across * margin
        high = min(box.bottom + down, down - box.top) - 2 * down * margin
        found.append(Measured(check, named(thing), min(room, high) * view.lines, -SLACK, " px", box, remedy))
    return found


def _outset(thing: Thing) -> Box:
    """The box of a thing with the width of its lines."""
    parts = [] if thing.is_text else [thing.mobject]
    widths = [float(part.stroke_width) for part in parts if isinstance(part, manim.VMobject)]
    half = max(widths, default=0.0) * LINE_WIDTH / 2
    box = thing.box
    return Box(box.left - half, box.bottom - half, box.right + half, box.top + half)


def overlaps(view: View) -> list[Measured]:
    """How deep texts, or the digits of cells, lie in each other: of those whose boxes meet."""
    return [_overlap(view, *pair) for pair in _meeting(view.inks)]


def passing(view: View) -> list[Measured]:
    """The same in the midst of a play: of texts above half opacity that do not take each other's place.

    A copy that leaves its original says what that says, and the cells of a matrix may pass each other.
    """
    seen = [ink for ink in view.inks if ink.opacity > HALF]
    return [_overlap(view, one, other) for one, other in _meeting(seen)
            if one.words != other.words and not _exchange(view, one, other)]


def _exchange(view: View, one: Ink, other: Ink) -> bool:
    return any(id(one.owner) in parts and id(other.owner) in parts for parts in view.exchanged)


def _overlap(view: View, one: Ink, other: Ink) -> Measured:
    what = f"{one.what} and {other.what}"
    a, b = one.box, other.box
    shared = Box(max(a.left, b.left), max(a.bottom, b.bottom), min(a.right, b.right), min(a.top, b.top))
    deep = depth(one.points, other.points) * view.lines
    return Measured("overlap", what, deep, SLACK, " px", shared, "set them apart", at_most=True)


def _meeting(inks: list[Ink]) -> Iterator[tuple[Ink, Ink]]:
    """The pairs of inks of different owners whose upright boxes meet."""
    left, bottom, right, top = boxes(inks).T
    meets = (left[:, None] < right) & (left < right[:, None]) & (bottom[:, None] < top) & (bottom < top[:, None])
    for one, other in np.argwhere(np.triu(meets, 1)):
        if inks[one].owner is not inks[other].owner:
            yield inks[one], inks[other]


def depth(one: Array, other: Array) -> float:
    """How far two sets of points lie in each other, as seen from the side that shows least of it; below 0 apart.

    Seen from 16 sides, so that slanted labels are told apart whose upright boxes meet.
    """
    first, second = one @ _AXES, other @ _AXES
    return float((np.minimum(first.max(0), second.max(0)) - np.maximum(first.min(0), second.min(0))).min())


def overflows(view: View) -> list[Measured]:
    """How much room texts have in the cards they stand in, digits in their cells, labels over their columns."""
    return [*_in_cards(view), *(one for thing in view.grids for one in _in_cells(view, thing)), *_over_columns(view)]


def _in_cards(view: View) -> Iterator[Measured]:
    cards = [thing for thing in view.things if is_card(thing)]
    for ink in view.inks:
        around = [card for card in cards if _may_hold(card, ink) and _within(card.box, ink.box.center)]
        for card in sorted(around, key=lambda card: card.box.width * card.box.height)[:1]:
            yield _room(view, ink.what + ", in its card", card.box, ink.box)


def _room(view: View, what: str, outer: Box, inner: Box) -> Measured:
    room = min(inner.left - outer.left, outer.right - inner.right, inner.bottom - outer.bottom, outer.top - inner.top)
    return Measured("overflow", what, room * view.lines, -SLACK, " px", inner, "shorten it, or make more room for it")


def is_card(thing: Thing) -> bool:
    """Whether something is a rectangle that is seen by itself: filled, or with a line around it."""
    return isinstance(thing.mobject, manim.Rectangle) and opacity_of(thing.mobject) >= DIMMED


def _may_hold(card: Thing, ink: Ink) -> bool:
    """A frame around part of a formula is no card of the whole."""
    return not (isinstance(card.mobject, manim.SurroundingRectangle) and isinstance(ink.owner, Formula))


def _within(box: Box, point: tuple[float, float]) -> bool:
    return box.left < point[0] < box.right and box.bottom < point[1] < box.top


def _in_cells(view: View, thing: Thing) -> Iterator[Measured]:
    grid: Grid = thing.mobject
    em, (width, height) = grid.digit_size * PIXEL, grid.pitch
    for shown in grid.cells.strings if em else ():
        room = min(width - compose(shown)[1] * em, height - CAP_HEIGHT * em) / 2 * view.lines
        yield Measured("overflow", f"the digits {shown} in {named(thing)}", room, 0.0, " px", thing.box,
                       "larger cells, or smaller digits")


def _over_columns(view: View) -> Iterator[Measured]:
    for thing in view.texts:
        labels = next((kin for kin in thing.kin if isinstance(kin, TokenLabels)), None)
        if labels is None or labels.slanted:
            continue
        pitch = None if thing.mobject is labels.notice else _pitch_below(view, labels, thing)
        if pitch is not None:
            size = thing.box.width if labels.side == "top" else thing.box.height
            what = f"the label {quoted(thing.mobject.text)}, in its {'column' if labels.side == 'top' else 'row'}"
            yield Measured("overflow", what, (pitch - size) * view.lines, -SLACK, " px", thing.box,
                           "let TokenLabels choose its size, or shorten it")


def _pitch_below(view: View, labels: TokenLabels, thing: Thing) -> float | None:
    """How wide (or high) the columns (or rows) are that a label has to itself, of the nearest grid in its line."""
    side = ("left", "top").index(labels.side)
    fitting = [one for one in view.grids if one.mobject.cells.axes[side] == labels.axis and _in_line(one, thing, side)]
    nearest = min(fitting, key=lambda one: math.dist(one.box.center, thing.box.center), default=None)
    return None if nearest is None else labels.every * float(nearest.mobject.pitch[1 - side])


def _in_line(grid: Thing, label: Thing, side: int) -> bool:
    x, y = label.box.center
    box = grid.box
    return box.left < x < box.right and y > box.bottom if side else box.bottom < y < box.top and x < box.right
