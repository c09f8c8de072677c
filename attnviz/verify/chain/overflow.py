"""Kind `overflow` from its definition: softmax of a row as it stands, and with the largest subtracted, in float32."""

from __future__ import annotations

import numpy as np

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages

MOST = (2 - 2.0**-23) * 2.0**127  # the largest number of float32: all 24 bits of its fraction are ones


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the scores."""
    scores = given(arrays["scores"], unit)
    naive = _held(scores.exp())
    naive_sum = _held(naive.total(0))
    row_max = scores.largest(0)
    shifted = scores - row_max
    exps = shifted.exp()
    total = exps.total(0)
    return {"scores": scores, "largest_score": given(MOST, unit).log(), "naive_exp": naive, "naive_sum": naive_sum,
            "naive_weights": naive / naive_sum, "row_max": row_max, "shifted_scores": shifted, "exp_scores": exps,
            "row_sum": total, "attn_weights": exps / total}


def _held(numbers: Approx) -> Approx:
    """What float32 makes of numbers above zero: infinity of those that it has no room for."""
    fits = numbers.values <= MOST
    return numbers.where(fits, np.inf)
