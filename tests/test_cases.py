"""Cases by name: what can be asked for, what is refused, and that asking is cheap."""

import subprocess
import sys

import pytest
import torch

from attnviz import cases
from attnviz.cases import Sizes
from attnviz.errors import InputError


def test_naming_the_cases_imports_no_torch() -> None:
    script = "import sys; from attnviz import cases; cases.names(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_the_default_is_the_first_name_and_never_random() -> None:
    assert cases.names() == ("trained", "lesson", "cross", "random")
    assert cases.load().name == cases.DEFAULT == "trained"


@pytest.mark.parametrize("name", cases.names())
def test_tokens_and_drawn_places_fit_the_tensors(name: str) -> None:
    case = cases.load(name)
    assert case.query.shape[2] == len(case.query_tokens) <= 8
    assert case.key.shape[2] == case.value.shape[2] == len(case.key_tokens) <= 8
    assert case.query.dtype == case.key.dtype == case.value.dtype == torch.float32
    assert case.batch < case.query.shape[0] and case.drawn_head < case.query.shape[1]
    assert case.worked_query < len(case.query_tokens)
    assert case.sentence.endswith(".")


@pytest.mark.parametrize(
    ("name", "words"),
    [("trainde", "did you mean 'trained'?"), ("lessons", "did you mean 'lesson'?"), ("zzz", "choose one of trained")],
)
def test_an_unknown_name_is_refused_with_a_remedy(name: str, words: str) -> None:
    with pytest.raises(InputError, match=r"^there is no case ") as caught:
        cases.load(name)
    assert words in str(caught.value) and repr(name) in str(caught.value)


def test_a_seed_or_sizes_for_fixed_numbers_are_refused() -> None:
    with pytest.raises(InputError, match=r"'lesson' has fixed numbers, no seed 3 .* use case 'random'"):
        cases.load("lesson", seed=3)
    with pytest.raises(InputError, match="'cross' has fixed numbers"):
        cases.load("cross", sizes=Sizes())


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(InputError, match=f"seed {seed} is out of range"):
        cases.load("random", seed=seed)


def test_a_size_of_zero_is_refused() -> None:
    with pytest.raises(InputError, match="key_len of case 'random' is 0: choose 1 or more"):
        cases.load("random", sizes=Sizes(key_len=0))


def test_random_follows_its_seed_alone() -> None:
    once, again, other = (cases.load("random", seed=seed) for seed in (5, 5, 6))
    assert torch.equal(once.query, again.query) and torch.equal(once.value, again.value)
    assert not torch.equal(once.query, other.query)
    assert not torch.equal(once.query, once.key)


def test_random_has_the_sizes_asked_for() -> None:
    case = cases.load("random", sizes=Sizes(heads=2, query_len=3, key_len=5, head_dim=7, value_dim=1))
    assert (case.query.shape, case.key.shape, case.value.shape) == ((1, 2, 3, 7), (1, 2, 5, 7), (1, 2, 5, 1))
    assert case.query_tokens == ("q1", "q2", "q3") and case.key_tokens[-1] == "k5"


def test_random_is_standard_normal() -> None:
    query = cases.load("random", sizes=Sizes(heads=8, query_len=100, head_dim=64)).query
    assert abs(query.mean().item()) < 0.02 and abs(query.std().item() - 1) < 0.02


@pytest.mark.parametrize(("name", "tokens"), [
    ("trained", ("a", "dog", "waits")), ("lesson", ("the", "bird")), ("cross", ("they", "picked", "plums")),
    ("random", tuple(f"w{place}" for place in range(64)))])
def test_other_words_give_a_case_of_them(name: str, tokens: tuple[str, ...]) -> None:
    case = cases.load(name, tokens=tokens)
    assert case.query_tokens == tokens
    assert case.query.shape[2] == len(tokens)
    assert case.worked_query < len(tokens)
    assert case.bundle()["sdpa"].arrays["attn_weights"].sum(-1) == pytest.approx(1, abs=1e-5)


def test_the_case_s_own_words_change_nothing() -> None:
    own, same = cases.load("trained"), cases.load("trained", tokens=cases.load("trained").query_tokens)
    assert torch.equal(own.query, same.query)
    assert own.worked_query == same.worked_query


@pytest.mark.parametrize(("name", "tokens", "message"), [
    ("trained", ("the", "zebra"), "never read 'zebra': it knows .*cat.*random"),
    ("trained", ("the",) * 9, "reads 8 words at most, not 9"),
    ("cross", ("we", "bought", "cats"), "never read 'cats'"),
    ("random", ("a",) * 65, "65 tokens cannot be drawn: give 64 at most")])
def test_words_that_a_case_cannot_take_are_refused(name: str, tokens: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cases.load(name, tokens=tokens)


def test_a_token_that_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match=r"token '\\udcff' is no text"):
        cases.load("random", tokens=["\udcff", "b"])


def test_tokens_and_sizes_must_agree() -> None:
    with pytest.raises(InputError, match="2 tokens for 6 queries"):
        cases.load("random", sizes=cases.Sizes(), tokens=("a", "b"))
