"""Kind `difference`: our output beside the same output from somewhere else, and how far they are apart."""

from __future__ import annotations

import numpy as np

from attnviz.trace.params import ATTENTION
from attnviz.trace.stage import Arrays, Expected, Kind, Params, Stage

AXES = ("batch", "head", "query_pos", "value_dim")


def _absolute(a: Arrays, p: Params) -> Expected:
    gap = np.abs(a["ours"] - a["theirs"])
    return Expected(gap, gap)


def _largest(a: Arrays, p: Params) -> Expected:
    return Expected(np.asarray(np.max(a["abs_difference"], initial=0.0)))


DIFFERENCE = Kind("difference", (
    Stage("ours", "O", "our output", AXES, storage="input"),
    Stage("theirs", "O′", "their output", AXES, storage="input", external=True),
    Stage("abs_difference", "|O − O′|", "difference", AXES, ("ours", "theirs"), _absolute),
    Stage("max_abs_difference", "max |O − O′|", "largest difference", (), ("abs_difference",), _largest),
), ATTENTION)
