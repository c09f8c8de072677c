"""Producers of the records about one softened lookup: `gradient` (by autograd) and `limits` (cold and hot).

Attention itself is `reference`'s, run for one query; nothing here draws or knows words.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa import reference
from attnviz.sdpa.checks import check_inputs
from attnviz.sdpa.records import dtype_name, provenance, to_array
from attnviz.trace import Record

Notes = Mapping[str, object] | None
STEPS = ("dot_products", "scores", "attn_weights", "output")


def trace_gradient(query: Tensor, key: Tensor, value: Tensor, *, towards: int, length: float,
                   scale: float | None = None, notes: Notes = None) -> Record:
    """Push one query from its best-matching key towards the key at `towards`, by `length`, and record the answer.

    query (head_dim,), key (key_pos, head_dim), value (key_pos, value_dim), float64 or float32 alike; the Jacobian
    (value_dim, head_dim) is autograd's. Raises InputError where the two keys are one and the same.
    """
    _check(query, key, value)
    factor = query.shape[0] ** -0.5 if scale is None else scale
    steps = _lookup(query, key, value, factor)
    jacobian = _jacobian(query, key, value, factor)
    nudge = _push(key, int(steps["scores"].argmax()), towards, length)
    nudged = _lookup(query + nudge, key, value, factor)
    predicted, moved = jacobian @ nudge, nudged["output"] - steps["output"]
    made = {"query": query, "key": key, "value": value, **steps, "jacobian": jacobian, "nudge": nudge,
            "predicted": predicted, "nudged_query": query + nudge, "moved": moved, "miss": moved - predicted}
    made |= {f"nudged_{name.removeprefix('attn_')}": step for name, step in nudged.items()}
    made["largest_miss"] = made["miss"].abs().max()
    params = {"scale": factor, "towards": towards, "length": length}
    about = provenance("reference, autograd", query, **(notes or {}))
    arrays = {name: to_array(tensor) for name, tensor in made.items()}
    return Record.build("gradient", arrays, dtype=dtype_name(query), params=params, provenance=about)


def trace_limits(query: Tensor, key: Tensor, value: Tensor, *, cold: float, hot: float, notes: Notes = None) -> Record:
    """The blend of one query at a cold and at a hot temperature, beside what it tends to: one value, and their mean.

    query (head_dim,), key (key_pos, head_dim), value (key_pos, value_dim), float64 or float32 alike.
    """
    _check(query, key, value)
    plain = query.shape[0] ** -0.5
    scores = _lookup(query, key, value, plain)["scores"]
    ends = [_lookup(query, key, value, plain / temperature) for temperature in (cold, hot)]
    output = torch.stack([end["output"] for end in ends])
    target = torch.stack([value[int(scores.argmax())], value.mean(0)])
    made = {"temperature": torch.tensor([cold, hot], dtype=query.dtype), "scores": scores, "value": value,
            "attn_weights": torch.stack([end["attn_weights"] for end in ends]), "output": output, "target": target,
            "gap": output - target, "largest_gap": (output - target).abs().amax(-1)}
    about = provenance("reference", query, **(notes or {}))
    arrays = {name: to_array(tensor) for name, tensor in made.items()}
    return Record.build("limits", arrays, dtype=dtype_name(query), params={}, provenance=about)


def _lookup(query: Tensor, key: Tensor, value: Tensor, scale: float) -> dict[str, Tensor]:
    """The steps of one query's attention, without axes of one."""
    one = query[None, None, None], key[None, None], value[None, None]
    steps = reference.attend(check_inputs(*one, None, False, scale, False, "top-left"))
    return {name: steps[name][0, 0, 0] for name in STEPS}


def _jacobian(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
    """dO/dq by autograd, one row for each dimension of the blend."""
    leaf = query.detach().clone().requires_grad_()
    output = _lookup(leaf, key, value, scale)["output"]
    return torch.stack([torch.autograd.grad(one, leaf, retain_graph=True)[0] for one in output])


def _push(key: Tensor, best: int, towards: int, length: float) -> Tensor:
    way = key[towards] - key[best]
    if towards == best or not float(way.norm()):
        raise InputError(f"the query cannot be pushed from key {best} to key {towards}: give two keys that differ")
    pushed: Tensor = length * way / way.norm()
    return pushed


def _check(query: Tensor, key: Tensor, value: Tensor) -> None:
    if query.dim() != 1 or key.dim() != 2 or value.dim() != 2:
        shapes = f"query {tuple(query.shape)}, key {tuple(key.shape)}, value {tuple(value.shape)}"
        raise InputError(f"{shapes}: give (head_dim,), (key_pos, head_dim) and (key_pos, value_dim)")
    if query.dtype not in (torch.float64, torch.float32):
        raise InputError(f"query is {dtype_name(query)}: give float64 or float32, in which a small push can be seen")
