"""The formula, step by step, with every step kept: the truth beside the fast kernel.

Plain torch that autograd can follow. No tiles here, and no second way to the same number.
"""

import torch
from torch import Tensor

from attnviz.sdpa.checks import Inputs
from attnviz.sdpa.masks import additive_mask


def attend(inputs: Inputs) -> dict[str, Tensor]:
    """Return every step by name, (batch, head, query_pos, ...); all but `output` in the compute dtype."""
    query, key, value = shared_heads(inputs)
    dot_products = query @ key.mT
    scores = dot_products * inputs.scale
    mask = additive_mask(inputs)
    masked_scores = add_mask(scores, mask)
    row_max = largest(masked_scores)
    shifted_scores = below_maximum(masked_scores, row_max)
    exp_scores = shifted_scores.exp()
    row_sum = exp_scores.sum(-1)
    attn_weights = exp_scores / nonzero(row_sum)[..., None]
    output = mix(attn_weights, value, masked_scores).to(inputs.query.dtype)
    lse = row_max + row_sum.log()
    return {
        "dot_products": dot_products, "scores": scores, "mask": mask, "masked_scores": masked_scores,
        "row_max": row_max, "shifted_scores": shifted_scores, "exp_scores": exp_scores, "row_sum": row_sum,
        "attn_weights": attn_weights, "output": output, "lse": lse,
    }  # fmt: skip


def products(inputs: Inputs, steps: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the terms inside the two matrix products: too large to keep unless someone looks at them."""
    query, key, value = shared_heads(inputs)
    return {
        "score_terms": query[..., :, None, :] * key[..., None, :, :],
        "weighted_values": weigh(steps["attn_weights"], value, steps["masked_scores"]),
    }


def shared_heads(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value in the compute dtype, each kv head repeated for the heads that share it."""
    query, key, value = (t.to(inputs.compute_dtype) for t in (inputs.query, inputs.key, inputs.value))
    return query, key.repeat_interleave(inputs.group, 1), value.repeat_interleave(inputs.group, 1)


def add_mask(scores: Tensor, mask: Tensor) -> Tensor:
    """Return scores + mask, and minus infinity wherever the mask says so, whatever the score is (NaN too)."""
    return torch.where(mask == -torch.inf, mask, scores + mask)


def largest(scores: Tensor) -> Tensor:
    """Return the largest of each row; minus infinity for a row of no keys."""
    if scores.shape[-1] == 0:
        return scores.new_full(scores.shape[:-1], -torch.inf)
    return scores.amax(-1)


def below_maximum(scores: Tensor, row_max: Tensor) -> Tensor:
    """Return scores - row_max; minus infinity where the score is, also when the maximum is."""
    base = torch.where(row_max == -torch.inf, 0, row_max)[..., None]
    return torch.where(scores == -torch.inf, scores, scores - base)


def exp_from(scores: Tensor, row_max: Tensor) -> Tensor:
    """Return exp(scores - row_max); 0 where the score is minus infinity, also when the maximum is."""
    return below_maximum(scores, row_max).exp()


def nonzero(row_sum: Tensor) -> Tensor:
    """Return the sums, with 1 in place of the 0 of a row that has no key, so that 0 / 1 = 0."""
    return torch.where(row_sum == 0, 1, row_sum)


def mix(weights: Tensor, value: Tensor, scores: Tensor) -> Tensor:
    """Return weights @ value, summed over the allowed keys only.

    In a matrix product a NaN or an infinity in V would enter every row as 0 x NaN; then the terms are summed.
    """
    if value.isfinite().all():
        return weights @ value
    return weigh(weights, value, scores).sum(-2)


def weigh(weights: Tensor, value: Tensor, scores: Tensor) -> Tensor:
    """Return weight times value vector for each pair, and 0 for a pair that is not allowed, whatever V holds."""
    terms = weights[..., None] * value[..., None, :, :]
    return torch.where(scores[..., None] == -torch.inf, 0, terms)
