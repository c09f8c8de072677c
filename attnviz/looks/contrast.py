"""Contrast, measured on the painted frame: of each glyph and its ground, of each cell's digits, of masked cells.

Outlines say where a glyph must be; both colours are read from pixels. Nothing here knows which colour was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attnviz.looks.finding import Measured
from attnviz.looks.view import Array, View, named
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.painter import HATCH_PERIOD
from attnviz.mobjects.sprites import fill
from attnviz.onscreen import HIDDEN, Box, Thing, opacity_of
from attnviz.theme import PIXEL

RIM = 2  # pixels at each side of a cell that are not looked at
READABLE, DIM_READABLE, MARKED = 4.5, 3.0, 1.2  # WCAG 2 ratios: text, dimmed text, the hatch of a masked cell
EDGE = 3  # pixels around a glyph in which its ground is looked for
COVERED = 0.3  # share of a pixel that a glyph covers at least, where its colour is read
_WEIGHTS = np.array([0.2126, 0.7152, 0.0722])
_LINEAR = np.array([part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                    for part in np.arange(256) / 255])


def contrasts(view: View) -> list[Measured]:
    """The contrast of every text (of its worst glyph) and of the digits of every grid (of its worst cell)."""
    assert view.picture is not None
    return [*(one for thing in view.texts for one in _of_text(view, thing)),
            *(one for thing in view.grids for one in _of_grid(view, thing))]


def ratio(one: Array, other: Array) -> float:
    """The contrast of two RGB colours in bytes."""
    low, high = sorted((float(light(one)), float(light(other))))
    return (high + 0.05) / (low + 0.05)


def light(colors: Array) -> Array:
    """The relative luminance of RGB bytes, whole or not."""
    linear = _LINEAR[colors] if colors.dtype == np.uint8 else np.interp(colors, np.arange(256), _LINEAR)
    return np.asarray(linear @ _WEIGHTS)


def _judged(what: str, values: list[tuple[float, bool]], box: Box) -> Iterator[Measured]:
    """The worst contrast of what is bright, and of what is dimmed."""
    for is_dim, limit, name in ((False, READABLE, "contrast"), (True, DIM_READABLE, "dimmed contrast")):
        chosen = [value for value, dim in values if dim is is_dim]
        if chosen:
            yield Measured(name, what, min(chosen), limit, ":1", box, "another colour of ink or ground")


def _of_text(view: View, thing: Thing) -> Iterator[Measured]:
    parts = [glyph for glyph in thing.leaves if glyph.fill_rgbas[0, 3] >= HIDDEN]
    outlines = [view.pixels(glyph.points) for glyph in parts]
    if parts:
        yield from _judged(named(thing), list(_of_glyphs(view, parts, outlines)), thing.box)


def _of_glyphs(view: View, parts: list[Any], outlines: list[Array]) -> Iterator[tuple[float, bool]]:
    """The contrast of each glyph that lies in the picture, and whether it is dimmed."""
    assert view.picture is not None
    everything = _window(view.picture, np.concatenate(outlines))
    whole = _coverage(outlines, everything)
    for glyph, outline in zip(parts, outlines, strict=True):
        rows, columns = window = _window(view.picture, outline)
        part, shift = view.picture[window].astype(float), (everything[0].start, everything[1].start)
        mine = whole[rows.start - shift[0]:rows.stop - shift[0], columns.start - shift[1]:columns.stop - shift[1]]
        found = _ink_and_ground(part, _coverage([outline], window), mine)
        if found is not None:
            yield ratio(*found), opacity_of(glyph) < 1


def _window(picture: Array, outline: Array) -> tuple[slice, slice]:
    """The pixels around an outline."""
    (left, top), (right, bottom) = np.floor(outline.min(0)) - EDGE, np.ceil(outline.max(0)) + EDGE
    height, width = picture.shape[:2]
    return slice(*np.clip((int(top), int(bottom)), 0, height)), slice(*np.clip((int(left), int(right)), 0, width))


def _coverage(outlines: list[Array], window: tuple[slice, slice]) -> Array:
    rows, columns = window
    if rows.stop <= rows.start or columns.stop <= columns.start:
        return np.zeros((0, 0))
    moved = [outline - (columns.start, rows.start) for outline in outlines]
    return fill(moved, (rows.stop - rows.start, columns.stop - columns.start)) / 255


def _ink_and_ground(part: Array, coverage: Array, everything: Array) -> tuple[Array, Array] | None:
    """The colour of a glyph and that around it; None where too little of it is seen to tell.

    A pixel covered by a share c is ground + c (ink - ground): of all pixels together that gives the ink, for thin
    strokes too, which cover none wholly. Whatever lies over the glyph brings its "ink" nearer to the ground.
    """
    inside, around = coverage >= COVERED, everything == 0
    if not inside.any():
        return None
    ground = most_common(part[around] if around.any() else part.reshape(-1, 3))
    share = coverage[inside][:, None]
    ink = ground + (share * (part[inside] - ground)).sum(0) / (share * share).sum(0)
    return np.clip(ink, 0, 255), ground


def most_common(colors: Array) -> Array:
    """The colour that most of some pixels (n, 3) have."""
    packed = colors.astype(np.int64) @ (65536, 256, 1)
    values, counts = np.unique(packed, return_counts=True)
    most = int(values[counts.argmax()])
    return np.array([most >> 16, most >> 8 & 255, most & 255], dtype=float)


def _of_grid(view: View, thing: Thing) -> Iterator[Measured]:
    grid: Grid = thing.mobject
    digits = grid.cells.digit_opacity * grid.opacity
    if grid.digit_size > 0 and grid.is_upright():
        values = [(cell_contrast(pixels), bool(grid.cells.opacity[place] * grid.opacity < 1))
                  for place, pixels in cells_of(view, grid) if digits[place] >= HIDDEN and pixels.size]
        yield from _judged(f"the digits of {named(thing)}", values, thing.box)


def masked_cells(view: View) -> list[Measured]:
    """How the mark in each cell of minus infinity (hatch or digits) stands out from the cell's ground.

    Of cells so small that lines of a hatch pass between two of them, all are judged as the one area that is seen.
    """
    found = []
    for thing in view.grids:
        grid: Grid = thing.mobject
        seen = grid.cells.masked & (grid.cells.opacity * grid.opacity >= HIDDEN)
        parts = [pixels for place, pixels in cells_of(view, grid) if seen[place] and pixels.size]
        if parts and min(grid.pitch) - 2 * RIM / _zoom(view) < HATCH_PERIOD * PIXEL:
            parts = [np.concatenate(parts)]
        if parts:
            least = min(map(cell_contrast, parts))
            found.append(Measured("colour alone", f"the masked cells of {named(thing)}", least, MARKED, ":1",
                                  thing.box, "show their hatch or their digits"))
    return found


def _zoom(view: View) -> float:
    """Pixels of the picture to a unit."""
    assert view.picture is not None
    return float(view.picture.shape[0] / view.layout.height)


def cells_of(view: View, grid: Grid) -> Iterator[tuple[tuple[int, int], Array]]:
    """The pixels of each cell of an upright grid, without their rim: gaps and frames."""
    assert view.picture is not None
    left, top = view.pixels(grid.points[:1])[0]
    zoom, (rows, columns) = _zoom(view), grid.cells.shape
    width, height = np.array(grid.pitch) * zoom
    for row, column in np.ndindex(rows, columns):
        down = np.clip(np.rint((top + row * height + RIM, top + (row + 1) * height - RIM)), 0, None).astype(int)
        across = np.clip(np.rint((left + column * width + RIM, left + (column + 1) * width - RIM)), 0, None).astype(int)
        yield (row, column), view.picture[slice(*down), slice(*across)].reshape(-1, 3)


def cell_contrast(pixels: Array) -> float:
    """The contrast of a cell's ground, the colour of most of it, and what stands out most from it."""
    ground = light(most_common(pixels))
    lights = light(pixels)
    return float(max((lights.max() + 0.05) / (ground + 0.05), (ground + 0.05) / (lights.min() + 0.05)))
