"""Kind `zeroed`: attention weights of which those that a mask forbids are set to 0 after the softmax, and row sums.

What a mask must not be: forbidden keys had their share in the softmax, so the rest of a row no longer adds up to 1.
Of weights that knew the mask before the softmax nothing is left to zero, and every row with a key still does.
"""

from __future__ import annotations

import numpy as np

from attnviz.errors import RecordError
from attnviz.trace import rules
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Stage

ROW = ("batch", "head", "query_pos")
PAIR = (*ROW, "key_pos")


def _given_mask(a: Arrays, p: Params) -> Expected:
    if not np.all((a["mask"] == 0) | np.isneginf(a["mask"])):
        raise RecordError("mask holds something else than 0 and minus infinity: what to zero must be yes or no")
    return Expected(a["mask"])


def _zeroed(a: Arrays, p: Params) -> Expected:
    return Expected(np.where(np.isneginf(a["mask"]), 0.0, a["attn_weights"]))


ZEROED = Kind("zeroed", (
    Stage("attn_weights", "A", "attention weights", PAIR),
    Stage("mask", "M", "mask", PAIR, ("mask",), _given_mask),
    Stage("zeroed_weights", "A′", "weights zeroed after the softmax", PAIR, ("attn_weights", "mask"), _zeroed),
    Stage("zeroed_sum", "Σ", "sum of each row", ROW, ("zeroed_weights",), rules.add_up("zeroed_weights", -1)),
))
