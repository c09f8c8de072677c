"""Kind `limits` from its definition: one query's blend, cold and hot, and the two plain answers that it tends to."""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, together


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the scores, the values and the two temperatures."""
    temperature, scores, value = (given(arrays[name], unit) for name in ("temperature", "scores", "value"))
    if temperature.shape != (2,) or not 0 < temperature.values[0] < temperature.values[1]:
        raise RecordError("limits: the temperatures must be a cold one and a hotter one, both above 0")
    weights = together([_softmax(scores, temperature[limit]) for limit in (0, 1)], (2,))
    output = (weights[:, :, None] * value[None, :, :]).total(1)
    best = value[int(np.argmax(scores.values))]
    mean = value.total(0) / given(value.shape[0], unit)
    target = together([best, mean], (2,))
    gap = output - target
    largest = Approx(np.abs(gap.values).max(axis=-1), gap.error.max(axis=-1), unit)
    return {"temperature": temperature, "scores": scores, "value": value, "attn_weights": weights, "output": output,
            "target": target, "gap": gap, "largest_gap": largest}


def _softmax(scores: Approx, temperature: Approx) -> Approx:
    """A producer may scale before it divides, so scores carry the roundings of a product more."""
    cooled = scores / temperature[None]
    cooled = Approx(cooled.values, cooled.error + 8 * cooled.unit * np.abs(cooled.values), cooled.unit)
    exps = (cooled - cooled.largest(-1)[None]).exp()
    return exps / exps.total(-1)[None]
