"""Where a grid stands in a picture, and how opaque its cells and digits are: read from the score, nothing judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnviz.errors import InputError
from attnviz.verify.claims import Claim
from attnviz.verify.contents import Content
from attnviz.verify.picture import Array
from attnviz.verify.view import Lattice, View, lattice

HIDDEN = 0.02  # opacity below which nothing is seen


@dataclass(frozen=True, eq=False)
class Shown:
    """A grid as it stands in a picture."""

    content: Content
    lattice: Lattice
    opacity: Array
    digit_opacity: Array
    em: float  # pixels
    side: float  # pixels of a cell's shorter side
    origin: tuple[float, float]  # the upper left corner, in units
    size: tuple[float, float]  # width and height, in units
    place: str  # in the score

    @property
    def is_hidden(self) -> bool:
        """Whether nothing of it is seen."""
        return bool((np.maximum(self.opacity, self.digit_opacity) < HIDDEN).all())

    def has_digits(self, row: int, column: int) -> bool:
        """Whether digits are drawn in a cell."""
        return self.em > 0 and bool(self.content.strings) and self.digit_opacity[row, column] >= HIDDEN


def shown(item: Claim, contents: list[Content], view: View) -> Shown:
    """Read where a grid stands; InputError for what cannot be read."""
    content = contents[item["content"].whole(0, len(contents) - 1)]
    x, y = item["origin"].numbers(2, -1000, 1000)
    width, height = item["pitch"].numbers(2, low=1e-6, high=1000)
    place = lattice(view, (x, y), (width, height), content.shape) if min(content.shape) else Lattice([], [])
    opacity, digits = (_opacity(item[name], content.shape) for name in ("opacity", "digit_opacity"))
    em = item["em"].number(0, height) * view.unit
    if em and not content.strings:
        raise InputError(f"{item.place} draws digits, but its content has no strings; render the scene again")
    return Shown(content, place, opacity, digits, em, min(width, height) * view.unit,
                 (x, y), (width * content.shape[1], height * content.shape[0]), item.place)


def beside(grids: Sequence[Shown], side: str, axis: str, centers: Sequence[Sequence[float]]) -> Shown | None:
    """The grid that labels with these centres stand at: the one with `axis` on that side to which they are nearest."""
    x, y = np.mean(centers, axis=0)

    def apart(grid: Shown) -> float:
        (left, top), (width, height) = grid.origin, grid.size
        dx, dy = (left - x, top - height / 2 - y) if side == "left" else (left + width / 2 - x, y - top)
        return float(np.hypot(dx, dy))

    index = 0 if side == "left" else 1
    return min((grid for grid in grids if grid.content.axes[index] == axis), key=apart, default=None)


def _opacity(claim: Claim, shape: tuple[int, int]) -> Array:
    """One number for all cells, or for each row one or as many as it has cells."""
    if not isinstance(claim.value, list):
        return np.full(shape, claim.number(0, 1))
    rows = [row.numbers(shape[1], 0, 1) if isinstance(row.value, list) else [row.number(0, 1)] * shape[1]
            for row in claim.parts(shape[0])]
    return np.array(rows, np.float64).reshape(shape)
