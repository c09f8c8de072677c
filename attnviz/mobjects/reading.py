"""How one pass reads a row of scores: which keys a block holds, and where the running maximum last rises."""

from __future__ import annotations

from dataclasses import dataclass

from attnviz.trace import NamedTensor, Record

USUAL_BLOCKS = 4  # a film of so many blocks has the time to stand still after each
STRIDES = 10  # that a walk along the whole row takes at most


@dataclass(frozen=True)
class Reading:
    """Which keys each block of a pass holds, in the order in which it reads them, and where the maximum last rises.

    `rise` is the last block (from 1 on) that holds a larger score than all before it; 0 where none does.
    """

    blocks: tuple[tuple[int, ...], ...]
    rise: int

    @classmethod
    def of(cls, record: Record, rescale: NamedTensor) -> Reading:
        """The reading of a record of one pass; `rescale` (key_tile,) is that of the row which is shown."""
        order, size = record.provenance["key_order"], record.params["key_tile_size"]
        blocks = tuple(tuple(order[start:start + size]) for start in range(0, len(order), size))
        shrunk = [tile for tile in range(1, len(blocks)) if rescale.values[tile] < 1]
        return cls(blocks, max(shrunk, default=0))

    @property
    def key_count(self) -> int:
        """How many keys there are in all blocks."""
        return sum(len(block) for block in self.blocks)

    @property
    def is_long(self) -> bool:
        """Whether there are so many blocks that each must take less time."""
        return len(self.blocks) > USUAL_BLOCKS

    @property
    def strides(self) -> tuple[range, ...]:
        """All keys in the order of the row, one by one, or as many at a time as makes a bounded number of strides."""
        return strides(self.key_count)

    @property
    def is_forward(self) -> bool:
        """Whether the row is read from its start."""
        return self.blocks[0][0] == 0


def strides(count: int) -> tuple[range, ...]:
    """So many places in their order, one by one, or as many at a time as makes a bounded number of strides."""
    size = -(-count // STRIDES)
    return tuple(range(start, min(start + size, count)) for start in range(0, count, size))
