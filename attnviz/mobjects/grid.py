"""The grid: a matrix of numbers as one picture, every cell bound to the entry it shows.

What is shown lies in `Grid.cells` (arrays); `attnviz.mobjects.painter` turns them into pixels. Here are the place
on screen, the changes of look, and what Manim asks of a mobject.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Self

import manim
import numpy as np

from attnviz.colors import ColorScale
from attnviz.errors import InputError
from attnviz.mobjects.anchors import Anchor
from attnviz.mobjects.cells import DIM, Array, Cells, between, bind
from attnviz.mobjects.painter import painted
from attnviz.mobjects.raster import Painted, Raster, length
from attnviz.mobjects.sprites import widest
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.numbers import NumberFormat
from attnviz.theme import DARK, PIXEL, Theme
from attnviz.trace import Entry, NamedTensor

FILLED, TIGHT = 0.81, 0.9  # of a cell's width that the widest number may take; one in scientific notation
TYPICAL = "−0.00"  # grids of plain numbers have one size of digits, whatever they hold


class Grid(Raster):
    """A tensor of up to two axes as coloured cells with digits.

    `rows` and `columns` name the axes drawn downwards and to the right; None for a single row or column.
    `cell` is the pitch in Manim's units (or width and height), or `fit` the width and height to fill with square
    cells; pitches are whole pixels. `row_positions` and `column_positions` choose what is drawn (all by default).
    Digits are drawn where they fit at no less than the theme's smallest size. InputError for NaN.
    """

    def __init__(
        self,
        tensor: NamedTensor,
        rows: str | None = "query_pos",
        columns: str | None = "key_pos",
        *,
        scale: ColorScale | None = None,
        fmt: NumberFormat | None = None,
        cell: float | tuple[float, float] = 0.7,
        fit: tuple[float, float] | None = None,
        row_positions: Sequence[int] | None = None,
        column_positions: Sequence[int] | None = None,
        theme: Theme = DARK,
    ) -> None:
        self.theme = theme
        positions = _positions(tensor, rows, row_positions), _positions(tensor, columns, column_positions)
        scale, fmt = scale or stage_scale(tensor, theme), fmt or stage_format(tensor)
        self.cells = bind(tensor, (rows, columns), positions, scale, fmt, theme)
        self._pitch = _pitch(self.cells.shape, cell, fit)
        super().__init__((self.cells.shape[1] * self._pitch[0], self.cells.shape[0] * self._pitch[1]))

    # --- where it stands

    @property
    def pitch(self) -> tuple[float, float]:
        """Width and height of a cell with its share of the gaps, in Manim's units, as they are now."""
        (rows, columns), (_, along, down) = self.cells.shape, self.corner_and_sides()
        return length(along) / max(columns, 1), length(down) / max(rows, 1)

    def cell(self, row: int, column: int) -> Anchor:
        """The place of one cell, by its positions along the two axes (0 for an axis that is None)."""
        return self.region(rows=[row], columns=[column])

    def row(self, position: int) -> Anchor:
        """The place of one row."""
        return self.region(rows=[position])

    def column(self, position: int) -> Anchor:
        """The place of one column."""
        return self.region(columns=[position])

    def region(self, rows: Iterable[int] | None = None, columns: Iterable[int] | None = None) -> Anchor:
        """The place of the block from the first to the last of these positions (None: all)."""
        return Anchor(self, self.cells.indices(0, rows), self.cells.indices(1, columns))

    def block(self, rows: list[int], columns: list[int]) -> Grid:
        """A grid of the cells at these indices, in their place and with their look."""
        corners = Anchor(self, rows, columns).points
        block = manim.Mobject.copy(self)
        block.cells, block.points, block._painted = self.cells.block(rows, columns), corners, None
        return block

    # --- what it shows

    def entry(self, row: int, column: int) -> Entry:
        """The entry that the cell at these positions is bound to."""
        return self.cells.entry(self.cells.indices(0, [row])[0], self.cells.indices(1, [column])[0])

    @property
    def scale_used(self) -> ColorScale:
        """The colour scale of the cells, for a colour bar."""
        return self.cells.scale

    def bound_to(self, tensor: NamedTensor, scale: ColorScale | None = None, fmt: NumberFormat | None = None) -> Cells:
        """The cells of another tensor of the same axes and sizes, as this grid would show them; else InputError."""
        old, (axes, positions) = self.cells.tensor, (self.cells.axes, self.cells.positions)
        if any(axis not in tensor.axes or tensor.size(axis) != old.size(axis) for axis in axes if axis):
            raise InputError(f"{tensor.address} has not the axes and sizes of {old.address}, whose grid it takes")
        scale, fmt = scale or stage_scale(tensor, self.theme), fmt or stage_format(tensor)
        return bind(tensor, axes, positions, scale, fmt, self.theme).looking_like(self.cells)

    @property
    def digit_size(self) -> float:
        """The em of the digits in pixels at 1080 lines, as they stand now; 0 where there are none.

        There are none in cells that were made too small for them, nor in a mirrored grid. Digits grow and shrink with
        their grid and are never stretched: they follow the side of a cell that was stretched less.
        """
        return 0.0 if self.is_mirrored() else self._em() * min(map(_over, self.pitch, self._pitch)) / PIXEL

    def _em(self) -> float:
        """The em of the digits in units as the grid was made."""
        width = widest((*self.cells.strings, TYPICAL))
        filled = TIGHT if self.cells.format.style == "scientific" else FILLED
        em = min(filled * self._pitch[0] / width, 0.6 * self._pitch[1], self.theme.digit_size * PIXEL)
        return em if em >= self.theme.minimum_size * PIXEL else 0.0

    # --- how it looks

    def dim_cells(
        self, rows: Iterable[int] | None = None, columns: Iterable[int] | None = None, to: float = DIM
    ) -> Self:
        """Make the cells at these positions (None: all) as faint as `to`; `to=1` brings them back."""
        self.cells = self.cells.with_opacity(self.cells.where(rows, columns), to)
        return self

    def focus(self, rows: Iterable[int] | None = None, columns: Iterable[int] | None = None, to: float = DIM) -> Self:
        """Leave the cells at these positions bright and dim all others; with neither, all are bright again."""
        chosen = self.cells.where(rows, columns)
        self.cells = self.cells.with_opacity(chosen, 1.0).with_opacity(~chosen, to)
        return self

    def highlight(
        self, rows: Iterable[int] | None = None, columns: Iterable[int] | None = None, strength: float = 1.0
    ) -> Self:
        """Frame the cells at these positions (None: all); `strength=0` takes the frames away."""
        self.cells = self.cells.with_highlight(self.cells.where(rows, columns), strength)
        return self

    # --- what Manim asks

    def shows(self) -> tuple[Cells, bool]:
        """The cells, and whether they are mirrored, which takes the digits away."""
        return self.cells, self.is_mirrored()

    def paint_anew(self, shows: object, size: tuple[int, int], zoom: float, old: Painted | None) -> Painted:
        """The cells as pixels; only those that differ are painted where the `old` picture has the same measures."""
        em = _over(self.digit_size * PIXEL, self.pitch[1])
        return painted(self.cells, size, zoom, em, shows, old)

    def align_data(self, mobject: manim.Mobject, skip_point_alignment: bool = False) -> Self:
        """Refuse to turn into other numbers; what shows the same is already aligned."""
        self._refuse_unless_same(mobject, "Transform")
        return self

    def replace(self, mobject: manim.Mobject, *args: Any, **kwargs: Any) -> Self:
        """Take the place of `mobject`; refused for a grid of other numbers, which FadeTransform would lay over it."""
        if isinstance(mobject, Grid):
            self._refuse_unless_same(mobject, "FadeTransform")
        return super().replace(mobject, *args, **kwargs)

    def interpolate_color(self, mobject1: Any, mobject2: Any, alpha: float) -> Self:
        """Looks between those of two grids that show the same numbers."""
        self.cells = between(mobject1.cells, mobject2.cells, alpha)
        return super().interpolate_color(mobject1, mobject2, alpha)

    @property
    def pointwise_become_partial(self) -> None:
        """Raises InputError: Create draws outlines, and a grid has none."""
        self.refuse_outline()

    def refuse_outline(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises InputError: what Create and Write draw is an outline."""
        address = self.cells.tensor.address
        raise InputError(f"Create and Write cannot draw the grid {address}, which has no outline: use FillRows")

    def _refuse_unless_same(self, other: manim.Mobject, how: str) -> None:
        if not isinstance(other, Grid) or not self.cells.shows_same_as(other.cells):
            there = other.cells.tensor.address if isinstance(other, Grid) else type(other).__name__
            raise InputError(f"{how} from {self.cells.tensor.address} to {there} would show wrong numbers: use Swap")

    def describe(self) -> dict[str, Any]:
        """What is drawn and where, as plain JSON values: enough to check a picture of it."""
        cells, (corner, _, _) = self.cells, self.corner_and_sides()
        return {
            "type": "grid",
            "content": cells.described(with_strings=self.digit_size > 0),
            "origin": [float(corner[0]), float(corner[1])],
            "pitch": list(self.pitch),
            "opacity": _compressed(cells.opacity * self.opacity),
            "digit_opacity": _compressed(cells.digit_opacity * self.opacity),
            "em": self.digit_size * PIXEL,
        }


# Manim itself refuses these for what is no outline, but without a remedy; it asks here first.
for _outlining in (manim.DrawBorderThenFill, manim.Write, manim.Unwrite):
    Grid.add_animation_override(_outlining, Grid.refuse_outline)


def _positions(tensor: NamedTensor, axis: str | None, chosen: Sequence[int] | None) -> tuple[int, ...]:
    size = tensor.size(axis) if axis else 1
    positions = tuple(range(size) if chosen is None else chosen)
    if outside := [position for position in positions if not 0 <= position < size]:
        raise InputError(f"{tensor.address}: {axis}={outside[0]} is outside 0..{size - 1}")
    return positions


def _pitch(
    shape: tuple[int, int], cell: float | tuple[float, float], fit: tuple[float, float] | None
) -> tuple[float, float]:
    if fit:
        cell = min(fit[0] / max(shape[1], 1), fit[1] / max(shape[0], 1))
    width, height = cell if isinstance(cell, tuple) else (cell, cell)
    return whole_pixels(width), whole_pixels(height)


def whole_pixels(length: float) -> float:
    """The length in whole pixels, in steps of six where that is little: whole at 360, 540, 720 and 1080 lines."""
    pixels = length / PIXEL + 1e-6
    step = 6 if pixels >= 36 else 1
    return max(math.floor(pixels / step) * step, 1) * PIXEL


def _over(length: float, whole: float) -> float:
    return length / whole if whole else 0.0


def _compressed(values: Array) -> Any:
    """One number where all cells have it, else one a row; a row's own numbers only where they differ."""
    rounded = np.round(values.astype(float), 3)
    rows = [float(row[0]) if row.size and (row == row[0]).all() else row.tolist() for row in rounded]
    is_same = bool(rows) and not isinstance(rows[0], list) and all(row == rows[0] for row in rows)
    return rows[0] if is_same else rows
