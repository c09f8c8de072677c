"""Attention as a float64 loop over rows: slow, plain, and sharing no code with what it judges."""

import math

import numpy as np
import torch


def attention(query, key, value, mask=None, is_causal=False, scale=None, causal="top-left"):
    """Return (output, attn_weights, lse) in float64 for torch tensors; a sum runs over the allowed keys only."""
    q, k, v = (tensor.detach().double().numpy() for tensor in (query, key, value))
    batch, heads, query_count, head_dim = q.shape
    key_count, group = k.shape[2], heads // max(k.shape[1], 1)
    scale = 1 / math.sqrt(head_dim) if scale is None else scale
    offset = key_count - query_count if causal == "bottom-right" else 0
    bias = additive(mask, (batch, heads, query_count, key_count))
    output = np.zeros((batch, heads, query_count, v.shape[3]))
    weights = np.zeros((batch, heads, query_count, key_count))
    lse = np.full((batch, heads, query_count), -np.inf)
    for b, h, i in np.ndindex(batch, heads, query_count):
        seen = [j for j in range(key_count) if bias[b, h, i, j] != -np.inf and not (is_causal and j > i + offset)]
        if not seen:
            continue
        scores = np.array([sum(q[b, h, i] * k[b, h // group, j]) * scale + bias[b, h, i, j] for j in seen])
        exponentials = np.exp(scores - scores.max())
        weights[b, h, i, seen] = exponentials / exponentials.sum()
        output[b, h, i] = sum(weights[b, h, i, j] * v[b, h // group, j] for j in seen)
        lse[b, h, i] = scores.max() + math.log(exponentials.sum())
    return torch.from_numpy(output), torch.from_numpy(weights), torch.from_numpy(lse)


def additive(mask, shape):
    """Return the mask as float64 numbers to add: 0 or minus infinity for a boolean one."""
    if mask is None:
        return np.zeros(shape)
    if mask.dtype == torch.bool:
        return np.broadcast_to(np.where(mask.numpy(), 0.0, -np.inf), shape)
    return np.broadcast_to(mask.double().numpy(), shape)
