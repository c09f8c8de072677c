"""Where a small memory keeps the tiles of one program: one cell for all of its grids, and a place for each.

Only places and sizes are decided here; the grids are made by `Program`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import FILLED, TYPICAL, whole_pixels
from attnviz.mobjects.labels import rows_to_a_label
from attnviz.mobjects.notices import every_word
from attnviz.mobjects.places import LARGEST_CELL, Point
from attnviz.mobjects.sprites import widest
from attnviz.theme import PIXEL, Theme

APART = 0.18  # units between the blocks of the small memory
NARROW = 0.08  # units between its single columns
NAME_ROOM = 0.5  # units for a name beside a block
LOWER = 0.04  # units between names and the block below them
NAMES = 0.4  # units below a row of blocks, for names
ABOVE = 0.36  # units above the highest block, for tokens
Side = Literal["left", "right", "up", "corner"]
GOOD = 20.0  # pixels of an em from which digits are good to read
LABELS, LEAST = (1.0, 0.62), 0.35  # units beside the tile of Q for tokens: where there is room, where there is little
LABEL_GAP = 0.14  # units between a token and its row


@dataclass(frozen=True)
class Bench:
    """Where the small memory keeps its tiles: the cell of all grids, and the middle of each block by its name.

    Blocks: query, key (transposed, above the scores), scores, max, alpha, sum, accumulator, value (above that).
    `sides` says at which side of the blocks of K and V their names stand.
    """

    cell: tuple[float, float]
    at: Mapping[str, Point]
    label_room: float
    sides: Mapping[str, Side] = field(default_factory=lambda: {"key": "left", "value": "up"})

    @classmethod
    def fitting(cls, region: Region, sizes: Mapping[str, int], tokens: Sequence[str], theme: Theme) -> Bench:
        """In one row if its digits are good to read, else folded: single columns above Q, or the accumulator below.

        `sizes`: rows and columns of a tile, head_dim, value_dim; `tokens` are those beside the tile of Q.
        """
        reach = max(text.width_of(token) for token in tokens) * theme.label_size * PIXEL + LABEL_GAP
        best = _best(region, sizes, [max(min(room, reach), LEAST) for room in LABELS], theme)
        if (every := rows_to_a_label(whole_pixels(best.cell[1]))) == 1:
            return best
        told = text.width_of(every_word(every)) * theme.minimum_size * PIXEL + LABEL_GAP  # the line that says so
        return _best(region, sizes, [max(told, min(LABELS[0], reach))], theme)

    def digits(self, theme: Theme) -> float:
        """The em that digits have about in these cells, in pixels."""
        em = min(FILLED * self.cell[0] / widest((TYPICAL,)), 0.6 * self.cell[1]) / PIXEL
        return min(em, theme.number_size)


def _best(region: Region, sizes: Mapping[str, int], rooms: Sequence[float], theme: Theme) -> Bench:
    """The first arrangement whose digits are good to read, else that with the largest."""
    plans = [plan(region, sizes, room) for plan in (_one_row, _folded, _two_rows) for room in rooms]
    best = max(plans, key=lambda bench: round(bench.digits(theme)))
    return next((bench for bench in plans if bench.digits(theme) >= GOOD), best)


def _cell(across: float, columns: int, down: float, rows: int) -> tuple[float, float]:
    return min(across / columns, LARGEST_CELL[0]), min(down / rows, LARGEST_CELL[1])


def _one_row(region: Region, sizes: Mapping[str, int], label_room: float) -> Bench:
    rows, columns, inner, width = (sizes[axis] for axis in ("row", "column", "head_dim", "value_dim"))
    gaps, above = 3 * APART + 2 * NARROW, max(inner, columns)
    room = region.width - label_room - gaps, region.height - ABOVE - APART - NAMES
    cell = _cell(room[0], inner + columns + 3 + width, room[1], rows + above)
    total = label_room + gaps + (inner + columns + 3 + width) * cell[0]
    x, left = region.x - total / 2 + label_room, {}
    for name, count, gap in (("query", inner, APART), ("scores", columns, APART), ("max", 1, NARROW),
                             ("alpha", 1, NARROW), ("sum", 1, APART), ("accumulator", width, 0.0)):
        left[name] = x + count * cell[0] / 2
        x += count * cell[0] + gap
    y = region.bottom + NAMES + _slack(room[1], cell, rows, above)
    low, top = y + rows * cell[1] / 2, y + rows * cell[1] + APART
    at: dict[str, Point] = {name: (place, low, 0.0) for name, place in left.items()}
    at["key"] = (left["scores"], top + inner * cell[1] / 2, 0.0)
    at["value"] = (left["accumulator"], top + columns * cell[1] / 2, 0.0)
    return Bench(cell, at, label_room)


def _folded(region: Region, sizes: Mapping[str, int], label_room: float) -> Bench:
    """As one row, with the single columns above Q."""
    rows, columns, inner, width = (sizes[axis] for axis in ("row", "column", "head_dim", "value_dim"))
    between, above = label_room + NAME_ROOM, max(inner, columns, rows)
    room = region.width - label_room - APART - between, region.height - ABOVE - APART - NAMES - LOWER
    cell = _cell(room[0], inner + columns + width, room[1], rows + above)
    left = region.x - (region.width - room[0] + (inner + columns + width) * cell[0]) / 2 + label_room
    y = region.bottom + NAMES + _slack(room[1], cell, rows, above)
    low, top = y + rows * cell[1] / 2, y + rows * cell[1] + APART
    scores = left + (inner + columns / 2) * cell[0] + APART
    value = left + (inner + columns + width / 2) * cell[0] + APART + between
    middle = left + inner * cell[0] / 2
    at: dict[str, Point] = {"query": (middle, low, 0.0), "scores": (scores, low, 0.0), "accumulator": (value, low, 0.0),
                            "key": (scores, top + inner * cell[1] / 2, 0.0),
                            "value": (value, top + columns * cell[1] / 2, 0.0)}
    for place, name in enumerate(("max", "alpha", "sum")):
        x = middle + (place - 1) * (cell[0] + NARROW)
        at[name] = (x, y + rows * cell[1] + LOWER + NAMES + rows * cell[1] / 2, 0.0)
    return Bench(cell, at, label_room, {"key": "right", "value": "up"})


def _two_rows(region: Region, sizes: Mapping[str, int], label_room: float) -> Bench:
    rows, columns, inner, width = (sizes[axis] for axis in ("row", "column", "head_dim", "value_dim"))
    upper, lower = inner + columns, 3 + width
    room = region.width - label_room - APART - 2 * NARROW, region.height - ABOVE - 3 * APART - 2 * NAMES
    cell = _cell(room[0], max(upper, lower), room[1], 2 * rows + inner + columns)
    slack = _slack(room[1], cell, rows, rows + inner + columns)
    x = region.x - (upper * cell[0] + APART + label_room) / 2 + label_room
    y = region.bottom + NAMES + slack
    at: dict[str, Point] = {}
    start = region.x - (lower * cell[0] + APART + 2 * NARROW + label_room) / 2 + label_room
    low = y + rows * cell[1] / 2
    for place, name in enumerate(("max", "alpha", "sum")):
        at[name] = (start + (place + 0.5) * cell[0] + place * NARROW, low, 0.0)
    right = start + 3 * cell[0] + 2 * NARROW + APART + width * cell[0] / 2
    at["accumulator"] = (right, low, 0.0)
    at["value"] = (right, y + (rows + columns / 2) * cell[1] + APART, 0.0)
    base = y + (rows + columns) * cell[1] + 2 * APART + NAMES
    at["query"] = (x + inner * cell[0] / 2, base + rows * cell[1] / 2, 0.0)
    at["scores"] = (x + (inner + columns / 2) * cell[0] + APART, base + rows * cell[1] / 2, 0.0)
    at["key"] = (at["scores"][0], base + (rows + inner / 2) * cell[1] + APART, 0.0)
    return Bench(cell, at, label_room, {"key": "left", "value": "corner"})


def _slack(room: float, cell: tuple[float, float], rows: int, above: int) -> float:
    """Half of the height that cells leave, so that all stands in the middle."""
    return max(room - (rows + above) * cell[1], 0.0) / 2
