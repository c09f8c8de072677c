"""The door of the SDPA: every argument is checked once, here, and leaves as one `Inputs`.

Nothing here computes attention, and nothing behind this door checks an argument again.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from attnviz.errors import InputError

Alignment = Literal["top-left", "bottom-right"]
Tile = tuple[int, int]
DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
AXES = ("batch", "head", "position", "dim")
MASK_AXES = ("batch", "head", "query_pos", "key_pos")


@dataclass(frozen=True)
class Inputs:
    """Checked arguments: `mask` is None or expanded to (batch, head, query_pos, key_pos)."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    scale: float
    is_causal: bool
    causal: Alignment
    enable_gqa: bool

    @property
    def batch(self) -> int:
        return self.query.shape[0]

    @property
    def heads(self) -> int:
        return self.query.shape[1]

    @property
    def query_count(self) -> int:
        return self.query.shape[2]

    @property
    def key_count(self) -> int:
        return self.key.shape[2]

    @property
    def group(self) -> int:
        """Query heads that share one key and value head: query head h reads kv head h // group."""
        return self.heads // max(self.key.shape[1], 1)

    @property
    def offset(self) -> int:
        """Under the causal mask, query i may attend to key j when j <= i + offset."""
        return 0 if self.causal == "top-left" else self.key_count - self.query_count

    @property
    def compute_dtype(self) -> torch.dtype:
        """Half types are computed in float32, and the output alone is rounded, once."""
        return torch.float64 if self.query.dtype == torch.float64 else torch.float32


def check_inputs(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, is_causal: bool,
    scale: float | None, enable_gqa: bool, causal: str,
) -> Inputs:  # fmt: skip
    """Return the arguments as `Inputs`; raises InputError naming the tensor, the sizes and the remedy."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        _check_tensor(name, tensor)
        _check_same_kind(name, tensor, query)
    _check_sizes(query, key, value)
    _check_heads(query, key, enable_gqa)
    if causal not in get_args(Alignment):
        raise InputError(f"causal is {causal!r}: write 'top-left' or 'bottom-right'")
    if not isinstance(is_causal, bool) or not isinstance(enable_gqa, bool):
        raise InputError(f"is_causal is {is_causal!r}, enable_gqa is {enable_gqa!r}: write True or False")
    mask = None if attn_mask is None else _checked_mask(attn_mask, query, key)
    alignment: Alignment = "top-left" if causal == "top-left" else "bottom-right"
    factor = _checked_scale(scale, query.shape[3])
    return Inputs(query, key, value, mask, factor, is_causal, alignment, enable_gqa)


def check_tile(tile: object) -> Tile:
    """Return (query_tile_size, key_tile_size) as it is, or raise InputError."""
    sizes = list(tile) if isinstance(tile, Sequence) else []
    if len(sizes) != 2 or not all(type(size) is int and size >= 1 for size in sizes):
        raise InputError(f"tile is {tile!r}: give (query_tile_size, key_tile_size), two whole numbers from 1")
    return sizes[0], sizes[1]


def _check_tensor(name: str, tensor: object) -> None:
    if not isinstance(tensor, Tensor):
        raise InputError(f"{name} is a {type(tensor).__name__}: give a torch.Tensor")
    if tensor.dtype not in DTYPES:
        raise InputError(f"{name} is {_short(tensor.dtype)}: give float64, float32, float16 or bfloat16")
    if tensor.layout != torch.strided:
        raise InputError(f"{name} has the layout {tensor.layout}: make it dense with .to_dense()")
    if tensor.dim() != 4:
        raise InputError(f"{name} has {tensor.dim()} axes {tuple(tensor.shape)}: give (batch, head, position, dim)")


def _check_same_kind(name: str, tensor: Tensor, query: Tensor) -> None:
    if tensor.dtype != query.dtype:
        raise InputError(
            f"{name} is {_short(tensor.dtype)} and query is {_short(query.dtype)}: give all the same dtype"
        )
    if tensor.device != query.device:
        raise InputError(f"{name} is on {tensor.device} and query is on {query.device}: put all on one device")


def _check_sizes(query: Tensor, key: Tensor, value: Tensor) -> None:
    _check_equal("key", key, "query", query, axis=0)
    _check_equal("value", value, "query", query, axis=0)
    _check_equal("key", key, "value", value, axis=1)
    _check_equal("key", key, "value", value, axis=2)
    _check_equal("key", key, "query", query, axis=3)
    for name, tensor in (("query", query), ("value", value)):
        if tensor.shape[3] == 0:
            raise InputError(f"{name} has dim 0 {tuple(tensor.shape)}: vectors need at least one number")


def _check_equal(name: str, tensor: Tensor, other_name: str, other: Tensor, *, axis: int) -> None:
    ours, theirs = tensor.shape[axis], other.shape[axis]
    if ours != theirs:
        raise InputError(
            f"{name} has {AXES[axis]} size {ours} and {other_name} has {theirs}: give both the same {AXES[axis]} size"
        )


def _check_heads(query: Tensor, key: Tensor, enable_gqa: bool) -> None:
    heads, kv_heads = query.shape[1], key.shape[1]
    if heads == kv_heads:
        return
    if not enable_gqa:
        remedy = "give as many, or share them with enable_gqa=True"
    elif kv_heads == 0 or heads % kv_heads:
        remedy = "with enable_gqa the first must be a multiple of the second"
    else:
        return
    raise InputError(f"query has {heads} heads and key has {kv_heads}: {remedy}")


def _checked_mask(mask: object, query: Tensor, key: Tensor) -> Tensor:
    """Return the mask expanded, without a copy, to (batch, head, query_pos, key_pos)."""
    if not isinstance(mask, Tensor):
        raise InputError(f"attn_mask is a {type(mask).__name__}: give a torch.Tensor")
    _check_mask_kind(mask, query)
    if not 1 <= mask.dim() <= 4:
        raise InputError(f"attn_mask has {mask.dim()} axes {tuple(mask.shape)}: give 1 to 4, the last is key_pos")
    target = (*query.shape[:3], key.shape[2])
    for axis in range(-mask.dim(), 0):
        if mask.shape[axis] not in (1, target[axis]):
            name, size = MASK_AXES[axis], target[axis]
            raise InputError(
                f"attn_mask has {name} size {mask.shape[axis]} and the scores have {size}: give {size} or 1"
            )
    return mask.expand(target)


def _check_mask_kind(mask: Tensor, query: Tensor) -> None:
    allowed = {torch.bool, query.dtype}
    if query.dtype != torch.float64:
        allowed.add(torch.float32)
    if mask.dtype not in allowed:
        raise InputError(
            f"attn_mask is {_short(mask.dtype)} and query is {_short(query.dtype)}: "
            f"give a bool mask (True = may attend) or a {_short(query.dtype)} one that is added"
        )
    if mask.device != query.device:
        raise InputError(f"attn_mask is on {mask.device} and query is on {query.device}: put all on one device")


def _checked_scale(scale: object, head_dim: int) -> float:
    if scale is None:
        return 1 / math.sqrt(head_dim)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not math.isfinite(scale):
        raise InputError(f"scale is {scale!r}: give a finite number, or None for 1/sqrt(head_dim)")
    return float(scale)


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
