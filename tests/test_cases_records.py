"""The bundle of a case, and the page about the cases."""

from pathlib import Path

import numpy as np
import pytest

from attnviz import cases
from attnviz.cases import page
from attnviz.errors import InputError

PAGE = Path(__file__).parent.parent / "docs" / "cases.md"


@pytest.mark.parametrize("name", cases.names())
def test_a_bundle_holds_the_case(name: str) -> None:
    case = cases.load(name)
    bundle = case.bundle()
    assert set(bundle) == ({"sdpa", "difference"} if name == "random" else {"projection", "sdpa", "difference"})
    for record in bundle.values():
        about = record.provenance
        assert (about["case"], about["seed"]) == (name, case.seed) and record.dtype == "float32"
        assert (about["query_tokens"], about["key_tokens"]) == (case.query_tokens, case.key_tokens)
    assert bundle["sdpa"].params["is_causal"] is case.is_causal
    np.testing.assert_array_equal(bundle["sdpa"].arrays["key"], case.key.numpy())


@pytest.mark.parametrize("name", ["trained", "lesson", "cross"])
def test_what_is_projected_is_what_attends(name: str) -> None:
    bundle = cases.load(name).bundle()
    for part in ("query", "key", "value"):
        np.testing.assert_array_equal(bundle["projection"].arrays[part], bundle["sdpa"].arrays[part])


@pytest.mark.parametrize("is_causal", [True, False])
def test_our_output_is_torchs(is_causal: bool) -> None:
    record = cases.load("trained").bundle(is_causal=is_causal)["difference"]
    assert record.params["is_causal"] is is_causal
    assert np.abs(record.arrays["ours"]).min() > 0
    assert record.arrays["max_abs_difference"] < 2e-6


def test_the_mask_can_be_taken_away_and_put_on() -> None:
    case = cases.load("lesson")
    assert not case.bundle()["sdpa"].arrays["mask"].any()
    assert np.isneginf(case.bundle(is_causal=True)["sdpa"].arrays["mask"]).sum() == 4 * 3


def test_only_the_records_asked_for_are_made_and_an_unknown_name_is_refused() -> None:
    case = cases.load("lesson")
    assert list(case.bundle(names=["sdpa"])) == ["sdpa"]
    assert "projection" not in cases.load("random").bundle()  # it has no X and W
    with pytest.raises(InputError, match="no record 'sdpb'"):
        case.bundle(names=["sdpb"])


def test_the_page_about_the_cases_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page.text(), "run: python -m attnviz.cases.page > docs/cases.md"
