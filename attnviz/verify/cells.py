"""Grids in a picture: the colour of every cell back to a value, and the digits in it.

A cell of 24 pixels and more must have its colour to within the view's levels, from 16 pixels on to within 10, from 8 on
to within 20: a film has a colour for every other pixel only, and digits leave little of a small cell free. Of smaller
ones blocks are compared, and the cells count as skipped. The score's claims are checked in `contents`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from attnviz.colors import rgb
from attnviz.theme import Theme
from attnviz.verify.blocks import look_at_blocks
from attnviz.verify.digits import extra_ink, is_due
from attnviz.verify.glyphs import CAP_HEIGHT, width_of
from attnviz.verify.grids import HIDDEN, Shown
from attnviz.verify.picture import Array, Box, Flags, luma_of
from attnviz.verify.reading import Place, Reading, read
from attnviz.verify.report import Tally
from attnviz.verify.shades import hexadecimal, nearest, over, readable, slope
from attnviz.verify.view import FRAME_WIDTH, View

EXACT, WIDE, SMALL = 24, 16, 8  # pixels of a cell: from where colours are exact, nearly so, and read at all
LEAST = 12  # pixels that a colour is read from, where there are so many
NEARLY, ROUGH = 10.0, 20.0  # levels that a cell may be off that is not wide enough to be exact, and a small one
OUTSIDE = "cells outside of the picture"


def look_at(grid: Shown, view: View, theme: Theme, tally: Tally) -> None:
    """Check every cell of a grid that is seen."""
    if grid.side < SMALL:
        look_at_blocks(grid, view, theme, tally)
        return
    for row, column in np.ndindex(grid.content.shape):
        if max(grid.opacity[row, column], grid.digit_opacity[row, column]) >= HIDDEN:
            _Cell(grid, view, theme, row, column).look(tally)


@dataclass(frozen=True, eq=False)
class _Cell:
    """One cell of a grid in a picture."""

    grid: Shown
    view: View
    theme: Theme
    row: int
    column: int

    @property
    def box(self) -> Box:
        return self.grid.lattice.cell(self.row, self.column)

    @property
    def entry(self) -> str:
        return self.grid.content.entry(self.row, self.column)

    @property
    def text(self) -> str:
        return self.grid.content.strings[self.row][self.column] if self.grid.has_digits(self.row, self.column) else ""

    @property
    def expected(self) -> Array:
        """The colour that the cell should have: its fill, as opaque as it is, over the background."""
        return over(self.theme, self.grid.content.fill[self.row, self.column], self.grid.opacity[self.row, self.column])

    def look(self, tally: Tally) -> None:
        """Check colour and digits, and count the value once."""
        if self.view.picture.inside(self.box) != self.box:
            tally.skipped[OUTSIDE] += 1
            return
        off = self._colour(tally) or self._ink_on_a_plain_cell()
        reading = self._digits() if self.text else None
        if off:
            tally.is_wrong(self.entry, *off)
        elif reading and reading.status == "wrong":
            tally.is_wrong(self.entry, f"the film shows {reading.seen}", f"the score says {self.text}")
        elif not self.text or (reading and reading.status != "read" and not is_due(self.grid.em)):
            tally.colour += 1
        elif reading and reading.status == "unread":
            tally.is_unread(self.entry, self.text)
        else:
            tally.digits += 1
        tally.due += bool(self.text)
        tally.missed += bool(reading and reading.status == "unread" and is_due(self.grid.em))

    def _colour(self, tally: Tally) -> tuple[str, str] | None:
        """Compare the colour of a part without digits; return what is shown and what should be where they differ."""
        free, room = free_of_digits(self.box, self.text, self.grid.em, self.view.zoom), self._room()
        shades = [self.view.picture.median(self.box, part) for part in parts(free)]
        seen = max((shade for shade in shades if shade is not None), key=self._error, default=None)
        if seen is None:
            return "the film shows no colour that could be read", "the cell should have one"
        error = self._error(seen)
        tally.levels = max(tally.levels, error)
        opacity, value = float(self.grid.opacity[self.row, self.column]), self._value()
        if error <= room:
            if math.isfinite(value):
                steepness = slope(self.grid.content.scale, value) * opacity
                tally.tolerance = max(tally.tolerance, room / max(steepness, 1e-9))
            return None
        under = over(self.theme, seen, 0.0)
        like = nearest(self.grid.content.scale, (seen - under) / opacity + under)
        says = f"{value:.4g} is #{hexadecimal(self.expected)} (± {room:.0f} levels)"
        return f"the film's colour is #{hexadecimal(seen)}, as of {like:.2g}", says

    def _ink_on_a_plain_cell(self) -> tuple[str, str] | None:
        """Something in a cell that should have no digits; a masked one is hatched."""
        if self.text or self._is_masked() or self.grid.side < WIDE:
            return None
        nowhere, ink = Place(0, 0, 0), rgb(readable(hexadecimal(self.expected), self.theme))
        strength = luma_of(np.array(ink, np.float64)) - luma_of(self.expected)
        is_inked = extra_ink(self.view, self.box, "", nowhere, strength)
        return ("the film shows something in its cell", "the score says that no digits are drawn") if is_inked else None

    def _error(self, seen: Array) -> float:
        return float(np.abs(seen - self.expected).max())

    def _room(self) -> float:
        least = 0.0 if self.grid.side >= EXACT else NEARLY if self.grid.side >= WIDE else ROUGH
        return max(least, self.view.levels)

    def _value(self) -> float:
        return float(self.grid.content.values[self.row, self.column])

    def _digits(self) -> Reading:
        left, top, right, bottom = self.box
        em, text = round(self.grid.em, 2), self.text
        tall, wide = math.ceil(1.2 * em), math.ceil(width_of(text) * em) + 2
        y = top + (bottom - top - tall) // 2 + round(tall / 2 + CAP_HEIGHT * em / 2)
        x = left + (right - left - wide) // 2 + (wide - width_of(text) * em) / 2
        place, strength = Place(x, y, em), self._contrast()
        room = math.ceil(width_of(text) * em) + 4
        around = np.pad(self.view.picture.luma[top:bottom, left:right], room, constant_values=luma_of(self.expected))
        reading = read(around, text, Place(x - left + room, y - top + room, em), strength)
        if reading.status == "read" and not self._is_masked() and extra_ink(self.view, self.box, text, place, strength):
            return Reading("wrong", f"{text} and something beside it")
        return reading

    def _is_masked(self) -> bool:
        return math.isinf(self._value())

    def _contrast(self) -> float:
        """The luma of the ink less that of its ground, as faint as the digits are."""
        ground = self.expected
        ink = rgb(self.theme.muted) if self._is_masked() else rgb(readable(hexadecimal(ground), self.theme))
        apart = luma_of(np.array(ink, np.float64)) - luma_of(ground)
        return apart * float(self.grid.digit_opacity[self.row, self.column])


def parts(free: Flags) -> list[Flags]:
    """All of a cell's free pixels, and each half of them, upper, lower, left and right, where that is not too small."""
    rows, columns = (np.arange(size) < size / 2 for size in free.shape)
    halves = [free & half for half in (rows[:, None], ~rows[:, None], columns[None], ~columns[None])]
    return [free, *(half for half in halves if half.sum() >= LEAST)]


def free_of_digits(box: Box, text: str, em: float, zoom: float) -> Flags:
    """The pixels of a cell on which neither digits nor a frame may lie; of a small one, as much as there is."""
    height, width = box[3] - box[1], box[2] - box[0]
    down, across = np.arange(height) + 0.5, np.arange(width) + 0.5
    inset = max(1, round(FRAME_WIDTH * zoom)) + 1
    digits = np.zeros((height, width), bool)
    if text:
        is_beside = np.abs(across - width / 2) > width_of(text) * em / 2 + 1
        digits = (np.abs(down - height / 2) <= CAP_HEIGHT * em / 2 + 2)[:, None] & ~is_beside
    for rim in (inset, 1, 0):
        inner = (np.minimum(down, height - down) > rim)[:, None] & (np.minimum(across, width - across) > rim)
        if (inner & ~digits).sum() >= LEAST:
            return np.asarray(inner & ~digits)
    return np.asarray(~digits)
