"""How numbers of the kinds `sweep`, `limits` and `gradient` come about: one query; its temperature or a push moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attnviz.explain.attention import dot, masked_score, weight
from attnviz.explain.look import Look, add, every, exp, largest, less, over, same, times
from attnviz.explain.tree import Done, Expression, Known, Leaf

Recipe = Callable[[Look], Expression]


def _exp_score(look: Look) -> Expression:
    hidden = look.value("masked_scores") == float("-inf")
    return Known(0.0, "this key is hidden") if hidden else exp(less(look.one("masked_scores"), look.one("row_max")))


def blend(look: Look, weights: str, value: str = "value") -> Expression:
    """The values, each times its weight, added up."""
    return dot(look, weights, value, "key_pos")


SWEEP = {
    "dot_products": lambda look: dot(look, "query", "key", "head_dim"),
    "masked_scores": lambda look: masked_score(look, times(look.one("scale"), look.one("dot_products"))),
    "row_max": lambda look: largest(look.along("masked_scores", "key_pos")),
    "exp_scores": _exp_score,
    "row_sum": lambda look: add(look.along("exp_scores", "key_pos")),
    "attn_weights": weight,
    "output": lambda look: blend(look, "attn_weights"),
}


def softmax_of(mine: Expression, all_scores: list[Expression]) -> Expression:
    """exp(s) over the sum of exp of each, the largest taken off before, as it is computed."""
    most = largest(all_scores)
    return over(exp(less(mine, most)), add(exp(less(score, most)) for score in all_scores))


def _limit_weight(look: Look) -> Expression:
    scores: list[Expression] = [over(score, look.one("temperature")) for score in look.along("scores", "key_pos")]
    return softmax_of(scores[look.at["key_pos"]], scores)


def _target(look: Look) -> Expression:
    values = look.along("value", "key_pos")
    if look.at["limit"]:
        return over(add(values), Known(len(values), "keys"))
    return same(values[int(np.argmax(look.record["scores"].values))])


LIMITS = {
    "temperature": lambda look: Known(look.value("temperature"), "chosen for this film"),
    "attn_weights": _limit_weight,
    "output": lambda look: blend(look, "attn_weights"),
    "target": _target,
    "gap": lambda look: less(look.one("output"), look.one("target")),
    "largest_gap": lambda look: largest(Done("size", (gap,)) for gap in look.along("gap", "value_dim")),
}


def _scale(look: Look) -> Known:
    return Known(float(look.params["scale"]), "the scale")


def _softmax(scores: str) -> Recipe:
    def recipe(look: Look) -> Expression:
        row: list[Expression] = [*look.along(scores, "key_pos")]
        return softmax_of(row[look.at["key_pos"]], row)

    return recipe


def _jacobian(look: Look) -> Expression:
    """scale * sum over the keys of a (v - o) k."""
    keys = range(look.size("key", "key_pos"))
    terms = [times(look.one("attn_weights", key_pos=key), less(look.one("value", key_pos=key), look.one("output")),
                   look.one("key", key_pos=key)) for key in keys]
    return times(_scale(look), add(terms))


def _nudge(look: Look) -> Expression:
    """A step of some length from the best key towards another."""
    towards, best = int(look.params["towards"]), int(np.argmax(look.record["scores"].values))
    axis = look.record["key"].axes[-1]

    def way(dim: int) -> Done:
        return less(look.one("key", key_pos=towards, head_dim=dim), look.one("key", key_pos=best, head_dim=dim))

    whole = Done("root", (add(times(way(dim), way(dim)) for dim in range(look.size("key", axis))),))
    return over(times(Known(float(look.params["length"]), "length of the push"), way(look.at["head_dim"])), whole)


def _less(one: str, other: str) -> Recipe:
    return lambda look: less(look.one(one), look.one(other))


def _sizes(parts: list[Leaf]) -> list[Done]:
    return [Done("size", (part,)) for part in parts]


GRADIENT = {
    "dot_products": lambda look: dot(look, "query", "key", "head_dim"),
    "scores": lambda look: times(_scale(look), look.one("dot_products")),
    "attn_weights": _softmax("scores"),
    "output": lambda look: blend(look, "attn_weights"),
    "jacobian": _jacobian,
    "nudge": _nudge,
    "predicted": lambda look: dot(look, "jacobian", "nudge", "head_dim"),
    "nudged_query": lambda look: add([look.one("query"), look.one("nudge")]),
    "nudged_dot_products": lambda look: dot(look, "nudged_query", "key", "head_dim"),
    "nudged_scores": lambda look: times(_scale(look), look.one("nudged_dot_products")),
    "nudged_weights": _softmax("nudged_scores"),
    "nudged_output": lambda look: blend(look, "nudged_weights"),
    "moved": _less("nudged_output", "output"),
    "miss": _less("moved", "predicted"),
    "largest_miss": lambda look: largest(_sizes(every(look, "miss"))),
}
