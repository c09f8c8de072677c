"""What a step is (one query tile against one key tile), and the arrays that keep each step's own numbers.

Shared by the torch and the Triton implementation. Nothing here computes attention.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.sdpa.checks import Inputs, Tile

FULL, DIAGONAL, RAGGED, SKIPPED = 0, 1, 2, 4
SQUARES = ("tile_scores", "tile_exp")
ROWS = ("tile_row_max", "running_max", "rescale", "running_sum")
COUNTS = ("tile_kind", "bytes_read", "bytes_written")


@dataclass(frozen=True)
class TileRecord:
    """Four arrays, laid out as the kernel writes them, (batch, head, query_tile, key_tile, ...).

    `squares` (..., 2, row, column), `rows` (..., 4, row), `accumulators` (..., row, value_dim),
    `counts` (..., 3) int64. NaN stands for "no number": lanes that do not exist, steps that were skipped.
    """

    squares: Tensor
    rows: Tensor
    accumulators: Tensor
    counts: Tensor

    @classmethod
    def empty(cls, inputs: Inputs, tile: Tile) -> "TileRecord":
        """Every step skipped, no number anywhere: what a step does not write stays so."""
        steps = (inputs.batch, inputs.heads, *step_counts(inputs, tile))
        gap = torch.tensor(torch.nan, dtype=inputs.compute_dtype, device=inputs.query.device)
        counts = torch.zeros((*steps, len(COUNTS)), dtype=torch.int64, device=gap.device)
        counts[..., COUNTS.index("tile_kind")] = SKIPPED
        return cls(
            squares=gap.repeat(*steps, len(SQUARES), *tile),
            rows=gap.repeat(*steps, len(ROWS), tile[0]),
            accumulators=gap.repeat(*steps, tile[0], inputs.value.shape[3]),
            counts=counts,
        )

    def stages(self) -> dict[str, Tensor]:
        """Return each stage by its name, as views."""
        stages = {name: self.squares[:, :, :, :, i] for i, name in enumerate(SQUARES)}
        stages |= {name: self.rows[:, :, :, :, i] for i, name in enumerate(ROWS)}
        stages |= {name: self.counts[..., i] for i, name in enumerate(COUNTS)}
        return stages | {"accumulator": self.accumulators}


@dataclass(frozen=True)
class Step:
    """Query tile `i` against key tile `j`: the positions it really covers, and the kind of tile it is."""

    i: int
    j: int
    query_pos: slice
    key_pos: slice
    kind: int


def step_counts(inputs: Inputs, tile: Tile) -> Tile:
    """Return how many query tiles and key tiles there are, the last of each perhaps ragged."""
    return -(-inputs.query_count // tile[0]), -(-inputs.key_count // tile[1])


def steps(inputs: Inputs, tile: Tile, i: int) -> Iterator[Step]:
    """Yield the steps of query tile `i` in order, all of them, skipped ones too."""
    query_pos = slice(i * tile[0], min((i + 1) * tile[0], inputs.query_count))
    for j in range(step_counts(inputs, tile)[1]):
        key_pos = slice(j * tile[1], min((j + 1) * tile[1], inputs.key_count))
        yield Step(i, j, query_pos, key_pos, _kind(inputs, tile, query_pos, key_pos))


def _kind(inputs: Inputs, tile: Tile, query_pos: slice, key_pos: slice) -> int:
    if inputs.is_causal and key_pos.start > query_pos.stop - 1 + inputs.offset:
        return SKIPPED
    cut = inputs.is_causal and key_pos.stop - 1 > query_pos.start + inputs.offset
    sizes = (query_pos.stop - query_pos.start, key_pos.stop - key_pos.start)
    return DIAGONAL * cut + RAGGED * (sizes != tile)
