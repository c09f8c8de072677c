"""Kind `sdpa`: scaled dot-product attention, every step kept."""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.params import ATTENTION
from attnviz.trace.stage import Arrays, Expected, Flags, Kind, Params, Stage

FRONT = ("batch", "head")
SHARED = ("batch", "kv_head")
PAIR = (*FRONT, "query_pos", "key_pos")
ROW = (*FRONT, "query_pos")


def causal_forbids(query_count: int, key_count: int, causal: str) -> Flags:
    """Pairs beyond the causal edge, boolean (query_pos, key_pos); `causal` is top-left or bottom-right."""
    offset = key_count - query_count if causal == "bottom-right" else 0
    return np.arange(key_count)[None, :] > np.arange(query_count)[:, None] + offset


def _score_terms(a: Arrays, p: Params) -> Expected:
    key = rules.grouped(a["key"], a["query"].shape[1])
    return rules.times(a["query"][..., :, None, :], key[..., None, :, :])


def _scores(a: Arrays, p: Params) -> Expected:
    return rules.times(float(p["scale"]), a["dot_products"])


def causal_mask(a: Arrays, p: Params) -> Expected:
    """Given, except that what lies beyond the causal edge must be minus infinity."""
    mask = a["mask"]
    if np.any(np.isnan(mask) | np.isposinf(mask)):
        raise RecordError("mask holds NaN or plus infinity: a mask is 0, minus infinity or a finite bias")
    if not p["is_causal"]:
        return Expected(mask)
    return Expected(np.where(causal_forbids(mask.shape[-2], mask.shape[-1], p["causal"]), -np.inf, mask))


def _masked_scores(a: Arrays, p: Params) -> Expected:
    # A pair that is not allowed is minus infinity whatever its score, NaN included.
    allowed = ~np.isneginf(a["mask"])
    total = rules.plus(np.where(allowed, a["scores"], 0.0), a["mask"])
    return Expected(total.values, total.largest)


def _shifted_scores(a: Arrays, p: Params) -> Expected:
    masked = np.isneginf(a["masked_scores"])  # stays so whatever the maximum is: minus infinity, or NaN
    return rules.plus(-np.where(masked, 0.0, a["row_max"][..., None]), a["masked_scores"])


def _exp_scores(a: Arrays, p: Params) -> Expected:
    values = np.exp(a["shifted_scores"])
    return Expected(values, values * rules.rounding_of_exp(a["shifted_scores"]))


def _weighted_values(a: Arrays, p: Params) -> Expected:
    value = rules.grouped(a["value"], a["attn_weights"].shape[1])
    allowed = ~np.isneginf(a["masked_scores"])[..., None]
    product = np.where(allowed, a["attn_weights"][..., None] * value[..., None, :, :], 0.0)
    return Expected(product, np.abs(product))


def _lse(a: Arrays, p: Params) -> Expected:
    return rules.log_sum_exp(a["row_max"], a["row_sum"])


SDPA = Kind("sdpa", (
    Stage("query", "Q", "queries", (*FRONT, "query_pos", "head_dim"), storage="input"),
    Stage("key", "K", "keys", (*SHARED, "key_pos", "head_dim"), storage="input"),
    Stage("value", "V", "values", (*SHARED, "key_pos", "value_dim"), storage="input"),
    Stage("score_terms", "q·k", "terms of each dot product", (*PAIR, "head_dim"), ("query", "key"), _score_terms),
    Stage("dot_products", "QKᵀ", "dot products", PAIR, ("score_terms",), rules.add_up("score_terms", -1)),
    Stage("scores", "S", "scaled scores", PAIR, ("dot_products",), _scores),
    Stage("mask", "M", "mask", PAIR, ("mask",), causal_mask),
    Stage("masked_scores", "S + M", "masked scores", PAIR, ("scores", "mask"), _masked_scores),
    Stage("row_max", "m", "row maximum", ROW, ("masked_scores",), rules.row_max("masked_scores")),
    Stage("shifted_scores", "s − m", "scores below their maximum", PAIR, ("masked_scores", "row_max"), _shifted_scores),
    Stage("exp_scores", "e", "exponentials", PAIR, ("shifted_scores",), _exp_scores),
    Stage("row_sum", "l", "row sum", ROW, ("exp_scores",), rules.add_up("exp_scores", -1)),
    Stage("attn_weights", "A", "attention weights", PAIR, ("exp_scores", "row_sum"), rules.softmax_quotient),
    Stage("weighted_values", "a·v", "weighted values", (*PAIR, "value_dim"),
          ("attn_weights", "value", "masked_scores"), _weighted_values),
    Stage("output", "O", "output", (*ROW, "value_dim"), ("weighted_values",),
          rules.add_up("weighted_values", -2), storage="input"),
    Stage("lse", "lse", "log-sum-exp", ROW, ("row_max", "row_sum"), _lse),
), ATTENTION)
