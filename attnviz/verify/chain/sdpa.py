"""Kind `sdpa` from its definition: softmax(Q Kᵀ scale + M) V, one head after the other.

Nothing is shared with what made the record, nor with the rules that it was checked by when it was made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, stacked


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from query, key, value, mask and the parameters."""
    query, key, value = arrays["query"], arrays["key"], arrays["value"]
    mask = forbidden_beyond_the_edge(arrays["mask"], params)
    group = query.shape[1] // max(key.shape[1], 1)
    heads = []
    for batch in range(query.shape[0]):
        for head in range(query.shape[1]):
            parts = query[batch, head], key[batch, head // group], value[batch, head // group], mask[batch, head]
            heads.append(_head(*(given(part, unit) for part in parts), scale=given(params["scale"], unit)))
    stages = stacked(heads, query.shape[:2])
    own = {name: given(arrays[name], unit) for name in ("query", "key", "value")}
    return {**own, "mask": given(mask, unit), **stages}


def forbidden_beyond_the_edge(mask: NDArray[Any], params: Params) -> NDArray[Any]:
    """The mask, and minus infinity for every key that comes after its query."""
    if not params["is_causal"]:
        return mask
    rows, columns = mask.shape[-2:]
    first = columns - rows if params["causal"] == "bottom-right" else 0
    edged = mask.copy()
    for row in range(rows):
        edged[..., row, max(row + first + 1, 0):] = -np.inf
    return edged


def _head(query: Approx, key: Approx, value: Approx, mask: Approx, *, scale: Approx) -> Stages:
    terms = query[:, None, :] * key[None, :, :]
    dots = terms.total(-1)
    scores = dots * scale
    allowed = ~np.isneginf(mask.values)
    masked = (scores.where(allowed, 0.0) + mask.where(allowed, 0.0)).where(allowed, -np.inf)
    row_max = masked.largest(-1)
    seen = ~np.isneginf(row_max.values)
    shifted = (masked.where(allowed, 0.0) - row_max.where(seen, 0.0)[:, None]).where(allowed, -np.inf)
    exps = shifted.exp()
    total = exps.total(-1)
    some = total.values != 0  # NaN too, which then stays what it is
    weights = (exps / total.where(some, 1.0)[:, None]).where(some[:, None], 0.0)
    weighted = (weights[:, :, None] * value[None, :, :]).where(allowed[:, :, None], 0.0)
    lse = (row_max.where(some, 0.0) + total.where(some, 1.0).log()).where(some, -np.inf)
    return {"score_terms": terms, "dot_products": dots, "scores": scores, "masked_scores": masked, "row_max": row_max,
            "shifted_scores": shifted, "exp_scores": exps, "row_sum": total, "attn_weights": weights,
            "weighted_values": weighted, "output": weighted.total(-2), "lse": lse}
