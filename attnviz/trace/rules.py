"""The rules that several kinds share, each recomputing a stage in float64 from its recorded inputs.

A rule knows nothing of how the numbers were produced: it shares no code with `attnviz.sdpa`.
"""

from __future__ import annotations

import numpy as np

from attnviz.trace.stage import Array, Arrays, Expected, Params, Rule


def grouped(shared: Array, heads: int) -> Array:
    """Key or value heads repeated for the query heads that share them: (batch, kv_head, ...) to (batch, head, ...)."""
    kv_heads = shared.shape[1]
    return np.repeat(shared, heads // kv_heads, axis=1) if kv_heads else shared


def add_up(terms: str, axis: int) -> Rule:
    """The sum of stage `terms` along `axis`."""

    def rule(a: Arrays, p: Params) -> Expected:
        return summed(a[terms], axis)

    return rule


def summed(terms: Array, axis: int) -> Expected:
    """A sum along `axis`, with the size of its largest term."""
    largest = np.max(np.abs(terms), axis=axis, initial=0.0)
    return Expected(terms.sum(axis=axis), largest, max(1, terms.shape[axis]))


def dot_rows(query: Array, key: Array) -> Expected:
    """q.k for every pair: (..., query_pos, head_dim) and (..., key_pos, head_dim)."""
    return summed(query[..., :, None, :] * key[..., None, :, :], -1)


def times(factor: Array | float, values: Array) -> Expected:
    """One multiplication."""
    product = factor * values
    return Expected(product, np.abs(product))


def plus(left: Array, right: Array) -> Expected:
    """One addition, rounded relative to its result; minus infinity absorbs."""
    total = left + right
    return Expected(total, np.where(np.isinf(total), 0.0, np.abs(total)))


def row_max(scores: str) -> Rule:
    """The largest of each row, minus infinity for a row of no keys: exact, no rounding allowed."""

    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(np.max(a[scores], axis=-1, initial=-np.inf))

    return rule


def shifted_exp(scores: Array, maximum: Array) -> Expected:
    """exp(s - m), and 0 where s is minus infinity, also when m is; (..., row, column) and (..., row)."""
    shift = np.where(np.isneginf(scores), 0.0, scores - np.where(np.isneginf(maximum), 0.0, maximum)[..., None])
    values = np.where(np.isneginf(scores), 0.0, np.exp(shift))
    return Expected(values, rounding_of_exp(shift) * values)


def rounding_of_exp(argument: Array) -> Array:
    """The relative rounding of exp(argument), in eps: that of its argument becomes one of its value."""
    return np.where(np.isfinite(argument), 1.0 + np.abs(argument), 1.0)


def exp_scores(a: Arrays, p: Params) -> Expected:
    """exp(masked score - row max)."""
    return shifted_exp(a["masked_scores"], a["row_max"])


def softmax_quotient(a: Arrays, p: Params) -> Expected:
    """Exponentials over their row's sum; 0 for a row with no key."""
    return quotient(a["exp_scores"], a["row_sum"][..., None])


def quotient(numerator: Array, denominator: Array) -> Expected:
    """numerator / denominator, and 0 where the denominator is 0."""
    empty = denominator == 0
    values = np.where(empty, 0.0, numerator / np.where(empty, 1.0, denominator))
    return Expected(values, np.abs(values))


def log_sum_exp(maximum: Array, total: Array) -> Expected:
    """m + ln l (natural logarithm); minus infinity for a row with no key."""
    log = np.log(np.where(total == 0, 1.0, total))
    values = np.where(total == 0, -np.inf, maximum + log)
    return Expected(values, np.where(total == 0, 0.0, np.maximum(np.abs(maximum), np.abs(log))))


def softmax(scores: Array) -> Array:
    """Plain softmax along the last axis, in float64, for rows that all have a key."""
    exp = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exp / exp.sum(axis=-1, keepdims=True))
