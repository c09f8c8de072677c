"""What a launch of the kernel is made of: the tensors as it sees them, and the constants it is compiled for.

Plain named tuples, which Triton passes through as they are. No Triton is needed to import this.
"""

from typing import Any, NamedTuple

NO_MASK, BOOL_MASK, ADDITIVE_MASK = 0, 1, 2


class View(NamedTuple):
    """A (batch, head, position, dim) tensor, or the mask, with its four strides counted in numbers."""

    ptr: Any
    strides: tuple[int, ...]


class Sizes(NamedTuple):
    """What is known at launch only. `group` query heads share one kv head; query i sees keys up to i + `offset`."""

    heads: int
    group: int
    query_count: int
    key_count: int
    offset: int


class Record(NamedTuple):
    """Where a step's numbers go, laid out as `tiles.TileRecord`; all None when nothing is recorded."""

    squares: Any
    rows: Any
    accumulators: Any
    counts: Any


class Plan(NamedTuple):
    """Constants of a compiled kernel. A tile is what the lesson counts in; a block is a power of two that holds it.

    `careful`: a second launch, which does again only what met a NaN or an infinity. `wide`: 64-bit offsets in a tile.
    `pieces`: how many half-type parts carry the weights into the second product, counted in 1 / `unit`.
    `acc`: the dtype of all sums.
    """

    scale: float
    mask: int
    is_causal: bool
    record: bool
    careful: bool
    wide: bool
    head_dim: int
    value_dim: int
    query_tile: int
    key_tile: int
    block_query: int
    block_key: int
    block_head_dim: int
    block_value_dim: int
    pieces: int
    unit: float
    element_size: int
    acc: Any
