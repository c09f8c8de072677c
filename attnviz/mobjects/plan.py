"""Where the matrices of a whole film stand, and its worked examples: one cell for all; no film if it is a speck.

Only places and sizes are decided here; the matrices are made elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from attnviz.errors import InputError
from attnviz.layout import Layout, Region
from attnviz.mobjects.places import Point, ProductPlaces
from attnviz.mobjects.rooms import DOWN_WORDS, NAMED, SMALLEST, Cell, Sizes, growth, rooms_for


@dataclass(frozen=True)
class Plan:
    """Places for each part of the film, with their common cell (width, height), in units.

    `line` are the centres of Q, K and V, below each other if `is_stacked`; `scores` of Q, Kᵀ and their product, `blend`
    of A, V and the output, side by side if `is_abreast`; `alone` that of the scores while they are alone and `grown` so
    many times. `stages` are the regions of these three pictures, `sides` those of the worked examples beside them.
    `worked_keys` is how many keys they show; `beside` and `above` are the longest that labels may reach from a grid,
    `words` what a matrix of the line has for a line of words.
    """

    cell: Cell
    line: list[Point]
    is_stacked: bool
    scores: ProductPlaces
    alone: Point
    grown: float
    blend: ProductPlaces
    is_abreast: bool
    stages: Mapping[str, Region]
    sides: Mapping[str, Region]
    worked_keys: int
    beside: float
    above: float
    words: float

    @property
    def pitch(self) -> float:
        """From one matrix of the line to the next below it, in units; infinity where they stand side by side."""
        return self.line[0][1] - self.line[1][1] if self.is_stacked else math.inf


def film_plan(layout: Layout, sizes: Sizes, key_tokens: Sequence[str]) -> Plan:
    """The plan for a case whose `sizes` are those of query_pos, key_pos, head_dim and value_dim.

    InputError if a size is too large for cells whose shade can be seen.
    """
    rooms = rooms_for(layout, sizes, key_tokens)
    cell = rooms.cell()
    if min(cell) < SMALLEST:
        raise _too_large(layout, sizes, key_tokens)
    rooms = replace(rooms, highest=cell[1])  # what the matrices leave goes to the worked examples
    line, is_stacked = rooms.line()
    scores, blend = rooms.scores(cell), rooms.blend(cell)
    pairs = {"scores": rooms.scores_regions(), "alone": rooms.alone_regions(), "blend": rooms.blend_regions()}
    stages, sides = ({name: pair[part] for name, pair in pairs.items()} for part in (0, 1))
    stage, place = stages["scores"], stages["alone"]
    right = scores.top[0] + sizes["key_pos"] * cell[0] / 2
    above = min(stage.top - scores.top[1] - sizes["head_dim"] * cell[1] / 2, stage.right - right + cell[0] / 2)
    alone = place.x + (rooms.left - NAMED) / 2, place.y - rooms.above / 2, 0.0
    return Plan(cell, line.at(cell), is_stacked, scores, alone, growth(cell, rooms.alone()), blend, rooms.is_abreast,
                stages, sides, rooms.worked_keys, rooms.left, above,
                DOWN_WORDS - NAMED if is_stacked else rooms.left)


def _too_large(layout: Layout, sizes: Sizes, key_tokens: Sequence[str]) -> InputError:
    for axis, size in sorted(sizes.items(), key=lambda item: -item[1]):
        for fewer in range(size - 1, 0, -1):
            tokens = key_tokens[:fewer] if axis == "key_pos" else key_tokens
            changed = {**sizes, axis: fewer}
            if min(rooms_for(layout, changed, tokens).cell()) >= SMALLEST:
                others = ", ".join(f"{name} {size}" for name, size in sizes.items() if name != axis)
                return InputError(f"{axis} is {size}, but with {others} no more than {fewer} can be drawn and read in "
                                  "this frame: choose a smaller case or another frame")
    return InputError(f"no cell can be seen with the sizes {', '.join(f'{n} {s}' for n, s in sizes.items())}: "
                      "choose a smaller case")
