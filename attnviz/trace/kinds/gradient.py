"""Kind `gradient`: how the blend of one query answers to a small push of that query.

The Jacobian dO/dq, recorded from autograd, is held against the formula for it; what it predicts for the push is laid
beside what the push really does. The push goes from the best-matching key towards another, `towards`, and is
`length` long.
"""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.params import FINITE, SEED
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Rule, Stage

KEYS, DIMS = ("key_pos",), ("value_dim",)


def _dot_products(query: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return rules.summed(a["key"] * a[query], -1)

    return rule


def _scores(dot_products: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return rules.times(float(p["scale"]), a[dot_products])

    return rule


def _weights(scores: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        weights = rules.softmax(a[scores])
        return Expected(weights, weights * (1 + np.abs(a[scores]).max()), a[scores].size)

    return rule


def _output(weights: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return rules.summed(a[weights][:, None] * a["value"], 0)

    return rule


def _jacobian(a: Arrays, p: Params) -> Expected:
    """dO/dq = scale * sum over j of a_j (v_j - o) k_jᵀ, (value_dim, head_dim)."""
    reach = np.abs(a["value"]) + np.abs(a["output"])
    terms = a["attn_weights"][:, None, None] * (a["value"] - a["output"])[:, :, None] * a["key"][:, None, :]
    sizes = a["attn_weights"][:, None, None] * reach[:, :, None] * np.abs(a["key"])[:, None, :]
    scale = float(p["scale"])
    return Expected(scale * terms.sum(axis=0), abs(scale) * sizes.max(axis=0), 4 * len(terms))


def _nudge(a: Arrays, p: Params) -> Expected:
    towards, best = p["towards"], int(np.argmax(a["scores"]))
    if not 0 <= towards < len(a["key"]) or towards == best:
        raise RecordError(f"the nudge goes towards key {towards}: name one of {len(a['key'])} keys, not the best")
    way = a["key"][towards] - a["key"][best]
    return Expected(p["length"] * way / np.sqrt((way**2).sum()), abs(p["length"]), way.size)


def _predicted(a: Arrays, p: Params) -> Expected:
    return rules.summed(a["jacobian"] * a["nudge"], -1)


def _nudged_query(a: Arrays, p: Params) -> Expected:
    return rules.plus(a["query"], a["nudge"])


def _less(one: str, other: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return rules.plus(a[one], -a[other])

    return rule


def _largest_miss(a: Arrays, p: Params) -> Expected:
    return Expected(np.asarray(np.abs(a["miss"]).max(initial=0.0)))


GRADIENT = Kind("gradient", (
    Stage("query", "q", "query", ("head_dim",), storage="input"),
    Stage("key", "K", "keys", ("key_pos", "head_dim"), storage="input"),
    Stage("value", "V", "values", ("key_pos", "value_dim"), storage="input"),
    Stage("dot_products", "qKᵀ", "dot products", KEYS, ("query", "key"), _dot_products("query")),
    Stage("scores", "s", "scaled scores", KEYS, ("dot_products",), _scores("dot_products")),
    Stage("attn_weights", "a", "weights", KEYS, ("scores",), _weights("scores")),
    Stage("output", "o", "blend", DIMS, ("attn_weights", "value"), _output("attn_weights"), storage="input"),
    Stage("jacobian", "J", "gradient of the blend", ("value_dim", "head_dim"),
          ("attn_weights", "value", "output", "key"), _jacobian),
    Stage("nudge", "Δq", "nudge of the query", ("head_dim",), ("key", "scores"), _nudge, storage="input"),
    Stage("predicted", "JΔq", "predicted move", DIMS, ("jacobian", "nudge"), _predicted),
    Stage("nudged_query", "q + Δq", "nudged query", ("head_dim",), ("query", "nudge"), _nudged_query, storage="input"),
    Stage("nudged_dot_products", "qKᵀ", "dot products of the nudged query", KEYS, ("nudged_query", "key"),
          _dot_products("nudged_query")),
    Stage("nudged_scores", "s", "scores of the nudged query", KEYS, ("nudged_dot_products",),
          _scores("nudged_dot_products")),
    Stage("nudged_weights", "a", "weights of the nudged query", KEYS, ("nudged_scores",), _weights("nudged_scores")),
    Stage("nudged_output", "o", "blend of the nudged query", DIMS, ("nudged_weights", "value"),
          _output("nudged_weights"), storage="input"),
    Stage("moved", "Δo", "move of the blend", DIMS, ("nudged_output", "output"), _less("nudged_output", "output")),
    Stage("miss", "Δo − JΔq", "miss of the prediction", DIMS, ("moved", "predicted"), _less("moved", "predicted")),
    Stage("largest_miss", "max |Δo − JΔq|", "largest miss", (), ("miss",), _largest_miss),
), {"scale": FINITE, "towards": SEED, "length": FINITE})
