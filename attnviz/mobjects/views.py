"""Where X, the three weight matrices and Q, K and V stand in one film: one cell for all, X in one place all along.

Only places and sizes are decided here; the matrices are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attnviz.errors import InputError
from attnviz.layout import Layout, Region
from attnviz.mobjects.places import LARGEST_CELL, Point

LABELS = 1.05  # room to the left of a matrix for its tokens, in units
NAME, BETWEEN = 0.48, 0.52  # room above a weight for its name, and between a weight and its view for the view's
CLOSE = 0.05  # between a matrix and its name above it: nearer than what lies above that
GAP = 0.3  # between matrices beside each other
WORDS = 3.2  # the width of words beside a wide product
LOWEST, LOW = 0.17, 0.24  # the height of a row whose label can be read; below the other, names stand at the side
RIGHT, FEWER, SMALL = 0.58, 0.95, 0.7  # room for names there, for tokens then, and how much smaller names are
WIDER = 2.0  # a cell's width over its height at most


@dataclass(frozen=True)
class ViewPlan:
    """Centres of grids, for Q, K and V in this order: of X (that of the keys may have other rows), of the weight, of
    the view where it is made, and where it stays.

    `cell` is (width, height) in units; `head` is above X, `sheet` is free while the first view is made, `aside`
    is what of it is as high as X, and `note` is free while the second is made. `beside` says that the three are made
    side by side, else each is made in the one place and goes below; `above` that names of weights have room above
    these, else it is to their right; `names` is how large names are then, and `labels` the room for tokens beside X.
    """

    cell: tuple[float, float]
    inputs: tuple[Point, Point, Point]
    weights: tuple[Point, Point, Point]
    made: tuple[Point, Point, Point]
    kept: tuple[Point, Point, Point]
    head: Region
    sheet: Region
    aside: Region
    note: Region
    beside: bool
    above: bool = True
    names: float = 1.0
    labels: float = LABELS


def view_plan(layout: Layout, sizes: Mapping[str, int], *, is_self: bool) -> ViewPlan:
    """The plan for `sizes` of query_pos, key_pos, model_dim, head_dim and value_dim.

    In self-attention one column of labels serves all. InputError for more rows than can be labelled.
    """
    plan = _beside if layout.flow == "beside" else _below
    found = plan(layout, sizes, GAP if is_self else LABELS)
    if found.cell[1] < LOWEST:
        rows = max(sizes["query_pos"], sizes["key_pos"])
        raise InputError(f"X of {rows} words, with weights of {sizes['model_dim']} rows above it, cannot be labelled "
                         "so that it can be read: choose fewer tokens, or another frame")
    return found


def _rows(sizes: Mapping[str, int]) -> tuple[int, int, int]:
    return sizes["query_pos"], sizes["key_pos"], sizes["key_pos"]


def _widths(sizes: Mapping[str, int]) -> tuple[int, int, int]:
    return sizes["head_dim"], sizes["head_dim"], sizes["value_dim"]


def _cell(width: float, height: float, columns: int, rows: int) -> tuple[float, float]:
    high = min(LARGEST_CELL[1], height / rows)
    return min(LARGEST_CELL[0], width / columns, WIDER * high), high


def _beside(layout: Layout, sizes: Mapping[str, int], gap: float) -> ViewPlan:
    """X at the left, and to its right three weights in a row, each above its view."""
    whole, inner, rows = layout.region("whole"), sizes["model_dim"], _rows(sizes)
    columns = inner + sum(_widths(sizes))
    cell = _cell(whole.width - LABELS - 2 * gap - GAP, whole.height - NAME - BETWEEN, columns, inner + max(rows))
    left = whole.x - (columns * cell[0] + 2 * gap + GAP - LABELS) / 2
    top = whole.y + ((inner + max(rows)) * cell[1] + BETWEEN - NAME) / 2
    first = top - inner * cell[1] - BETWEEN
    lefts = _after(left + inner * cell[0] + gap, _widths(sizes), cell[0], (gap, GAP))
    inputs = _centres((left,) * 3, (inner,) * 3, first, rows, cell)
    made = _centres(lefts, _widths(sizes), first, rows, cell)
    weights = _centres(lefts, _widths(sizes), top, (inner,) * 3, cell)
    sheet, note = (_from(place + GAP, whole) for place in lefts[1:])
    aside = Region(sheet.x, made[0][1], 0.8 * sheet.width, rows[0] * cell[1])
    head = Region(whole.x, (whole.top + first + BETWEEN) / 2, whole.width, whole.top - first - BETWEEN)
    return ViewPlan(cell, inputs, weights, made, made, head, sheet, aside, note, True)


def _below(layout: Layout, sizes: Mapping[str, int], gap: float) -> ViewPlan:
    """One product in `stage`, and the views in `side`, below it."""
    stage, side, inner, rows = layout.region("stage"), layout.region("side"), sizes["model_dim"], _rows(sizes)
    widths, high = _widths(sizes), inner + max(rows)
    above = (stage.height - BETWEEN - NAME) / high >= LOW
    less = 0.0 if above else NAME * (1 - SMALL)
    name, between, right, labels = (NAME, BETWEEN, 0.0, LABELS) if above else (0.0, BETWEEN - less, RIGHT, FEWER)
    made_cell = _cell(stage.width - labels - GAP - right, stage.height - between - name, inner + max(widths), high)
    kept_cell = _cell(side.width - LABELS - gap - GAP, side.height - NAME, sum(widths), max(rows))
    cell = min(made_cell[0], kept_cell[0]), min(made_cell[1], kept_cell[1])
    left = stage.x - ((inner + max(widths)) * cell[0] + GAP + right - labels) / 2
    top = stage.y + (high * cell[1] + between - name) / 2
    first = top - inner * cell[1] - between
    lefts = (left + inner * cell[0] + GAP,) * 3
    below = _after(side.x - (sum(widths) * cell[0] + gap + GAP - LABELS) / 2, widths, cell[0], (gap, GAP))
    kept = _centres(below, widths, side.y + (max(rows) * cell[1] - NAME) / 2, rows, cell)
    head = Region(stage.x, (stage.top + first + NAME) / 2, stage.width, stage.top - first - NAME)
    return ViewPlan(cell, _centres((left,) * 3, (inner,) * 3, first, rows, cell),
                    _centres(lefts, widths, top, (inner,) * 3, cell), _centres(lefts, widths, first, rows, cell),
                    kept, head, side, side, _from(below[1], side), False, above, 1.0 if above else SMALL, labels)


def _from(left: float, region: Region) -> Region:
    """What of a region lies to the right of `left`."""
    return Region((left + region.right) / 2, region.y, region.right - left, region.height)


def _after(left: float, widths: tuple[int, int, int], cell: float, gaps: tuple[float, float]
           ) -> tuple[float, float, float]:
    """The left edges of three matrices beside each other."""
    second = left + widths[0] * cell + gaps[0]
    return left, second, second + widths[1] * cell + gaps[1]


def _centres(lefts: tuple[float, float, float], columns: tuple[int, int, int], top: float, rows: tuple[int, int, int],
             cell: tuple[float, float]) -> tuple[Point, Point, Point]:
    one, two, three = ((x + across * cell[0] / 2, top - down * cell[1] / 2, 0.0)
                       for x, across, down in zip(lefts, columns, rows, strict=True))
    return one, two, three
