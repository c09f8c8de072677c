"""Shapes, strides, masks and dtypes that nobody chose, against the float64 loop."""

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz.sdpa import scaled_dot_product_attention, trace_attention
from tests.oracle import attention

TOLERANCE = {torch.float64: 1e-12, torch.float32: 5e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


def strided(draw, shape, seed, dtype):
    """Numbers of this shape, with axes stored in another order and gaps between them."""
    generator = torch.Generator().manual_seed(seed)
    order = draw(st.permutations(range(4)))
    gaps = [draw(st.integers(1, 2)) for _ in range(4)]
    stored = torch.randn([shape[i] * gaps[i] for i in order], generator=generator, dtype=torch.float64).to(dtype)
    whole = stored.permute([order.index(i) for i in range(4)])
    return whole[tuple(slice(None, None, gap) for gap in gaps)]


@st.composite
def mask_for(draw, shape, seed, dtype):
    """No mask, a boolean or an additive one, of 1 to 4 axes, some of them broadcast."""
    kind = draw(st.sampled_from(["none", "boolean", "additive", "minus infinity"]))
    if kind == "none":
        return None
    sizes = [size if draw(st.booleans()) else 1 for size in shape][-draw(st.integers(1, 4)) :]
    numbers = torch.randn(sizes, generator=torch.Generator().manual_seed(seed))
    if kind == "boolean":
        return numbers > -0.3
    return (numbers if kind == "additive" else torch.where(numbers > -0.3, numbers, -torch.inf)).to(dtype)


@st.composite
def calls(draw, largest):
    dtype = draw(st.sampled_from(list(TOLERANCE)))
    kv_heads, group = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    batch = draw(st.integers(1, 2))
    query_count, key_count = draw(st.integers(1, largest)), draw(st.integers(0, largest))
    dim, value_dim, seed = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(st.integers(0, 999))
    shape = (batch, kv_heads * group, query_count, key_count)
    return {
        "query": strided(draw, (*shape[:3], dim), seed, dtype),
        "key": strided(draw, (batch, kv_heads, key_count, dim), seed + 1, dtype),
        "value": strided(draw, (batch, kv_heads, key_count, value_dim), seed + 2, dtype),
        "attn_mask": draw(mask_for(shape, seed + 3, dtype)),
        "is_causal": draw(st.booleans()),
        "scale": draw(st.sampled_from([None, 1.0, 0.1, -0.5, 0.0])),
        "causal": draw(st.sampled_from(["top-left", "bottom-right"])),
        "enable_gqa": True,
    }


def judge(call, **how):
    output = scaled_dot_product_attention(**call, **how)
    names = {"query", "key", "value", "is_causal", "scale", "causal"}
    expected = attention(mask=call["attn_mask"], **{name: call[name] for name in names})[0]
    tolerance = TOLERANCE[output.dtype]
    assert output.dtype == call["query"].dtype
    torch.testing.assert_close(output.double(), expected, rtol=tolerance, atol=tolerance)


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET, derandomize=True)
@given(calls(largest=12))
def test_reference(call):
    judge(call)


@settings(max_examples=60, deadline=None, suppress_health_check=QUIET, derandomize=True)
@given(calls(largest=12), st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_tiled(call, tile):
    judge(call, backend="tiled", tile=tile)


@settings(max_examples=12, deadline=None, suppress_health_check=QUIET, derandomize=True)
@given(calls(largest=9), st.tuples(st.integers(4, 20), st.integers(4, 20)))
def test_triton(call, tile):
    judge(call, backend="triton", tile=tile)


@settings(max_examples=15, deadline=None, suppress_health_check=QUIET, derandomize=True)
@given(calls(largest=7), st.tuples(st.integers(2, 5), st.integers(2, 5)))
def test_records_follow(call, tile):
    """A record refuses to exist when a stage does not follow: building one is the check."""
    assert trace_attention(**call).kind.name == "sdpa"
    assert trace_attention(**call, backend="tiled", tile=tile).kind.name == "tiled"


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(calls(largest=20), st.tuples(st.integers(4, 20), st.integers(4, 20)))
def test_triton_at_length(call, tile):
    judge(call, backend="triton", tile=tile)
    trace_attention(**call, backend="triton", tile=tile)
