"""Kind `samples`: many random queries, each with its own keys, and what scaling does to them.

The draws themselves are not stored: numpy's RandomState has a frozen stream, so seed, counts and hash
are enough for anyone to make them again. Parameters: seed, queries, keys, head_dim, sha256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.params import COUNT, SEED, WORD
from attnviz.trace.stage import Array, Arrays, Expected, Kind, Params, Rule, Stage

PAIR = ("sample", "key_pos")
QUARTILES = (0.25, 0.5, 0.75)
MOST_DRAWN = 2**28  # numbers: checked before any is drawn
_CHUNK = 250  # samples drawn at a time: keeps 1024-wide draws to a few tens of MB


def draw(seed: int, queries: int, keys: int, head_dim: int) -> Iterator[Array]:
    """The draws in chunks of (samples, 1 + keys, head_dim), float64 from N(0, 1); row 0 is the query."""
    stream = np.random.RandomState(seed)
    for start in range(0, queries, _CHUNK):
        yield stream.standard_normal((min(_CHUNK, queries - start), 1 + keys, head_dim))


def regenerate(seed: int, queries: int, keys: int, head_dim: int) -> tuple[Array, Array, str]:
    """Dot products (sample, key_pos), their largest terms of the same shape, and the sha256 of the draws."""
    digest = hashlib.sha256()
    dots, largest = [], []
    for block in draw(seed, queries, keys, head_dim):
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
        terms = block[:, :1, :] * block[:, 1:, :]
        dots.append(terms.sum(axis=-1))
        largest.append(np.abs(terms).max(axis=-1))
    return np.concatenate(dots), np.concatenate(largest), digest.hexdigest()


def _dot_products(a: Arrays, p: Params) -> Expected:
    held, wanted = a.get("dot_products"), (p["queries"], p["keys"])
    if held is not None and held.shape != wanted:
        said = f"{wanted[0]} queries of {wanted[1]} keys"
        raise RecordError(f"dot_products has shape {held.shape}, the record says {said}")
    if (drawn := p["queries"] * (1 + p["keys"]) * p["head_dim"]) > MOST_DRAWN:
        raise RecordError(f"{drawn} numbers would be drawn again, more than {MOST_DRAWN}: record fewer queries")
    dots, largest, sha256 = regenerate(p["seed"], p["queries"], p["keys"], p["head_dim"])
    if sha256 != p["sha256"]:
        raise RecordError(f"samples of seed {p['seed']} hash to {sha256[:12]}, the record says {p['sha256'][:12]}")
    return Expected(dots, largest, p["head_dim"])


def _scores(a: Arrays, p: Params) -> Expected:
    return rules.times(p["head_dim"] ** -0.5, a["dot_products"])


def _weights(scores: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        weights = rules.softmax(a[scores])
        return Expected(weights, weights * (1 + np.abs(a[scores]).max(axis=-1, keepdims=True)), 8)

    return rule


def _std(scores: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.asarray(a[scores].std()), np.abs(a[scores]).max(), a[scores].size)

    return rule


def _largest(weights: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(a[weights].max(axis=-1))

    return rule


def _mean(values: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.asarray(a[values].mean()), np.abs(a[values]).max(), a[values].size)

    return rule


def _jacobian(weights: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        weight = a[weights]
        jacobian = weight[:, :, None] * (np.eye(weight.shape[1]) - weight[:, None, :])
        return Expected(np.sqrt((jacobian**2).sum(axis=(1, 2))), 1.0, weight.shape[1] ** 2)

    return rule


def _quartiles(values: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.quantile(a[values], QUARTILES), 1.0)

    return rule


def _bin_edges(a: Arrays, p: Params) -> Expected:
    """Given, except that they rise and hold every number: what lies outside would be in no bin."""
    edges, every = a["bin_edges"], np.concatenate([a["dot_products"].ravel(), a["scores"].ravel()])
    if edges.size < 2 or np.any(np.diff(edges) <= 0) or every.min() < edges[0] or every.max() > edges[-1]:
        raise RecordError(f"bin_edges must rise and hold all from {every.min():g} to {every.max():g}")
    return Expected(edges)


def _counts(values: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.histogram(a[values], a["bin_edges"])[0].astype(float))

    return rule


def _branch(suffix: str, scores: str, words: str) -> tuple[Stage, ...]:
    weights, largest, jacobian = f"weights_{suffix}", f"largest_{suffix}", f"jacobian_{suffix}"
    return (
        Stage(f"std_{suffix}", "σ", f"standard deviation, {words}", (), (scores,), _std(scores)),
        Stage(weights, "A", f"weights, {words}", PAIR, (scores,), _weights(scores)),
        Stage(largest, "max A", f"largest weight, {words}", ("sample",), (weights,), _largest(weights)),
        Stage(f"mean_{largest}", "mean max A", f"mean largest weight, {words}", (), (largest,), _mean(largest)),
        Stage(jacobian, "‖J‖", f"size of the Jacobian, {words}", ("sample",), (weights,), _jacobian(weights)),
        Stage(f"quartiles_{jacobian}", "quartiles ‖J‖", f"quartiles of the Jacobian's size, {words}",
              ("quartile",), (jacobian,), _quartiles(jacobian)),
    )


SAMPLES = Kind("samples", (
    Stage("dot_products", "q·k", "dot products", PAIR, ("dot_products",), _dot_products),
    Stage("scores", "S", "scaled scores", PAIR, ("dot_products",), _scores),
    *_branch("raw", "dot_products", "raw"),
    *_branch("scaled", "scores", "scaled"),
    Stage("bin_edges", "edges", "edges of the bins", ("edge",), ("dot_products", "scores"), _bin_edges),
    Stage("counts_raw", "n", "dot products in each bin", ("bin",), ("bin_edges", "dot_products"),
          _counts("dot_products"), storage="integer"),
    Stage("counts_scaled", "n", "scores in each bin", ("bin",), ("bin_edges", "scores"),
          _counts("scores"), storage="integer"),
), {"seed": SEED, "queries": COUNT, "keys": COUNT, "head_dim": COUNT, "sha256": WORD})
