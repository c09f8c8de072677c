"""The other kinds: each honest record exists, each planted fault is refused, and their figures are the known ones."""

from __future__ import annotations

from collections.abc import Sequence

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


GRADIENT = {"scale": 0.5, "towards": 1, "length": 0.5}


def gradient_arrays() -> dict[str, np.ndarray]:
    key = np.array([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    return follow("gradient", {"query": np.array([1.0, 0.5]), "key": key, "value": stream().randn(3, 4)}, GRADIENT)


def limits_arrays() -> dict[str, np.ndarray]:
    given = {"temperature": np.array([0.1, 50.0]), "scores": np.array([1.0, 3.0, 2.0]), "value": stream().randn(3, 2)}
    return follow("limits", given, {})


def test_the_gradient_of_a_blend_is_that_of_small_steps():
    arrays, step = gradient_arrays(), 1e-5
    key, value = (arrays[name].astype(float) for name in ("key", "value"))

    def blend(query: np.ndarray) -> np.ndarray:
        weights = np.exp(0.5 * key @ query)
        return weights @ value / weights.sum()

    query = arrays["query"].astype(float)
    slopes = [(blend(query + step * way) - blend(query - step * way)) / (2 * step) for way in np.eye(2)]
    assert arrays["jacobian"] == pytest.approx(np.array(slopes).T, abs=1e-6)
    assert arrays["nudge"] == pytest.approx(0.5 * np.array([-2, 1]) / np.sqrt(5))


@pytest.mark.parametrize("towards", [0, 3])
def test_a_nudge_goes_towards_a_key_that_is_not_the_best(towards):
    with pytest.raises(RecordError, match=f"the nudge goes towards key {towards}"):
        build("gradient", gradient_arrays(), {**GRADIENT, "towards": towards})


def test_limits_are_one_value_and_the_plain_mean():
    arrays = limits_arrays()
    assert arrays["target"] == pytest.approx(np.stack([arrays["value"][1], arrays["value"].mean(axis=0)]))
    assert arrays["attn_weights"][0] == pytest.approx([0, 1, 0], abs=1e-4)
    assert arrays["largest_gap"] == pytest.approx(np.abs(arrays["output"] - arrays["target"]).max(axis=1))
    for temperature in ([50.0, 0.1], [0.0, 1.0]):
        with pytest.raises(RecordError, match="a cold one and then a hotter one"):
            build("limits", {**arrays, "temperature": np.array(temperature, np.float32)}, {})


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
    ("difference", difference_arrays, SDPA_PARAMS), ("gradient", gradient_arrays, GRADIENT),
    ("limits", limits_arrays, {}), ("zeroed", zeroed_arrays, {}),
    ("overflow", lambda: follow("overflow", {"scores": np.array([1.5, 0.5, -1.0])}, {}), {})])
def test_other_kinds_exist_and_refuse_a_change_in_any_stage(kind, make, params):
    arrays = make()
    build(kind, arrays, params)
    for stage in (s for s in KINDS[kind].stages if s.rule is not None and s.name != "temperature"):  # which is given
        changed = arrays[stage.name].copy()
        changed.reshape(-1)[0] += 0.01
        with pytest.raises(RecordError, match=stage.name):
            build(kind, {**arrays, stage.name: changed}, params)


WIDTHS = {"head_dim": np.array([64.0, 16.0])}


def samples_params(queries: int = 300, widths: Sequence[int] = (64, 16)) -> dict[str, object]:
    return {"seed": 7, "queries": queries, "keys": 8, "sha256": regenerate(7, queries, 8, widths)[2]}


def samples_arrays(params: dict[str, object]) -> dict[str, np.ndarray]:
    types = {stage.name: np.int64 if stage.storage == "integer" else np.float64 for stage in KINDS["samples"].stages}
    return {name: array.astype(types[name]) for name, array in follow_exact(params, WIDTHS).items()}


def follow_exact(params: dict[str, object], given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {
        "bin_edges": np.linspace(-300.0, 300.0, 41), "fine_edges": np.linspace(-9.0, 9.0, 41), **given}
    for stage in KINDS["samples"].stages:
        if stage.rule is not None:
            arrays[stage.name] = np.asarray(stage.rule(arrays, params).values, dtype=np.float64)
    return arrays


def test_samples_can_be_drawn_again_from_seed_and_hash():
    params = samples_params()
    arrays = samples_arrays(params)
    record = build("samples", arrays, params, dtype="float64")
    assert record["std_raw"].values == pytest.approx([8, 4], rel=0.05)
    assert record["std_scaled"].values == pytest.approx([1, 1], rel=0.05)
    for wrong in ({"sha256": "0" * 64}, {"seed": 8}):
        with pytest.raises(RecordError, match="hash"):
            build("samples", arrays, {**params, **wrong}, dtype="float64")
    many = 2**31 - 1
    for counted, said in ((arrays["query_count"], "query_count is off"), (np.array(many), f"says {many} queries")):
        with pytest.raises(RecordError, match=said):
            build("samples", {**arrays, "query_count": counted}, {**params, "queries": many}, dtype="float64")
    for widths, said in (([2**30, 16], "drawn again"), ([64, 17], "hash"), ([64, 0], "1 or more")):
        other = {"head_dim": np.array(widths), "predicted_std": np.sqrt(widths)}
        with pytest.raises(RecordError, match=said):
            build("samples", arrays | other, params, dtype="float64")


def test_histograms_of_all_widths_have_the_same_bins_and_hold_all():
    params = samples_params()
    arrays = samples_arrays(params)
    for counts in ("counts_raw", "counts_scaled", "fine_counts_scaled"):
        assert arrays[counts].sum(axis=1).tolist() == [300 * 8] * 2
    filled = [np.count_nonzero(arrays[counts][0]) for counts in ("counts_raw", "counts_scaled", "fine_counts_scaled")]
    assert filled[0] > filled[1] and filled[2] > 5 * filled[1]
    for name in ("bin_edges", "fine_edges"):
        for edges in (np.linspace(-2.0, 2.0, 41), np.linspace(300.0, -300.0, 41)):
            with pytest.raises(RecordError, match=f"{name} must rise and hold all"):
                build("samples", {**arrays, name: edges}, params, dtype="float64")


COMPUTED_SAMPLES = [stage.name for stage in KINDS["samples"].stages
                    if stage.rule and stage.name not in ("bin_edges", "fine_edges")]


@pytest.mark.parametrize("stage", COMPUTED_SAMPLES)
def test_a_wrong_number_in_any_stage_of_samples_is_refused(stage):
    params = samples_params(queries=60)
    arrays = samples_arrays(params)
    changed = arrays[stage].copy()
    changed.reshape(-1)[-1] += 1 if changed.dtype == np.int64 else 1e-6
    with pytest.raises(RecordError, match=stage):
        build("samples", {**arrays, stage: changed}, params, dtype="float64")


@pytest.mark.slow
def test_the_lesson_s_figures_for_four_thousand_queries():
    widths = (16, 64, 256, 1024)
    arrays = follow_exact(samples_params(4000, widths), {"head_dim": np.array(widths, dtype=float)})
    assert arrays["std_raw"] == pytest.approx([4, 8, 16, 32], rel=0.02)
    assert arrays["mean_largest_raw"] == pytest.approx([0.745, 0.875, 0.94, 0.97], abs=0.01)
    assert arrays["mean_largest_scaled"] == pytest.approx([0.36] * 4, abs=0.01)
    assert arrays["quartiles_jacobian_scaled"][:, 1] == pytest.approx([0.37] * 4, abs=0.01)
    ranges = ((0.25, 0.33), (0.05, 0.07), (0.001, 0.0025), (0.0, 1e-4))
    for median, (low, high) in zip(arrays["quartiles_jacobian_raw"][:, 1], ranges, strict=True):
        assert low <= median <= high
