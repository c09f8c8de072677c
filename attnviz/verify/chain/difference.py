"""Kind `difference` from its definition: how far two outputs are apart. Both outputs are given."""

from __future__ import annotations

import numpy as np

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the two outputs."""
    ours, theirs = given(arrays["ours"], unit), given(arrays["theirs"], unit)
    apart = ours - theirs
    gap = Approx(np.abs(apart.values), apart.error, unit)
    largest = max((float(value) for value in gap.values.ravel()), default=0.0)
    most = Approx(np.asarray(largest), np.asarray(unit * largest), unit)
    return {"ours": ours, "theirs": theirs, "abs_difference": gap, "max_abs_difference": most}
