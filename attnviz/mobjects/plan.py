"""Where the matrices of a whole film stand: one cell for all of them, and a refusal where none can be read.

Only places and sizes are decided here; the matrices are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnviz.errors import InputError
from attnviz.layout import Region
from attnviz.mobjects.labels import are_level, can_be_read
from attnviz.mobjects.places import Point, ProductPlaces, in_a_line, product_places, shared_cell
from attnviz.theme import PIXEL

BESIDE = 1.0  # room to the left of a product for tokens, and to its right for a name, in units
ABOVE, SLANTED = 0.55, 1.0  # room above a product for tokens, level and slanted
LINE_LABELS = (1.1, 0.8, 1.1)  # room beside a matrix for tokens, above it for its name, below it for its words
NARROWER = 0.62  # room beside a matrix in a line where its cells would else be too narrow for digits
DIGITS = 60 * PIXEL  # the width of a cell that has room for digits that can be read
APART = 0.1  # between a matrix of a line and the longest labels of the next

Cell = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """Centres of Q, K, V in a line, of Q Kᵀ and of A V, with their common cell (width, height), in units.

    `beside` and `above` are the longest that labels of rows and of columns may reach from a grid.
    """

    cell: Cell
    line: list[Point]
    scores: ProductPlaces
    blend: ProductPlaces
    beside: float
    above: float


def film_plan(stage: Region, whole: Region, sizes: Mapping[str, int], key_tokens: Sequence[str]) -> Plan:
    """The plan for a case whose `sizes` are those of query_pos, key_pos, head_dim and value_dim.

    Products stand in `stage`, the line in `whole`. InputError if a size is too large for labels that can be read.
    """
    cell, above = _cell(stage, whole, sizes, key_tokens)
    if not can_be_read(cell, key_tokens):
        raise _too_large(stage, whole, sizes, key_tokens)
    single, products = _shapes(sizes)
    scores, blend = (product_places(stage, shape, labels=(BESIDE, above, BESIDE), cell=cell) for shape in products)
    labels, right = _line_labels(whole, single), scores.top[0] + sizes["key_pos"] * cell[0] / 2
    room = min(stage.top - scores.top[1] - sizes["head_dim"] * cell[1] / 2, stage.right - right + cell[0] / 2)
    line = in_a_line(whole, single, labels).at(cell)
    return Plan(cell, line, scores, blend, min(BESIDE, labels[0] - APART), room)


def _line_labels(whole: Region, shapes: Sequence[tuple[int, int]]) -> tuple[float, float, float]:
    """The room that matrices in a line leave for labels: less beside them if only that makes their digits readable."""
    narrower = (NARROWER, *LINE_LABELS[1:])
    usual, tight = (in_a_line(whole, shapes, labels).cell[0] + 1e-6 for labels in (LINE_LABELS, narrower))
    return narrower if usual < DIGITS <= tight else LINE_LABELS


def _shapes(sizes: Mapping[str, int]) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
    rows, columns, inner, width = (sizes[axis] for axis in ("query_pos", "key_pos", "head_dim", "value_dim"))
    return [(rows, inner), (columns, inner), (columns, width)], [(rows, inner, columns), (rows, columns, width)]


def _cell(stage: Region, whole: Region, sizes: Mapping[str, int], key_tokens: Sequence[str]) -> tuple[Cell, float]:
    """The cell with which everything fits, and the room above products: more for slanted tokens, if cells allow it."""
    single, products = _shapes(sizes)
    line = in_a_line(whole, single, _line_labels(whole, single)).cell
    usual, slanted = (
        shared_cell(line, *(product_places(stage, shape, labels=(BESIDE, above, BESIDE)).cell for shape in products))
        for above in (ABOVE, SLANTED)
    )
    is_usual = are_level(usual, key_tokens) or not can_be_read(slanted, key_tokens)
    return (usual, ABOVE) if is_usual else (slanted, SLANTED)


def _too_large(stage: Region, whole: Region, sizes: Mapping[str, int], key_tokens: Sequence[str]) -> InputError:
    for axis, size in sorted(sizes.items(), key=lambda item: -item[1]):
        for fewer in range(size - 1, 0, -1):
            tokens = key_tokens[:fewer] if axis == "key_pos" else key_tokens
            if can_be_read(_cell(stage, whole, {**sizes, axis: fewer}, tokens)[0], tokens):
                others = ", ".join(f"{name} {size}" for name, size in sizes.items() if name != axis)
                return InputError(f"{axis} is {size}, but with {others} no more than {fewer} can be drawn and read in "
                                  "this frame: choose a smaller case or another frame")
    return InputError(f"no cell can be read with the sizes {', '.join(f'{n} {s}' for n, s in sizes.items())}: "
                      "choose a smaller case")
