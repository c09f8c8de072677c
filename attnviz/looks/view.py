"""A scene as it stands at one moment, as all checks see it: its things, its texts as inks, and the painted frame.

Here things are turned into what can be measured: points, pixels, names. Nothing here judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz import text
from attnviz.layout import Layout, layout_for
from attnviz.mobjects.animations import Handover
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.sprites import CAP_HEIGHT
from attnviz.onscreen import HIDDEN, Box, Thing, things
from attnviz.theme import PIXEL, Theme

Array = NDArray[Any]
LINES = 1080  # of the shorter side of the picture that sizes are told for
LONGEST = 32  # characters of a text that a complaint quotes


@dataclass(frozen=True, eq=False)
class Ink:
    """The ink of one text, or of the digits in one cell: the corners of its outlines, and how opaque it is.

    `owner` is the mobject that it belongs to: inks of one owner are set together and are not compared.
    """

    what: str
    words: str
    points: Array
    opacity: float
    owner: Any
    box: Box


@dataclass(frozen=True, eq=False)
class View:
    """What is seen at one moment. `picture` is the painted frame (RGB bytes), None in the midst of a play.

    `exchanged` are sets of mobjects (by identity) that one running animation puts in each other's place.
    """

    things: list[Thing]
    theme: Theme
    layout: Layout
    picture: Array | None = None
    exchanged: list[set[int]] = field(default_factory=list)

    @cached_property
    def inks(self) -> list[Ink]:
        """Every text, and the digits of every cell."""
        return [ink for thing in self.things for ink in inks_of(thing)]

    @property
    def texts(self) -> list[Thing]:
        """Every text."""
        return [thing for thing in self.things if thing.is_text]

    @property
    def grids(self) -> list[Thing]:
        """Every grid."""
        return [thing for thing in self.things if thing.is_grid]

    @property
    def lines(self) -> float:
        """Pixels a unit where the shorter side has 1080 of them."""
        return LINES / min(self.layout.width, self.layout.height)

    def pixels(self, points: Array) -> Array:
        """Points (n, 2 or 3) in units as pixels of the picture, from its upper left corner."""
        assert self.picture is not None
        zoom = self.picture.shape[0] / self.layout.height
        middle = np.array([self.layout.width / 2, self.layout.height / 2])
        return np.asarray((middle + points[:, :2] * (1, -1)) * zoom)


def view_of(scene: manim.Scene, theme: Theme, frame: str, picture: Array | None = None) -> View:
    """What a scene shows now."""
    return View(things(scene), theme, layout_for(frame), picture, list(_exchanged(scene)))


def _exchanged(scene: manim.Scene) -> Iterator[set[int]]:
    """What the cells of each matrix that is laid out anew pass on their way: each other, and what it says of itself."""
    for animation in scene.animations or ():
        if isinstance(animation, Handover):
            yield {id(part) for part in manim.Group(animation.parts, *animation.passed).get_family()}


def inks_of(thing: Thing) -> list[Ink]:
    """The inks of a text or of a grid's cells; none of anything else."""
    if isinstance(thing.mobject, Grid):
        return list(_digits(thing.mobject))
    return [_written(thing)] if thing.is_text else []


def _written(thing: Thing) -> Ink:
    points = np.concatenate([glyph.points[:, :2] for glyph in thing.leaves])
    return Ink(f"the text {quoted(thing.mobject.text)}", thing.mobject.text, points, thing.opacity, thing.mobject,
               thing.box)


def _digits(grid: Grid) -> Iterator[Ink]:
    """The digits of each visible cell, as the corners of the box around them."""
    em = grid.digit_size * PIXEL
    cells, (corner, along, down) = grid.cells, grid.corner_and_sides()
    rows, columns = cells.shape
    for row, column in np.argwhere(cells.digit_opacity * grid.opacity >= HIDDEN) if em else ():
        shown = cells.digits(row, column)
        middle = (corner + along * (column + 0.5) / columns + down * (row + 0.5) / rows)[:2]
        half = np.array([text.compose(shown)[1], CAP_HEIGHT]) * em / 2
        corners = np.array([middle + half * sign for sign in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        yield Ink(f"the digits {shown} in {_cell(grid, row, column)}", shown, corners,
                  float(cells.digit_opacity[row, column] * grid.opacity), grid, around(corners))


def _cell(grid: Grid, row: int, column: int) -> str:
    return grid.cells.entry(int(row), int(column)).address


def around(points: Array) -> Box:
    """The upright box around points."""
    (left, bottom), (right, top) = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
    return Box(float(left), float(bottom), float(right), float(top))


def quoted(words: str) -> str:
    """A text as a complaint quotes it."""
    return f'"{words if len(words) <= LONGEST else words[:LONGEST - 1] + "…"}"'


def named(thing: Thing) -> str:
    """A thing as a complaint names it."""
    if isinstance(thing.mobject, Grid):
        return f"the grid {thing.mobject.cells.tensor.address}"
    return f"the text {quoted(thing.mobject.text)}" if thing.is_text else f"a {type(thing.mobject).__name__}"


def boxes(inks: Sequence[Ink]) -> Array:
    """The boxes of inks, one a row: left, bottom, right, top."""
    return np.array([[ink.box.left, ink.box.bottom, ink.box.right, ink.box.top] for ink in inks]).reshape(-1, 4)
