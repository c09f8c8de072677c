"""A small record to draw: eight queries and keys in numpy, with a causal mask."""

from functools import cache

import numpy as np

from attnviz.trace import NamedTensor, Record


@cache
def record(size: int = 8, depth: int = 4) -> Record:
    """Scaled dot-product attention of random Q, K, V from a fixed seed, every stage kept."""
    random = np.random.RandomState(0)
    query, key, value = (random.standard_normal((1, 1, size, depth)) * spread for spread in (2, 1, 1))
    terms = query[:, :, :, None] * key[:, :, None]
    dots = terms.sum(-1)
    scores = dots / depth**0.5
    mask = np.where(np.tril(np.ones((size, size))) > 0, 0, -np.inf)[None, None]
    masked = scores + mask
    row_max = masked.max(-1)
    shifted = masked - row_max[..., None]
    exps = np.exp(shifted)
    row_sum = exps.sum(-1)
    weights = exps / row_sum[..., None]
    weighted = weights[..., None] * value[:, :, None]
    stages = {
        "query": query, "key": key, "value": value, "score_terms": terms, "dot_products": dots, "scores": scores,
        "mask": mask, "masked_scores": masked, "row_max": row_max, "shifted_scores": shifted,
        "exp_scores": exps, "row_sum": row_sum, "attn_weights": weights,
        "weighted_values": weighted, "output": weighted.sum(-2),
        "lse": row_max + np.log(row_sum),
    }  # fmt: skip
    params = {"scale": 1 / depth**0.5, "is_causal": True, "causal": "top-left", "enable_gqa": False}
    return Record.build("sdpa", stages, dtype="float64", params=params, provenance={})


def tensor(name: str, size: int = 8) -> NamedTensor:
    """A stage of the record, batch and heads selected away."""
    whole = record(size)[name]
    return whole.sel(**{axis: 0 for axis in ("batch", "head", "kv_head") if axis in whole.axes})
