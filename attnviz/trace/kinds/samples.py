"""Kind `samples`: many random queries, each with its own keys, at several widths, and what scaling does to them.

The draws themselves are not stored: numpy's RandomState has a frozen stream, so seed, counts, widths and hash are
enough for anyone to make them again, each width from the seed anew. Parameters: seed, queries, keys, sha256 (of the
draws of all widths, one after the other).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.params import COUNT, SEED, WORD
from attnviz.trace.stage import Array, Arrays, Expected, Kind, Params, Rule, Stage

PAIR = ("width", "sample", "key_pos")
EACH = ("width", "sample")
QUARTILES = (0.25, 0.5, 0.75)
MOST_DRAWN = 2**28  # numbers: checked before any is drawn
_CHUNK = 250  # samples drawn at a time: keeps 1024-wide draws to a few tens of MB


def draw(seed: int, queries: int, keys: int, head_dim: int) -> Iterator[Array]:
    """The draws in chunks of (samples, 1 + keys, head_dim), float64 from N(0, 1); row 0 is the query."""
    stream = np.random.RandomState(seed)
    for start in range(0, queries, _CHUNK):
        yield stream.standard_normal((min(_CHUNK, queries - start), 1 + keys, head_dim))


def regenerate(seed: int, queries: int, keys: int, head_dims: Sequence[int]) -> tuple[Array, Array, str]:
    """Dot products (width, sample, key_pos), their largest terms of the same shape, and the sha256 of the draws."""
    digest = hashlib.sha256()
    dots, largest = np.zeros((2, len(head_dims), queries, keys))
    for width, head_dim in enumerate(head_dims):
        done = 0
        for block in draw(seed, queries, keys, head_dim):
            digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
            terms, these = block[:, :1, :] * block[:, 1:, :], slice(done, done + len(block))
            dots[width, these], largest[width, these] = terms.sum(axis=-1), np.abs(terms).max(axis=-1)
            done += len(block)
    return dots, largest, digest.hexdigest()


def _dot_products(a: Arrays, p: Params) -> Expected:
    widths = _head_dims(a)
    held, wanted = a.get("dot_products"), (len(widths), p["queries"], p["keys"])
    if held is not None and held.shape != wanted:
        said = f"{wanted[1]} queries of {wanted[2]} keys"
        raise RecordError(f"dot_products has shape {held.shape}, the record says {said} at {wanted[0]} widths")
    if (drawn := p["queries"] * (1 + p["keys"]) * sum(widths)) > MOST_DRAWN:
        raise RecordError(f"{drawn} numbers would be drawn again, more than {MOST_DRAWN}: record fewer queries")
    dots, largest, sha256 = regenerate(p["seed"], p["queries"], p["keys"], widths)
    if sha256 != p["sha256"]:
        raise RecordError(f"samples of seed {p['seed']} hash to {sha256[:12]}, the record says {p['sha256'][:12]}")
    return Expected(dots, largest, max(widths))


def _head_dims(a: Arrays) -> list[int]:
    widths = [int(width) for width in a["head_dim"]]
    if not widths or min(widths) < 1:
        raise RecordError(f"head_dim is {widths}: give widths of 1 or more")
    return widths


def _count(param: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.asarray(float(p[param])))

    return rule


def _predicted_std(a: Arrays, p: Params) -> Expected:
    root = np.sqrt(a["head_dim"])
    return Expected(root, root)


def _scores(a: Arrays, p: Params) -> Expected:
    return rules.times(a["head_dim"][:, None, None] ** -0.5, a["dot_products"])


def _weights(scores: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        weights = rules.softmax(a[scores])
        return Expected(weights, weights * (1 + np.abs(a[scores]).max(axis=-1, keepdims=True)), 8)

    return rule


def _std(scores: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(a[scores].std(axis=(1, 2)), np.abs(a[scores]).max(axis=(1, 2)), a[scores][0].size)

    return rule


def _largest(weights: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(a[weights].max(axis=-1))

    return rule


def _mean(values: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(a[values].mean(axis=1), np.abs(a[values]).max(axis=1), a[values].shape[1])

    return rule


def _jacobian(weights: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        weight = a[weights]
        jacobian = weight[..., :, None] * (np.eye(weight.shape[-1]) - weight[..., None, :])
        return Expected(np.sqrt((jacobian**2).sum(axis=(-2, -1))), 1.0, weight.shape[-1] ** 2)

    return rule


def _quartiles(values: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.quantile(a[values], QUARTILES, axis=1).T, 1.0)

    return rule


def _edges(name: str, *held: str) -> Rule:
    """Given, except that they rise and hold every number: what lies outside would be in no bin."""

    def rule(a: Arrays, p: Params) -> Expected:
        edges, every = a[name], np.concatenate([a[values].ravel() for values in held])
        if edges.size < 2 or np.any(np.diff(edges) <= 0) or every.min() < edges[0] or every.max() > edges[-1]:
            raise RecordError(f"{name} must rise and hold all from {every.min():g} to {every.max():g}")
        return Expected(edges)

    return rule


def _counts(values: str, edges: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        counts = [np.histogram(of_a_width, a[edges])[0] for of_a_width in a[values]]
        return Expected(np.array(counts, dtype=float))

    return rule


def _kept(jacobian: str) -> Rule:
    """How many queries have at least the gradient that half of them have when scaled."""

    def rule(a: Arrays, p: Params) -> Expected:
        usual = a["quartiles_jacobian_scaled"][:, QUARTILES.index(0.5)]
        return Expected((a[jacobian] >= usual[:, None]).sum(axis=1).astype(float))

    return rule


def _branch(suffix: str, scores: str, words: str) -> tuple[Stage, ...]:
    weights, largest, jacobian = f"weights_{suffix}", f"largest_{suffix}", f"jacobian_{suffix}"
    return (
        Stage(f"std_{suffix}", "σ", f"standard deviation, {words}", ("width",), (scores,), _std(scores)),
        Stage(weights, "A", f"weights, {words}", PAIR, (scores,), _weights(scores)),
        Stage(largest, "max A", f"largest weight, {words}", EACH, (weights,), _largest(weights)),
        Stage(f"mean_{largest}", "mean max A", f"mean largest weight, {words}", ("width",), (largest,), _mean(largest)),
        Stage(jacobian, "‖J‖", f"size of the Jacobian, {words}", EACH, (weights,), _jacobian(weights)),
        Stage(f"quartiles_{jacobian}", "quartiles ‖J‖", f"quartiles of the Jacobian's size, {words}",
              ("width", "quartile"), (jacobian,), _quartiles(jacobian)),
    )


SAMPLES = Kind("samples", (
    Stage("head_dim", "d", "width of queries and keys", ("width",), storage="integer"),
    Stage("query_count", "n", "queries drawn at each width", (), (), _count("queries"), storage="integer"),
    Stage("key_count", "n", "keys drawn for each query", (), (), _count("keys"), storage="integer"),
    Stage("predicted_std", "√d", "standard deviation that theory predicts", ("width",), ("head_dim",), _predicted_std),
    Stage("dot_products", "q·k", "dot products", PAIR, ("head_dim",), _dot_products),
    Stage("scores", "S", "scaled scores", PAIR, ("dot_products", "head_dim"), _scores),
    *_branch("raw", "dot_products", "raw"),
    *_branch("scaled", "scores", "scaled"),
    Stage("bin_edges", "edges", "edges of the bins", ("edge",), ("dot_products", "scores"),
          _edges("bin_edges", "dot_products", "scores")),
    Stage("counts_raw", "n", "dot products in each bin", ("width", "bin"), ("bin_edges", "dot_products"),
          _counts("dot_products", "bin_edges"), storage="integer"),
    Stage("counts_scaled", "n", "scores in each bin", ("width", "bin"), ("bin_edges", "scores"),
          _counts("scores", "bin_edges"), storage="integer"),
    Stage("fine_edges", "edges", "edges of the fine bins, which scores fill", ("edge",), ("scores",),
          _edges("fine_edges", "scores")),
    Stage("fine_counts_scaled", "n", "scores in each fine bin", ("width", "bin"), ("fine_edges", "scores"),
          _counts("scores", "fine_edges"), storage="integer"),
    Stage("kept_raw", "n", "queries that keep a gradient as large as the median scaled one", ("width",),
          ("jacobian_raw", "quartiles_jacobian_scaled"), _kept("jacobian_raw"), storage="integer"),
    Stage("kept_scaled", "n", "scaled queries with a gradient as large as their median: half of them", ("width",),
          ("jacobian_scaled", "quartiles_jacobian_scaled"), _kept("jacobian_scaled"), storage="integer"),
), {"seed": SEED, "queries": COUNT, "keys": COUNT, "sha256": WORD})
