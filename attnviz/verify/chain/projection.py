"""Kind `projection` from its definition: Q = X W_Q, K and V alike, a head at a time."""

from __future__ import annotations

from attnviz.verify.chain.running import given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, together

SOURCES = {"query": "query_input", "key": "key_input", "value": "key_input"}


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the inputs and the weights."""
    stages = {name: given(arrays[name], unit) for name in ("query_input", "key_input")}
    for name, source in SOURCES.items():
        inputs, weight = given(arrays[source], unit), given(arrays[f"weight_{name}"], unit)
        front = (inputs.shape[0], weight.shape[0])
        heads = [inputs[batch][:, :, None] * weight[head][None, :, :]
                 for batch in range(front[0]) for head in range(front[1])]
        if heads:
            terms = together(heads, front)
            stages |= {f"{name}_terms": terms, name: terms.total(-2)}
        stages[f"weight_{name}"] = weight
    return stages
