"""Kind `zeroed` from its definition: a weight counts where the mask is 0, and a row's sum is over those alone."""

from __future__ import annotations

from attnviz.errors import RecordError
from attnviz.verify.chain.running import given
from attnviz.verify.chain.stacking import Arrays, Params, Stages


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from weights and mask, which are given; a bundle holds them against an attention beside them."""
    weights, mask = given(arrays["attn_weights"], unit), arrays["mask"]
    forbidden = mask < 0
    if not (mask[~forbidden] == 0).all() or (mask[forbidden] > -float("inf")).any():
        raise RecordError("zeroed.mask must be 0 or minus infinity everywhere")
    kept = weights.where(~forbidden, 0.0)
    return {"attn_weights": weights, "mask": given(mask, unit), "zeroed_weights": kept, "zeroed_sum": kept.total(-1)}
