"""Producer of the record `samples`: random queries and keys at several widths, and what scaling does to them.

The Jacobian of softmax is torch's own, by autograd; the record's rule and the verifier have it from its formula.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa import reference
from attnviz.sdpa.records import provenance, to_array
from attnviz.trace import Record
from attnviz.trace.kinds.samples import QUARTILES, draw

BINS = 40
STEP, FINE_STEP = 10.0, 1.0  # the axis of the histograms ends at a multiple of it; where it holds scores alone


def trace_samples(
    seed: int, queries: int, keys: int, head_dims: Sequence[int], *, bins: int = BINS,
    notes: Mapping[str, object] | None = None,
) -> Record:  # fmt: skip
    """Draw `queries` random queries, each with its own `keys` keys, from N(0, 1), at every width of `head_dims`.

    All histograms, of all widths, raw and scaled, have the same `bins` bins, evenly from minus to plus a multiple of
    ten that no magnitude exceeds, so that they can be compared. Scaled scores have as many finer bins besides, on an
    axis that ends where they do. InputError unless there is one of each.
    """
    if min(queries, keys, bins, *head_dims, len(head_dims)) < 1:
        said = f"queries={queries}, keys={keys}, head_dims={list(head_dims)}, bins={bins}"
        raise InputError(f"{said}: give 1 or more of each")
    widths, digest = torch.tensor(head_dims), hashlib.sha256()
    dot_products = torch.stack([_dot_products(draw(seed, queries, keys, width), digest) for width in head_dims])
    scores = dot_products * widths.double().rsqrt()[:, None, None]
    made = {"head_dim": widths, "predicted_std": widths.double().sqrt(), "dot_products": dot_products}
    made |= {"query_count": torch.tensor(queries), "key_count": torch.tensor(keys), "scores": scores}
    made |= _measured("raw", dot_products) | _measured("scaled", scores)
    made |= _binned(dot_products, scores, bins)
    usual = made["quartiles_jacobian_scaled"][:, QUARTILES.index(0.5), None]
    made |= {f"kept_{side}": (made[f"jacobian_{side}"] >= usual).sum(-1) for side in ("raw", "scaled")}
    arrays = {stage: to_array(tensor) for stage, tensor in made.items()}
    params = {"seed": seed, "queries": queries, "keys": keys, "sha256": digest.hexdigest()}
    about = provenance("reference", scores, **(notes or {}))
    return Record.build("samples", arrays, dtype="float64", params=params, provenance=about)


def softmax_jacobian(scores: Tensor) -> Tensor:
    """The derivative of every weight of a row by every score of it, by autograd: (..., key) gives (..., key, key)."""
    free = scores.detach().clone().requires_grad_()
    weights = torch.softmax(free, -1)  # rows do not mix, so the gradient of a column's sum holds that of each row
    columns = [weights[..., key].sum() for key in range(scores.shape[-1])]
    rows = [torch.autograd.grad(column, free, retain_graph=True)[0] for column in columns]
    return torch.stack(rows, -2)


def _dot_products(blocks: Iterable[np.ndarray], digest: "hashlib._Hash") -> Tensor:
    dots = []
    for block in blocks:
        digest.update(np.ascontiguousarray(block, dtype="<f8").tobytes())
        vectors = torch.from_numpy(block)
        dots.append((vectors[:, 1:] * vectors[:, :1]).sum(-1))
    return torch.cat(dots)


def _measured(suffix: str, scores: Tensor) -> dict[str, Tensor]:
    """How far apart scores lie, how one-sided their weights are, and how much of a gradient they let through."""
    exp_scores = reference.exp_from(scores, reference.largest(scores))
    weights = exp_scores / exp_scores.sum(-1, keepdim=True)
    largest, sizes = weights.amax(-1), softmax_jacobian(scores).square().sum((-2, -1)).sqrt()
    return {
        f"std_{suffix}": scores.std((-2, -1), correction=0),
        f"weights_{suffix}": weights,
        f"largest_{suffix}": largest,
        f"mean_largest_{suffix}": largest.mean(-1),
        f"jacobian_{suffix}": sizes,
        f"quartiles_jacobian_{suffix}": sizes.quantile(torch.tensor(QUARTILES, dtype=sizes.dtype), -1).T,
    }


def _binned(dot_products: Tensor, scores: Tensor, bins: int) -> dict[str, Tensor]:
    """How many numbers of each width lie in each of the same bins, raw and scaled; scaled ones in finer bins too."""
    edges, fine = _edges(STEP, bins, dot_products, scores), _edges(FINE_STEP, bins, scores)
    return {"bin_edges": edges, "counts_raw": _counts(dot_products, edges), "counts_scaled": _counts(scores, edges),
            "fine_edges": fine, "fine_counts_scaled": _counts(scores, fine)}


def _edges(step: float, bins: int, *held: Tensor) -> Tensor:
    """Evenly from minus to plus the first multiple of `step` that no magnitude exceeds."""
    reach = step * float((torch.stack([numbers.abs().max() for numbers in held]).max() / step).ceil())
    return torch.linspace(-reach, reach, bins + 1, dtype=held[0].dtype)


def _counts(numbers: Tensor, edges: Tensor) -> Tensor:
    return torch.stack([torch.histogram(row.contiguous(), edges).hist for row in numbers]).to(torch.int64)
