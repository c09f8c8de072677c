"""Records about masks: without one, one put on too late, two alignments, padding, the wrong way round, a word less.

All are of the case's own Q, K and V, or of some of their positions, and note the words at those positions.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attnviz.cases.records.making import Maker, Making
from attnviz.errors import InputError
from attnviz.sdpa import trace_attention, trace_zeroed
from attnviz.sdpa.checks import Alignment
from attnviz.trace import Record

PAD = "<pad>"
PADS = 2  # positions that padding adds
FEW, KEYS = 3, 5  # words that are padded, and new words that ask; keys they are asked with
FEWEST = 3  # words of which two can be new and one be known before
FLIPPED = 4  # words of a boolean mask, the right and the wrong way round


def unmasked(making: Making) -> Record:
    """Attention as in `sdpa`, nothing hidden."""
    return trace_attention(*making.given, notes=making.notes)


def zeroed(making: Making) -> Record:
    """The weights of `unmasked`, zeroed where the mask of `sdpa` forbids: after the softmax, which is too late."""
    return trace_zeroed(making.tensor("unmasked", "attn_weights"), making.tensor("sdpa", "mask"), notes=making.notes)


def row_sums(making: Making) -> Record:
    """The weights of `sdpa` in the same way: nothing is left to zero, and each row adds up to 1."""
    return trace_zeroed(making.tensor("sdpa", "attn_weights"), making.tensor("sdpa", "mask"), notes=making.notes)


def top_left(making: Making) -> Record:
    """The last words of the first few as queries, causal as torch's `is_causal` has it: query i sees keys 0 to i."""
    return _aligned(making, "top-left")


def bottom_right(making: Making) -> Record:
    """The same queries and keys with the last query at the last key, as in decoding with a cache."""
    return _aligned(making, "bottom-right")


def padded(making: Making) -> Record:
    """The first words, padded on the left: causal, and no query may attend padding. Padding is all zeros."""
    count = min(FEW, _length(making))
    tokens = [PAD] * PADS + list(making.case.query_tokens[:count]), [PAD] * PADS + list(making.case.key_tokens[:count])
    q, k, v = (torch.nn.functional.pad(part[:, :, :count], (0, 0, PADS, 0)) for part in making.given)
    may_attend = torch.arange(PADS + count)[None, :] >= PADS
    return trace_attention(q, k, v, may_attend, True, notes=_notes(making, *tokens))


def right_way(making: Making) -> Record:
    """The first words with a boolean mask as it should be: the lower triangle, True = may attend."""
    return _boolean(making, lambda true: true.tril())


def flipped(making: Making) -> Record:
    """The same words with the mistake of polarity: the upper triangle as "True = may attend" shows the future."""
    return _boolean(making, lambda true: true.triu(1))


def shorter(making: Making) -> Record:
    """Causal attention of the sentence without its last word."""
    count = _length(making) - 1
    tokens = making.case.query_tokens[:count], making.case.key_tokens[:count]
    return trace_attention(*_first(making, count), is_causal=True, notes=_notes(making, *map(list, tokens)))


def _aligned(making: Making, causal: Alignment) -> Record:
    keys = min(KEYS, _length(making))
    first = max(keys - FEW, 1)
    q, k, v = _first(making, keys)
    notes = _notes(making, list(making.case.query_tokens[first:keys]), list(making.case.key_tokens[:keys]))
    return trace_attention(q[:, :, first:], k, v, is_causal=True, causal=causal, notes=notes)


def _boolean(making: Making, part: Callable[[Tensor], Tensor]) -> Record:
    count = min(FLIPPED, _length(making))
    mask = part(torch.ones(count, count, dtype=torch.bool))
    tokens = making.case.query_tokens[:count], making.case.key_tokens[:count]
    return trace_attention(*_first(making, count), mask, notes=_notes(making, *map(list, tokens)))


def _first(making: Making, count: int) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = (part[:, :, :count] for part in making.given)
    return q, k, v


def _notes(making: Making, query_tokens: list[str], key_tokens: list[str]) -> dict[str, object]:
    return {**making.notes, "query_tokens": query_tokens, "key_tokens": key_tokens}


def _length(making: Making) -> int:
    """How many words the case's sentence has; InputError for a case that has not one of three words or more."""
    case = making.case
    queries, keys = len(case.query_tokens), len(case.key_tokens)
    if queries != keys:
        raise InputError(f"case {case.name!r} has {queries} queries and {keys} keys, no sentence that is written word "
                         "by word: for a causal mask choose trained, lesson or random")  # fmt: skip
    if queries < FEWEST:
        raise InputError(f"a causal mask of {queries} by {queries} hides next to nothing: give {FEWEST} words or more")
    return queries


MAKERS: Mapping[str, Maker] = {
    "unmasked": unmasked, "zeroed": zeroed, "row_sums": row_sums, "top_left": top_left, "bottom_right": bottom_right,
    "padded": padded, "right_way": right_way, "flipped": flipped, "shorter": shorter,
}  # fmt: skip
