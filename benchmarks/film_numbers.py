"""The film that both renderers draw: its numbers and the lengths of its beats. numpy only; nothing here draws.

20 seconds: a formula, 8x8 scores with a number in each cell, their scaling, softmax, and the weighted sum of the
values row by row. Numbers come from a fixed seed and follow from each other as attention has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE, DEPTH = 8, 4  # queries and keys; numbers in a query, a key or a value
CELL = 84 * 8 / 1080  # the pitch of a cell in Manim's units: 84 pixels of 1080, whole at 720 lines too
TOP = 3.2  # the height of the formula's middle
LOW = -0.4  # that of the matrices' middles
WEIGHTS_X, VALUE_X, OUTPUT_X = -3.6, 1.0, 4.4  # where weights, values and output stand at the end
SECONDS = {
    "formula": 1.0,
    "look": 0.5,
    "scores": 2.0,
    "light": 0.5,
    "change": 2.0,
    "read": 1.0,
    "move": 1.0,
    "row": 0.5,
    "end": 1.5,
}  # each a whole number of frames at 30 and at 60 frames a second
TOTAL = 20.0

Array = NDArray[Any]


def stages() -> dict[str, Array]:
    """Every stage of attention from a fixed seed, in float64, with the axes of batch and head in front."""
    random = np.random.RandomState(0)
    query, key, value = (random.standard_normal((1, 1, SIZE, DEPTH)) * spread for spread in (2, 1, 1))
    terms = query[:, :, :, None] * key[:, :, None]
    dots = terms.sum(-1)
    scores = dots / DEPTH**0.5
    mask = np.zeros_like(scores)
    row_max = scores.max(-1)
    shifted = scores - row_max[..., None]
    exps = np.exp(shifted)
    row_sum = exps.sum(-1)
    weights = exps / row_sum[..., None]
    weighted = weights[..., None] * value[:, :, None]
    return {
        "query": query, "key": key, "value": value, "score_terms": terms, "dot_products": dots, "scores": scores,
        "mask": mask, "masked_scores": scores, "row_max": row_max, "shifted_scores": shifted, "exp_scores": exps,
        "row_sum": row_sum, "attn_weights": weights, "weighted_values": weighted, "output": weighted.sum(-2),
        "lse": row_max + np.log(row_sum),
    }  # fmt: skip
