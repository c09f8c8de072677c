"""Tiles are a way of computing, not a different result: sizes, records and rounding."""

import numpy as np
import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention, trace_attention
from attnviz.sdpa.checks import check_inputs
from attnviz.sdpa.front import run
from tests.oracle import attention

SIZES = (1, 3, 4, 16, 64)


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def inputs(dtype=torch.float32, length=9, dim=5, heads=1):
    q, k, v = (random(1, heads, length, dim, seed=s, dtype=dtype) for s in range(3))
    mask = random(length, length, seed=3) > -1
    return check_inputs(q, k, v, mask, True, None, False, "bottom-right")


@pytest.mark.parametrize("backend", ["tiled", "triton"])
@pytest.mark.parametrize("size", SIZES)
def test_every_size_gives_the_same(backend, size):
    given = inputs()
    output = run(given, backend, (size, size)).output
    torch.testing.assert_close(output, run(given, "reference").output, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("backend", ["tiled", "triton"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_recording_changes_no_bit(backend, dtype):
    given = inputs(dtype)
    off, on = run(given, backend, (4, 3)), run(given, backend, (4, 3), record=True)
    assert torch.equal(off.output, on.output)
    assert torch.equal(off.lse, on.lse)
    assert not off.steps


@pytest.mark.parametrize("tile", [(2, 2), (3, 3), (2, 3)])
def test_seven_tokens_in_small_tiles_agree_number_by_number(tile):
    """The kernel's blocks hold 16 lanes, its record only those of the tile: the same as the torch tiles."""
    given = inputs(torch.float64, length=7)
    ours, theirs = run(given, "triton", tile, record=True).steps, run(given, "tiled", tile, record=True).steps
    assert ours.keys() == theirs.keys()
    for name in ours:
        torch.testing.assert_close(ours[name], theirs[name], rtol=1e-13, atol=1e-13, equal_nan=True, msg=name)


@pytest.mark.parametrize("backend", ["tiled", "triton"])
def test_tiles_beyond_the_causal_edge_are_skipped(backend):
    q = random(1, 1, 6, 4)
    record = trace_attention(q, q, q, is_causal=True, backend=backend, tile=(2, 2))
    assert record["tile_kind"].values[0, 0].tolist() == [[1, 4, 4], [0, 1, 4], [0, 0, 1]]
    assert record["bytes_read"].values[0, 0, 0].tolist() == [(8 + 8 + 8) * 4, 0, 0]
    assert record["bytes_written"].values[0, 0].tolist() == [[32, 0, 0], [0, 32, 0], [0, 0, 32]]
    assert np.isnan(record["tile_scores"].values[0, 0, 0, 1:]).all()


@pytest.mark.parametrize("backend", ["tiled", "triton"])
def test_a_query_tile_that_sees_nothing_still_writes_its_zeros(backend):
    q, k = random(1, 1, 4, 4), random(1, 1, 2, 4, seed=1)
    record = trace_attention(q, k, k, is_causal=True, causal="bottom-right", backend=backend, tile=(2, 1))
    assert record["tile_kind"].values[0, 0].tolist() == [[4, 4], [0, 1]]
    assert record["bytes_written"].values[0, 0].tolist() == [[0, 32], [0, 32]]
    assert not record["output"].values[0, 0, :2].any()


@pytest.mark.parametrize("backend", ["reference", "tiled", "triton"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_as_accurate_as_flash_attention_asks(backend, dtype):
    """At most twice the error of a reference computed in the half type itself; ours rounds the output once."""
    q, k, v = (random(1, 1, 33, 32, seed=s, dtype=dtype) for s in range(3))
    exact = attention(q, k, v)[0]
    weights = torch.softmax((q * 32**-0.5) @ k.mT, -1)
    low = (weights @ v).double()
    output = scaled_dot_product_attention(q, k, v, backend=backend).double()
    assert (output - exact).abs().max() <= 2 * (low - exact).abs().max()
    rounded_once = (output == exact.to(dtype).double()).double().mean()
    assert rounded_once > 0.98


def test_small_float16_weights_keep_float32_accuracy():
    """Weights of exp(-7) in a second tile: float16 as it is has no 24 bits for numbers that small."""
    value = random(1, 1, 32, 8, dtype=torch.float16)
    value[:, :, :16] = 0
    bias = torch.cat([torch.zeros(16), torch.full((16,), -7.0)])
    zeros = torch.zeros_like(value)
    record = trace_attention(zeros, zeros, value, bias, backend="triton", tile=(32, 16))
    exact = (np.exp(-7.0) * value[0, 0].double().numpy()).sum(0)
    np.testing.assert_allclose(record["accumulator"].values[0, 0, 0, 1, 0], exact, rtol=1e-6)


def test_the_kernel_makes_no_nan_on_its_way():
    """Rows with no key, tiles with no key: the interpreter computes in numpy, which raises at -inf minus -inf."""
    q, k, v = (random(1, 1, 7, 4, seed=s) for s in range(3))
    mask = torch.ones(7, 7, dtype=torch.bool)
    mask[2], mask[4:, :4] = False, False
    with np.errstate(invalid="raise", divide="raise"):
        output = scaled_dot_product_attention(q, k, v, mask, True, backend="triton", tile=(4, 2))
    torch.testing.assert_close(output.double(), attention(q, k, v, mask, True)[0], rtol=2e-6, atol=2e-6)
