"""Kind `projection`: Q, K and V as three views of the input X (of two inputs, in cross-attention)."""

from __future__ import annotations

from attnviz.trace import rules
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Rule, Stage


def _terms(source: str, weight: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        # (batch, 1, position, model_dim, 1) times (head, 1, model_dim, dim)
        return rules.times(a[source][:, None, :, :, None], a[weight][None, :, None, :, :])

    return rule


def _branch(name: str, symbol: str, title: str, source: str, place: tuple[str, str, str]) -> tuple[Stage, ...]:
    head, position, dim = place
    weight, terms = f"weight_{name}", f"{name}_terms"
    front = ("batch", head, position)
    return (
        Stage(weight, f"W^{symbol}", f"weights for {title}", (head, "model_dim", dim), storage="input"),
        Stage(terms, f"x·W^{symbol}", f"terms of the {title}", (*front, "model_dim", dim),
              (source, weight), _terms(source, weight)),
        Stage(name, symbol, title, (*front, dim), (terms,), rules.add_up(terms, -2), storage="input"),
    )


PROJECTION = Kind("projection", (
    Stage("query_input", "X", "input", ("batch", "query_pos", "model_dim"), storage="input"),
    Stage("key_input", "X", "input", ("batch", "key_pos", "model_dim"), storage="input"),
    *_branch("query", "Q", "queries", "query_input", ("head", "query_pos", "head_dim")),
    *_branch("key", "K", "keys", "key_input", ("kv_head", "key_pos", "head_dim")),
    *_branch("value", "V", "values", "key_input", ("kv_head", "key_pos", "value_dim")),
))

