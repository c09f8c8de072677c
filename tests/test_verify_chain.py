"""The chains: honest records of every kind and dtype agree, a change in any stage does not, what is unknown fails."""

import dataclasses
from types import MappingProxyType

import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.errors import RecordError
from attnviz.sdpa import (
    Setting,
    trace_attention,
    trace_difference,
    trace_gradient,
    trace_limits,
    trace_overflow,
    trace_projection,
    trace_samples,
    trace_sweep,
    trace_traffic,
    trace_zeroed,
)
from attnviz.trace import KINDS, Bundle, Record, Stage
from attnviz.verify import chain
from attnviz.verify.chain import CHAINS, recomputed

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
BACKENDS = (("reference", None), ("tiled", (2, 4)), ("triton", (4, 4)))


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def attention(dtype=torch.float32, backend="reference", tile=None, **call):
    q, k, v = random(1, 4, 5, 3, dtype=dtype), *(random(1, 2, 6, 3, seed=s, dtype=dtype) for s in (1, 2))
    mask = torch.ones(5, 6, dtype=torch.bool)
    mask[3] = False
    return trace_attention(q, k, v, mask, True, None, True, backend=backend, tile=tile, **call)


def sweep(dtype=torch.float32):
    q, k, v = random(1, 3, 4, dtype=dtype), random(6, 4, seed=1, dtype=dtype), random(6, 2, seed=2, dtype=dtype)
    steps = torch.tensor([0.5, 1.0, 2.0], dtype=dtype)
    return trace_sweep(steps, q.expand(3, 3, 4), k, v, scale=(1 / steps).tolist(), name="temperature")


def projection(dtype=torch.float32):
    x, y = random(2, 4, 6, dtype=dtype), random(2, 5, 6, seed=1, dtype=dtype)
    return trace_projection(x, y, *(random(n, 6, 3, seed=s, dtype=dtype) for n, s in ((4, 2), (2, 3), (2, 4))))


def one_lookup(dtype=torch.float32):
    return random(4, dtype=dtype), random(6, 4, seed=1, dtype=dtype), random(6, 3, seed=2, dtype=dtype)


def gradient(dtype=torch.float32):
    query, key, value = one_lookup(dtype)
    return trace_gradient(query, key, value, towards=int((key @ query).argmin()), length=0.5)


def limits(dtype=torch.float32):
    return trace_limits(*one_lookup(dtype), cold=0.25, hot=8.0)


def difference():
    q, k, v = random(1, 2, 3, 4), random(1, 2, 3, 4, seed=1), random(1, 2, 3, 4, seed=2)
    return trace_difference(random(1, 2, 3, 4, seed=3), q, k, v)


def zeroed(dtype=torch.float32):
    mask = torch.zeros(5, 6, dtype=dtype).masked_fill(torch.ones(5, 6).triu(1) > 0, -torch.inf)
    return trace_zeroed(random(1, 2, 5, 6, dtype=dtype).softmax(-1), mask.expand(1, 2, 5, 6))


def honest():
    yield from (attention(), attention(backend="tiled", tile=(2, 4)), sweep(), projection(), difference(), zeroed())
    yield from (gradient(), limits(), trace_overflow(torch.tensor([1.5, 0.5, -1.0])))
    yield trace_samples(seed=1, queries=20, keys=5, head_dims=(16, 4))
    yield trace_traffic([Setting(5, 7, 4, 3, 2, 2), Setting(2048, 4096, 64, 128, 4, 128)])


def changed(record: Record, stage: str, by: float) -> Record:
    """The record with one finite number of a stage changed: what Record.build would not make."""
    array = record.arrays[stage].copy()
    array.reshape(-1)[np.flatnonzero(np.isfinite(array))[-1]] += np.asarray(by).astype(array.dtype)
    return dataclasses.replace(record, arrays=MappingProxyType({**record.arrays, stage: array}))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("backend", "tile"), BACKENDS)
@pytest.mark.parametrize("causal", ["top-left", pytest.param("bottom-right", marks=pytest.mark.slow)])
def test_attention_of_every_backend_and_dtype_agrees(backend, tile, dtype, causal):
    assert recomputed(attention(dtype, backend, tile, causal=causal)) > 100


@pytest.mark.parametrize(("backend", "tile"), BACKENDS)
def test_attention_aligned_at_the_bottom_right_agrees(backend, tile):
    assert recomputed(attention(backend=backend, tile=tile, causal="bottom-right")) > 100


@pytest.mark.parametrize(("backend", "tile"), BACKENDS)
def test_a_nan_among_the_inputs_is_followed(backend, tile):
    q, k, v = random(1, 4, 5, 3), random(1, 2, 6, 3, seed=1), random(1, 2, 6, 3, seed=2)
    k[0, 0, 5], v[0, 1, 1] = torch.nan, torch.nan
    record = trace_attention(q, k, v, enable_gqa=True, is_causal=True, backend=backend, tile=tile)
    assert np.isnan(record["output"].values).any() and recomputed(record)


@pytest.mark.parametrize("make", [sweep, projection, gradient, limits, zeroed])
@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_the_other_kinds_agree(make, dtype):
    assert recomputed(make(dtype)) > 50


@pytest.mark.parametrize("name", cases.names())
def test_every_case_of_the_lesson_agrees(name):
    for record in cases.load(name).bundle().values():
        assert recomputed(record) > 0


def test_samples_and_differences_agree():
    assert recomputed(trace_samples(seed=3, queries=251, keys=7, head_dims=(33, 2))) and recomputed(difference())


def test_a_change_of_one_unit_in_the_last_drawn_digit_is_found_in_every_stage():
    for record in honest():
        for stage in (stage for stage in record.kind.stages if stage.rule is not None):
            for by in ((1, -1) if stage.storage == "integer" else (0.01, -0.01)):
                if stage.name in ("mask", "bin_edges", "fine_edges", "temperature"):
                    continue  # a finite bias, edges and temperatures are given
                with pytest.raises(RecordError, match=rf"{record.kind.name}\.{stage.name}\["):
                    recomputed(dataclasses.replace(changed(record, stage.name, by), name=record.kind.name))


def test_an_attention_to_what_comes_later_is_found():
    record = attention()
    mask = record.arrays["mask"].copy()
    mask[..., 0, 5] = 0
    with pytest.raises(RecordError, match="mask"):
        recomputed(dataclasses.replace(record, arrays=MappingProxyType({**record.arrays, "mask": mask})))


@pytest.mark.parametrize("edges", [[-99, 99], [-99, 0, 0, 99]])
@pytest.mark.parametrize(("name", "held"), [("bin_edges", "dot_products"), ("fine_edges", "scores")])
def test_edges_that_do_not_hold_all_or_do_not_rise_are_found(edges, name, held):
    record = trace_samples(seed=1, queries=20, keys=5, head_dims=(16, 4))
    largest = float(record.arrays[held].max())
    for given in (edges if len(edges) > 2 else [-99, largest - 0.1],):
        with pytest.raises(RecordError, match=f"{name} must rise and hold all"):
            arrays = MappingProxyType({**record.arrays, name: np.array(given, float)})
            recomputed(dataclasses.replace(record, arrays=arrays))


@pytest.mark.parametrize("towards", ["best", 6])
def test_a_nudge_towards_no_other_key_is_found(towards):
    record = gradient()
    place = int(record.arrays["scores"].argmax()) if towards == "best" else towards
    with pytest.raises(RecordError, match="no other key than the best"):
        recomputed(dataclasses.replace(record, params=MappingProxyType({**record.params, "towards": place})))


def test_temperatures_that_do_not_rise_are_found():
    record = limits()
    for given in ([8.0, 0.25], [0.0, 8.0]):
        with pytest.raises(RecordError, match="a cold one and a hotter one"):
            arrays = MappingProxyType({**record.arrays, "temperature": np.array(given, np.float32)})
            recomputed(dataclasses.replace(record, arrays=arrays))


def test_samples_of_another_seed_are_found():
    record = trace_samples(seed=1, queries=20, keys=5, head_dims=(16, 4))
    with pytest.raises(RecordError, match="draws of seed 2"):
        recomputed(dataclasses.replace(record, params=MappingProxyType({**record.params, "seed": 2})))


@pytest.mark.parametrize("value", [-1.0, 0.5, np.nan])
def test_a_mask_that_is_neither_yes_nor_no_is_found(value):
    record = zeroed()
    mask = record.arrays["mask"].copy()
    mask[0, 0, 2, 1] = value
    with pytest.raises(RecordError, match=r"zeroed\.mask must be 0 or minus infinity"):
        recomputed(dataclasses.replace(record, arrays=MappingProxyType({**record.arrays, "mask": mask})))


def test_every_kind_has_a_chain():
    assert set(CHAINS) == set(KINDS)


def test_a_kind_without_a_chain_fails(monkeypatch):
    monkeypatch.setattr(chain, "CHAINS", {"sdpa": CHAINS["sdpa"]})
    with pytest.raises(RecordError, match="kind 'difference' cannot be recomputed"):
        recomputed(Bundle({"difference": difference()})["difference"])


def test_a_stage_that_no_chain_computes_fails():
    record = attention()
    kind = dataclasses.replace(record.kind, stages=(*record.kind.stages, Stage("novel", "n", "novel", ())))
    more = {**record.arrays, "novel": np.zeros(())}
    with pytest.raises(RecordError, match="novel cannot be recomputed: the verifier has no rule"):
        recomputed(dataclasses.replace(record, kind=kind, arrays=MappingProxyType(more)))
