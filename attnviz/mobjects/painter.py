"""Cells to pixels: whole-pixel rectangles, hatching, digits and frames, in one picture.

A layout says which pixel takes which colour of its cell; `attnviz.mobjects.palette` works these colours out. While an
animation changes colours and opacities the layout stays, and only cells that differ are painted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from attnviz.mobjects.cells import Array, Cells, Part
from attnviz.mobjects.measures import Measures, spans
from attnviz.mobjects.palette import DIGITS, FILL, HATCH, LEVELS, packed, palette
from attnviz.mobjects.raster import Painted, Picture
from attnviz.mobjects.sprites import Mask, ink_size, sprite

SMALLEST_EM = 5.0  # pixels; digits in a picture smaller than this are no more than dust
HATCH_PERIOD, HATCH_WIDTH = 9, 2  # pixels at 1080 lines
MANY = 4096  # cells, from where looking at each takes longer than looking at rims first


@dataclass(frozen=True, eq=False)
class Layout:
    """Which pixels take which colours, whatever these are; `cells` are any of those that it suits.

    A cell has `colors` in the palette. The arrays speak of the pixels that may have another colour than their cell's
    fill: `pixel`, its place in the picture, in order; `cell`, the number of its cell; `entry`, that of its colour in
    the palette of all cells; `is_edge`, whether a frame may cover it; `is_ground`, whether it would be hatched if no
    digits were drawn there.
    """

    cells: Cells
    measures: Measures
    has_digits: bool
    colors: int
    pixel: Array
    cell: Array
    entry: Array
    is_edge: Array
    is_ground: Array

    def suits(self, cells: Cells, measures: Measures) -> bool:
        """Whether it is the layout of `cells` too."""
        same = all(getattr(self.cells, name) is getattr(cells, name) for name in ("strings", "sprite_ids", "masked"))
        return same and self.measures == measures


@dataclass(frozen=True, eq=False, kw_only=True)
class PaintedCells(Painted):
    """A picture of `cells`."""

    cells: Cells
    layout: Layout


def painted(
    cells: Cells, size: tuple[int, int], zoom: float, em: float, shows: object, old: Painted | None
) -> PaintedCells:
    """The picture of `cells`, `size` pixels wide and high, made from the `old` one if only some cells differ.

    `zoom` is output pixels for a pixel at 1080 lines, `em` the digits' em as a share of a cell's height (0: none).
    """
    measures = Measures(cells.shape, size, zoom, round(em * size[1] / max(cells.shape[0], 1), 2))
    before, part = old if isinstance(old, PaintedCells) else None, measures.whole
    layout = before.layout if before and before.layout.suits(cells, measures) else _layout(cells, measures)
    if before and (before.layout.measures, before.layout.has_digits) == (measures, layout.has_digits):
        part = _differing(before.cells, cells, measures.whole, layout.has_digits)
    if before is None or part == measures.whole:
        return PaintedCells(shows, _drawn(cells, layout, measures.whole, None), cells=cells, layout=layout)
    down, across = measures.pixels(part)
    if down.start >= down.stop or across.start >= across.stop:
        return replace(before, shows=shows, cells=cells, layout=layout)
    changed = across.start, down.start, across.stop, down.stop
    pixels = _drawn(cells, layout, part, before.pixels)
    return PaintedCells(shows, pixels, changed, before.serial, cells=cells, layout=layout)


def _differing(old: Cells, new: Cells, whole: Part, with_digits: bool) -> Part:
    """The rows and columns from the first to the last with a cell that differs."""
    everything, first, last = slice(None), slice(0, 1), slice(-1, None)
    rims = ((first, everything), (last, everything), (everything, first), (everything, last))
    if new.opacity.size >= MANY and all(old.differing(new, rim, with_digits=with_digits).any() for rim in rims):
        return whole  # without a look at all cells
    differ = old.differing(new, whole, with_digits=with_digits)
    sides = [np.flatnonzero(differ.any(axis=axis)) for axis in (1, 0)]
    rows, columns = (slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 0) for found in sides)
    return rows, columns


# --- the layout


def _layout(cells: Cells, measures: Measures) -> Layout:
    """Look once at every pixel: how far digits cover it, whether it is hatched, whether a frame may cover it."""
    (down, across), is_masked = measures.sides, bool(cells.masked.any())
    has_digits = measures.em >= SMALLEST_EM and _fit(cells, measures)
    colors = DIGITS + LEVELS if has_digits else HATCH + is_masked
    if colors == HATCH:
        return Layout(cells, measures, has_digits, colors, *np.zeros((5, 0), dtype=int))
    covered, is_hatched = _covered(cells, measures, has_digits), _hatched(cells, measures)
    is_edge = down.is_edge[:, None] | across.is_edge
    drawn = (covered > LEVELS) | (covered == LEVELS) & is_edge | is_hatched
    pixel, level = np.flatnonzero(drawn), covered[drawn].astype(int) - LEVELS
    y, x = np.divmod(pixel, measures.size[0])
    cell = down.cell[y] * cells.shape[1] + across.cell[x]
    entry = cell * colors + np.where(level < 0, HATCH, DIGITS + level)
    is_ground = is_hatched[drawn] & (level >= 0)
    return Layout(cells, measures, has_digits, colors, pixel, cell, entry, is_edge[drawn], is_ground)


def _covered(cells: Cells, measures: Measures, has_digits: bool) -> Array:
    """For each pixel 256 and the coverage if a number's mask lies on it, its empty margin too; else 0."""
    (down, across), codes = measures.sides, np.arange(LEVELS, 2 * LEVELS, dtype="<u4")
    picture = np.zeros((*measures.size[::-1], 4), np.uint8)
    for row, column in np.ndindex(cells.shape) if has_digits else ():
        part = picture[slice(*down.spans[row]), slice(*across.spans[column])]
        _stamp(part, sprite(cells.digits(row, column), measures.em), codes)
    return packed(picture)


def _hatched(cells: Cells, measures: Measures) -> Array:
    down, across = measures.sides
    masked = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1), dtype=bool)  # the last ones are the gaps'
    masked[:-1, :-1] = cells.masked
    return np.asarray(_diagonals(measures.size, measures.zoom) & masked[down.cell][:, across.cell])


@lru_cache(maxsize=8)
def _diagonals(size: tuple[int, int], zoom: float) -> Array:
    y, x = np.indices(size[::-1], dtype=np.int32)
    return np.asarray((x + y) % max(3, round(HATCH_PERIOD * zoom)) < max(1, round(HATCH_WIDTH * zoom)))


def _fit(cells: Cells, measures: Measures) -> bool:
    """Whether the digits of every cell fit wholly into the smallest cell: a number with a digit cut off is another."""
    sides = zip(measures.size[::-1], cells.shape, strict=True)
    height, width = (min((end - start for start, end in spans(*side, measures.zoom)), default=0) for side in sides)
    sizes = [ink_size(text, measures.em) for text in cells.strings]
    return all(tall <= height and wide <= width for tall, wide in sizes)


def _stamp(part: Picture, mask: Mask, blends: Array) -> None:
    """Draw digits over the middle of a cell, on a plain ground; only the empty margin of a mask may be cut."""
    (height, width), (tall, wide) = part.shape[:2], mask.shape
    top, left = (height - tall) // 2, (width - wide) // 2
    inner = mask[max(-top, 0) : height - top, max(-left, 0) : width - left]
    target = part[max(top, 0) :, max(left, 0) :][: inner.shape[0], : inner.shape[1]]
    packed(target)[...] = blends[inner]


# --- the picture


def _drawn(cells: Cells, layout: Layout, part: Part, old: Picture | None) -> Picture:
    """A picture with the cells of a part drawn; the others are those of `old`."""
    colors, below_frame = palette(cells, part, layout.colors)
    shape = cells.opacity[part].shape
    fills = [colors[: shape[0] * shape[1], FILL].reshape(shape)]
    if below_frame is not None:
        fills.append(colors[below_frame, FILL].reshape(shape))
    picture = _ground(fills, layout.measures, part)
    if old is not None:
        ground, picture = picture, packed(old).copy()
        picture[layout.measures.pixels(part)] = ground
    if layout.pixel.size:
        pixel, entry = _special(cells, layout, part, below_frame)
        picture.reshape(-1)[pixel] = colors.reshape(-1)[entry]
    return picture.view(np.uint8).reshape(*picture.shape, 4)


def _ground(fills: list[Array], measures: Measures, part: Part) -> Array:
    """The fill of each cell, or the second one where a frame runs, at all of its pixels; 0 in the gaps."""
    (rows, columns), is_framed, (down, across) = fills[0].shape, len(fills) > 1, measures.sides
    colors = np.hstack([*fills, np.zeros((rows, 1), "<u4")])  # the last one for gaps
    places = across.places(part[1], is_framed=is_framed)
    strips = np.zeros((len(fills) * rows + 1, len(places)), "<u4")
    colors.take(places, axis=1, out=strips[:rows], mode="wrap")
    if is_framed:
        colors[:, columns:].take(across.places(part[1], is_framed=False), axis=1, out=strips[rows:-1], mode="wrap")
    return strips.take(down.places(part[0], is_framed=is_framed), axis=0)


def _special(cells: Cells, layout: Layout, part: Part, below_frame: Array | None) -> tuple[Array, Array]:
    """The pixels of a part that may have another colour than the fill, and the entries of theirs in its palette."""
    lines, width = layout.measures.pixels(part)[0], layout.measures.size[0]
    near = slice(*np.searchsorted(layout.pixel, (lines.start * width, lines.stop * width)))
    pixel, cell, entry, is_edge = layout.pixel[near], layout.cell[near], layout.entry[near], layout.is_edge[near]
    if layout.has_digits and (bare := cells.masked & (cells.digit_opacity == 0) & (cells.highlight == 0)).any():
        entry = np.where(layout.is_ground[near] & bare.reshape(-1)[cell], cell * layout.colors + HATCH, entry)
    row = cell
    if part != layout.measures.whole:
        numbers = np.full(cells.shape, -1)
        numbers[part] = np.arange(numbers[part].size).reshape(numbers[part].shape)
        row = numbers.reshape(-1)[cell]
        within = row >= 0
        pixel, cell, entry, is_edge, row = pixel[within], cell[within], entry[within], is_edge[within], row[within]
    if below_frame is not None:
        row = np.where(is_edge, below_frame[row], row)
    return pixel, entry if row is cell else entry + (row - cell) * layout.colors
