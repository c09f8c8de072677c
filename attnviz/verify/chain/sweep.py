"""Kind `sweep` from its definition: the same attention at every step of a parameter, one step after the other."""

from __future__ import annotations

import numpy as np

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, stacked

GIVEN = ("parameter", "scale", "query", "key", "value", "mask")


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the queries and scales of the steps, the keys, the values and the mask."""
    own = {name: given(arrays[name], unit) for name in GIVEN}
    steps = [_step(own["query"][step], own["key"], own["value"], own["mask"], own["scale"][step])
             for step in range(own["query"].shape[0])]
    return {**own, **stacked(steps, own["query"].shape[:1])}


def _step(query: Approx, key: Approx, value: Approx, mask: Approx, scale: Approx) -> Stages:
    dots = (query[:, None, :] * key[None, :, :]).total(-1)
    masked = dots * scale + mask
    row_max = masked.largest(-1)
    open_rows = ~np.isneginf(row_max.values)
    allowed = ~np.isneginf(masked.values)
    exps = (masked.where(allowed, 0.0) - row_max.where(open_rows, 0.0)[:, None]).where(allowed, -np.inf).exp()
    total = exps.total(-1)
    some = total.values != 0
    weights = (exps / total.where(some, 1.0)[:, None]).where(some[:, None], 0.0)
    return {"dot_products": dots, "masked_scores": masked, "row_max": row_max, "exp_scores": exps, "row_sum": total,
            "attn_weights": weights, "output": (weights[:, :, None] * value[None, :, :]).total(-2)}
