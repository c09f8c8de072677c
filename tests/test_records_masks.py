"""The records about masks: what each hides, whose words it notes, and the known answers about masks and alignments."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.errors import InputError, RecordError
from attnviz.sdpa import trace_attention, trace_zeroed
from attnviz.trace import Bundle, Record
from tests.follow import build, follow

NAMES = ("sdpa", "unmasked", "zeroed", "row_sums", "top_left", "bottom_right", "padded", "right_way", "flipped",
         "shorter")
SENTENCE = ("the", "cat", "sits", "on", "the", "mat", "because", "it")
PAD = ("<pad>", "<pad>")


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return cases.load("trained").bundle(is_causal=True, names=NAMES)


def seen(record: Record) -> list[str]:
    """Where a record's mask allows, one string of 0 and 1 a row; it is the same for every head."""
    allowed = ~np.isneginf(record.arrays["mask"])
    assert (allowed == allowed[:1, :1]).all()
    return ["".join(str(int(one)) for one in row) for row in allowed[0, 0]]


@pytest.mark.parametrize(("name", "pattern"), [
    ("top_left", "10000/11000/11100"), ("bottom_right", "11100/11110/11111"),
    ("padded", "00000/00000/00100/00110/00111"), ("flipped", "0111/0011/0001/0000"),
    ("right_way", "1000/1100/1110/1111"),
    ("unmasked", "/".join(["1" * 8] * 8)),
    ("sdpa", "/".join("1" * (row + 1) + "0" * (7 - row) for row in range(8))),
    ("shorter", "/".join("1" * (row + 1) + "0" * (6 - row) for row in range(7)))])
def test_what_each_mask_allows(bundle: Bundle, name: str, pattern: str) -> None:
    assert "/".join(seen(bundle[name])) == pattern
    weights = bundle[name].arrays["attn_weights"]
    assert not weights[np.isneginf(bundle[name].arrays["mask"])].any(), "a forbidden weight is exactly 0"
    has_key = ~np.isneginf(bundle[name].arrays["mask"]).all(-1)
    np.testing.assert_allclose(weights.sum(-1), has_key, atol=1e-6)


@pytest.mark.parametrize(("name", "queries", "keys"), [
    ("top_left", ("sits", "on", "the"), SENTENCE[:5]), ("bottom_right", ("sits", "on", "the"), SENTENCE[:5]),
    ("padded", (*PAD, *SENTENCE[:3]), (*PAD, *SENTENCE[:3])), ("flipped", SENTENCE[:4], SENTENCE[:4]),
    ("right_way", SENTENCE[:4], SENTENCE[:4]),
    ("shorter", SENTENCE[:7], SENTENCE[:7]), ("zeroed", SENTENCE, SENTENCE)])
def test_each_record_notes_the_words_of_its_own_positions(bundle, name, queries, keys):
    about = bundle[name].provenance
    assert (about["query_tokens"], about["key_tokens"], about["case"]) == (queries, keys, "trained")


def test_bottom_right_gives_the_rows_of_the_whole_and_top_left_does_not(bundle):
    whole = bundle["sdpa"].arrays["attn_weights"][:, :, 2:5, :5]
    np.testing.assert_allclose(bundle["bottom_right"].arrays["attn_weights"], whole, atol=1e-6)
    assert np.abs(bundle["top_left"].arrays["attn_weights"] - whole).max() > 0.3


def test_a_word_more_changes_no_row_before_it_but_does_without_a_mask(bundle):
    for stage in ("output", "lse"):
        one, other = bundle["shorter"].arrays[stage], bundle["sdpa"].arrays[stage][:, :, :7]
        np.testing.assert_allclose(one, other, atol=2e-6)
    q, k, v = (torch.from_numpy(bundle["sdpa"].arrays[name][:, :, :7].copy()) for name in ("query", "key", "value"))
    without = trace_attention(q, k, v).arrays["output"]
    assert np.abs(without - bundle["unmasked"].arrays["output"][:, :, :7]).max() > 0.01


def test_a_query_with_no_key_gets_weights_and_output_of_exactly_zero(bundle):
    for name, rows in (("padded", [0, 1]), ("flipped", [3])):
        for stage in ("attn_weights", "output", "row_sum"):
            assert not bundle[name].arrays[stage][:, :, rows].any()
        assert np.isneginf(bundle[name].arrays["lse"][:, :, rows]).all()
    np.testing.assert_allclose(bundle["padded"].arrays["output"][:, :, 2:], bundle["sdpa"].arrays["output"][:, :, :3],
                               atol=2e-6)


def test_rows_zeroed_after_the_softmax_fall_short_and_masked_ones_do_not(bundle):
    late, right = (bundle[name].arrays["zeroed_sum"][0, 1] for name in ("zeroed", "row_sums"))
    np.testing.assert_allclose(late, [0.07, 0.18, 0.34, 0.49, 0.72, 0.82, 0.84, 1.0], atol=0.005)
    np.testing.assert_allclose(right, np.ones(8), atol=1e-6)
    kept = np.tril(bundle["unmasked"].arrays["attn_weights"])
    np.testing.assert_array_equal(bundle["zeroed"].arrays["zeroed_weights"], kept)
    np.testing.assert_array_equal(bundle["row_sums"].arrays["zeroed_weights"], bundle["sdpa"].arrays["attn_weights"])


@pytest.mark.parametrize(("case", "tokens", "said"), [
    ("cross", (), "case 'cross' has 4 queries and 7 keys.*choose trained, lesson or random"),
    ("trained", ("the",), "of 1 by 1 .*give 3 words or more"),
    ("random", ("a", "b"), "of 2 by 2 .*give 3 words or more")])
def test_what_is_no_sentence_to_be_continued_is_refused_in_one_line(case, tokens, said):
    with pytest.raises(InputError, match=said) as found:
        cases.load(case, tokens=tokens).bundle(is_causal=True, names=NAMES)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("count", [3, 4, 5])
def test_few_words_are_enough(count):
    case = cases.load("random", tokens=[f"w{place}" for place in range(count)])
    bundle = case.bundle(is_causal=True, names=NAMES)
    for name in ("top_left", "bottom_right"):
        queries, keys = (len(bundle[name].provenance[key]) for key in ("query_tokens", "key_tokens"))
        assert queries < keys and np.isneginf(bundle[name].arrays["mask"]).any()
        assert len(seen(bundle[name])) == queries


# --- the kind `zeroed` itself


def weights_and_mask(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(1, 2, 4, 4, generator=generator, dtype=torch.float64)
    mask = torch.zeros(4, 4, dtype=torch.float64).masked_fill(torch.ones(4, 4).triu(1) > 0, -torch.inf)
    return scores.softmax(-1).to(dtype), mask.expand(1, 2, 4, 4).to(dtype)


@pytest.mark.parametrize("change", [
    lambda w, m: (w, m[:, :, :3]), lambda w, m: (w[0], m[0]), lambda w, m: (w.half(), m.half()),
    lambda w, m: (w, m.double())])
def test_weights_and_mask_that_do_not_fit_are_named(change):
    with pytest.raises(InputError, match=r"attn_weights is float\d+ \(.*\) and mask is float\d+ \(.*\): give"):
        trace_zeroed(*change(*weights_and_mask()))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_a_mask_to_zero_by_says_yes_or_no(value):
    weights, mask = weights_and_mask()
    changed = mask.clone()
    changed[0, 0, 1, 0] = value
    with pytest.raises(RecordError, match="mask holds something else than 0 and minus infinity"):
        trace_zeroed(weights, changed)


def test_zeroed_weights_must_be_those_of_an_attention_beside_them(bundle):
    own = bundle["zeroed"].arrays
    for stage in ("attn_weights", "mask"):
        given = {"attn_weights": own["attn_weights"], "mask": own["mask"]}
        given[stage] = np.flip(own[stage], axis=-1)
        false = build("zeroed", follow("zeroed", given, {}), {})
        with pytest.raises(RecordError, match=re.escape(f"zeroed.{stage} is the {stage} of no attention")):
            Bundle({"sdpa": bundle["sdpa"], "unmasked": bundle["unmasked"], "zeroed": false})
    Bundle({name: bundle[name] for name in ("sdpa", "unmasked", "zeroed")})
