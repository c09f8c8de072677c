"""Kind `gradient` from its definition: the blend of a query, its derivative by the formula, and what a push does."""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, together


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from query, keys, values, the scale and where the push goes."""
    query, key, value = (given(arrays[name], unit) for name in ("query", "key", "value"))
    scale = given(params["scale"], unit)
    steps = _lookup(query, key, value, scale)
    jacobian = _jacobian(steps, key, value, scale)
    nudge = _push(key.values, steps["scores"].values, params, unit)
    nudged_query = query + nudge
    nudged = {f"nudged_{name.removeprefix('attn_')}": step
              for name, step in _lookup(nudged_query, key, value, scale).items()}
    predicted, moved = (jacobian * nudge[None, :]).total(-1), nudged["nudged_output"] - steps["output"]
    miss = moved - predicted
    largest = Approx(np.asarray(np.abs(miss.values).max()), np.asarray(miss.error.max()), unit)
    return {"query": query, "key": key, "value": value, **steps, "jacobian": jacobian, "nudge": nudge,
            "predicted": predicted, "nudged_query": nudged_query, **nudged, "moved": moved, "miss": miss,
            "largest_miss": largest}


def _lookup(query: Approx, key: Approx, value: Approx, scale: Approx) -> Stages:
    dots = (key * query[None, :]).total(-1)
    scores = dots * scale
    exps = (scores - scores.largest(-1)[None]).exp()
    weights = exps / exps.total(-1)[None]
    return {"dot_products": dots, "scores": scores, "attn_weights": weights,
            "output": (weights[:, None] * value).total(0)}


def _jacobian(steps: Stages, key: Approx, value: Approx, scale: Approx) -> Approx:
    """Row by row of the blend: each score's slope is its weight times how far its value lies from the blend.

    Autograd multiplies out the bracket, and so rounds terms as large as value and blend, not as their difference.
    """
    weights, rows = steps["attn_weights"], []
    for dim in range(value.shape[1]):
        apart = value[:, dim] - steps["output"][dim][None]
        slopes = (weights * apart)[:, None] * key
        rows.append(slopes.total(0) * scale)
    exact = together(rows, (len(rows),))
    reach = np.abs(value.values) + np.abs(steps["output"].values)
    size = np.einsum("j,jc,jd->cd", weights.values, reach, np.abs(key.values)) * abs(float(scale.values))
    return Approx(exact.values, exact.error + 8 * len(weights.values) * exact.unit * size, exact.unit)


def _push(key: np.ndarray, scores: np.ndarray, params: Params, unit: float) -> Approx:
    best, towards = int(np.argmax(scores)), params["towards"]
    if towards == best or not 0 <= towards < len(key):
        raise RecordError(f"gradient: the nudge goes towards key {towards}, which is no other key than the best")
    way = [float(one - other) for one, other in zip(key[towards], key[best], strict=True)]
    length = sum(step * step for step in way) ** 0.5
    nudge = np.array([params["length"] * step / length for step in way])
    return Approx(nudge, np.full(nudge.shape, (len(way) + 4) * unit * abs(params["length"])), unit)
