"""False records that come near to being true: each was once accepted, and none may exist."""

from __future__ import annotations

import json

import numpy as np
import pytest

from attnviz.errors import InputError, RecordError
from attnviz.trace import Bundle, Record
from tests.follow import SDPA_PARAMS, build, follow, sdpa_arrays, tiled_arrays


def refused(kind, arrays, params, match):
    with pytest.raises(RecordError, match=match):
        build(kind, arrays, params)


def large_scores(key: float, bias: float) -> dict[str, np.ndarray]:
    given = {"query": np.ones((1, 1, 1, 1)), "key": np.full((1, 1, 2, 1), key), "value": np.array([[[[1.0], [5.0]]]]),
             "mask": np.full((1, 1, 1, 2), bias)}
    return follow("sdpa", given, {**SDPA_PARAMS, "scale": 1.0})


def test_a_large_mask_gives_no_room_to_what_is_left_of_it():
    params = {**SDPA_PARAMS, "scale": 1.0}
    arrays = large_scores(1e8, -1e8)
    assert not arrays["masked_scores"].any()
    false = {**arrays, "masked_scores": np.array([[[[0.0, 20.0]]]], np.float32)}
    refused("sdpa", false, params, "masked_scores is off by 2.00e")


def test_large_equal_scores_give_no_room_to_their_exponentials():
    params = {**SDPA_PARAMS, "scale": 1.0}
    arrays = large_scores(2e6, 0.0)
    assert arrays["exp_scores"].tolist() == [[[[1.0, 1.0]]]]
    refused("sdpa", {**arrays, "exp_scores": np.array([[[[1.0, 0.3]]]], np.float32)}, params, "exp_scores")


@pytest.mark.parametrize(("stage", "place"), [("tile_exp", (0, 0, 0, 1, 0, 0)), ("rescale", (0, 0, 0, 1, 0))])
def test_nor_to_those_of_a_tile(stage, place):
    params = {**SDPA_PARAMS, "scale": 1.0, "query_tile_size": 1, "key_tile_size": 1, "element_size": 4}
    arrays = tiled_arrays(np.ones((1, 1)), np.full((3, 1), 2e6), np.arange(3.0)[:, None], params)
    build("tiled", arrays, params)
    changed = arrays[stage].copy()
    assert changed[place] == 1
    changed[place] = 0.3
    refused("tiled", {**arrays, stage: changed}, params, f"tiled.{stage}")


@pytest.mark.parametrize("change", [
    {"causal": "nonsense"}, {"causal": 3}, {"scale": "0.5"}, {"scale": float("nan")}, {"scale": None},
    {"scale": 10**400}, {"is_causal": 0}, {"enable_gqa": "yes"}, {"scale": object()}, {"extra": 1}])
def test_parameters_are_what_the_rules_take_and_nothing_else(change):
    refused("sdpa", sdpa_arrays(), SDPA_PARAMS | change, "parameter")


def test_a_missing_parameter_and_one_of_the_wrong_size_are_named():
    refused("sdpa", sdpa_arrays(), {key: SDPA_PARAMS[key] for key in ("scale", "causal")}, "enable_gqa, is_causal")
    params = {**SDPA_PARAMS, "query_tile_size": 1, "key_tile_size": 1, "element_size": 4}
    arrays = tiled_arrays(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), params)
    for change in ({"key_tile_size": 0}, {"query_tile_size": 2.0}, {"element_size": "4"}, {"element_size": 4.7}):
        refused("tiled", arrays, params | change, "whole number")
    refused("tiled", arrays, params | {"key_tile_size": 2}, "tiled.tile_kind")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_mask_is_no_nan_and_no_plus_infinity(value):
    arrays = sdpa_arrays()
    mask = arrays["mask"].copy()
    mask[0, 0, 0, 0] = value
    refused("sdpa", {**arrays, "mask": mask}, SDPA_PARAMS, "mask holds NaN or plus infinity")


def test_provenance_is_json_and_cannot_be_changed():
    arrays = sdpa_arrays()
    for wrong in ({"x": {1, 2}}, {"x": object()}, {"x": float("inf")}):
        with pytest.raises(RecordError, match="plain JSON"):
            Record.build("sdpa", arrays, dtype="float32", params=SDPA_PARAMS, provenance=wrong)
    tokens = {"tokens": ["a", {"b": [1]}]}
    record = Record.build("sdpa", arrays, dtype="float32", params=SDPA_PARAMS, provenance=tokens)
    tokens["tokens"].append("c")
    assert record.provenance["tokens"][0] == "a"
    assert len(record.provenance["tokens"]) == 2
    with pytest.raises(TypeError):
        record.provenance["tokens"][1]["b"] = 0


def test_nobody_can_make_the_numbers_writable_again():
    record = build("sdpa", sdpa_arrays(), SDPA_PARAMS)
    with pytest.raises(ValueError, match="WRITEABLE"):
        record["output"].values.setflags(write=True)
    with pytest.raises(InputError, match="no whole number"):
        record["output"].sel(batch=False)


def test_a_record_too_large_to_check_is_refused_at_once():
    arrays = sdpa_arrays() | {"mask": np.zeros((0, 4, 200_000, 200_000), np.float32)}
    refused("sdpa", arrays, SDPA_PARAMS, "record fewer positions")


def together(**change) -> Bundle:
    arrays = sdpa_arrays()
    ours = {"ours": arrays["output"], "theirs": arrays["output"]} | change
    difference = build("difference", follow("difference", ours, SDPA_PARAMS), SDPA_PARAMS)
    return Bundle({"sdpa": build("sdpa", arrays, SDPA_PARAMS), "difference": difference})


def test_a_difference_must_be_that_of_the_output_beside_it():
    assert set(together()) == {"sdpa", "difference"}
    nothing = np.zeros((1, 4, 3, 6), np.float32)
    with pytest.raises(RecordError, match=r"difference\.ours is the output of no attention"):
        together(ours=nothing, theirs=nothing)


@pytest.mark.parametrize("name", ["", "..", "a/b", "A", "nul\0", "x" * 50])
def test_a_record_s_name_is_a_plain_word(name):
    with pytest.raises(RecordError, match="cannot be called"):
        Bundle({name: build("sdpa", sdpa_arrays(), SDPA_PARAMS)})


def rewritten(path, **change):
    arrays = dict(np.load(path)) | change
    np.savez(path, **arrays)


def test_a_file_holds_the_numbers_of_its_records_and_no_others(tmp_path):
    path = tmp_path / "trace.npz"
    together().save(path)
    Bundle.load(path)
    rewritten(path, **{"stray/output": np.zeros(3)})
    with pytest.raises(InputError, match="numbers of no record: stray/output"):
        Bundle.load(path)


def test_a_header_that_says_things_twice_is_refused(tmp_path):
    path = tmp_path / "trace.npz"
    together().save(path)
    header = np.load(path)["bundle.json"].tobytes().decode()
    twice, other = header[:-1] + ', "format": 1}', header.replace('"format": 1', '"format": true')
    for text, why in ((twice, "twice"), (other, "True")):
        json.loads(text)
        rewritten(path, **{"bundle.json": np.frombuffer(text.encode(), np.uint8)})
        with pytest.raises(InputError, match=why):
            Bundle.load(path)


def test_bytes_changed_at_random_end_in_one_line_or_in_the_same_numbers(tmp_path):
    path = tmp_path / "trace.npz"
    bundle = together()
    bundle.save(path)
    whole, stream = path.read_bytes(), np.random.RandomState(0)
    outcomes = set()
    for _ in range(150):
        broken = bytearray(whole)
        broken[stream.randint(len(broken))] ^= 1 << stream.randint(8)
        path.write_bytes(broken)
        try:
            again = Bundle.load(path)
        except (InputError, RecordError) as error:
            assert "\n" not in str(error)
            outcomes.add("refused")
        else:
            outcomes.add("read")
            for tensor in bundle["sdpa"]:
                assert np.array_equal(again["sdpa"][tensor.name].values, tensor.values, equal_nan=True)
    assert "refused" in outcomes
