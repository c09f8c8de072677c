"""How the numbers of the kinds `sdpa`, `zeroed`, `projection` and `difference` come about."""

from __future__ import annotations

import math

from attnviz.explain.look import Look, add, every, exp, largest, less, over, same, times
from attnviz.explain.tree import Done, Expression, Known
from attnviz.trace.kinds.sdpa import causal_forbids

NO_KEY = Known(0.0, "a query that may attend to no key: zero by convention")
HIDDEN = Known(0.0, "this key is hidden from this query: it adds nothing")


def scale_of(look: Look) -> Known:
    """The factor of the scores; 1/√d_k where it is that."""
    scale, head_dim = float(look.params["scale"]), look.size("query", "head_dim")
    usual = head_dim > 0 and math.isclose(scale, head_dim**-0.5)
    return Known(scale, f"the scale, 1/√{head_dim}" if usual else "the scale")


def dot(look: Look, left: str, right: str, axis: str) -> Expression:
    """The sum of the products of two stages along an axis."""
    pairs = zip(look.along(left, axis), look.along(right, axis), strict=True)
    return add(times(one, other) for one, other in pairs)


def mask_of(look: Look) -> Expression:
    """Why a pair is masked, or not."""
    value = look.value("mask")
    if look.params["is_causal"]:
        shape = look.size("mask", "query_pos"), look.size("mask", "key_pos")
        if causal_forbids(*shape, look.params["causal"])[look.at["query_pos"], look.at["key_pos"]]:
            return Known(value, "causal: this key comes after this query")
    words = {0.0: "this query may attend to this key", -math.inf: "this key is hidden by a mask that was given"}
    return Known(value, words.get(value, "a bias that was given"))


def masked_score(look: Look, score: Expression) -> Expression:
    """A score and its mask; minus infinity whatever the score is, NaN included."""
    if look.value("mask") == -math.inf:
        return add([look.one("mask")])
    return add([score, look.one("mask")])


def lse_of(maximum: Expression, total: Expression, is_empty: bool) -> Expression:
    """m + ln l."""
    return Known(-math.inf, "a query that may attend to no key") if is_empty else add([maximum, Done("ln", (total,))])


def _shifted(look: Look) -> Expression:
    if look.value("masked_scores") == -math.inf:
        return same(look.one("masked_scores"))
    return less(look.one("masked_scores"), look.one("row_max"))


def weight(look: Look) -> Expression:
    """An exponential over the sum of its row."""
    return over(look.one("exp_scores"), look.one("row_sum")) if look.value("row_sum") else NO_KEY


def _weighted(look: Look, key_pos: int) -> Expression:
    if look.value("masked_scores", key_pos=key_pos) == -math.inf:
        return HIDDEN
    return times(look.one("attn_weights", key_pos=key_pos), look.one("value", key_pos=key_pos))


def _output(look: Look) -> Expression:
    """The blend of the values of the keys that may be attended to."""
    keys = range(look.size("key", "key_pos"))
    shown = [key for key in keys if look.value("masked_scores", key_pos=key) > -math.inf]
    return add(_weighted(look, key) for key in shown) if shown else NO_KEY


SDPA = {
    "score_terms": lambda look: times(look.one("query"), look.one("key")),
    "dot_products": lambda look: dot(look, "query", "key", "head_dim"),
    "scores": lambda look: times(look.one("dot_products"), scale_of(look)),
    "mask": mask_of,
    "masked_scores": lambda look: masked_score(look, look.one("scores")),
    "row_max": lambda look: largest(look.along("masked_scores", "key_pos")),
    "shifted_scores": _shifted,
    "exp_scores": lambda look: exp(look.one("shifted_scores")),
    "row_sum": lambda look: add(look.along("exp_scores", "key_pos")),
    "attn_weights": weight,
    "weighted_values": lambda look: _weighted(look, look.at["key_pos"]),
    "output": _output,
    "lse": lambda look: lse_of(look.one("row_max"), look.one("row_sum"), not look.value("row_sum")),
}


def _zeroed(look: Look) -> Expression:
    if look.value("mask") == -math.inf:
        return Known(0.0, "hidden by the mask: set to zero after the softmax")
    return same(look.one("attn_weights"))


ZEROED = {
    "mask": lambda look: Known(look.value("mask"), "hidden" if look.value("mask") else "may be attended to"),
    "zeroed_weights": _zeroed,
    "zeroed_sum": lambda look: add(look.along("zeroed_weights", "key_pos")),
}

_PROJECTED = {"query": "query_input", "key": "key_input", "value": "key_input"}
PROJECTION = {
    **{f"{name}_terms": lambda look, name=name, source=source: times(look.one(source), look.one(f"weight_{name}"))
       for name, source in _PROJECTED.items()},
    **{name: lambda look, name=name, source=source: dot(look, source, f"weight_{name}", "model_dim")
       for name, source in _PROJECTED.items()},
}

DIFFERENCE = {
    "abs_difference": lambda look: Done("size", (less(look.one("ours"), look.one("theirs")),)),
    "max_abs_difference": lambda look: largest(every(look, "abs_difference")),
}

