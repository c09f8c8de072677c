"""A matrix product in motion: a left factor, a top factor, and their product in the corner between them.

Every entry lies in the row of the left factor and in the column of the top factor that it is made from. The moves mean
that: a row slides towards the entries that it is made into. What is multiplied, and how fast, is a scene's choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import manim
import numpy as np

from attnviz.errors import InputError
from attnviz.mobjects.animations import Handover
from attnviz.mobjects.cells import Cells
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.places import ProductPlaces
from attnviz.theme import DARK
from attnviz.trace import KINDS

LEVEL = 0.02  # units: edges that are no further apart are one line
SLID = 0.6  # of a slide's time after which the row has arrived, and its entries begin to come
LIFTED = 0.15  # of a slide's time after which the row is bright and leaves its place


class MatrixProduct:
    """`left` (rows x inner) times `top` (inner x columns) is `result`, whose cells are hidden until they are made.

    The grids are the scene's own: here they are only placed and animated. InputError where `result` is not computed
    from just these two, or their rows and columns are not those of one another.
    """

    def __init__(self, left: Grid, top: Grid, result: Grid) -> None:
        if (problem := _no_product(left.cells, top.cells, result.cells)):
            addresses = " and ".join(grid.cells.tensor.address for grid in (left, top))
            raise InputError(f"{result.cells.tensor.address} cannot be drawn as the product of {addresses}: {problem}")
        self.left, self.top, self.result = left, top, result
        result.dim_cells(to=0)

    def to(self, places: ProductPlaces) -> MatrixProduct:
        """Move the three grids to their places."""
        for grid, place in ((self.left, places.left), (self.top, places.top), (self.result, places.result)):
            grid.move_to(place)
        return self

    def aim(self, row: int | None = None, column: int | None = None) -> list[manim.Animation]:
        """The row and the column of an entry stay bright; None leaves all rows, or columns, bright."""
        rows, columns = (None if place is None else [place] for place in (row, column))
        return [self.left.animate.focus(rows=rows).build(), self.top.animate.focus(columns=columns).build()]

    def arrive(self, row: int, column: int, source: manim.Mobject, run_time: float = DARK.step) -> Arrive:
        """One entry comes from where it was worked out, and stands in its place."""
        return Arrive(self.result, row, column, source, run_time)

    def slide(self, rows: Sequence[int], run_time: float = DARK.slow) -> RowsSlide:
        """These rows of the left factor slide towards their entries, and become them.

        InputError where the product does not stand in the corner between its factors: a row would fill another.
        """
        if not self._in_corner():
            raise InputError(f"{self.result.cells.tensor.address} does not stand beside the rows and below the columns "
                             "that it is made from: move the three grids to their places before a row slides")
        return RowsSlide(self.left, self.result, rows, run_time)

    def _in_corner(self) -> bool:
        """Whether every entry lies in its row of the left factor and in its column of the top factor."""
        pairs = ((self.left, manim.UL, manim.DL, 1), (self.top, manim.UL, manim.UR, 0))
        apart = [abs(factor.get_corner(end)[axis] - self.result.get_corner(end)[axis])
                 for factor, *ends, axis in pairs for end in ends]
        return bool(max(apart) <= LEVEL)

    def rest(self, rows: Sequence[int] = ()) -> list[int]:
        """The rows of the product besides these, in order."""
        return [row for row in self.result.cells.positions[0] if row not in rows]


def _no_product(left: Cells, top: Cells, result: Cells) -> str:
    """Why a grid is not the product of two others, in words; nothing where it is."""
    sides = [[(cells.axes[side], cells.positions[side]) for side in (0, 1)] for cells in (left, top, result)]
    (row, inner), (depth, column), made = sides
    if inner != depth or made != [row, column]:
        shapes = ", ".join(f"{cells.axes[0]} x {cells.axes[1]}" for cells in (left, top, result))
        return f"their rows and columns do not belong together ({shapes})"
    places: dict[str, int] = {}
    for cells in (left, top, result):
        for axis, place in cells.tensor.at.items():
            if places.setdefault(axis, place) != place:
                return f"{axis}={places[axis]} is not {axis}={place}"
    factors, stage = {left.tensor.name, top.tensor.name}, result.tensor.stage
    one_record = len({cells.tensor.record for cells in (left, top, result)}) == 1
    terms = [other for kind in KINDS.values() if stage in kind.stages for other in kind.stages
             if other.name in stage.inputs and factors <= set(other.inputs)]
    return "" if one_record and terms else "it is not computed from them"


def quickening(count: int, first: float, last: float) -> list[float]:
    """So many times in seconds, each shorter than the one before by the same factor, from `first` to `last`."""
    return [float(time) for time in np.geomspace(first, last, count)] if count > 1 else [first] * count


class Arrive(Handover):
    """One hidden entry of a grid comes from `source`, whole, and stands in its place."""

    def __init__(self, grid: Grid, row: int, column: int, source: manim.Mobject, run_time: float) -> None:
        self.row, self.column = row, column
        entry = _block(grid, [row], [column]).dim_cells(to=1.0)
        super().__init__(None, manim.Group(entry), grid, [manim.FadeIn(entry, target_position=source)],
                         run_time=run_time)

    def clean_up_from_scene(self, scene: manim.Scene) -> None:
        """The entry is one of the grid again."""
        self.successor.dim_cells(rows=[self.row], columns=[self.column], to=1.0)
        super().clean_up_from_scene(scene)


class RowsSlide(Handover):
    """Copies of rows of the left factor slide to the rows of the product, as wide as these, and give way to them."""

    def __init__(self, left: Grid, result: Grid, rows: Sequence[int], run_time: float) -> None:
        self.rows, self.passed = list(rows), (left,)
        step = _Slide(left, result, self.rows, run_time=run_time, rate_func=manim.linear)
        super().__init__(None, manim.Group(step.made, step.moving), result, [step], run_time=run_time)

    def clean_up_from_scene(self, scene: manim.Scene) -> None:
        """The rows of the product are shown by its grid again."""
        self.successor.dim_cells(rows=self.rows, to=1.0)
        super().clean_up_from_scene(scene)


class _Slide(manim.Animation):
    """`moving` leaves its dimmed original and narrows on its way; then `made` comes where `moving` fades."""

    def __init__(self, left: Grid, result: Grid, rows: list[int], **options: Any) -> None:
        self.left, self.result, self.rows = left, result, rows
        self.moving, self.made = _block(left, rows), _block(result, rows)
        super().__init__(manim.Group(left, self.made, self.moving), **options)

    def begin(self) -> None:
        """Take the places and the look that the rows have when the play begins; their originals are then dim."""
        lifted = _block(self.left, self.rows)
        self.start, self.end = lifted.points, _block(self.result, self.rows).points
        self.moving.cells, self.faint = lifted.cells, float(lifted.cells.opacity.min(initial=1.0))
        self.left.dim_cells(rows=self.rows)
        super().begin()

    def interpolate_mobject(self, alpha: float) -> None:
        """Where the moving rows are; digits go out before others come in, while the colours cross over."""
        lift, way, given = (_share(alpha, *span) for span in ((0, LIFTED), (LIFTED, SLID), (SLID, 1)))
        shift = float(manim.smooth(way))
        self.moving.points = (1 - shift) * self.start + shift * self.end
        self.made.points = self.end.copy()
        bright = self.faint + (1 - self.faint) * lift
        _look(self.moving, bright * (1 - given), float(np.cbrt(bright)) * max(1 - 2 * given, 0.0))
        _look(self.made, given, max(2 * given - 1, 0.0))


def _share(alpha: float, start: float, end: float) -> float:
    """How far `alpha` has come from `start` to `end`, 0 to 1."""
    return min(max((alpha - start) / (end - start), 0.0), 1.0)


def _block(grid: Grid, rows: Sequence[int], columns: Sequence[int] | None = None) -> Grid:
    return grid.block(grid.cells.indices(0, rows), grid.cells.indices(1, columns))


def _look(block: Grid, opacity: float, digits: float) -> None:
    whole = np.ones(block.cells.shape, np.float32)
    block.cells = replace(block.cells, opacity=whole * np.float32(opacity), digit_opacity=whole * np.float32(digits))
