"""Producer of the kind `zeroed`: a mask put on after the softmax, too late, and what that does to row sums."""

from collections.abc import Mapping

import torch
from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa.records import dtype_name, provenance, to_array
from attnviz.trace import Record


def trace_zeroed(attn_weights: Tensor, mask: Tensor, *, notes: Mapping[str, object] | None = None) -> Record:
    """Set to 0 the weights (batch, head, query_pos, key_pos) where `mask`, of that shape, is minus infinity.

    float64 or float32, both the same. Raises InputError naming both tensors when they do not fit, RecordError for a
    mask of other numbers than 0 and minus infinity.
    """
    found = f"attn_weights is {dtype_name(attn_weights)} {tuple(attn_weights.shape)} and mask is "
    found += f"{dtype_name(mask)} {tuple(mask.shape)}"
    if attn_weights.shape != mask.shape or attn_weights.dim() != 4:
        raise InputError(f"{found}: give both as (batch, head, query_pos, key_pos)")
    if attn_weights.dtype not in (torch.float64, torch.float32) or mask.dtype != attn_weights.dtype:
        raise InputError(f"{found}: give float64 or float32, both the same")
    zeroed = attn_weights.masked_fill(mask == -torch.inf, 0.0)
    named = {"attn_weights": attn_weights, "mask": mask, "zeroed_weights": zeroed, "zeroed_sum": zeroed.sum(-1)}
    arrays = {name: to_array(tensor) for name, tensor in named.items()}
    about = provenance("reference", attn_weights, **(notes or {}))
    return Record.build("zeroed", arrays, dtype=dtype_name(attn_weights), params={}, provenance=about)
