"""What a score says that grids show: each content bound to its numbers, its strings, its colours, its scale.

Strings are held against the numbers by decimal arithmetic, colours against the scale rebuilt from stage, ends and
theme. Nothing here looks at a picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.colors import ColorScale, hex_color, rgb
from attnviz.errors import InputError
from attnviz.numbers import STYLES
from attnviz.theme import Theme, scale_for
from attnviz.trace import NamedTensor
from attnviz.verify.claims import Claim
from attnviz.verify.report import Tally
from attnviz.verify.shown import agrees
from attnviz.verify.truth import Truth

MOST_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class Content:
    """The numbers that a grid shows, by rows and columns; `strings` is empty where it draws no digits."""

    tensor: NamedTensor
    axes: tuple[str | None, str | None]
    positions: tuple[tuple[int, ...], tuple[int, ...]]
    values: NDArray[np.float64]
    strings: list[list[str]]
    scale: ColorScale
    fill: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def entry(self, row: int, column: int) -> str:
        """The address of the number in a cell."""
        places = self.positions[0][row], self.positions[1][column]
        coords = {axis: place for axis, place in zip(self.axes, places, strict=True) if axis}
        return f"{self.tensor.record}.{self.tensor.entry(**coords).address}"


def content_of(claim: Claim, truth: Truth, theme: Theme, tally: Tally) -> Content:
    """Read a content and complain of all that no record says; InputError for what cannot be read as one."""
    tensor = truth.tensor(claim)
    if claim["stage"].text() != tensor.name:
        claim["stage"].refuse(tensor.name)
    if claim["at"].value != dict(tensor.at):
        claim["at"].refuse(str(dict(tensor.at)))
    axes, positions = _axes(claim, tensor), _positions(claim, tensor)
    values = _matrix(tensor, axes)[np.ix_(*positions)]
    claim["format"].parts(2)[0].one_of(*STYLES)
    scale = _scale(claim, tensor.name, values, theme, tally)
    strings, stated = _strings(claim, values.shape), _fill(claim, values.shape)
    content = Content(tensor, axes, positions, values, strings, scale, _colours(values, scale))
    _check(content, stated, tally)
    return content


def _axes(claim: Claim, tensor: NamedTensor) -> tuple[str | None, str | None]:
    rows, columns = (part.value for part in claim["axes"].parts(2))
    if sorted(axis for axis in (rows, columns) if isinstance(axis, str)) != sorted(tensor.axes):
        claim["axes"].refuse(f"the axes of {tensor.address}: {', '.join(tensor.axes)}")
    return rows, columns


def _positions(claim: Claim, tensor: NamedTensor) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sides = []
    for axis, side in zip(claim["axes"].parts(2), claim["positions"].parts(2), strict=True):
        size = tensor.size(axis.value) if axis.value else 1
        sides.append(tuple(part.whole(0, size - 1) for part in side.parts()))
    shape = tuple(part.whole() for part in claim["shape"].parts(2))
    if shape != (len(sides[0]), len(sides[1])) or shape[0] * shape[1] > MOST_CELLS:
        claim["shape"].refuse(f"[{len(sides[0])}, {len(sides[1])}], as many as its positions, and not too many")
    return sides[0], sides[1]


def _matrix(tensor: NamedTensor, axes: tuple[str | None, str | None]) -> NDArray[np.float64]:
    order = [tensor.axes.index(axis) for axis in axes if axis]
    shape = [tensor.size(axis) if axis else 1 for axis in axes]
    return np.transpose(tensor.values, order).astype(np.float64).reshape(shape)


def _strings(claim: Claim, shape: tuple[int, ...]) -> list[list[str]]:
    rows = claim["strings"].parts()
    if not rows:
        return []
    if len(rows) != shape[0]:
        claim["strings"].refuse(f"{shape[0]} rows")
    return [[part.text() for part in row.parts(shape[1])] for row in rows]


def _fill(claim: Claim, shape: tuple[int, ...]) -> list[list[str]]:
    rows = claim["fill"].parts(shape[0])
    return [[part.text() for part in row.parts(shape[1])] for row in rows]


def _scale(claim: Claim, stage: str, values: NDArray[np.float64], theme: Theme, tally: Tally) -> ColorScale:
    """The scale of the stage with the ends that are stated; one that holds all values where those ends do not."""
    low, high = claim["scale"].numbers(2)
    finite = values[np.isfinite(values)]
    bounds = min([low, *finite.tolist()]), max([high, *finite.tolist()])
    scale = rebuilt(stage, *bounds, theme)
    if scale.ends != (low, high):
        where = f"the colour scale of {claim['address'].value}"
        tally.complain(where, f"{low:g} to {high:g}", f"its numbers and its stage give {scale.low:g} to {scale.high:g}")
    return scale


def rebuilt(stage: str, low: float, high: float, theme: Theme) -> ColorScale:
    """The colour scale of a stage from the ends; InputError where there can be none."""
    try:
        return scale_for(stage, low, high, theme)
    except (InputError, ArithmeticError, ValueError, StopIteration):
        raise InputError(f"{stage}: no colour scale runs from {low:g} to {high:g}; render the scene again") from None


def _colours(values: NDArray[np.float64], scale: ColorScale) -> NDArray[np.float64]:
    """The colour of every number; of NaN that of zero, which is complained of elsewhere."""
    return np.array([[rgb(scale.color(value if value == -math.inf or math.isfinite(value) else 0.0)) for value in row]
                     for row in values.tolist()], dtype=np.float64).reshape(*values.shape, 3)


def _check(content: Content, stated: list[list[str]], tally: Tally) -> None:
    for row, column in np.ndindex(content.shape):
        value, color = float(content.values[row, column]), content.fill[row, column]
        wanted = hex_color(*(int(part) for part in color))[1:]
        if content.strings and not agrees(shown := content.strings[row][column], value):
            tally.complain(content.entry(row, column), f"the score shows {shown}", f"the record says {value:.9g}")
        elif math.isnan(value) or value == math.inf:
            tally.complain(content.entry(row, column), "the score shows it as a number", f"the record says {value}")
        if stated[row][column].lower() != wanted:
            tally.complain(content.entry(row, column), f"the score fills it with #{stated[row][column]}",
                           f"{value:.9g} is #{wanted} on its scale")
