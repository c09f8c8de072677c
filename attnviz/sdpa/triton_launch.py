"""Where the kernel runs: on a GPU if there is one, else in Triton's interpreter, else not at all.

Decides once, before Triton is first imported, since Triton itself decides at that moment. Launches take a lock:
neither the interpreter nor the compiler's cache is safe under threads.
"""

import functools
import importlib
import importlib.util
import os
import sys
import threading
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from attnviz.errors import EnvironmentFault, InputError
from attnviz.sdpa.checks import Inputs, Tile
from attnviz.sdpa.masks import additive_mask
from attnviz.sdpa.tiles import TileRecord
from attnviz.sdpa.triton_plan import ADDITIVE_MASK, BOOL_MASK, NO_MASK, Plan, Record, Sizes, View

LARGEST_DIM = 256  # the widest vectors whose tiles fit the memory of one processor
LARGEST_TILE = 128
PIECES = {torch.float16: 2, torch.bfloat16: 3}  # 11 + 11 and 8 + 8 + 8 bits: float32 has 24
STAGES = 2
WARPS = {torch.float16: 4, torch.bfloat16: 4, torch.float32: 8, torch.float64: 4}
# (query_tile_size, key_tile_size) by dtype and the widest vector: what a Hopper GPU compiles without spilling
# registers (float64: a few bytes), with any mask, when vectors are contiguous (tests/test_sdpa_aot.py).
_HALF: dict[int, Tile] = {64: (64, 64), 128: (64, 32), 256: (64, 16)}
TILES: dict[torch.dtype, dict[int, Tile]] = {
    torch.float16: _HALF,
    torch.bfloat16: _HALF,
    torch.float32: {64: (32, 32), 256: (32, 16)},
    torch.float64: {256: (16, 16)},
}
UNIT = 2.0**14  # the largest weight, 1, becomes 16384 in float16, whose numbers end at 65504
_LOCK = threading.Lock()


@functools.cache
def available() -> bool:
    """Whether Triton can be imported; there are wheels for Linux only. Elsewhere the tiled torch path stands in."""
    return importlib.util.find_spec("triton") is not None


@functools.cache
def kernel() -> Any:
    """Return the kernel, compiled on a machine with a GPU, interpreted on one without.

    Raises EnvironmentFault if Triton was imported before, for a GPU, and there is none.
    """
    if not torch.cuda.is_available() and "triton" not in sys.modules:
        os.environ["TRITON_INTERPRET"] = "1"
    module = importlib.import_module("attnviz.sdpa.triton_kernel")
    if not torch.cuda.is_available() and not _interprets(module.tl.max):
        raise EnvironmentFault(
            "Triton was imported before attnviz.sdpa without its interpreter, and there is no GPU: "
            "set TRITON_INTERPRET=1 before the first import of triton, or use backend='tiled'"
        )
    return module.attention_forward


def is_interpreted() -> bool:
    """Whether the kernel runs in the interpreter; raises what `kernel` raises."""
    return _interprets(kernel())


def _interprets(function: Any) -> bool:
    return type(function).__name__ == "InterpretedFunction"


def check_limits(inputs: Inputs, tile: Tile | None) -> None:
    """Raise InputError for what this backend cannot do and another can."""
    tensors = [t for t in (inputs.query, inputs.key, inputs.value, inputs.mask) if t is not None]
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        remedy = "use 'reference', or torch.no_grad()"
        raise InputError(f"backend 'triton' has no gradient and an input requires one: {remedy}")
    if tile is not None and max(tile) > LARGEST_TILE:
        raise InputError(f"tile is {tile}: backend 'triton' takes sizes up to {LARGEST_TILE}, 'tiled' takes any")
    for name, tensor in (("query", inputs.query), ("value", inputs.value)):
        if tensor.shape[3] > LARGEST_DIM:
            limit = f"backend 'triton' takes up to {LARGEST_DIM}, 'tiled' takes any"
            raise InputError(f"{name} has dim size {tensor.shape[3]}: {limit}")


def default_tile(inputs: Inputs) -> Tile:
    """Return (query_tile_size, key_tile_size) for the dtype and the wider of head_dim and value_dim."""
    return tile_for(inputs.query.dtype, max(inputs.query.shape[3], inputs.value.shape[3]))


def tile_for(dtype: torch.dtype, width: int) -> Tile:
    """Return the entry of `TILES` for vectors of `width` numbers, which `check_limits` let through."""
    return next(tile for widest, tile in TILES[dtype].items() if width <= widest)


def placed(inputs: Inputs) -> Inputs:
    """Return the inputs where the kernel runs: on the GPU when it is compiled, where they are when interpreted."""
    if is_interpreted() or inputs.query.is_cuda:
        return inputs
    mask = None if inputs.mask is None else inputs.mask.cuda()
    return replace(inputs, query=inputs.query.cuda(), key=inputs.key.cuda(), value=inputs.value.cuda(), mask=mask)


def attend(inputs: Inputs, tile: Tile, record: TileRecord | None = None) -> tuple[Tensor, Tensor]:
    """Return output (batch, head, query_pos, value_dim) and lse (batch, head, query_pos).

    `record`, if given, is filled with the numbers of each step.
    """
    function, given = kernel(), inputs.query
    inputs = _without_bfloat16(without_booleans(inputs)) if is_interpreted() else without_booleans(inputs)
    out = inputs.query.new_empty((*given.shape[:3], inputs.value.shape[3]))
    lse = out.new_empty(given.shape[:3], dtype=inputs.compute_dtype)
    sizes = Sizes(inputs.heads, inputs.group, inputs.query_count, inputs.key_count, inputs.offset)
    views = [_view(tensor) for tensor in (inputs.query, inputs.key, inputs.value, inputs.mask, out)]
    constants = plan(inputs, tile, given.element_size(), record=record is not None)
    constants = constants._replace(wide=any(map(_is_wide, views)))
    places = Record(*(None,) * 4) if record is None else Record(*vars(record).values())
    programs = inputs.batch * inputs.heads * -(-inputs.query_count // tile[0])
    options = {"num_warps": WARPS[given.dtype], "num_stages": STAGES}
    with _LOCK:
        for careful in (False, True)[: 1 + needs_care(constants)] if programs else ():
            if careful and not out.is_cuda and out.isfinite().all():
                break  # without a GPU, looking is cheaper than a launch that looks
            function[(programs,)](*views, lse, sizes, constants._replace(careful=careful), places, **options)
    return out.to(given.dtype), lse


def plan(inputs: Inputs, tile: Tile, element_size: int, *, record: bool) -> Plan:
    """Return the constants that the kernel is compiled for; `element_size` is the bytes of a number as given."""
    head_dim, value_dim = inputs.query.shape[3], inputs.value.shape[3]
    kinds = {None: NO_MASK, torch.bool: BOOL_MASK}
    language = importlib.import_module("triton.language")
    return Plan(
        scale=inputs.scale,
        mask=kinds.get(None if inputs.mask is None else inputs.mask.dtype, ADDITIVE_MASK),
        is_causal=inputs.is_causal,
        record=record,
        careful=False,
        wide=False,
        head_dim=head_dim,
        value_dim=value_dim,
        query_tile=tile[0],
        key_tile=tile[1],
        block_query=_block(min(tile[0], inputs.query_count)),
        block_key=_block(min(tile[1], inputs.key_count)),
        block_head_dim=_block(head_dim),
        block_value_dim=_block(value_dim),
        pieces=PIECES.get(inputs.query.dtype, 1),
        unit=UNIT if inputs.query.dtype == torch.float16 else 1.0,
        element_size=element_size,
        acc=language.float64 if inputs.compute_dtype == torch.float64 else language.float32,
    )


def needs_care(constants: Plan) -> bool:
    """Whether a NaN in V could reach a row that may not see it: never where every query sees every key."""
    return constants.mask != NO_MASK or constants.is_causal or constants.record


def _is_wide(view: View) -> bool:
    """Whether an offset inside a tile could pass 2**31."""
    return LARGEST_TILE * abs(view.strides[2]) + LARGEST_DIM * abs(view.strides[3]) >= 2**31


def _block(size: int) -> int:
    """Return the power of two that holds `size` lanes; a GPU's matrix product takes no fewer than 16."""
    return max(16, 1 << max(size - 1, 0).bit_length())


def without_booleans(inputs: Inputs) -> Inputs:
    """Return float64 inputs with an additive mask: Triton 3.7 fails to compile float64 beside a boolean one."""
    if inputs.query.dtype != torch.float64 or inputs.mask is None or inputs.mask.dtype != torch.bool:
        return inputs
    return replace(inputs, mask=additive_mask(replace(inputs, is_causal=False)))


def _without_bfloat16(inputs: Inputs) -> Inputs:
    """Return bfloat16 inputs as float32, exactly: the interpreter cannot add in bfloat16."""
    if inputs.query.dtype != torch.bfloat16:
        return inputs
    mask = inputs.mask.float() if inputs.mask is not None and inputs.mask.dtype == torch.bfloat16 else inputs.mask
    return replace(inputs, query=inputs.query.float(), key=inputs.key.float(), value=inputs.value.float(), mask=mask)


def _view(tensor: Tensor | None) -> View:
    return View(None, (0, 0, 0, 0)) if tensor is None else View(tensor, tuple(tensor.stride()))
