"""What the shipped weights are said to show: the pronoun finds its noun, and every row is worth reading."""

from itertools import combinations

import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.cases import grammar, model, named, train
from attnviz.sdpa import scaled_dot_product_attention

NOUN, PRONOUN = 1, 7


def drawn(name: str, is_causal: bool | None = None) -> np.ndarray:
    """The weights that a film draws, (query_pos, key_pos)."""
    case = cases.load(name)
    weights = case.bundle(is_causal=is_causal)["sdpa"]["attn_weights"]
    return weights.sel(batch=case.batch, head=case.drawn_head).values


def closest_rows(weights: np.ndarray) -> float:
    """The smallest total variation distance between two rows: 0 when two are the same."""
    return min(float(np.abs(a - b).sum() / 2) for a, b in combinations(weights, 2))


def next_words(weights: model.Weights) -> tuple[np.ndarray, np.ndarray]:
    """For each sentence of the grammar the words predicted and the words that come, (288, 8) of word numbers."""
    words = grammar.vocabulary(grammar.sentences())
    texts = torch.tensor([[words.index(word) for word in text] for text in grammar.sentences()])
    x = model.embed(weights, texts[:, :-1])
    heads = scaled_dot_product_attention(*model.views(weights, x, x), is_causal=True)
    logits = (x + model.mix_heads(weights, heads)) @ weights["unembedding"]
    return logits.argmax(-1).numpy(), texts[:, 1:].numpy()


def test_the_shipped_weights_are_those_of_this_script() -> None:
    weights, training = named.shipped()
    assert training["seed"] == {"trained": train.TRAINED_SEED, "cross": train.CROSS_SEED}
    assert training["grammar_version"] == grammar.VERSION
    assert all(tensor.dtype == torch.float32 for tensor in weights.values())
    assert weights["trained.weight_query"].shape == (4, 8, 4)
    assert weights["trained.weight_output"].shape == (4, 4, 8)
    assert named.WEIGHTS_FILE.stat().st_size < 10_000


def test_the_pronoun_finds_its_noun_and_needs_no_mask_for_it() -> None:
    causal, unmasked = drawn("trained"), drawn("trained", is_causal=False)
    assert cases.load("trained").worked_query == PRONOUN
    assert 0.5 <= causal[PRONOUN, NOUN] <= 0.9
    assert causal[PRONOUN].argmax() == NOUN
    np.testing.assert_array_equal(causal[PRONOUN], unmasked[PRONOUN])


def test_every_causal_row_has_a_shape() -> None:
    weights = drawn("trained")
    assert not np.triu(weights, 1).any()
    for keys, row in enumerate(weights[1:], start=2):
        assert 1.3 / keys <= row.max() <= 0.95, row
    assert closest_rows(weights) > 0.15


def test_every_unmasked_row_has_a_shape() -> None:
    weights = drawn("trained", is_causal=False)
    assert ((weights.max(1) >= 1.7 / 8) & (weights.max(1) <= 0.95)).all()
    assert closest_rows(weights) > 0.15
    assert len(set(weights.argmax(1))) >= 3


def test_in_the_drawn_head_the_grammar_can_be_read() -> None:
    weights = drawn("trained")
    assert weights[3].argmax() == 0  # "on" looks at the first "the", which is repeated after it
    assert weights[4].argmax() == 3  # "the" looks at "on", which decides the place
    assert weights[5].argmax() == 2  # "mat" looks at "sits", which decides the conjunction
    assert weights[6].argmax() == NOUN  # "because" looks at "cat", which decides the pronoun


def test_the_next_word_is_always_one_that_the_grammar_allows() -> None:
    predicted, _ = next_words(named.weights_of("trained")[0])
    words = grammar.vocabulary(grammar.sentences())
    begun = {text[:end] for text in grammar.sentences() for end in range(1, 10)}
    for text, row in zip(grammar.sentences(), predicted, strict=True):
        assert all((*text[: place + 1], words[word]) in begun for place, word in enumerate(row)), text


def test_the_word_after_the_pronoun_is_right_for_every_sentence() -> None:
    predicted, right = next_words(named.weights_of("trained")[0])
    np.testing.assert_array_equal(predicted[:, -1], right[:, -1])


def test_the_lesson_has_the_numbers_of_the_sentence() -> None:
    lesson, trained = cases.load("lesson"), cases.load("trained")
    assert lesson.query_tokens == trained.query_tokens[:3] and lesson.drawn_head == trained.drawn_head
    for part in ("query", "key", "value"):
        assert torch.equal(getattr(lesson, part), getattr(trained, part)[:, :, :3]), part
    short, long = lesson.bundle()["sdpa"].arrays["scores"], trained.bundle()["sdpa"].arrays["scores"]
    np.testing.assert_allclose(short, long[:, :, :3, :3], rtol=0, atol=1e-6)


def test_the_lesson_is_readable() -> None:
    case = cases.load("lesson")
    entries = torch.cat([part[0, case.drawn_head] for part in (case.query, case.key, case.value)]).abs()
    assert entries.min() >= 0.025 and entries.max() <= 2.5
    assert (entries >= 0.15).float().mean() > 0.9
    assert not case.is_causal
    scores = case.bundle()["sdpa"].arrays["scores"][0, case.drawn_head]
    spread = np.ptp(scores, axis=1)
    assert ((spread >= 1) & (spread <= 3)).all()


def test_the_lesson_rows_are_unequal_and_differ() -> None:
    weights = drawn("lesson")
    gaps = np.diff(np.sort(weights, axis=1), axis=1)
    assert gaps.min() > 0.03 and weights.min() > 0.05 and weights.max() < 0.8
    assert gaps[cases.load("lesson").worked_query].min() > 0.1
    assert closest_rows(weights) > 0.2


@pytest.mark.parametrize(("row", "columns"), enumerate([(0, 2), (1, 6), (3, 4), (5,)]))
def test_each_english_word_looks_at_its_german_words(row: int, columns: tuple[int, ...]) -> None:
    weights = drawn("cross")[row]
    assert set(np.argsort(weights)[-len(columns) :]) == set(columns)
    assert weights.max() < 0.9


def test_the_alignment_holds_for_every_pair() -> None:
    assert_aligned(named.weights_of("cross")[0])


@pytest.mark.slow
def test_training_again_tells_the_same_story() -> None:
    torch.set_num_threads(1)
    weights = train.train_self()
    predicted, right = next_words(weights)
    np.testing.assert_array_equal(predicted[:, -1], right[:, -1])
    words = grammar.vocabulary(grammar.sentences())
    x = model.embed(weights, torch.tensor([[words.index(word) for word in grammar.SENTENCE]]))
    query, key, _ = model.views(weights, x, x)
    noun = train.scores(query, key).softmax(-1)[0, named.DRAWN_HEAD, PRONOUN, NOUN]
    assert 0.5 <= noun <= 0.9


@pytest.mark.slow
def test_training_the_alignment_again_finds_every_counterpart() -> None:
    torch.set_num_threads(1)
    assert_aligned(train.train_cross())


def assert_aligned(weights: model.Weights) -> None:
    """Each English word of each pair gives its largest scores to the German words that render it."""
    pairs = grammar.pairs()
    english = grammar.vocabulary([pair.english for pair in pairs])
    german = grammar.vocabulary([pair.german for pair in pairs])
    query_ids = torch.tensor([[english.index(word) for word in pair.english] for pair in pairs])
    key_ids = torch.tensor([[german.index(word) for word in pair.german] for pair in pairs])
    x_query, x_key = model.embed(weights, query_ids, "query_"), model.embed(weights, key_ids, "key_")
    query, key, _ = model.views(weights, x_query, x_key)
    for pair, scores in zip(pairs, train.scores(query, key)[:, 0], strict=True):
        for row, columns in zip(scores, pair.german_of, strict=True):
            assert set(row.topk(len(columns)).indices.tolist()) == set(columns), pair
