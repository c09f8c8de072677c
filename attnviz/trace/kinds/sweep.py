"""Kind `sweep`: one attention computed again and again while a parameter moves (a temperature, a nudged query).

Every in-between value that a film shows is a step of a sweep: computed, never interpolated.
"""

from __future__ import annotations

from attnviz.trace import rules
from attnviz.trace.params import FLAG, WORD
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Stage

PAIR = ("step", "query_pos", "key_pos")
ROW = ("step", "query_pos")


def _dot_products(a: Arrays, p: Params) -> Expected:
    return rules.dot_rows(a["query"], a["key"][None])


def _masked_scores(a: Arrays, p: Params) -> Expected:
    scaled = rules.times(a["scale"][:, None, None], a["dot_products"])
    return rules.plus(scaled.values, a["mask"])


def _output(a: Arrays, p: Params) -> Expected:
    return rules.summed(a["attn_weights"][..., None] * a["value"], -2)


SWEEP = Kind("sweep", (
    Stage("parameter", "t", "parameter", ("step",)),
    Stage("scale", "scale", "scale", ("step",)),
    Stage("query", "Q", "queries", ("step", "query_pos", "head_dim")),
    Stage("key", "K", "keys", ("key_pos", "head_dim")),
    Stage("value", "V", "values", ("key_pos", "value_dim")),
    Stage("mask", "M", "mask", ("query_pos", "key_pos")),
    Stage("dot_products", "QKᵀ", "dot products", PAIR, ("query", "key"), _dot_products),
    Stage("masked_scores", "S + M", "masked scores", PAIR, ("dot_products", "scale", "mask"), _masked_scores),
    Stage("row_max", "m", "row maximum", ROW, ("masked_scores",), rules.row_max("masked_scores")),
    Stage("exp_scores", "e", "exponentials", PAIR, ("masked_scores", "row_max"), rules.exp_scores),
    Stage("row_sum", "l", "row sum", ROW, ("exp_scores",), rules.add_up("exp_scores", -1)),
    Stage("attn_weights", "A", "attention weights", PAIR, ("exp_scores", "row_sum"), rules.softmax_quotient),
    Stage("output", "O", "output", (*ROW, "value_dim"), ("attn_weights", "value"), _output),
), {"parameter": WORD, "is_causal": FLAG})
