"""Where things stand: three matrices of a product, the lines of a worked example, anything fitted into a region.

Only places are decided here; what is placed is made elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import manim

from attnviz.layout import Region
from attnviz.text.typed import LINE_WIDTH

LARGEST_CELL = (0.86, 0.62)  # width and height of a cell, in units: more looks empty
WIDEST = 1.75  # a cell's width over its height at most
LABEL_GAP = 0.25  # between the label of a worked line and its content
GAP = 0.3  # between a product and its factors
APART = 0.94  # of the height that there is for something, what it takes: the next one follows

Point = tuple[float, float, float]


@dataclass(frozen=True)
class ProductPlaces:
    """Centres of the factors and the product of A B, and their common cell (width, height), in units.

    Every entry of the product lies in the row of A and in the column of B that it is made from.
    """

    cell: tuple[float, float]
    left: Point
    top: Point
    result: Point


def fitting_cell(region_width: float, region_height: float, columns: float, rows: float,
                 widest: float = WIDEST) -> tuple[float, float]:
    """The largest cell with which so many columns and rows fit, no wider or higher than is good to look at."""
    width = min(LARGEST_CELL[0], region_width / max(columns, 1))
    height = min(LARGEST_CELL[1], region_height / max(rows, 1))
    return min(width, height * widest), height


def product_places(region: Region, shape: tuple[int, int, int], *, labels: tuple[float, float, float],
                   cell: tuple[float, float] | None = None, widest: float = WIDEST) -> ProductPlaces:
    """Places for A (rows x inner) times B (inner x columns) in `region`, `shape` being (rows, inner, columns).

    `labels` is the room kept to the left of A, above B and to the right of A B; `cell` keeps one chosen before, else
    it is at most so many times as wide as it is high.
    """
    rows, inner, columns = shape
    room = region.width - labels[0] - labels[2] - GAP, region.height - labels[1] - GAP
    width, height = cell or fitting_cell(*room, inner + columns, inner + rows, widest)
    across, down = (inner + columns) * width + GAP, (inner + rows) * height + GAP
    left_edge = region.x - (across + labels[0] + labels[2]) / 2 + labels[0]
    top_edge = region.y + (down + labels[1]) / 2 - labels[1]
    left_x, result_x = left_edge + inner * width / 2, left_edge + inner * width + GAP + columns * width / 2
    top_y, result_y = top_edge - inner * height / 2, top_edge - inner * height - GAP - rows * height / 2
    return ProductPlaces((width, height), (left_x, result_y, 0), (result_x, top_y, 0), (result_x, result_y, 0))


@dataclass(frozen=True)
class InLine:
    """Matrices beside or below each other in a region: the cell that fits, and their centres for a cell."""

    region: Region
    shapes: tuple[tuple[int, ...], ...]
    labels: tuple[float, float, float]
    beside: bool
    cell: tuple[float, float]

    def at(self, cell: tuple[float, float]) -> list[Point]:
        """The centres of the matrices, in order, for a cell (width, height) no larger than `self.cell`."""
        left, above, below = self.labels
        along, room = (0, left) if self.beside else (1, above + below)
        lengths = [shape[1 - along] * cell[along] + room for shape in self.shapes]
        x, y = self.region.x + left / 2, self.region.y + (below - above) / 2
        start, points = -sum(lengths) / 2, []
        for length in lengths:
            middle = start + length / 2
            points.append((x + middle, y, 0.0) if self.beside else (x, y - middle, 0.0))
            start += length
        return points


def in_a_line(
    region: Region, shapes: Sequence[tuple[int, ...]], labels: tuple[float, float, float], *,
    beside: bool | None = None, widest: float = WIDEST,
) -> InLine:
    """Matrices of these shapes (rows, columns) in a line, each with room for labels (to its left, above, below).

    They stand `beside` or below each other, or whichever leaves the larger cells. `widest` is how many times as wide as
    it is high a cell may be.
    """
    ways = (True, False) if beside is None else (beside,)
    return max((_line(region, shapes, labels, way, widest) for way in ways), key=lambda line: min(line.cell))


def _line(region: Region, shapes: Sequence[tuple[int, ...]], labels: tuple[float, float, float], beside: bool,
          widest: float) -> InLine:
    rows, columns = [shape[0] for shape in shapes], [shape[1] for shape in shapes]
    across, down = (sum(columns), max(rows)) if beside else (max(columns), sum(rows))
    copies = (len(shapes), 1) if beside else (1, len(shapes))
    room = region.width - copies[0] * labels[0], region.height - copies[1] * (labels[1] + labels[2])
    return InLine(region, tuple(shapes), labels, beside, fitting_cell(*room, across, down, widest))


def keep_within(mobject: manim.Group, region: Region, high: float) -> manim.Group:
    """Make it less than `high` (in units), and move it to the left as far as it stands out of a region's right."""
    mobject.scale(min(1.0, APART * high / mobject.height), about_edge=manim.LEFT)
    return mobject.shift(min(region.right - mobject.get_right()[0], 0.0) * manim.RIGHT)


def fit_into(mobject: manim.Mobject, region: Region, *, grow: float = 1.0) -> manim.Mobject:
    """`mobject`, made smaller until it fits or up to `grow` times larger, in the middle of `region`."""
    line = LINE_WIDTH * max((part.stroke_width for part in mobject.family_members_with_points()
                             if isinstance(part, manim.VMobject)), default=0.0)  # half of it lies outside of outlines
    factor = min(grow, (region.width - line) / max(mobject.width, 1e-6),
                 (region.height - line) / max(mobject.height, 1e-6))
    if factor != 1.0:
        mobject.scale(factor)
    return mobject.move_to(region.center)


def halves(region: Region, share: float = 0.5) -> tuple[Region, Region]:
    """The upper `share` of a region, and what is below it."""
    high = share * region.height
    return (Region(region.x, region.top - high / 2, region.width, high),
            Region(region.x, region.bottom + (region.height - high) / 2, region.width, region.height - high))


@dataclass(frozen=True)
class Sheet:
    """A worked example: `lines` of a label and its content, labels flush right, contents flush left."""

    lines: tuple[manim.Group, ...]

    @classmethod
    def place(cls, pairs: Sequence[tuple[manim.Mobject, manim.Mobject]], region: Region, *,
              pitch: float = 0.9, gap: float = LABEL_GAP) -> Sheet:
        """Put labels and contents into `region`, line below line; the pitch shrinks before anything overlaps."""
        label_width = max(label.width for label, _ in pairs)
        block = label_width + gap + max(content.width for _, content in pairs)
        step = min(pitch, region.height / len(pairs))
        axis = region.x - block / 2 + label_width
        first = region.y + step * (len(pairs) - 1) / 2
        for number, (label, content) in enumerate(pairs):
            y = first - number * step
            label.move_to((axis - label.width / 2, y, 0))
            content.move_to((axis + gap + content.width / 2, y, 0))
        return cls(tuple(manim.Group(label, content) for label, content in pairs))

    @property
    def all(self) -> manim.Group:
        """Every line, for fading out together."""
        return manim.Group(*self.lines)
