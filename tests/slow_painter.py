"""Cells to pixels the plain way, cell by cell: what `attnviz.mobjects.painter` must agree with to the pixel.

RGBA bytes, colours not multiplied by alpha. Only the masks of the digits are not its own.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from attnviz.colors import Rgb, rgb
from attnviz.mobjects.cells import Array, Cells
from attnviz.mobjects.raster import Picture
from attnviz.mobjects.sprites import Mask, ink_size, sprite

Span = tuple[int, int]
SMALLEST_EM = 5.0  # pixels; digits in a picture smaller than this are no more than dust
HATCH_PERIOD, HATCH_WIDTH, FRAME_WIDTH = 9, 2, 3  # pixels at 1080 lines


def paint(cells: Cells, size: tuple[int, int], zoom: float, em: float) -> Picture:
    """The picture of `cells`, `size` pixels wide and high.

    `zoom` is output pixels for a pixel at 1080 lines, `em` the digits' em as a share of a cell's height (0: none).
    """
    width, height = size
    rows, columns = spans(height, cells.shape[0], zoom), spans(width, cells.shape[1], zoom)
    picture = _filled(cells, rows, columns, size, zoom)
    pixels = round(em * height / max(cells.shape[0], 1), 2)
    has_digits = pixels >= SMALLEST_EM and _fit(cells, rows, columns, pixels)
    for row, column in np.argwhere((cells.digit_opacity > 0) & has_digits | (cells.highlight > 0)).tolist():
        part = picture[slice(*rows[row]), slice(*columns[column])]
        if has_digits:
            _stamp_digits(part, cells, row, column, pixels)
        if cells.highlight[row, column] > 0:
            _frame(part, cells, float(cells.highlight[row, column]), zoom)
    return picture


def spans(length: int, count: int, zoom: float) -> list[Span]:
    """First and last pixel (half open) of each of `count` cells, a thin gap around each unless they are tiny."""
    edges = np.rint(np.linspace(0, length, count + 1)).astype(int).tolist()
    gap = max(1, round(zoom)) if count and length / count >= 8 else 0
    return [(start + gap, end - gap) for start, end in pairwise(edges)]


def _filled(cells: Cells, rows: list[Span], columns: list[Span], size: tuple[int, int], zoom: float) -> Picture:
    """Every cell in its colour, masked ones hatched; the gaps stay transparent."""
    alpha = np.rint(cells.opacity * 255).astype(np.uint8)[..., None]
    picture = _spread(_rgba(cells.fill, alpha), rows, columns, size)
    if cells.masked.any():
        hatch = np.broadcast_to(np.array(rgb(cells.theme.hatch), np.uint8), cells.fill.shape)
        hatched = np.where(cells.masked, _rgba(hatch, alpha), 0)
        lines = _spread(hatched, rows, columns, size)
        np.copyto(picture, lines, where=(lines > 0) & _diagonals(size, zoom))
    return picture.view(np.uint8).reshape(*size[::-1], 4)


def _spread(values: Array, rows: list[Span], columns: list[Span], size: tuple[int, int]) -> Array:
    """Each cell's value at all of its pixels, 0 between the cells."""
    spread = np.zeros(size[::-1], dtype="<u4")
    for value_row, (top, bottom) in zip(values.tolist(), rows, strict=True):
        strip = np.zeros(size[0], dtype="<u4")
        for value, (left, right) in zip(value_row, columns, strict=True):
            strip[left:right] = value
        spread[top:bottom] = strip
    return spread


@lru_cache(maxsize=8)
def _diagonals(size: tuple[int, int], zoom: float) -> Array:
    y, x = np.indices(size[::-1], dtype=np.int32)
    return np.asarray((x + y) % max(3, round(HATCH_PERIOD * zoom)) < max(1, round(HATCH_WIDTH * zoom)))


def _rgba(colors: Array, alpha: Array) -> Array:
    return _packed(np.ascontiguousarray(np.concatenate([colors, alpha], axis=-1), dtype=np.uint8))


def _packed(pixels: Picture) -> Array:
    """The same memory, four bytes at a time: alpha is the highest."""
    return pixels.view("<u4")[..., 0]


def _stamp_digits(part: Picture, cells: Cells, row: int, column: int, pixels: float) -> None:
    ink, fill = tuple(cells.ink[row, column].tolist()), tuple(cells.fill[row, column].tolist())
    blends = _blends(ink, float(cells.digit_opacity[row, column]), fill, float(cells.opacity[row, column]))
    _stamp(part, sprite(cells.digits(row, column), pixels), blends)


@lru_cache(maxsize=4096)
def _blends(ink: Rgb, opacity_of_ink: float, fill: Rgb, opacity: float) -> Array:
    """The packed RGBA colour for each coverage (0 to 255) of digits over a cell's fill."""
    over = np.arange(256)[:, None] * (opacity_of_ink / 255)
    under = opacity * (1 - over)
    color = (np.array(ink) * over + np.array(fill) * under) / np.maximum(over + under, 1e-9)
    return _rgba(np.rint(color), np.rint(255 * (over + under)))


def _fit(cells: Cells, rows: list[Span], columns: list[Span], pixels: float) -> bool:
    """Whether the digits of every cell fit wholly into the smallest cell: a number with a digit cut off is another."""
    height, width = (min((end - start for start, end in spans), default=0) for spans in (rows, columns))
    sizes = [ink_size(text, pixels) for text in cells.strings]
    return all(tall <= height and wide <= width for tall, wide in sizes)


def _stamp(part: Picture, mask: Mask, blends: Array) -> None:
    """Draw digits over the middle of a cell, on a plain ground; only the empty margin of a mask may be cut."""
    (height, width), (tall, wide) = part.shape[:2], mask.shape
    top, left = (height - tall) // 2, (width - wide) // 2
    inner = mask[max(-top, 0) : height - top, max(-left, 0) : width - left]
    target = part[max(top, 0) :, max(left, 0) :][: inner.shape[0], : inner.shape[1]]
    _packed(target)[...] = blends[inner]


def _frame(part: Picture, cells: Cells, strength: float, zoom: float) -> None:
    width = max(1, round(FRAME_WIDTH * zoom))
    inner = np.zeros(part.shape[:2], dtype=bool)
    inner[width:-width, width:-width] = True
    edge = part[~inner].astype(np.float32)
    part[~inner] = np.rint(edge + (np.array([*rgb(cells.theme.accent), 255], np.float32) - edge) * strength)
