"""One additive mask from whatever was given: a boolean or additive mask, the causal rule, or both.

The only place outside the kernel that knows where the causal edge runs.
"""

import torch
from torch import Tensor

from attnviz.sdpa.checks import Inputs


def additive_mask(inputs: Inputs) -> Tensor:
    """Return (batch, head, query_pos, key_pos): 0, minus infinity or the bias, which is added to the scores.

    A given mask and the causal rule both hold. Axes along which nothing changes are expanded, not copied.
    """
    shape = (inputs.batch, inputs.heads, inputs.query_count, inputs.key_count)
    mask = torch.zeros((), dtype=inputs.compute_dtype, device=inputs.query.device)
    if inputs.mask is not None and inputs.mask.dtype == torch.bool:
        mask = mask.masked_fill(~inputs.mask, -torch.inf)
    elif inputs.mask is not None:
        mask = inputs.mask.to(inputs.compute_dtype)
    if inputs.is_causal:
        mask = mask.masked_fill(~causal_pairs(inputs), -torch.inf)
    return mask.expand(shape)


def causal_pairs(inputs: Inputs) -> Tensor:
    """Return (query_pos, key_pos), True where the query may look: no later than its own place."""
    query_pos = torch.arange(inputs.query_count, device=inputs.query.device)
    key_pos = torch.arange(inputs.key_count, device=inputs.query.device)
    return key_pos <= query_pos[:, None] + inputs.offset
