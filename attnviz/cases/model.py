"""The small network around the attention that is shown: embeddings, one attention layer, next-word scores.

Here live its weights' names and shapes and how they combine, for training and for the cases alike.
Weights are a dict of tensors. Attention itself is computed by `attnviz.sdpa`; nothing here knows of words, of files or
of how training goes.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from attnviz.sdpa import project

Weights = Mapping[str, Tensor]

MODEL_DIM = 8
HEAD_DIM = 4


def initial_weights(heads: int, tables: Mapping[str, int], words_out: int, seed: int) -> dict[str, Tensor]:
    """Random weights from `seed`, float32: an embedding of (rows, 8) for each of `tables`, the projections
    (head, 8, 4), the output projection (head, 4, 8) and the unembedding (8, words_out)."""
    generator = torch.Generator().manual_seed(seed)
    projection = (heads, MODEL_DIM, HEAD_DIM)
    shapes: dict[str, tuple[tuple[int, ...], float]] = {
        **{name: ((rows, MODEL_DIM), 1.0) for name, rows in tables.items()},
        **{f"weight_{part}": (projection, 0.5) for part in ("query", "key", "value")},
        "weight_output": ((heads, HEAD_DIM, MODEL_DIM), 0.25),
        "unembedding": ((MODEL_DIM, words_out), 0.35),
    }
    return {name: std * torch.randn(shape, generator=generator) for name, (shape, std) in shapes.items()}


def embed(weights: Weights, ids: Tensor, prefix: str = "") -> Tensor:
    """X (batch, position, 8): the word's embedding plus its position's."""
    return weights[f"{prefix}token"][ids] + weights[f"{prefix}position"][: ids.shape[-1]]


def views(weights: Weights, x_query: Tensor, x_key: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Q from one input, K and V from the other, each (batch, head, position, 4)."""
    query, key, value = (weights[f"weight_{part}"] for part in ("query", "key", "value"))
    return project(x_query, query), project(x_key, key), project(x_key, value)


def mix_heads(weights: Weights, output: Tensor) -> Tensor:
    """Head outputs (batch, head, query_pos, 4) through the output projection -> (batch, query_pos, 8)."""
    return (output @ weights["weight_output"]).sum(dim=1)
