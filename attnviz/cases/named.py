"""The cases themselves: the shipped weights turned into queries, keys and values, and the random ones.

Nothing is trained here (`train.py`), and nothing here computes attention: that is `attnviz.sdpa`.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import safe_open
from torch import Tensor

from attnviz.cases import grammar, model
from attnviz.cases.case import Case, Projections
from attnviz.errors import InputError

if TYPE_CHECKING:
    from attnviz.cases import Sizes

WEIGHTS_FILE = Path(__file__).with_name("weights.safetensors")
DRAWN_HEAD = 1  # of the four trained heads, the one whose pronoun finds its noun
LESSON_LENGTH = 3


@lru_cache(maxsize=1)
def shipped() -> tuple[dict[str, Tensor], dict[str, Any]]:
    """All shipped weights, as `trained.NAME` and `cross.NAME`, and how they were trained. Treat both as read-only."""
    with safe_open(WEIGHTS_FILE, "pt") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return weights, json.loads(file.metadata()["training"])


def weights_of(part: str) -> tuple[dict[str, Tensor], int]:
    """The weights of `trained` or of `cross`, without the prefix, and the seed they were trained from."""
    weights, training = shipped()
    own = {name.removeprefix(f"{part}."): tensor for name, tensor in weights.items() if name.startswith(f"{part}.")}
    return own, int(training["seed"][part])


def trained(sentence: str, tokens: tuple[str, ...] = ()) -> Case:
    """Eight words, or those given, through the trained causal layer; the last row is worked out: the pronoun's."""
    tokens = tokens or grammar.SENTENCE
    return _read_sentence("trained", sentence, tokens, worked_query=len(tokens) - 1, is_causal=True)


def lesson(sentence: str, tokens: tuple[str, ...] = ()) -> Case:
    """The first three of those words, or those given, none hidden from another."""
    tokens = tokens or grammar.SENTENCE[:LESSON_LENGTH]
    return _read_sentence("lesson", sentence, tokens, worked_query=min(1, len(tokens) - 1), is_causal=False)


def _read_sentence(name: str, sentence: str, tokens: tuple[str, ...], *, worked_query: int, is_causal: bool) -> Case:
    weights, seed = weights_of("trained")
    words = grammar.vocabulary(grammar.sentences())
    check_words(name, tokens, words, most=len(weights["position"]))
    x = model.embed(weights, _ids(tokens, words))
    query, key, value = model.views(weights, x, x)
    return Case(
        name=name, sentence=sentence, query_tokens=tokens, key_tokens=tokens,
        query=query, key=key, value=value, projections=_projections(weights, x, x),
        drawn_head=DRAWN_HEAD, worked_query=worked_query, is_causal=is_causal, seed=seed,
    )  # fmt: skip


def cross(sentence: str, tokens: tuple[str, ...] = ()) -> Case:
    """Four English queries (or those given), seven German keys and values, one head."""
    weights, seed = weights_of("cross")
    pairs, tokens = grammar.pairs(), tokens or grammar.ENGLISH
    words = grammar.vocabulary([pair.english for pair in pairs])
    check_words("cross", tokens, words, most=len(weights["query_position"]))
    english = _ids(tokens, words)
    german = _ids(grammar.GERMAN, grammar.vocabulary([pair.german for pair in pairs]))
    x_query, x_key = model.embed(weights, english, "query_"), model.embed(weights, german, "key_")
    query, key, value = model.views(weights, x_query, x_key)
    return Case(
        name="cross", sentence=sentence, query_tokens=tokens, key_tokens=grammar.GERMAN,
        query=query, key=key, value=value, projections=_projections(weights, x_query, x_key),
        drawn_head=0, worked_query=min(1, len(tokens) - 1), is_causal=False, seed=seed,
    )  # fmt: skip


def random(sentence: str, seed: int, sizes: "Sizes", tokens: tuple[str, ...] = ()) -> Case:
    """Q, K and V from one torch.Generator(seed), in this order, for sizes (heads, positions, dimensions)."""
    generator = torch.Generator().manual_seed(seed)

    def normal(positions: int, dim: int) -> Tensor:
        return torch.randn(1, sizes.heads, positions, dim, generator=generator)

    return Case(
        name="random", sentence=sentence, seed=seed,
        query_tokens=tokens or _numbered("q", sizes.query_len), key_tokens=tokens or _numbered("k", sizes.key_len),
        query=normal(sizes.query_len, sizes.head_dim),
        key=normal(sizes.key_len, sizes.head_dim),
        value=normal(sizes.key_len, sizes.value_dim),
        drawn_head=0, worked_query=0, is_causal=False,
    )  # fmt: skip


FIXED: dict[str, Callable[[str, tuple[str, ...]], Case]] = {"trained": trained, "lesson": lesson, "cross": cross}


def check_words(case: str, tokens: tuple[str, ...], words: tuple[str, ...], *, most: int) -> None:
    """InputError for words that a case was not trained on, and for more of them than it has positions."""
    if strange := [token for token in tokens if token not in words]:
        raise InputError(f"case {case!r} has never read {strange[0]!r:.40}: it knows {', '.join(words)}; "
                         "case 'random' takes any words")  # fmt: skip
    if len(tokens) > most:
        raise InputError(f"case {case!r} reads {most} words at most, not {len(tokens)}: give fewer, or case 'random'")


def _projections(weights: model.Weights, x_query: Tensor, x_key: Tensor) -> Projections:
    return Projections(x_query, x_key, weights["weight_query"], weights["weight_key"], weights["weight_value"])


def _ids(tokens: tuple[str, ...], words: tuple[str, ...]) -> Tensor:
    return torch.tensor([[words.index(token) for token in tokens]])


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{place}" for place in range(1, count + 1))
