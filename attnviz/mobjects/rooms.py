"""The room that a film of the whole formula has for its matrices and worked examples, frame by frame, and the cell that
fits: what `attnviz.mobjects.plan` chooses places by.

Nothing is drawn here, and no place is decided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from attnviz.layout import Layout, Region
from attnviz.mobjects.grid import whole_pixels
from attnviz.mobjects.labels import are_level, can_be_read, slanted_reach
from attnviz.mobjects.places import GAP, LARGEST_CELL, InLine, ProductPlaces, in_a_line, product_places
from attnviz.theme import PIXEL

BESIDE, SPARING = 1.0, 1.2  # room for words to the left of a matrix, in units; where not every row is named
NAMED = 1.0  # room to the right of a matrix for its name
ABOVE, SLANTED = 0.5, 1.0  # room above a product for tokens, level and slanted
LINE_LABELS = (1.1, 0.8, 1.1)  # in a line across: room beside a matrix, above it for its name, below it for its words
DOWN_GAP, DOWN_WORDS = 0.3, 3.3  # in a line down: room between matrices, and to their right for name and words
APART = 0.1  # between a matrix of a line and the longest labels of the next
DIGITS = (60 * PIXEL, 30 * PIXEL)  # a cell that has room for digits that can be read
WIDEST = 2.0  # a cell's width over its height at most: that of the smallest with digits
SMALLEST = 5 * PIXEL  # a cell whose shade can still be seen
GROWN = 1.35  # times their size that the scores grow while they are alone
MOST_WORKED, FEW = 8, 5  # keys that a worked example shows all of; how many it shows of more
LINE, SHEET = 0.27, 1.6  # the least height of a worked line, and of a worked example, in units
STACK_GAP = 0.1  # between a matrix and a worked example below it, at least
HEADER = 0.5  # room above a worked example for the words of its columns
WIDE = 0.62, 2.4, 0.53  # of a worked row: room for a key and for its labels, and the most it may have of the whole

Cell = tuple[float, float]
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Rooms:
    """What is kept free around matrices: `left` for words, `above` for tokens. `highest` is what a cell may have."""

    layout: Layout
    sizes: Sizes
    left: float
    above: float
    highest: float = LARGEST_CELL[1]
    is_abreast: bool = False

    @property
    def worked_keys(self) -> int:
        """How many keys a worked example shows."""
        return self.sizes["key_pos"] if self.sizes["key_pos"] <= MOST_WORKED else FEW

    @property
    def is_cut(self) -> bool:
        """Whether it shows fewer than there are."""
        return self.worked_keys < self.sizes["key_pos"]

    # --- regions

    def scores_regions(self) -> tuple[Region, Region]:
        """Those of the product Q Kᵀ and of a worked dot product."""
        rows, columns = self._across("query_pos", "head_dim"), self._across("key_pos", "head_dim")
        return self._split(4, 0.0, self._used(rows, columns, self.above + GAP))

    def alone_regions(self) -> tuple[Region, Region]:
        """Those of the scores by themselves and of a row's softmax."""
        whole, (room, labels, most) = self.layout.region("whole"), WIDE
        if self.layout.flow == "beside":
            width = max(self.layout.region("side").width, labels + self.worked_keys * room)
            return _beside(whole, min(width, most * whole.width))
        used = self._used(GROWN * self.sizes["query_pos"], GROWN * self.sizes["key_pos"], self.above)
        return self._split(6, HEADER, used)

    def blend_regions(self) -> tuple[Region, Region]:
        """Those of the product A V and of a worked blend."""
        rows, columns = self._across("query_pos", "key_pos"), self._across("key_pos", "value_dim")
        if self.is_abreast:
            rows, columns = max(self.sizes["query_pos"], self.sizes["key_pos"]), columns + self.sizes["value_dim"]
        return self._split(self.worked_keys + 1 + self.is_cut, 0.0, self._used(rows, columns, ABOVE + GAP))

    def _across(self, *axes: str) -> int:
        return sum(self.sizes[axis] for axis in axes)

    def _used(self, rows: float, columns: float, above: float) -> float:
        """The height that a product takes in a frame as wide as this, if nothing limits it."""
        room = self.layout.region("stage").width - self.left - NAMED - GAP
        width = min(LARGEST_CELL[0], room / columns)
        return rows * min(self.highest, width) + above

    def _split(self, lines: int, more: float, used: float) -> tuple[Region, Region]:
        """A region for matrices that take `used`, and one for so many worked lines with `more` above them."""
        if self.layout.flow == "beside":
            return self.layout.region("stage"), self.layout.region("side")
        whole = self.layout.region("whole")
        return _below(whole, max(SHEET + more, lines * LINE + more, whole.height - used - STACK_GAP))

    # --- cells

    def line(self) -> tuple[InLine, bool]:
        """The line of Q, K and V, and whether it runs down."""
        rows, columns, inner, width = (self.sizes[axis] for axis in ("query_pos", "key_pos", "head_dim", "value_dim"))
        shapes, whole = [(rows, inner), (columns, inner), (columns, width)], self.layout.region("whole")
        narrower = Region(whole.x - DOWN_WORDS / 2, whole.y, whole.width - DOWN_WORDS, whole.height)
        labels = max(self.left + APART, LINE_LABELS[0]), *LINE_LABELS[1:]
        across = in_a_line(whole, shapes, labels, beside=True, widest=WIDEST)
        down = in_a_line(narrower, shapes, (self.left, DOWN_GAP, 0.0), beside=False, widest=WIDEST)
        is_stacked = self.layout.flow == "below" and _is_better(down.cell, across.cell)
        return (down, True) if is_stacked else (across, False)

    def scores(self, cell: Cell | None = None) -> ProductPlaces:
        """Where Q, Kᵀ and their product stand."""
        shape = self.sizes["query_pos"], self.sizes["head_dim"], self.sizes["key_pos"]
        return product_places(self.scores_regions()[0], shape, labels=(self.left, self.above, NAMED), cell=cell,
                              widest=WIDEST)

    def alone(self) -> Cell:
        """The cell with which the scores fit by themselves."""
        region = self.alone_regions()[0]
        return ((region.width - self.left - NAMED) / self.sizes["key_pos"],
                (region.height - self.above) / self.sizes["query_pos"])

    def blend(self, cell: Cell | None = None) -> ProductPlaces:
        """Where A, V and the output stand."""
        shape = self.sizes["query_pos"], self.sizes["key_pos"], self.sizes["value_dim"]
        region = self.blend_regions()[0]
        if self.is_abreast:
            return _abreast(region, shape, self.left, cell)
        return product_places(region, shape, labels=(self.left, ABOVE, NAMED), cell=cell, widest=WIDEST)

    def arranged(self) -> Rooms:
        """The same with the blend side by side, if that makes for larger cells."""
        abreast = replace(self, is_abreast=True)
        return self if _is_better(self.blend().cell, abreast.blend().cell) else abreast

    def cell(self) -> Cell:
        """The largest cell with which everything fits."""
        cells = (self.line()[0].cell, self.scores().cell, self.alone(), self.blend().cell)
        width, height = (min(sides) for sides in zip(*cells, strict=True))
        return whole_pixels(width), whole_pixels(min(width, height))


def rooms_for(layout: Layout, sizes: Sizes, key_tokens: Sequence[str]) -> Rooms:
    """The least room with which labels can be read: level, else slanted, else with a notice that some are left out."""
    reach = min(SLANTED, max(ABOVE, slanted_reach(key_tokens)))
    level, slanted, sparing = (Rooms(layout, sizes, left, above).arranged()
                               for left, above in ((BESIDE, ABOVE), (BESIDE, SLANTED), (SPARING, reach)))
    if are_level(cell := level.cell(), key_tokens) and can_be_read(cell, key_tokens):
        return level
    return slanted if can_be_read(slanted.cell(), key_tokens) else sparing


def growth(cell: Cell, most: Cell) -> float:
    """How many times larger cells may be drawn, in whole pixels of their width."""
    factor = min(GROWN, most[0] / cell[0], most[1] / cell[1])
    return max(1.0, math.floor(factor * cell[0] / PIXEL + 1e-6) * PIXEL / cell[0])


def _is_better(one: Cell, other: Cell) -> bool:
    """Whether digits can be read in `one`, or else it is no smaller than `other`."""
    return (one[0] >= DIGITS[0] and one[1] >= DIGITS[1]) or min(one) >= min(other)


def _beside(whole: Region, right_width: float, gap: float = 0.25) -> tuple[Region, Region]:
    left_width = whole.width - right_width - gap
    return (Region(whole.left + left_width / 2, whole.y, left_width, whole.height),
            Region(whole.right - right_width / 2, whole.y, right_width, whole.height))


def _below(whole: Region, lower_height: float) -> tuple[Region, Region]:
    upper_height = whole.height - lower_height - STACK_GAP
    return (Region(whole.x, whole.top - upper_height / 2, whole.width, upper_height),
            Region(whole.x, whole.bottom + lower_height / 2, whole.width, lower_height))


def _abreast(region: Region, shape: tuple[int, int, int], left: float, cell: Cell | None) -> ProductPlaces:
    """A, V and their product side by side, each with its name above it, A and V with words to their left."""
    rows, inner, width = shape
    gaps = left, left + APART, ABOVE
    across = region.width - sum(gaps), region.height - ABOVE
    cell = cell or (min(LARGEST_CELL[0], across[0] / (inner + 2 * width)),
                    min(LARGEST_CELL[1], across[1] / max(rows, inner)))
    widths = inner * cell[0], width * cell[0], width * cell[0]
    x, y, points = region.x - (sum(widths) + sum(gaps)) / 2, region.y - ABOVE / 2, []
    for gap, wide in zip(gaps, widths, strict=True):
        points.append((x + gap + wide / 2, y, 0.0))
        x += gap + wide
    return ProductPlaces(cell, *points)
