"""The front: one function with torch's own signature, and one that runs a backend and keeps its steps.

Three implementations of one formula stand behind it; they agree, and the tests say how closely.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa import reference, tiled, triton_launch
from attnviz.sdpa.checks import Alignment, Inputs, Tile, check_inputs, check_tile
from attnviz.sdpa.tiles import TileRecord

Backend = Literal["reference", "tiled", "triton"]


@dataclass(frozen=True)
class Run:
    """What a backend computed: the output, lse, its steps by name if asked for, and how it ran.

    `stand_in`: the tiled torch path ran because Triton is not there.
    """

    inputs: Inputs
    tile: Tile | None
    output: Tensor
    lse: Tensor
    steps: dict[str, Tensor]
    by_triton: bool = False
    interpreted: bool = False
    stand_in: bool = False


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False, *, backend: Backend = "reference",
    causal: Alignment = "top-left", tile: Tile | None = None,
) -> Tensor:  # fmt: skip
    """Return softmax(query key^T * scale + mask) value, (batch, head, query_pos, value_dim).

    query (batch, head, query_pos, head_dim), key (batch, kv_head, key_pos, head_dim), value (batch, kv_head,
    key_pos, value_dim); attn_mask of 1 to 4 axes broadcasts to (batch, head, query_pos, key_pos): boolean,
    True = may attend, or added to the scores. A mask and is_causal both hold. scale defaults to
    1/sqrt(head_dim). A query with no key it may attend gives 0. `tile` is (query_tile_size, key_tile_size).
    Only "reference" and "tiled" can be differentiated. Raises InputError.
    """
    inputs = check_inputs(query, key, value, attn_mask, is_causal, scale, enable_gqa, causal)
    return run(inputs, backend, tile).output


def run(inputs: Inputs, backend: str, tile: Tile | None = None, *, record: bool = False) -> Run:
    """Run one backend on checked inputs; with `record`, keep its steps. Raises InputError, EnvironmentFault."""
    if backend not in get_args(Backend):
        raise InputError(f"backend is {backend!r}: write 'reference', 'tiled' or 'triton'")
    if tile is not None:
        tile = check_tile(tile)
    if backend == "reference":
        return _run_reference(inputs, tile, record)
    if backend == "triton" and triton_launch.available():
        return _run_triton(inputs, tile, record)
    tile = tile or tiled.DEFAULT_TILE
    kept = TileRecord.empty(inputs, tile) if record else None
    output, lse = tiled.attend(inputs, tile, kept)
    return Run(inputs, tile, output, lse, kept.stages() if kept else {}, stand_in=backend == "triton")


def _run_reference(inputs: Inputs, tile: Tile | None, record: bool) -> Run:
    if tile is not None:
        raise InputError(f"tile is {tile}: backend 'reference' has no tiles; use 'tiled' or 'triton'")
    steps = reference.attend(inputs)
    kept = steps | reference.products(inputs, steps) if record else {}
    return Run(inputs, None, steps["output"], steps["lse"], kept)


def _run_triton(inputs: Inputs, tile: Tile | None, record: bool) -> Run:
    triton_launch.check_limits(inputs, tile)
    home, placed = inputs.query.device, triton_launch.placed(inputs)
    tile = tile or triton_launch.default_tile(inputs)
    kept = TileRecord.empty(placed, tile) if record else None
    output, lse = triton_launch.attend(placed, tile, kept)
    steps = kept.stages() if kept else {}
    return Run(placed, tile, output.to(home), lse.to(home), steps, True, triton_launch.is_interpreted())
