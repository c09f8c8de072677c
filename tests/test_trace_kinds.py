"""The other kinds: each honest record exists, each planted fault is refused, and their figures are the known ones."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.errors import RecordError
from attnviz.trace import KINDS
from attnviz.trace.kinds.samples import regenerate
from tests.follow import SDPA_PARAMS, build, follow, tiled_arrays

TILED = {**SDPA_PARAMS,
         "query_tile_size": 2, "key_tile_size": 2, "element_size": 4}
QUERY = np.array([[1, 0, 2, 0], [0, 1, 1, 0], [1, 1, 0, 1], [0, 2, 1, 1]], float)
KEY = np.array([[2, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 2, 1]], float)
VALUE = np.array([[1, 0], [0, 1], [1, 1], [2, 1]], float)


def stream(seed: int = 3) -> np.random.RandomState:
    return np.random.RandomState(seed)


def test_the_worked_flash_attention_example_step_by_step():
    record = build("tiled", tiled_arrays(QUERY, KEY, VALUE, TILED), TILED)

    def rows(stage: str, key_tile: int) -> np.ndarray:
        return record[stage].sel(batch=0, head=0, key_tile=key_tile).values.reshape(4, -1).squeeze(-1)

    assert rows("running_max", 0) == pytest.approx([1, 1, 1.5, 1.5])
    assert rows("running_sum", 0) == pytest.approx([2, 1.60653, 1.36788, 1.60653], abs=5e-6)
    assert rows("running_max", 1) == pytest.approx([2, 1, 1.5, 1.5])
    assert rows("rescale", 1) == pytest.approx([0.36788, 1, 1, 1], abs=5e-6)
    assert rows("running_sum", 1) == pytest.approx([2.34229, 3.21306, 2.34229, 3.21306], abs=5e-6)
    wanted = [[1.26987, 0.84294], [1, 0.81123], [1, 0.57307], [1, 0.81123]]
    assert record["output"].values[0, 0] == pytest.approx(np.array(wanted), abs=5e-6)


@pytest.mark.parametrize("size", [2, 3])
def test_ragged_causal_tiles_with_skipped_ones(size):
    draw = stream()
    params = {**TILED, "is_causal": True, "query_tile_size": size, "key_tile_size": size}
    arrays = tiled_arrays(draw.randn(7, 4), draw.randn(7, 4), draw.randn(7, 3), params)
    kinds = build("tiled", arrays, params)["tile_kind"].values[0, 0]
    assert (kinds[np.triu_indices(len(kinds), 1)] == 4).all()
    assert kinds[-1, -1] in (2, 3)  # the last is ragged, and cut by the diagonal unless it is one wide
    assert (np.diag(kinds)[:-1] == 1).all()


COMPUTED = [stage.name for stage in KINDS["tiled"].stages if stage.rule is not None and stage.name != "mask"]


@pytest.mark.parametrize("stage", COMPUTED)
def test_a_wrong_number_in_any_tiled_stage_is_refused(stage):
    draw = stream()
    params = {**TILED, "is_causal": True}
    arrays = tiled_arrays(draw.randn(5, 4), draw.randn(5, 4), draw.randn(5, 3), params)
    build("tiled", arrays, params)
    changed = arrays[stage].copy()
    place = np.unravel_index(np.argmax(np.nan_to_num(np.abs(changed), posinf=-1)), changed.shape)
    changed[place] += 1 if changed.dtype == np.int64 else 0.01
    with pytest.raises(RecordError, match=f"tiled.{stage} is off by"):
        build("tiled", {**arrays, stage: changed}, params)


def test_a_skipped_tile_may_hold_no_number():
    draw = stream()
    params = {**TILED, "is_causal": True}
    arrays = tiled_arrays(draw.randn(4, 4), draw.randn(4, 4), draw.randn(4, 3), params)
    changed = arrays["tile_scores"].copy()
    changed[0, 0, 0, 1] = 0.0
    with pytest.raises(RecordError, match="tile_scores"):
        build("tiled", {**arrays, "tile_scores": changed}, params)


def projection_arrays() -> dict[str, np.ndarray]:
    draw = stream()
    x = draw.randn(1, 3, 8)
    weights = {f"weight_{name}": draw.randn(2, 8, 4) for name in ("query", "key", "value")}
    return follow("projection", {"query_input": x, "key_input": x, **weights}, {})


def sweep_arrays() -> dict[str, np.ndarray]:
    draw = stream()
    steps = np.linspace(0.1, 2, 5)
    given = {"parameter": steps, "scale": 1 / steps, "query": np.repeat(draw.randn(1, 1, 4), 5, axis=0),
             "key": draw.randn(3, 4), "value": draw.randn(3, 2), "mask": np.zeros((1, 3))}
    return follow("sweep", given, {})


def difference_arrays() -> dict[str, np.ndarray]:
    ours = stream().randn(1, 2, 3, 4)
    return follow("difference", {"ours": ours, "theirs": ours + 1e-6}, {})


def zeroed_arrays() -> dict[str, np.ndarray]:
    mask = np.where(np.triu(np.ones((4, 4)), 1), -np.inf, 0.0)
    return follow("zeroed", {"attn_weights": np.full((1, 2, 4, 4), 0.25), "mask": np.tile(mask, (1, 2, 1, 1))}, {})


def test_equal_shares_zeroed_afterwards_leave_a_quarter_a_key():
    assert zeroed_arrays()["zeroed_sum"].tolist() == [[[0.25, 0.5, 0.75, 1.0]] * 2]


@pytest.mark.parametrize(("kind", "make", "params"), [
    ("projection", projection_arrays, {}), ("sweep", sweep_arrays, {"parameter": "temperature", "is_causal": False}),
    ("difference", difference_arrays, SDPA_PARAMS), ("zeroed", zeroed_arrays, {})])
def test_other_kinds_exist_and_refuse_a_change_in_any_stage(kind, make, params):
    arrays = make()
    build(kind, arrays, params)
    for stage in (s for s in KINDS[kind].stages if s.rule is not None):
        changed = arrays[stage.name].copy()
        changed.reshape(-1)[0] += 0.01
        with pytest.raises(RecordError, match=stage.name):
            build(kind, {**arrays, stage.name: changed}, params)


def samples_params(head_dim: int, queries: int = 300) -> dict[str, object]:
    sha256 = regenerate(7, queries, 8, head_dim)[2]
    return {"seed": 7, "queries": queries, "keys": 8, "head_dim": head_dim, "sha256": sha256}


def samples_arrays(params: dict[str, object]) -> dict[str, np.ndarray]:
    types = {stage.name: np.int64 if stage.storage == "integer" else np.float64 for stage in KINDS["samples"].stages}
    return {name: array.astype(types[name]) for name, array in follow_exact(params).items()}


def follow_exact(params: dict[str, object]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {"bin_edges": np.linspace(-300.0, 300.0, 41)}
    for stage in KINDS["samples"].stages:
        assert stage.rule is not None
        arrays[stage.name] = np.asarray(stage.rule(arrays, params).values, dtype=np.float64)
    return arrays


def test_samples_can_be_drawn_again_from_seed_and_hash():
    params = samples_params(64)
    arrays = samples_arrays(params)
    record = build("samples", arrays, params, dtype="float64")
    assert float(record["std_raw"].values) == pytest.approx(8, rel=0.05)
    assert float(record["std_scaled"].values) == pytest.approx(1, rel=0.05)
    for wrong in ({"sha256": "0" * 64}, {"seed": 8}):
        with pytest.raises(RecordError, match="hash"):
            build("samples", arrays, {**params, **wrong}, dtype="float64")
    for wrong, said in ({"queries": 2**31 - 1}, "says 2147483647 queries"), ({"head_dim": 2**30}, "drawn again"):
        with pytest.raises(RecordError, match=said):
            build("samples", arrays, {**params, **wrong}, dtype="float64")
    assert arrays["counts_raw"].sum() == arrays["counts_scaled"].sum() == 300 * 8
    assert np.count_nonzero(arrays["counts_raw"]) > np.count_nonzero(arrays["counts_scaled"])
    for edges in (np.linspace(-2.0, 2.0, 41), np.linspace(300.0, -300.0, 41)):
        with pytest.raises(RecordError, match="bin_edges must rise and hold all"):
            build("samples", {**arrays, "bin_edges": edges}, params, dtype="float64")
    with pytest.raises(RecordError, match="counts_scaled"):
        build("samples", {**arrays, "counts_scaled": arrays["counts_raw"]}, params, dtype="float64")
    changed = {**arrays, "jacobian_raw": arrays["jacobian_raw"] + 1e-6}
    with pytest.raises(RecordError, match="jacobian_raw"):
        build("samples", changed, params, dtype="float64")


@pytest.mark.slow
@pytest.mark.parametrize(("head_dim", "largest", "jacobian"), [
    (16, 0.745, (0.25, 0.33)), (64, 0.875, (0.05, 0.07)), (256, 0.94, (0.001, 0.0025)), (1024, 0.97, (0.0, 1e-4))])
def test_the_lesson_s_figures_for_four_thousand_queries(head_dim, largest, jacobian):
    params = samples_params(head_dim, queries=4000)
    arrays = follow_exact(params)
    assert arrays["mean_largest_raw"] == pytest.approx(largest, abs=0.01)
    assert arrays["mean_largest_scaled"] == pytest.approx(0.36, abs=0.01)
    assert arrays["quartiles_jacobian_scaled"][1] == pytest.approx(0.37, abs=0.01)
    assert jacobian[0] <= arrays["quartiles_jacobian_raw"][1] <= jacobian[1]  # the median query
