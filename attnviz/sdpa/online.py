"""Producers of the records behind the online softmax: overflow, one pass in blocks, and how far it is from two.

The one pass itself is `tiled`'s; here it is chosen in which order, and in blocks of which size, a row's keys are read.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attnviz.errors import InputError
from attnviz.sdpa.checks import check_inputs
from attnviz.sdpa.records import dtype_name, provenance, to_array, trace_attention
from attnviz.trace import Record

Notes = Mapping[str, object] | None
BLOCK = 2  # keys read at a time: as few as make a block
USUAL_BLOCKS, MOST_BLOCKS = 4, 6  # in a row: how many there are at most, and where else the maximum would not stay once


def trace_overflow(scores: Tensor, *, notes: Notes = None) -> Record:
    """Softmax of `scores` (place,) in float32, naively and safely: kind `overflow`. Raises InputError."""
    if scores.dtype != torch.float32 or scores.dim() != 1 or not len(scores):
        raise InputError(f"scores are {dtype_name(scores)} {tuple(scores.shape)}: give one row of float32, not empty")
    naive, row_max = scores.exp(), scores.max()
    shifted = scores - row_max
    exps = shifted.exp()
    made = {
        "scores": scores,
        "largest_score": torch.tensor(torch.finfo(torch.float32).max).log(),
        "naive_exp": naive,
        "naive_sum": naive.sum(),
        "naive_weights": naive / naive.sum(),
        "row_max": row_max,
        "shifted_scores": shifted,
        "exp_scores": exps,
        "row_sum": exps.sum(),
        "attn_weights": exps / exps.sum(),
    }
    arrays = {name: to_array(tensor) for name, tensor in made.items()}
    about = provenance("reference", scores, **(notes or {}))
    return Record.build("overflow", arrays, dtype="float32", params={}, provenance=about)


def trace_online(query: Tensor, key: Tensor, value: Tensor, order: Sequence[int], block: int, *,
                 notes: Notes = None) -> Record:  # fmt: skip
    """One pass over the keys in this order, `block` at a time, for each query by itself and without a mask.

    Kind `tiled`, with query tiles of 1; `key_order` in the provenance says which key stands where. Raises InputError.
    """
    if sorted(order) != list(range(key.shape[-2])):
        raise InputError(f"order is {list(order)}, but there are {key.shape[-2]} keys: name each once")
    about = {**(notes or {}), "key_order": list(order)}
    return trace_attention(query, key[..., list(order), :], value[..., list(order), :], backend="tiled",
                           tile=(1, block), notes=about)


def trace_gap(ours: Tensor, theirs: Tensor, query: Tensor, key: Tensor, value: Tensor, *, notes: Notes = None
              ) -> Record:  # fmt: skip
    """How far two outputs for these arguments, without a mask, are apart: kind `difference`. Raises InputError."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        found = f"{dtype_name(ours)} {tuple(ours.shape)} and {dtype_name(theirs)} {tuple(theirs.shape)}"
        raise InputError(f"the outputs are {found}: give both alike")
    inputs = check_inputs(query, key, value, None, False, None, False, "top-left")
    gap = (ours - theirs).abs()
    largest = gap.max() if gap.numel() else gap.new_zeros(())
    named = {"ours": ours, "theirs": theirs, "abs_difference": gap, "max_abs_difference": largest}
    arrays = {name: to_array(tensor) for name, tensor in named.items()}
    params = {"scale": inputs.scale, "is_causal": False, "causal": "top-left", "enable_gqa": False}
    about = provenance("reference", query, **(notes or {}))
    return Record.build("difference", arrays, dtype=dtype_name(query), params=params, provenance=about)


def reading_order(scores: Tensor) -> tuple[list[int], int]:
    """In which order to read a row's keys, and how many at a time, so that the running maximum rises on the way.

    `scores` (key_pos,). Each size of a block, from the row's start and then from its end: the first of these where the
    maximum also stays once, or else the first where it rises. InputError where it cannot rise.
    """
    count = len(scores)
    for sizes in _block_sizes(count):
        choices = [(order, block) for block in sizes for order in (list(range(count)), _from_the_end(count, block))]
        rising = [choice for choice in choices if True in _rises(scores, *choice)]
        if rising:
            return next((choice for choice in rising if False in _rises(scores, *choice)), rising[0])
    raise InputError(f"the {count} scores of the worked row never rise: choose a case, or tokens, of two words or "
                     "more whose scores differ")


def _block_sizes(count: int) -> tuple[list[int], list[int]]:
    """The sizes to try for a row of so many keys: those of few blocks, from the usual one up and then down; the rest.

    The rest is for rows whose largest score comes more than once: there, smaller blocks may be all that rises.
    """
    usual = max(BLOCK, _needed(count, USUAL_BLOCKS))
    smaller = list(range(usual - 1, 0, -1))
    few = [size for size in smaller if _needed(count, size) <= MOST_BLOCKS]
    return [*range(usual, count), *few], smaller[len(few):]


def _needed(count: int, size: int) -> int:
    return -(-count // size)


def _from_the_end(count: int, block: int) -> list[int]:
    """Blocks counted from the end of a row, the last first; each in the order of the row."""
    ends = range(count, 0, -block)
    return [place for end in ends for place in range(max(end - block, 0), end)]


def _rises(scores: Tensor, order: list[int], block: int) -> list[bool]:
    """For each block but the first, whether it holds a larger score than all before it."""
    largest = [float(scores[order[start:start + block]].max()) for start in range(0, len(order), block)]
    return [later > max(largest[: place + 1]) for place, later in enumerate(largest[1:])]
