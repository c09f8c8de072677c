"""Producers of the records around attention: `projection`, `sweep`. That of `samples` is in `samples.py`.

Attention itself is `reference`'s here, run once per step of a sweep.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa import reference
from attnviz.sdpa.checks import check_inputs
from attnviz.sdpa.records import dtype_name, provenance, to_array
from attnviz.trace import Record

Notes = Mapping[str, object] | None


def trace_projection(
    query_input: Tensor, key_input: Tensor, weight_query: Tensor, weight_key: Tensor, weight_value: Tensor,
    *, notes: Notes = None,
) -> Record:  # fmt: skip
    """Make Q from `query_input` and K, V from `key_input`, (batch, position, model_dim), head by head.

    Weights are (head, model_dim, dim), for K and V (kv_head, model_dim, dim). Sums in float32 for half types.
    Raises InputError naming both tensors when they do not fit.
    """
    made = {"query_input": query_input, "key_input": key_input}
    sources = {"query": query_input, "key": key_input, "value": key_input}
    weights = (weight_query, weight_key, weight_value)
    for (name, source), weight in zip(sources.items(), weights, strict=True):
        _check_projection(name, source, weight, query_input)
        terms = _terms(source, weight)
        made |= {f"weight_{name}": weight, f"{name}_terms": terms, name: terms.sum(-2).to(weight.dtype)}
    arrays = {name: to_array(tensor) for name, tensor in made.items()}
    about = provenance("reference", query_input, **(notes or {}))
    return Record.build("projection", arrays, dtype=dtype_name(query_input), params={}, provenance=about)


def project(source: Tensor, weight: Tensor) -> Tensor:
    """Return (batch, head, position, dim) of `source` (batch, position, model_dim), as `trace_projection` does."""
    _check_projection("query", source, weight, source)
    return _terms(source, weight).sum(-2).to(weight.dtype)


def trace_sweep(
    parameter: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    is_causal: bool = False, scale: Sequence[float] | None = None, *, name: str, notes: Notes = None,
) -> Record:  # fmt: skip
    """Compute one attention for each value of `parameter` (step,), which is called `name`.

    query (step, query_pos, head_dim); key (key_pos, head_dim) and value (key_pos, value_dim) stay; `scale` is
    one number a step, or None for 1/sqrt(head_dim). float64 or float32, one batch and one head. Raises InputError.
    """
    if query.dim() != 3 or key.dim() != 2 or value.dim() != 2 or len(query) != len(parameter) or not len(query):
        shapes = f"parameter {tuple(parameter.shape)}, query {tuple(query.shape)}, key {tuple(key.shape)}"
        raise InputError(f"{shapes}: give (step,), (step, query_pos, head_dim), (key_pos, head_dim), one step or more")
    if query.dtype not in (torch.float64, torch.float32) or parameter.dtype != query.dtype:
        found = f"query is {dtype_name(query)} and parameter is {dtype_name(parameter)}"
        raise InputError(f"{found}: give float64 or float32, both the same")
    scales = [query.shape[2] ** -0.5] * len(query) if scale is None else list(scale)
    if len(scales) != len(query):
        raise InputError(f"scale has {len(scales)} numbers and query has {len(query)} steps: give one a step")
    runs = [_attend_once(q, key, value, attn_mask, is_causal, s) for q, s in zip(query, scales, strict=True)]
    stages = ("dot_products", "masked_scores", "row_max", "exp_scores", "row_sum", "attn_weights", "output")
    made = {stage: torch.stack([steps[stage][0, 0] for steps in runs]) for stage in stages}
    made |= {"parameter": parameter, "scale": torch.tensor(scales, dtype=query.dtype), "query": query}
    made |= {"key": key, "value": value, "mask": runs[0]["mask"][0, 0]}
    arrays = {stage: to_array(tensor) for stage, tensor in made.items()}
    about = provenance("reference", query, **(notes or {}))
    params = {"parameter": name, "is_causal": is_causal}
    return Record.build("sweep", arrays, dtype=dtype_name(query), params=params, provenance=about)


def _attend_once(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool, scale: float
) -> dict[str, Tensor]:
    one = [tensor[None, None] for tensor in (query, key, value)]
    with torch.no_grad():
        return reference.attend(check_inputs(one[0], one[1], one[2], mask, is_causal, scale, False, "top-left"))


def _terms(source: Tensor, weight: Tensor) -> Tensor:
    """Every product inside `source @ weight`: (batch, head, position, model_dim, dim)."""
    dtype = torch.float64 if source.dtype == torch.float64 else torch.float32
    return source[:, None, :, :, None].to(dtype) * weight[None, :, None, :, :].to(dtype)


def _check_projection(name: str, source: Tensor, weight: Tensor, like: Tensor) -> None:
    if source.dim() != 3 or weight.dim() != 3:
        shapes = f"the input of {name} is {tuple(source.shape)} and weight_{name} is {tuple(weight.shape)}"
        raise InputError(f"{shapes}: give (batch, position, model_dim) and (head, model_dim, dim)")
    if source.shape[2] != weight.shape[1]:
        sizes = f"the input of {name} has model_dim {source.shape[2]} and weight_{name} has {weight.shape[1]}"
        raise InputError(f"{sizes}: give both the same")
    if not source.dtype == weight.dtype == like.dtype:
        raise InputError(f"weight_{name} is {dtype_name(weight)}, inputs are {dtype_name(like)}: give one dtype")
