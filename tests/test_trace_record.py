"""A record refuses to exist when a stage does not follow, and cannot be changed once it does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.errors import InputError, RecordError
from attnviz.sdpa import trace_attention
from attnviz.trace import KINDS
from tests.follow import SDPA_PARAMS, build, follow, sdpa_arrays

COMPUTED = [stage.name for stage in KINDS["sdpa"].stages if stage.rule is not None and stage.name != "mask"]


def test_an_honest_record_exists_and_reads_by_name():
    record = build("sdpa", sdpa_arrays(), SDPA_PARAMS)
    weights = record["attn_weights"].sel(batch=0, head=1)
    assert weights.axes == ("query_pos", "key_pos")
    assert weights.values.sum(axis=-1) == pytest.approx([1, 1, 1], abs=1e-6)
    assert record["attn_weights"].sel(batch=0, head=0).values[1].tolist() == [0.0] * 5  # the row with no key
    assert np.isneginf(record["lse"].sel(batch=0, head=0).values[1])


@pytest.mark.parametrize("stage", COMPUTED)
def test_one_unit_in_the_last_drawn_digit_is_refused(stage):
    arrays = sdpa_arrays()
    changed = arrays[stage].copy()
    place = np.unravel_index(np.argmax(np.where(np.isfinite(changed), np.abs(changed), -1)), changed.shape)
    changed[place] += 0.01
    with pytest.raises(RecordError, match=r"is off by 1\.00e-02 at \["):
        build("sdpa", {**arrays, stage: changed}, SDPA_PARAMS)


def test_a_float32_weight_may_not_move_by_a_hundred_ulp():
    arrays = sdpa_arrays()
    changed = arrays["attn_weights"].copy()
    changed[0, 1, 2, 0] *= 1 + 100 * 2.0**-23
    with pytest.raises(RecordError, match="attn_weights"):
        build("sdpa", {**arrays, "attn_weights": changed}, SDPA_PARAMS)


@pytest.mark.parametrize("value", [0.0, np.nan, -1e30])
def test_a_masked_score_must_be_minus_infinity(value):
    arrays = sdpa_arrays()
    changed = arrays["masked_scores"].copy()
    changed[0, 1, 0, 4] = value
    with pytest.raises(RecordError, match="masked_scores"):
        build("sdpa", {**arrays, "masked_scores": changed}, SDPA_PARAMS)


def test_a_causal_record_must_mask_the_future():
    with pytest.raises(RecordError, match=r"sdpa\.mask"):
        build("sdpa", sdpa_arrays(), {**SDPA_PARAMS, "is_causal": True})


def test_nan_in_an_attended_value_is_kept_and_one_in_a_masked_value_stays_out():
    arrays = sdpa_arrays()
    value = arrays["value"].copy()
    value[0, 0, 1, 2] = np.nan
    value[0, 0, 4, 3] = np.nan  # masked for every query
    given = {name: arrays[name] for name in ("query", "key", "mask")} | {"value": value}
    output = build("sdpa", follow("sdpa", given, SDPA_PARAMS), SDPA_PARAMS)["output"].values
    assert np.isnan(output[0, 1, :, 2]).all()
    assert np.isfinite(output[0, 1, :, 3]).all()


@pytest.mark.parametrize(("change", "message"), [
    ({"extra": np.zeros(1)}, "extra"),
    ({"key": np.zeros((1, 2, 5, 4))}, "float64"),
    ({"lse": np.zeros((1, 4), np.float32)}, "lse has shape"),
    ({"row_sum": np.zeros((1, 4, 9), np.float32)}, "query_pos has 9 positions here and 3 before"),
])
def test_a_record_of_another_shape_is_refused(change, message):
    with pytest.raises(RecordError, match=message):
        build("sdpa", sdpa_arrays() | change, SDPA_PARAMS)


def test_three_heads_cannot_share_two():
    arrays = sdpa_arrays()
    cut = {name: array[:, :3] if array.shape[1] == 4 else array for name, array in arrays.items()}
    with pytest.raises(RecordError, match="3 heads cannot share 2"):
        build("sdpa", cut, SDPA_PARAMS)


def test_unknown_kind_and_dtype_are_refused():
    with pytest.raises(RecordError, match="no kind 'sdpb'"):
        build("sdpb", {}, {})
    with pytest.raises(RecordError, match="dtype 'int8'"):
        build("sdpa", sdpa_arrays(), SDPA_PARAMS, dtype="int8")


def test_arrays_are_copies_that_nobody_can_write_to():
    arrays = sdpa_arrays()
    record = build("sdpa", arrays, SDPA_PARAMS)
    before = record["output"].values.copy()
    arrays["output"][...] = 7
    assert np.array_equal(record["output"].values, before)
    for tensor in (record["output"], record["output"].sel(batch=0)):
        with pytest.raises(ValueError, match="read-only"):
            tensor.values[...] = 0


def test_half_types_allow_one_rounding_of_the_output_and_no_more():
    arrays = sdpa_arrays()
    half = {name: arrays[name].astype(np.float16) for name in ("query", "key", "value")}
    given = {name: array.astype(np.float32) for name, array in half.items()} | {"mask": arrays["mask"]}
    computed = follow("sdpa", given, SDPA_PARAMS) | half
    computed["output"] = computed["output"].astype(np.float16)
    build("sdpa", computed, SDPA_PARAMS, dtype="float16")
    wrong = computed["output"].copy()
    wrong[0, 1, 0, 0] = np.nextafter(np.nextafter(wrong[0, 1, 0, 0], np.float16(9)), np.float16(9))
    with pytest.raises(RecordError, match="output"):
        build("sdpa", {**computed, "output": wrong}, SDPA_PARAMS, dtype="float16")


def test_bfloat16_holds_only_what_bfloat16_can():
    with pytest.raises(RecordError, match="bfloat16 cannot"):
        build("sdpa", sdpa_arrays(), SDPA_PARAMS, dtype="bfloat16")


def test_addresses_name_every_axis_and_selection_is_checked():
    weights = build("sdpa", sdpa_arrays(), SDPA_PARAMS)["attn_weights"]
    entry = weights.sel(head=1, batch=0).entry(key_pos=0, query_pos=2)
    assert entry.address == "attn_weights[batch=0, head=1, query_pos=2, key_pos=0]"
    assert entry.value == float(weights.values[0, 1, 2, 0])
    assert weights.sel(batch=0, head=1).address == "attn_weights[batch=0, head=1]"
    refused = [({"head": 4}, "head=4 is outside 0..3"), ({"row": 0}, "no axis 'row'"), ({"head": -1}, "outside")]
    for wrong, message in refused:
        with pytest.raises(InputError, match=message):
            weights.sel(**wrong)
    with pytest.raises(InputError, match="needs head, query_pos, key_pos"):
        weights.entry(batch=0)


def test_only_the_computation_s_own_arrows_are_legal():
    sdpa = KINDS["sdpa"]
    assert sdpa.feeds("exp_scores", "attn_weights")
    assert not sdpa.feeds("scores", "output")
    with pytest.raises(InputError, match="no stage 'probs'"):
        sdpa.feeds("scores", "probs")


@pytest.mark.parametrize("size", [16, 200])
def test_sums_of_terms_that_share_a_sign_are_not_refused(size):
    """All inputs alike: every partial sum is rounded the same way, and torch adds in another order than numpy."""
    shape = (1, 1, size, 8)
    query = torch.full(shape, 0.1)
    record = trace_attention(query, query, query)
    assert record["output"].values == pytest.approx(0.1, abs=1e-6)


def test_a_pair_that_is_not_allowed_adds_nothing_even_to_a_row_of_nan():
    query = torch.ones(1, 1, 2, 2)
    query[0, 0, 1] = torch.nan
    weighted = trace_attention(query, torch.ones(1, 1, 3, 2), torch.ones(1, 1, 3, 2), is_causal=True)["weighted_values"]
    assert np.isnan(weighted.values[0, 0, 1, :2]).all()
    assert not weighted.values[0, 0, 1, 2].any()
