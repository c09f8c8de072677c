"""Named inputs, each with one sentence on what it shows: `names()` lists them, `load(name)` makes one.

Importing this, and asking for the names, needs neither torch nor the weights. No numbers live here.
"""

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from attnviz.cases.case import Case
from attnviz.errors import InputError

__all__ = ["DEFAULT", "Case", "Sizes", "load", "names"]

DEFAULT = "trained"
MOST_TOKENS = 64  # of `random`: more cannot be drawn one by one
_SENTENCES = {
    "trained": "A small trained layer reads “the cat sits on the mat because it”: the pronoun finds its noun.",
    "lesson": "Three words, “the cat sits”, small enough to work out every number; Q, K, V and the scores are "
    "those of `trained`, only the softmax runs over three keys.",
    "cross": "Four English words look for their counterparts among seven German ones.",
    "random": "Random numbers from N(0, 1): attention before anything is learned.",
}


class Sizes(NamedTuple):
    """The sizes of the case `random`."""

    heads: int = 4
    query_len: int = 6
    key_len: int = 6
    head_dim: int = 4
    value_dim: int = 4


def names() -> tuple[str, ...]:
    """The names of all cases, the default first."""
    return tuple(_SENTENCES)


def load(name: str = DEFAULT, *, seed: int = 0, sizes: Sizes | None = None, tokens: Sequence[str] = ()) -> Case:
    """The case called `name`. `seed` and `sizes` choose the numbers of `random`, the other cases are fixed.

    `tokens` are other words than the case's own: for `trained`, `lesson` and `cross` (its English side) from what was
    trained, for `random` any, up to 64. InputError: no such case, or a choice that the case does not offer.
    """
    _check(name, seed, sizes)
    if broken := [token for token in tokens if any("\ud800" <= letter <= "\udfff" for letter in token)]:
        raise InputError(f"token {broken[0]!a:.40} is no text in UTF-8: give words")
    from attnviz.cases import named

    if name == "random":
        return named.random(_SENTENCES[name], seed, _sizes(sizes, len(tokens)), tuple(tokens))
    return named.FIXED[name](_SENTENCES[name], tuple(tokens))


def _sizes(sizes: Sizes | None, tokens: int) -> Sizes:
    if tokens > MOST_TOKENS:
        raise InputError(f"{tokens} tokens cannot be drawn: give {MOST_TOKENS} at most")
    if tokens and sizes is not None and (sizes.query_len, sizes.key_len) != (tokens, tokens):
        raise InputError(f"{tokens} tokens for {sizes.query_len} queries and {sizes.key_len} keys: give one for each")
    return sizes or (Sizes(query_len=tokens, key_len=tokens) if tokens else Sizes())


def _check(name: str, seed: int, sizes: Sizes | None) -> None:
    if name not in _SENTENCES:
        close = difflib.get_close_matches(name, _SENTENCES, 1)
        remedy = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(_SENTENCES)}"
        raise InputError(f"there is no case {name!r}: {remedy}")
    if name != "random" and (seed != 0 or sizes is not None):
        raise InputError(f"case {name!r} has fixed numbers, no seed {seed} or sizes to choose: use case 'random'")
    if not 0 <= seed < 2**63:
        raise InputError(f"seed {seed} is out of range: choose one from 0 to 2**63 - 1")
    for part, size in (sizes or Sizes())._asdict().items():
        if size < 1:
            raise InputError(f"{part} of case {name!r} is {size}: choose 1 or more")
