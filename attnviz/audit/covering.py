"""Whether every value can be seen whole: in the frame, with nothing drawn over it. At rest: things pass in plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz.audit.view import View, places, seen_cells
from attnviz.mobjects.asking import Strand
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.mobjects.raster import Raster
from attnviz.onscreen import Box, Thing
from attnviz.text.typed import LINE_WIDTH

TINT = 0.02  # opacity of a fill from which on it changes the shade of a cell
VEIL = 0.35  # opacity of a fill from which on a number below it is hard to read
LINE = 0.1  # opacity from which on a line crosses a number
GRAZED = 0.04  # units: an overlap as narrow as this is a touch
HAIR = 1e-6  # units: zero lines as near as this are one
STEPS = np.linspace(0, 1, 9)


def complaints(view: View, frame: tuple[float, float]) -> Iterator[str]:
    """What is cut off by the frame (width, height, in units), or covered by what is painted later."""
    half = frame[0] / 2, frame[1] / 2
    edge = Box(-half[0], -half[1], half[0], half[1])
    reaches = [_reach(thing) for thing in view.things]
    corners = np.array([(box.left, box.bottom, box.right, box.top) for box in reaches]).reshape(-1, 4)
    for order, thing in enumerate(view.things):
        if not isinstance(thing.mobject, Grid | Number | Strand) and not _is_bar(thing):
            continue
        if not edge.holds(thing.box, GRAZED):
            yield f"{_address(thing)} is cut off by the edge of the frame"
        if isinstance(thing.mobject, Grid) and _is_dimmed(thing.mobject):
            for earlier in view.things[:order]:
                if _shines_through(view, thing, earlier):
                    below = type(earlier.mobject).__name__
                    yield f"{_covered(thing, earlier.box)} is dimmed over a {below} of another colour"
        for place in _meeting(thing.box, corners, order + 1):
            later = view.things[place]
            if _overlap(thing.box, reaches[place]) and (how := _covers(thing, later)):
                yield f"{_covered(thing, later.box)} is covered by {how}"


def _meeting(box: Box, corners: NDArray[np.float64], first: int) -> list[int]:
    """Which boxes (left, bottom, right, top), from the first on, may meet this one: in hundreds of bars few do."""
    left, bottom, right, top = corners[first:].T
    meets = (left <= box.right) & (box.left <= right) & (bottom <= box.top) & (box.bottom <= top)
    return [first + int(place) for place in np.flatnonzero(meets)]


def _reach(thing: Thing) -> Box:
    """The box of a thing with the width of its line."""
    mobject: Any = thing.mobject
    thick = mobject.stroke_width * LINE_WIDTH / 2 if isinstance(mobject, manim.VMobject) and not thing.is_text else 0.0
    if thick <= GRAZED:
        return thing.box
    box = thing.box
    return Box(box.left - thick, box.bottom - thick, box.right + thick, box.top + thick)


def _is_dimmed(grid: Grid) -> bool:
    return bool((grid.cells.opacity * grid.opacity)[seen_cells(grid)].min(initial=1.0) < 1)


def _shines_through(view: View, thing: Thing, earlier: Thing) -> bool:
    """Whether a colour that is not the background's lies below cells that are not opaque."""
    other: Any = earlier.mobject
    if not isinstance(other, manim.VMobject) or earlier.is_text or not _overlap(thing.box, earlier.box):
        return False
    fill = float(np.max(other.fill_rgbas[:, 3], initial=0.0))
    is_seen = fill >= TINT and str(other.get_fill_color()).lower() != view.theme.background
    return is_seen and _touches_seen(thing, earlier.box)


def _is_bar(thing: Thing) -> bool:
    return _bars_of(thing) is not None


def _bars_of(thing: Thing) -> Bars | None:
    """The bars that a thing is one of."""
    return next((one for one in thing.kin if isinstance(one, Bars) and thing.mobject in one.bars), None)


def _address(thing: Thing) -> str:
    mobject: Any = thing.mobject
    if isinstance(mobject, Grid):
        return mobject.cells.tensor.address
    if isinstance(mobject, Number | Strand):
        return mobject.entry.address
    bars: Any = _bars_of(thing)
    return str(bars.tensor.entry(**{bars.tensor.axes[0]: bars.bars.index(mobject)}).address)


def _covered(thing: Thing, cover: Box) -> str:
    """The address of what is covered: of a grid, the first cell."""
    grid = thing.mobject
    if not isinstance(grid, Grid):
        return _address(thing)
    for row, column in places(grid):
        if _overlap(_cell(grid, row, column), cover):
            return grid.cells.entry(row, column).address
    return _address(thing)


def _cell(grid: Grid, row: int, column: int) -> Box:
    (x, y, _), (width, height) = grid.points[0], grid.pitch
    left, top = float(x) + column * width, float(y) - row * height
    return Box(left, top - height, left + width, top)


def _overlap(one: Box, other: Box) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.top, other.top) - max(one.bottom, other.bottom)
    is_line = min(other.width, other.height) <= GRAZED
    return min(across, down) >= 0 if is_line else min(across, down) > GRAZED


def _covers(thing: Thing, later: Thing) -> str:
    """What of the later thing hides or tints the earlier one; nothing where it does not."""
    other: Any = later.mobject
    if isinstance(other, Raster):
        return _grid_over(thing, other)
    if later.is_text:
        hides = not _same_number(thing, later) if thing.is_text else _touches_seen(thing, later.box)
        return f"the text {other.text!r:.40}" if hides else ""
    is_own = any(isinstance(one, Bars) and one in thing.kin for one in later.kin)
    if not isinstance(other, manim.VMobject) or is_own or _is_common_zero(thing, later):
        return ""
    fill = float(np.max(other.fill_rgbas[:, 3], initial=0.0))
    if fill >= (TINT if thing.is_grid else VEIL) and _is_filled_over(other, thing.box):
        return f"a {type(other).__name__} with a fill of {fill:.2f}"
    line = float(np.max(other.stroke_rgbas[:, 3], initial=0.0)) if other.stroke_width > 0 else 0.0
    if line >= LINE and not isinstance(thing.mobject, Strand) and _is_crossed(other, thing):
        return f"the line of a {type(other).__name__}"
    return ""


def _is_common_zero(thing: Thing, later: Thing) -> bool:
    """Whether the later thing is the zero line of other bars, on which the earlier bar stands too: at its foot."""
    own = _bars_of(thing)
    return own is not None and any(isinstance(one, Bars) and later.mobject is one.line and
                                   abs(one.zero - own.zero) < HAIR for one in later.kin)


def _grid_over(thing: Thing, other: Raster) -> str:
    if isinstance(other, Grid):
        over = any(_overlap(_cell(other, row, column), thing.box) for row, column in places(other))
        return f"the grid {other.cells.tensor.address}" if over and _has_seen(thing, other) else ""
    return f"a {type(other).__name__}"


def _has_seen(thing: Thing, other: Grid) -> bool:
    """Of a grid below another, whether a cell that can be seen lies there: of two half-filled ones both are seen."""
    if not isinstance(thing.mobject, Grid):
        return True
    below = thing.mobject
    own = [(_cell(below, *at), below.cells.entry(*at)) for at in places(below)]
    over = [(_cell(other, *at), other.cells.entry(*at)) for at in places(other)]
    return any(_overlap(box, own_box) and not (entry == own_entry and _in_place(box, own_box))
               for box, entry in over for own_box, own_entry in own)


def _in_place(one: Box, other: Box) -> bool:
    """Whether two cells lie exactly over each other: a copy of a cell before it flies."""
    return abs(one.left - other.left) + abs(one.top - other.top) + abs(one.width - other.width) < GRAZED


def _touches_seen(thing: Thing, box: Box) -> bool:
    """Whether something lies over a cell of a grid that can be seen."""
    if not isinstance(thing.mobject, Grid):
        return True
    return any(_overlap(_cell(thing.mobject, row, column), box) for row, column in places(thing.mobject))


def _same_number(thing: Thing, later: Thing) -> bool:
    """Two numbers of one entry in one place: the old one and the new one of a move."""
    one, two = thing.mobject, later.mobject
    return isinstance(one, Number) and isinstance(two, Number) and one.entry == two.entry and one.text == two.text


def _is_filled_over(other: manim.VMobject, box: Box) -> bool:
    """Whether the middle or a corner of what is seen lies inside of the outline, or the outline inside of the box."""
    inset = 0.1
    xs = (box.left + inset * box.width, box.center[0], box.right - inset * box.width)
    ys = (box.bottom + inset * box.height, box.center[1], box.top - inset * box.height)
    path = _traced(other)
    inside = any(_winds(path, x, y) for x in xs for y in ys)
    return inside or bool(((path > (box.left, box.bottom)) & (path < (box.right, box.top))).all(axis=1).any())


def _is_crossed(other: manim.VMobject, thing: Thing) -> bool:
    """Whether a line runs through what is seen; along the rims of a grid's cells it may."""
    path, boxes = _traced(other), [thing.box]
    if isinstance(thing.mobject, Grid):
        boxes = [_cell(thing.mobject, row, column) for row, column in places(thing.mobject)]
    thick = other.stroke_width * LINE_WIDTH / 2
    return any(_passes(path, box, thick) for box in boxes)


def _passes(path: Any, box: Box, thick: float) -> bool:
    """Whether a line with half of its width on either side runs more than a fifth into a box."""
    inset_x, inset_y = 0.2 * box.width - thick, 0.2 * box.height - thick
    low, high = (box.left + inset_x, box.bottom + inset_y), (box.right - inset_x, box.top - inset_y)
    return bool(((path > low) & (path < high)).all(axis=1).any())


def _traced(mobject: manim.VMobject) -> Any:
    """Points along the curves of an outline, (n, 2), dense enough that none passes a digit unseen."""
    curves = mobject.points[: len(mobject.points) // 4 * 4, :2].reshape(-1, 4, 2)
    if not len(curves):
        return np.zeros((0, 2))
    length = float(np.abs(np.diff(curves, axis=1)).sum(axis=(1, 2)).max(initial=0.0))
    t = np.linspace(0, 1, max(5, min(400, int(length / 0.05))))[:, None, None]
    first, one, two, last = (curves[None, :, place] for place in range(4))
    points = (1 - t) ** 3 * first + 3 * (1 - t) ** 2 * t * one + 3 * (1 - t) * t**2 * two + t**3 * last
    return points.transpose(1, 0, 2).reshape(-1, 2)


def _winds(path: Any, x: float, y: float) -> bool:
    """Whether a closed path runs round a point: the sum of the angles that it turns by is not 0."""
    angles = np.arctan2(path[:, 1] - y, path[:, 0] - x)
    turns = np.diff(np.append(angles, angles[:1]))
    return bool(abs(np.sum((turns + np.pi) % (2 * np.pi) - np.pi)) > np.pi)
