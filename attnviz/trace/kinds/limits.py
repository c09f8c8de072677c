"""Kind `limits`: what the blend of one query tends to as its temperature falls, and as it rises.

Towards 0 that is the value of the best-matching key, as in a dictionary; without bound, the plain mean of all values.
`limit` 0 is cold, 1 is hot; how far the blend still is from what it tends to is part of the record.
"""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Stage

WIDE = ("limit", "value_dim")


def _temperature(a: Arrays, p: Params) -> Expected:
    """Given, except that there is a cold one and then a hotter one, both above 0."""
    temperature = a["temperature"]
    if temperature.shape != (2,) or not 0 < temperature[0] < temperature[1] < np.inf:
        raise RecordError("limits.temperature must be a cold one and then a hotter one, both above 0")
    return Expected(temperature)


def _weights(a: Arrays, p: Params) -> Expected:
    scores = a["scores"] / a["temperature"][:, None]
    weights = rules.softmax(scores)
    return Expected(weights, weights * (1 + np.abs(scores).max(axis=-1, keepdims=True)), scores.shape[-1])


def _output(a: Arrays, p: Params) -> Expected:
    return rules.summed(a["attn_weights"][:, :, None] * a["value"], 1)


def _target(a: Arrays, p: Params) -> Expected:
    mean = rules.summed(a["value"] / len(a["value"]), 0)
    best = a["value"][int(np.argmax(a["scores"]))]
    return Expected(np.stack([best, mean.values]), np.stack([0 * best, mean.largest]), mean.terms)


def _gap(a: Arrays, p: Params) -> Expected:
    return rules.plus(a["output"], -a["target"])


def _largest_gap(a: Arrays, p: Params) -> Expected:
    return Expected(np.abs(a["gap"]).max(axis=-1))


LIMITS = Kind("limits", (
    Stage("temperature", "T", "temperature", ("limit",), ("temperature",), _temperature),
    Stage("scores", "s", "scaled scores", ("key_pos",)),
    Stage("value", "V", "values", ("key_pos", "value_dim")),
    Stage("attn_weights", "a", "weights", ("limit", "key_pos"), ("scores", "temperature"), _weights),
    Stage("output", "o", "blend", WIDE, ("attn_weights", "value"), _output),
    Stage("target", "v", "what the blend tends to", WIDE, ("scores", "value"), _target),
    Stage("gap", "o − v", "gap", WIDE, ("output", "target"), _gap),
    Stage("largest_gap", "max |o − v|", "largest gap", ("limit",), ("gap",), _largest_gap),
))
