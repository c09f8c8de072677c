"""Kind `overflow`: a softmax of one row in float32, first as the formula stands, then with the largest subtracted.

The exponential of a score beyond 88.72 is more than float32 holds: infinity, and infinity over infinity is NaN. Here
both are results, not gaps. Parameters: none. The numbers are float32 whatever the machine could do.
"""

from __future__ import annotations

import numpy as np

from attnviz.trace import rules
from attnviz.trace.stage import Array, Arrays, Expected, Kind, Params, Stage

ROW = ("place",)
LARGEST = float(np.finfo(np.float32).max)


def _in_float32(values: Array) -> Array:
    return np.where(np.abs(values) > LARGEST, np.copysign(np.inf, values), values)


def _largest_score(a: Arrays, p: Params) -> Expected:
    return Expected(np.asarray(np.log(LARGEST)), np.log(LARGEST))


def _naive_exp(a: Arrays, p: Params) -> Expected:
    values = np.exp(a["scores"])
    return Expected(_in_float32(values), rules.rounding_of_exp(a["scores"]) * values)


def _naive_sum(a: Arrays, p: Params) -> Expected:
    total = rules.summed(a["naive_exp"], -1)
    return Expected(_in_float32(total.values), total.largest, total.terms)


def _naive_weights(a: Arrays, p: Params) -> Expected:
    weights = a["naive_exp"] / a["naive_sum"]
    return Expected(weights, np.nan_to_num(np.abs(weights)))


def _shifted_scores(a: Arrays, p: Params) -> Expected:
    return rules.plus(a["scores"], -a["row_max"])


def _exp_scores(a: Arrays, p: Params) -> Expected:
    values = np.exp(a["shifted_scores"])
    return Expected(values, values * rules.rounding_of_exp(a["shifted_scores"]))


def _attn_weights(a: Arrays, p: Params) -> Expected:
    return rules.quotient(a["exp_scores"], a["row_sum"])


OVERFLOW = Kind("overflow", (
    Stage("scores", "s", "scores", ROW, storage="input"),
    Stage("largest_score", "s", "largest score whose exponential float32 holds", (), (), _largest_score),
    Stage("naive_exp", "e", "exponentials of the scores", ROW, ("scores",), _naive_exp, overflows=True),
    Stage("naive_sum", "l", "their sum", (), ("naive_exp",), _naive_sum, overflows=True),
    Stage("naive_weights", "a", "their shares", ROW, ("naive_exp", "naive_sum"), _naive_weights, overflows=True),
    Stage("row_max", "m", "row maximum", (), ("scores",), rules.row_max("scores")),
    Stage("shifted_scores", "s − m", "scores below their maximum", ROW, ("scores", "row_max"), _shifted_scores),
    Stage("exp_scores", "e", "exponentials", ROW, ("shifted_scores",), _exp_scores),
    Stage("row_sum", "l", "row sum", (), ("exp_scores",), rules.add_up("exp_scores", -1)),
    Stage("attn_weights", "a", "attention weights", ROW, ("exp_scores", "row_sum"), _attn_weights),
))
