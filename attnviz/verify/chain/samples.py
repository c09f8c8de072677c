"""Kind `samples` from its definition: the draws made again from their seed, and what scaling does to them.

One width, and one query, after the other, so that wide draws need little room. The draws must hash to what the record
says.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import RecordError
from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages, stacked, together

QUARTILES = (0.25, 0.5, 0.75)


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from seed, counts and widths."""
    head_dim, digest = given(arrays["head_dim"], unit), hashlib.sha256()
    widths = [int(width) for width in head_dim.values.tolist()]
    counts = {f"{one}_count": given(params[many], unit) for one, many in (("query", "queries"), ("key", "keys"))}
    drawn = [_drawn(params, width, digest, unit) for width in widths]
    if digest.hexdigest() != params["sha256"]:
        raise RecordError(f"samples: the draws of seed {params['seed']} are not those that the record was made of")
    scores = [dots * given(1 / math.sqrt(width), unit) for dots, width in zip(drawn, widths, strict=True)]
    edges = _checked_edges("bin_edges", arrays, [*drawn, *scores], unit)
    fine = _checked_edges("fine_edges", arrays, scores, unit)
    parts = [_of_a_width(width, dots, scaled, edges, fine)
             for width, dots, scaled in zip(widths, drawn, scores, strict=True)]
    return {"head_dim": head_dim, **counts, "bin_edges": edges, "fine_edges": fine, **stacked(parts, (len(widths),))}


def _of_a_width(width: int, dots: Approx, scores: Approx, edges: Approx, fine: Approx) -> Stages:
    raw, scaled = _branch(dots, "raw"), _branch(scores, "scaled")
    usual = scaled["quartiles_jacobian_scaled"][QUARTILES.index(0.5)]
    predicted = given(width, dots.unit).root()
    return {"predicted_std": predicted, "dot_products": dots, "scores": scores, **raw, **scaled,
            "counts_raw": _counts(dots, edges), "counts_scaled": _counts(scores, edges),
            "fine_counts_scaled": _counts(scores, fine),
            "kept_raw": _at_least(raw["jacobian_raw"], usual),
            "kept_scaled": _at_least(scaled["jacobian_scaled"], usual)}


def _at_least(numbers: Approx, least: Approx) -> Approx:
    """How many numbers reach the least one; those within the error of both may have been counted or not."""
    gap, slack = numbers.values - least.values, numbers.error + least.error
    return Approx(np.asarray(float((gap >= 0).sum())), np.asarray(float((np.abs(gap) <= slack).sum())), numbers.unit)


def _checked_edges(name: str, arrays: Arrays, held: Sequence[Approx], unit: float) -> Approx:
    """The edges, which are given; RecordError unless they rise, and hold every number."""
    edges: NDArray[Any] = arrays[name]
    every, slack = np.concatenate([part.values.ravel() for part in held]), max(float(part.error.max()) for part in held)
    if any(not one < other for one, other in pairwise(edges.tolist())) or not (
            edges[0] - slack <= every.min() and every.max() <= edges[-1] + slack):
        raise RecordError(f"samples: {name} must rise and hold all from {every.min():g} to {every.max():g}")
    return given(edges, unit)


def _counts(numbers: Approx, edges: Approx) -> Approx:
    """How many numbers lie in each bin, its lower edge included, and in the last its upper one too.

    Where a number is no further from an edge than its error, it may have been counted on the other side.
    """
    inner, flat, errors = edges.values[1:-1].tolist(), numbers.values.ravel(), numbers.error.ravel()
    counts, unsure = np.zeros(len(inner) + 1), np.zeros(len(inner) + 1)
    for value, error in zip(flat.tolist(), errors.tolist(), strict=True):
        lowest, highest = bisect_left(inner, value - error), bisect_right(inner, value + error)
        counts[bisect_right(inner, value)] += 1
        if lowest < highest:
            unsure[lowest:highest + 1] += 1
    return Approx(counts, unsure, numbers.unit)


def _drawn(params: Params, width: int, digest: Any, unit: float) -> Approx:
    """The dot product of every query with its own keys, drawn one sample at a time, and told to the digest."""
    stream, rows = np.random.RandomState(params["seed"]), []
    for _ in range(params["queries"]):
        draw = stream.standard_normal((1 + params["keys"], width))
        digest.update(draw.astype("<f8").tobytes())
        rows.append((given(draw[0], unit) * given(draw[1:], unit)).total(-1))
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
    places = [share * (len(ranked) - 1) for share in QUARTILES]
    between = [ranked[math.floor(at)] + (at % 1) * (ranked[math.ceil(at)] - ranked[math.floor(at)]) for at in places]
    return Approx(np.array(between), np.full(3, error + 4 * numbers.unit), numbers.unit)
