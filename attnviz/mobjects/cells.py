"""What a grid shows, as arrays: the one copy that is drawn, interpolated, described and audited.

A `Cells` never changes; every change makes a new one. Nothing here knows where on screen the grid stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.colors import ColorScale, rgb
from attnviz.errors import InputError
from attnviz.mobjects.inks import readable_inks
from attnviz.mobjects.raster import share
from attnviz.numbers import NumberFormat
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor

Array = NDArray[Any]
Part = tuple[slice, slice]  # rows and columns of an array
DIM = 0.45  # the opacity of what is not spoken of
ARRAYS = ("sprite_ids", "fill", "opacity", "digit_opacity", "highlight", "masked")


@dataclass(frozen=True, eq=False)
class Cells:
    """A matrix of bound numbers and how each is drawn; arrays have one row and column for each drawn cell.

    `strings[sprite_ids[i, j]]` are the digits of cell i, j; `fill` is RGB bytes; `opacity` is the cell's,
    `digit_opacity` that of its digits, `highlight` that of its frame (0 to 1); `masked` is minus infinity.
    """

    tensor: NamedTensor
    axes: tuple[str | None, str | None]
    positions: tuple[tuple[int, ...], tuple[int, ...]]
    scale: ColorScale
    format: NumberFormat
    strings: tuple[str, ...]
    sprite_ids: Array
    fill: Array
    opacity: Array
    digit_opacity: Array
    highlight: Array
    masked: Array
    theme: Theme

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).setflags(write=False)  # copies of a grid share them

    def __deepcopy__(self, memo: object) -> Cells:
        return self  # nothing in it ever changes

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that are drawn."""
        return len(self.positions[0]), len(self.positions[1])

    @cached_property
    def ink(self) -> Array:
        """RGB bytes of the digits: what reads well on each cell as opaque as it is."""
        return self.inks((slice(None), slice(None)))

    def inks(self, part: Part) -> Array:
        """The ink of the cells in a part."""
        under = np.array(rgb(self.theme.background), np.float32)
        seen = under + (self.fill[part] - under) * self.opacity[part][..., None]
        ink = readable_inks(seen, (self.theme.ink, self.theme.background))
        ink[self.masked[part]] = rgb(self.theme.muted)
        return ink

    def differing(self, other: Cells, part: Part, *, with_digits: bool) -> Array:
        """Which cells of a part look otherwise in `other`, of the same shape, as booleans; digits may be left out."""
        differ = np.full(self.opacity[part].shape, self.theme is not other.theme)
        pairs = [(self.opacity, other.opacity), (self.highlight, other.highlight), (self.masked, other.masked)]
        if self.fill is not other.fill:
            pairs += [(self.fill[..., channel], other.fill[..., channel]) for channel in range(3)]
        if with_digits:
            pairs.append((self.digit_opacity, other.digit_opacity))
        if with_digits and (self.strings is not other.strings or self.sprite_ids is not other.sprite_ids):
            pairs.append((np.array(self.strings)[self.sprite_ids], np.array(other.strings)[other.sprite_ids]))
        for one, two in pairs:
            if one is not two:
                differ |= one[part] != two[part]
        return differ

    def entry(self, row: int, column: int) -> Entry:
        """The entry that the cell at these indices of the arrays is bound to."""
        places = (self.positions[0][row], self.positions[1][column])
        return self.tensor.entry(**{axis: p for axis, p in zip(self.axes, places, strict=True) if axis})

    def digits(self, row: int, column: int) -> str:
        """The digits drawn there."""
        return self.strings[int(self.sprite_ids[row, column])]

    def described(self, *, with_strings: bool) -> dict[str, Any]:
        """What the cells are bound to and show, as plain JSON values; colours are those before any opacity."""
        rows, columns = self.shape
        strings = [[self.digits(row, column) for column in range(columns)] for row in range(rows)]
        return {
            "record": self.tensor.record, "address": self.tensor.address, "stage": self.tensor.name,
            "at": dict(self.tensor.at), "axes": list(self.axes), "positions": [list(side) for side in self.positions],
            "shape": [rows, columns], "scale": list(self.scale.ends),
            "format": [self.format.style, self.format.digits], "strings": strings if with_strings else [],
            "fill": [[bytes(color).hex() for color in line] for line in self.fill],
        }  # fmt: skip

    def shows_same_as(self, other: Cells) -> bool:
        """Whether every cell is bound to the same entry and has the same digits as in `other`."""
        return (
            (self.tensor.record, self.tensor.address, self.axes, self.positions, self.strings)
            == (other.tensor.record, other.tensor.address, other.axes, other.positions, other.strings)
            and np.array_equal(self.sprite_ids, other.sprite_ids)
        )  # fmt: skip

    def where(self, rows: Iterable[int] | None, columns: Iterable[int] | None) -> Array:
        """True for the cells at these positions (None: at all)."""
        chosen = (self.indices(0, rows), self.indices(1, columns))
        mask = np.zeros(self.shape, dtype=bool)
        mask[np.ix_(*chosen)] = True
        return mask

    def indices(self, side: int, positions: Iterable[int] | None) -> list[int]:
        """Indices into the arrays of positions along rows (0) or columns (1); InputError for one not drawn."""
        drawn = self.positions[side]
        chosen = drawn if positions is None else tuple(positions)
        places = {position: index for index, position in reversed([*enumerate(drawn)])}
        if missing := [position for position in chosen if position not in places]:
            axis = self.axes[side] or ("row", "column")[side]
            raise InputError(f"{self.tensor.address}: {axis}={missing[0]} is not drawn, only {_range(drawn)}")
        return [places[position] for position in chosen]

    def with_opacity(self, mask: Array, opacity: float) -> Cells:
        """The same cells, those in `mask` as opaque as `opacity` says; InputError unless that is 0 to 1."""
        share(opacity, f"opacity of cells of {self.tensor.address}")
        return replace(
            self,
            opacity=np.where(mask, np.float32(opacity), self.opacity),
            digit_opacity=np.where(mask, np.float32(_digit_opacity(opacity)), self.digit_opacity),
        )

    def with_highlight(self, mask: Array, strength: float) -> Cells:
        """The same cells, those in `mask` framed as strongly as `strength` says; InputError unless that is 0 to 1."""
        share(strength, f"strength of frames in {self.tensor.address}")
        return replace(self, highlight=np.where(mask, np.float32(strength), self.highlight))

    def looking_like(self, other: Cells) -> Cells:
        """The same numbers, as opaque and as framed as those of `other`."""
        looks = {name: getattr(other, name) for name in ("opacity", "digit_opacity", "highlight")}
        return replace(self, **looks)

    def block(self, rows: list[int], columns: list[int]) -> Cells:
        """The cells at these indices, with the look they have."""
        cut = np.ix_(rows, columns)
        positions = (
            tuple(self.positions[0][row] for row in rows),
            tuple(self.positions[1][column] for column in columns),
        )
        return replace(self, positions=positions, **{name: getattr(self, name)[cut] for name in ARRAYS})


def _digit_opacity(opacity: float) -> float:
    # Digits fade less than their cell: they stay readable while dimmed, and go with it at the end.
    return float(np.cbrt(opacity))


def _range(drawn: tuple[int, ...]) -> str:
    return f"{drawn[0]}..{drawn[-1]}" if drawn else "nothing"


def between(start: Cells, end: Cells, way: float) -> Cells:
    """Cells that are `way` (0 to 1) of the way from `start` to `end` in their looks; the digits are those of both.

    Rate functions that swing beyond 0 and 1 stop there: no colour lies beyond either end.
    """
    if start is end or way <= 0:
        return start
    if way >= 1:
        return end
    mixed: dict[str, Any] = {
        name: getattr(start, name) + (getattr(end, name) - getattr(start, name)) * np.float32(way)
        for name in ("opacity", "digit_opacity", "highlight")
        if getattr(start, name) is not getattr(end, name)
    }
    if start.fill is not end.fill:
        mixed["fill"] = np.rint(start.fill + (end.fill.astype(np.float32) - start.fill) * way).astype(np.uint8)
    return replace(end, **mixed)


def bind(
    tensor: NamedTensor,
    axes: tuple[str | None, str | None],
    positions: tuple[tuple[int, ...], tuple[int, ...]],
    scale: ColorScale,
    number_format: NumberFormat,
    theme: Theme,
) -> Cells:
    """The cells of a tensor at these positions; InputError for NaN or infinity (with its address), an axis too many."""
    values = _matrix(tensor, axes)[np.ix_(*positions)]
    strings, ids = np.unique([[number_format.text(v) if v == v else "" for v in row] for row in values],
                             return_inverse=True)  # fmt: skip
    ones = np.ones(values.shape, dtype=np.float32)
    cells = Cells(tensor, axes, positions, scale, number_format, tuple(str(s) for s in strings),
                  ids.reshape(values.shape), _colored(values, scale), ones, ones, np.zeros_like(ones),
                  np.isneginf(values), theme)  # fmt: skip
    if (endless := np.isposinf(values)).any():
        row, column = np.argwhere(endless)[0]
        raise InputError(f"{cells.entry(row, column).address} is infinite and has no colour: show it as a Number")
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        raise InputError(f"{cells.entry(row, column).address} is NaN and cannot be drawn: find where it came from")
    return cells


def _matrix(tensor: NamedTensor, axes: tuple[str | None, str | None]) -> Array:
    named = [axis for axis in axes if axis]
    if sorted(named) != sorted(tensor.axes):
        raise InputError(
            f"{tensor.address} has the axes {', '.join(tensor.axes) or 'none'}, but rows={axes[0]}, columns={axes[1]}: "
            "name each of its axes once, or select the others away"
        )
    values = np.transpose(tensor.values, [tensor.axes.index(axis) for axis in named]).astype(float)
    return values.reshape([tensor.size(axis) if axis else 1 for axis in axes])


def _colored(values: Array, scale: ColorScale) -> Array:
    finite = np.where(np.isfinite(values), values, 0.0)
    for extreme in (finite.min(initial=0.0), finite.max(initial=0.0)):
        scale.step(float(extreme))  # refuses what the scale cannot show
    steps = np.rint((finite - scale.low) / (scale.high - scale.low) * (len(scale.table) - 1)).astype(int)
    fill = np.array([rgb(color) for color in scale.table], dtype=np.uint8)[steps]
    fill[np.isneginf(values)] = rgb(scale.minus_infinity)
    return np.asarray(fill)
