"""Records that the producers make: what they hold, how they say they were made, and what they refuse."""

import numpy as np
import pytest
import torch

from attnviz.errors import InputError
from attnviz.sdpa import (
    project,
    scaled_dot_product_attention,
    trace_attention,
    trace_difference,
    trace_projection,
    trace_samples,
    trace_sweep,
)
from attnviz.sdpa.records import to_array
from attnviz.sdpa.samples import softmax_jacobian

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def qkv(dtype=torch.float32):
    return (random(1, 4, 5, 3, dtype=dtype), *(random(1, 2, 6, 3, seed=s, dtype=dtype) for s in (1, 2)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("backend", "tile"), [("reference", None), ("tiled", (2, 4)), ("triton", (4, 4))])
def test_a_record_holds_the_output_of_the_front(backend, tile, dtype):
    q, k, v = qkv(dtype)
    mask = torch.ones(5, 6, dtype=torch.bool)
    mask[3] = False
    record = trace_attention(q, k, v, mask, True, None, True, backend=backend, tile=tile, notes={"seed": 7})
    output = scaled_dot_product_attention(q, k, v, mask, True, None, True, backend=backend, tile=tile)
    assert np.array_equal(record["output"].values, to_array(output))
    assert record.dtype == str(dtype).removeprefix("torch.")
    assert record["output"].entry(batch=0, head=0, query_pos=3, value_dim=1).value == 0
    assert record.params["is_causal"] is True
    assert record.params["causal"] == "top-left"
    assert (record.provenance["backend"], record.provenance["seed"]) == (backend, 7)
    assert record.provenance["versions"]["torch"] == torch.__version__


def test_a_nan_reaches_the_record_and_is_no_reason_to_refuse():
    q, k, v = qkv()
    k[0, 0, 5], v[0, 1, 1] = torch.nan, torch.nan
    for backend, tile in (("reference", None), ("tiled", (2, 2)), ("triton", (8, 4))):
        record = trace_attention(q, k, v, enable_gqa=True, is_causal=True, backend=backend, tile=tile)
        assert np.isnan(record["output"].values).any()
        assert not np.isnan(record["output"].values[0, :, 0]).any()


@pytest.mark.parametrize("causal", ["top-left", "bottom-right"])
def test_difference_from_torch(causal):
    q, k, v = qkv(torch.float64)
    mask = random(5, 6, seed=3, dtype=torch.float64) > -1
    call = {"attn_mask": mask, "is_causal": True, "enable_gqa": True, "causal": causal}
    record = trace_difference(scaled_dot_product_attention(q, k, v, **call), q, k, v, **call)
    assert 0 < record["max_abs_difference"].values < 1e-14
    off = trace_difference(scaled_dot_product_attention(q, k, v, **call) + 0.25, q, k, v, **call)
    assert off["max_abs_difference"].values == pytest.approx(0.25)


def test_difference_refuses_another_shape():
    q, k, v = qkv()
    with pytest.raises(InputError, match=r"ours is float32 \(1, 4, 4, 3\)"):
        trace_difference(q[:, :, :4], q, k, v, enable_gqa=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_projection_head_by_head(dtype):
    x, y = random(2, 4, 6, dtype=dtype), random(2, 5, 6, seed=1, dtype=dtype)
    weights = [random(heads, 6, 3, seed=s, dtype=dtype) for heads, s in ((4, 2), (2, 3), (2, 4))]
    record = trace_projection(x, y, *weights)
    expected = torch.einsum("bpm,hmd->bhpd", y.double(), weights[2].double()).numpy()
    np.testing.assert_allclose(record["value"].values, expected, rtol=0, atol=6e-2 if dtype == torch.bfloat16 else 8e-3)
    assert record["query"].values.shape == (2, 4, 4, 3)
    assert torch.equal(project(x, weights[0]).double(), torch.from_numpy(record["query"].values.astype(np.float64)))


def test_projection_refuses_what_does_not_fit():
    x, weight = random(2, 4, 6), random(2, 5, 3)
    with pytest.raises(InputError, match="model_dim 6 and weight_query has 5"):
        trace_projection(x, x, weight, weight, weight)
    with pytest.raises(InputError, match="give one dtype"):
        project(x, random(2, 6, 3, dtype=torch.float64))


def test_sweep_of_a_temperature():
    q, k, v = random(3, 4), random(5, 4, seed=1), random(5, 2, seed=2)
    temperatures = torch.tensor([0.25, 1.0, 4.0])
    scales = [1 / t for t in temperatures.tolist()]
    record = trace_sweep(temperatures, q.expand(3, 3, 4), k, v, scale=scales, name="temperature")
    for step, scale in enumerate(scales):
        one = scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], scale=scale)
        assert np.array_equal(record["output"].values[step], one[0, 0].numpy())
    largest = record["attn_weights"].values.max(-1)
    assert (np.diff(largest, axis=0) < 0).all()


def test_sweep_refuses():
    q, k = random(3, 3, 4), random(5, 4)
    with pytest.raises(InputError, match="give one a step"):
        trace_sweep(torch.ones(3), q, k, k, scale=[1.0], name="t")
    with pytest.raises(InputError, match="give float64 or float32"):
        trace_sweep(torch.ones(3).half(), q.half(), k.half(), k.half(), name="t")
    with pytest.raises(InputError, match="parameter"):
        trace_sweep(torch.ones(2), q, k, k, name="t")


def test_samples_show_what_scaling_does():
    record = trace_samples(seed=1, queries=400, keys=8, head_dims=(16, 64))
    assert record["std_raw"].values == pytest.approx([4, 8], rel=0.05)
    assert record["predicted_std"].values == pytest.approx([4, 8])
    assert record["std_scaled"].values == pytest.approx([1, 1], rel=0.05)
    assert record["mean_largest_raw"].values[1] > 0.8 > 0.5 > record["mean_largest_scaled"].values[1]
    assert record["bin_edges"].values[-1] % 10 == 0
    assert record["fine_edges"].values[-1] - 1 < abs(record["scores"].values).max() <= record["fine_edges"].values[-1]
    for wrong in ({"keys": 0}, {"head_dims": ()}, {"head_dims": (16, 0)}):
        with pytest.raises(InputError, match="give 1 or more of each"):
            trace_samples(**{"seed": 1, "queries": 2, "keys": 2, "head_dims": (4,), **wrong})


def test_every_width_is_drawn_from_the_seed_anew():
    both, alone = (trace_samples(1, 30, 4, widths, bins=8)["dot_products"] for widths in ((16, 64), (64,)))
    assert np.array_equal(both.values[1], alone.values[0])


def test_the_jacobian_by_autograd_is_that_of_the_formula():
    scores = random(3, 5, 7, seed=2, dtype=torch.float64) * 4
    weights = torch.softmax(scores, -1)
    formula = torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]
    np.testing.assert_allclose(softmax_jacobian(scores).numpy(), formula.numpy(), rtol=0, atol=1e-15)
