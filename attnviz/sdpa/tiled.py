"""The online softmax in plain torch: what a fused kernel computes, tile by tile, with every tile's numbers kept.

Any tile size. It stands in where Triton does not run, and never holds more than one tile of scores.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from attnviz.sdpa.checks import Inputs, Tile
from attnviz.sdpa.masks import additive_mask
from attnviz.sdpa.reference import add_mask, exp_from, largest, mix, nonzero, shared_heads
from attnviz.sdpa.tiles import SKIPPED, Step, TileRecord, step_counts, steps

DEFAULT_TILE = (64, 64)


@dataclass(frozen=True)
class Running:
    """What is carried from one key tile to the next: (batch, head, row) and, last, (..., row, value_dim)."""

    row_max: Tensor
    row_sum: Tensor
    accumulator: Tensor

    @classmethod
    def start(cls, inputs: Inputs, row_count: int) -> "Running":
        """Return the state before any key: maximum minus infinity, sums 0."""
        front, dtype, device = (inputs.batch, inputs.heads, row_count), inputs.compute_dtype, inputs.query.device
        row_sum = torch.zeros(front, dtype=dtype, device=device)
        accumulator = torch.zeros((*front, inputs.value.shape[3]), dtype=dtype, device=device)
        return cls(row_sum - torch.inf, row_sum, accumulator)


def attend(inputs: Inputs, tile: Tile, record: TileRecord | None = None) -> tuple[Tensor, Tensor]:
    """Return output (batch, head, query_pos, value_dim) and lse (batch, head, query_pos).

    `record`, if given, is filled with the numbers of each step.
    """
    query, key, value = shared_heads(inputs)
    mask = additive_mask(inputs)
    outputs, lses = [Running.start(inputs, 0).accumulator], [Running.start(inputs, 0).row_max]
    for i in range(step_counts(inputs, tile)[0]):
        query_tile = query[:, :, i * tile[0] : (i + 1) * tile[0]]
        state, done = Running.start(inputs, query_tile.shape[2]), []
        for step in steps(inputs, tile, i):
            if step.kind == SKIPPED:
                continue
            part = mask[:, :, step.query_pos, step.key_pos]
            state = advance(query_tile, key[:, :, step.key_pos], value[:, :, step.key_pos], part,
                            inputs.scale, state, record, step)  # fmt: skip
            done.append(step)
        outputs.append(state.accumulator / nonzero(state.row_sum)[..., None])
        lses.append(state.row_max + state.row_sum.log())
        if record is not None:
            count_bytes(record, inputs, i, done)
    return torch.cat(outputs, 2).to(inputs.query.dtype), torch.cat(lses, 2)


def advance(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scale: float,
    state: Running, record: TileRecord | None, step: Step,
) -> Running:  # fmt: skip
    """Take one key tile into the running softmax; what was gathered so far is rescaled to the new maximum."""
    tile_scores = add_mask(query @ key.mT * scale, mask)
    tile_row_max = largest(tile_scores)
    running_max = torch.maximum(state.row_max, tile_row_max)
    tile_exp = exp_from(tile_scores, running_max)
    base = torch.where(running_max == -torch.inf, 0, running_max)
    rescale = torch.where(running_max == -torch.inf, 1, (state.row_max - base).exp())
    running_sum = state.row_sum * rescale + tile_exp.sum(-1)
    accumulator = state.accumulator * rescale[..., None] + mix(tile_exp, value, tile_scores)
    if record is not None:
        keep(record, step, tile_scores=tile_scores, tile_row_max=tile_row_max, running_max=running_max,
             tile_exp=tile_exp, rescale=rescale, running_sum=running_sum, accumulator=accumulator)  # fmt: skip
    return Running(running_max, running_sum, accumulator)


def keep(record: TileRecord, step: Step, **numbers: Tensor) -> None:
    """Write one step's numbers, each into the corner of its array that exists."""
    stages = record.stages()
    for name, values in numbers.items():
        place = stages[name][:, :, step.i, step.j]
        place[tuple(slice(size) for size in values.shape)] = values
    stages["tile_kind"][:, :, step.i, step.j] = step.kind


def count_bytes(record: TileRecord, inputs: Inputs, i: int, done: list[Step]) -> None:
    """Count what query tile `i` moves: Q at its first step, K and V at each, the output at its last."""
    stages, size = record.stages(), inputs.query.element_size()
    head_dim, value_dim = inputs.query.shape[3], inputs.value.shape[3]
    row_count = min(record.rows.shape[-1], inputs.query_count - i * record.rows.shape[-1])
    for step in done:
        key_count = step.key_pos.stop - step.key_pos.start
        stages["bytes_read"][:, :, i, step.j] = key_count * (head_dim + value_dim) * size
    if done:
        stages["bytes_read"][:, :, i, done[0].j] += row_count * head_dim * size
    if stages["bytes_written"].shape[3]:
        last = done[-1].j if done else -1
        stages["bytes_written"][:, :, i, last] = row_count * value_dim * size
