"""How a fused kernel's record cuts queries and keys into tiles: which positions a tile covers, and which are visited.

Only read from the record's stage `tile_kind` and its parameters; nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnviz.trace import NamedTensor

DIAGONAL, RAGGED, SKIPPED = 1, 2, 4
SORTS = ("full", "diagonal", "ragged", "skipped")
SHOWS = 0.995  # a rescale factor below this is written as less than one


@dataclass(frozen=True, eq=False)
class Tiling:
    """The tiles of one head: `kinds` is `tile_kind`, `mask` its mask, `rescale` alpha; sizes as in the parameters."""

    kinds: NamedTensor
    mask: NamedTensor
    rescale: NamedTensor
    query_tile_size: int
    key_tile_size: int

    @classmethod
    def of(cls, tensor: Callable[[str], NamedTensor], params: Mapping[str, Any]) -> Tiling:
        """From the stages of a `tiled` record as they are drawn, and its parameters."""
        return cls(tensor("tile_kind"), tensor("mask"), tensor("rescale"), params["query_tile_size"],
                   params["key_tile_size"])

    @property
    def counts(self) -> tuple[int, int]:
        """How many query tiles and key tiles there are."""
        return self.kinds.size("query_tile"), self.kinds.size("key_tile")

    def queries(self, query_tile: int) -> tuple[int, ...]:
        """The positions that a query tile covers."""
        return _covered(query_tile, self.query_tile_size, self.mask.size("query_pos"))

    def keys(self, key_tile: int) -> tuple[int, ...]:
        """The positions that a key tile covers."""
        return _covered(key_tile, self.key_tile_size, self.mask.size("key_pos"))

    def kind(self, query_tile: int, key_tile: int) -> int:
        """The kind of one tile, as the record has it."""
        return int(self.kinds.values[query_tile, key_tile])

    def visited(self, query_tile: int) -> list[int]:
        """The key tiles that the kernel visits for a query tile, in its order."""
        return [tile for tile in range(self.counts[1]) if self.kind(query_tile, tile) != SKIPPED]

    @property
    def is_skipping(self) -> bool:
        """Whether there is a tile that the kernel never visits."""
        return bool((self.kinds.values == SKIPPED).any())

    def is_of(self, sort: str, query_tile: int, key_tile: int) -> bool:
        """Whether a tile is of one of the `SORTS`; a ragged one on the diagonal is of two."""
        kind = self.kind(query_tile, key_tile)
        return {"full": kind == 0, "diagonal": bool(kind & DIAGONAL), "ragged": bool(kind & RAGGED),
                "skipped": kind == SKIPPED}[sort]

    @property
    def is_masked(self) -> bool:
        """Whether the mask hides any pair at all."""
        return bool(np.isneginf(self.mask.values).any())

    def tile_sizes(self, tensor: Callable[[str], NamedTensor]) -> dict[str, int]:
        """Rows and columns of a whole tile, and the widths of Q and V."""
        return {"row": self.query_tile_size, "column": self.key_tile_size,
                "head_dim": tensor("query").size("head_dim"), "value_dim": tensor("value").size("value_dim")}

    @property
    def worked(self) -> int:
        """The query tile to look at: the first whose running maximum rises after its first step, else the last."""
        steps = self.rescale.values
        for query_tile in range(self.counts[0]):
            later = self.visited(query_tile)[1:]
            if later and float(np.nanmin(steps[query_tile, later])) < SHOWS:
                return query_tile
        return self.counts[0] - 1


def _covered(tile: int, size: int, count: int) -> tuple[int, ...]:
    return tuple(range(tile * size, min((tile + 1) * size, count)))
