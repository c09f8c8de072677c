"""Kind `samples` from its definition: the draws made again from their seed, and what scaling does to them.

One query after the other, so that wide draws need little room. The draws must hash to what the record says.
"""

from __future__ import annotations

import hashlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import RecordError
from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, together


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from seed, counts and width."""
    dots = _drawn(params, unit)
    scores = dots * given(1 / math.sqrt(params["head_dim"]), unit)
    edges = _checked_edges(arrays["bin_edges"], dots, scores, unit)
    counts = {"counts_raw": _counts(dots, edges), "counts_scaled": _counts(scores, edges)}
    return {"dot_products": dots, "scores": scores, **_branch(dots, "raw"), **_branch(scores, "scaled"),
            "bin_edges": edges, **counts}


def _checked_edges(edges: NDArray[Any], dots: Approx, scores: Approx, unit: float) -> Approx:
    """The edges, which are given; RecordError unless they rise, and hold every number."""
    every = np.concatenate([dots.values.ravel(), scores.values.ravel()])
    slack = float(max(dots.error.max(), scores.error.max()))
    if any(not one < other for one, other in pairwise(edges.tolist())) or not (
            edges[0] - slack <= every.min() and every.max() <= edges[-1] + slack):
        raise RecordError(f"samples: bin_edges must rise and hold all from {every.min():g} to {every.max():g}")
    return given(edges, unit)


def _counts(numbers: Approx, edges: Approx) -> Approx:
    """How many numbers lie in each bin, its lower edge included, and in the last its upper one too.

    Where a number is no further from an edge than its error, it may have been counted on the other side.
    """
    inner, flat, errors = edges.values[1:-1], numbers.values.ravel(), numbers.error.ravel()
    counts, unsure = np.zeros(len(inner) + 1), np.zeros(len(inner) + 1)
    for value, error in zip(flat.tolist(), errors.tolist(), strict=True):
        place = int((inner <= value).sum())
        counts[place] += 1
        for edge in np.flatnonzero(np.abs(inner - value) <= error).tolist():
            unsure[edge] += 1
            unsure[edge + 1] += 1
    return Approx(counts, unsure, numbers.unit)


def _drawn(params: Params, unit: float) -> Approx:
    """The dot product of every query with its own keys, drawn one sample at a time."""
    stream, digest, rows = np.random.RandomState(params["seed"]), hashlib.sha256(), []
    for _ in range(params["queries"]):
        draw = stream.standard_normal((1 + params["keys"], params["head_dim"]))
        digest.update(draw.astype("<f8").tobytes())
        rows.append((given(draw[0], unit) * given(draw[1:], unit)).total(-1))
    if digest.hexdigest() != params["sha256"]:
        raise RecordError(f"samples: the draws of seed {params['seed']} are not those that the record was made of")
    return together(rows, (len(rows),))


def _branch(scores: Approx, suffix: str) -> Stages:
    exps = (scores - scores.largest(-1)[:, None]).exp()
    weights = exps / exps.total(-1)[:, None]
    largest, jacobian = weights.largest(-1), _jacobian(weights)
    return {f"std_{suffix}": _spread(scores), f"weights_{suffix}": weights, f"largest_{suffix}": largest,
            f"mean_largest_{suffix}": _mean(largest), f"jacobian_{suffix}": jacobian,
            f"quartiles_jacobian_{suffix}": _quartiles(jacobian)}


def _mean(numbers: Approx) -> Approx:
    return numbers.total(0) / given(numbers.shape[0], numbers.unit)


def _spread(scores: Approx) -> Approx:
    """The standard deviation of all; its error is at most that of the worst score, and that of two sums."""
    values = scores.values.ravel()
    spread = math.sqrt(sum((value - values.mean()) ** 2 for value in values) / len(values))
    error = float(scores.error.max()) + 4 * len(values) * scores.unit * float(np.abs(values).max())
    return Approx(np.asarray(spread), np.asarray(error), scores.unit)


def _jacobian(weights: Approx) -> Approx:
    """The size of diag(a) - a aᵀ for every row a. A weight moves it by at most four times its own error."""
    sizes = [math.sqrt(((np.diag(row) - np.outer(row, row)) ** 2).sum()) for row in weights.values]
    error = 4 * weights.error.sum(axis=-1) + 4 * weights.shape[-1] * weights.unit
    return Approx(np.array(sizes), error, weights.unit)


def _quartiles(numbers: Approx) -> Approx:
    ranked, error = np.sort(numbers.values), float(numbers.error.max())
    places = [share * (len(ranked) - 1) for share in (0.25, 0.5, 0.75)]
    between = [ranked[math.floor(at)] + (at % 1) * (ranked[math.ceil(at)] - ranked[math.floor(at)]) for at in places]
    return Approx(np.array(between), np.full(3, error + 4 * numbers.unit), numbers.unit)
