"""What attention means at its edges, the same for every implementation; a float64 loop over rows decides."""

import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention, trace_attention
from tests.oracle import attention

BACKENDS = ("reference", "tiled", "triton")
TILES = {"reference": None, "tiled": (3, 2), "triton": (16, 4)}
INF, NAN = torch.inf, torch.nan
# The interpreter and the oracle compute with numpy, which remarks on infinities.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")


@pytest.fixture(params=BACKENDS)
def sdpa(request):
    """One implementation, in small tiles."""

    def call(*args, **kwargs):
        return scaled_dot_product_attention(*args, backend=request.param, tile=TILES[request.param], **kwargs)

    return call


def random(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def qkv(query_count=4, key_count=4, dim=2, dtype=torch.float32):
    counts = (query_count, key_count, key_count)
    return [random(1, 1, count, dim, seed=s, dtype=dtype) for s, count in enumerate(counts)]


def close(output, expected, tolerance=2e-6):
    torch.testing.assert_close(output.double(), expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def test_boolean_row_with_no_key_is_zero(sdpa):
    q, k, v = qkv()
    mask = torch.ones(4, 4, dtype=torch.bool)
    mask[1] = False
    output = sdpa(q, k, v, mask)
    assert output[0, 0, 1].tolist() == [0, 0]
    close(output, attention(q, k, v, mask)[0])


def test_additive_row_with_no_key_is_zero(sdpa):
    q, k, v = qkv(5, 7)
    mask = torch.zeros(5, 7)
    mask[2] = -INF
    output = sdpa(q, k, v, mask)
    assert output[0, 0, 2].tolist() == [0, 0]
    close(output, attention(q, k, v, mask)[0])


ALIGNMENTS = (
    (2, 5, "top-left", ["10000", "11000"]),
    (2, 5, "bottom-right", ["11110", "11111"]),
    (5, 2, "top-left", ["10", "11", "11", "11", "11"]),
    (5, 2, "bottom-right", ["00", "00", "00", "10", "11"]),
    (1, 16, "top-left", ["1" + 15 * "0"]),
    (1, 16, "bottom-right", [16 * "1"]),
)


@pytest.mark.parametrize(("query_count", "key_count", "causal", "rows"), ALIGNMENTS)
def test_causal_alignment(sdpa, query_count, key_count, causal, rows):
    seen = torch.tensor([[pair == "1" for pair in row] for row in rows])
    q, k, _ = qkv(query_count, key_count)
    one_hot = torch.eye(key_count)[None, None]
    weights = sdpa(q, k, one_hot, is_causal=True, causal=causal)
    assert torch.equal(weights[0, 0] > 0, seen)
    close(weights, attention(q, k, one_hot, seen)[0])


def test_true_means_may_attend(sdpa):
    q, k, _ = qkv()
    future = torch.ones(4, 4).triu(1).bool()
    weights = sdpa(q, k, torch.eye(4)[None, None], future)
    assert torch.equal(weights[0, 0] > 0, future)


def test_large_scores_do_not_overflow(sdpa):
    k = torch.tensor([151.29, 150, 149])[None, None, :, None]
    weights = sdpa(torch.ones(1, 1, 1, 1), k, torch.eye(3)[None, None], scale=1.0)
    torch.testing.assert_close(weights.flatten(), torch.tensor([0.72646, 0.19997, 0.07357]), atol=5e-6, rtol=0)


def test_half_precision_of_300_is_finite(sdpa):
    q = torch.full((1, 1, 3, 64), 300, dtype=torch.float16)
    v = random(1, 1, 3, 64, dtype=torch.float16)
    output = sdpa(q, q, v)
    torch.testing.assert_close(output, v.float().mean(2, keepdim=True).half().expand_as(output))


def test_softmax_runs_along_keys(sdpa):
    scores = torch.tensor([[2.0, 1, 0], [0, 2, 1], [1, 0, 3]])[None, None]
    weights = sdpa(scores, torch.eye(3)[None, None], torch.eye(3)[None, None], scale=1.0)[0, 0]
    expected = torch.tensor([[0.6652, 0.2447, 0.0900], [0.0900, 0.6652, 0.2447], [0.1142, 0.0420, 0.8438]])
    torch.testing.assert_close(weights, expected, atol=5e-5, rtol=0)
    torch.testing.assert_close(weights.sum(0), torch.tensor([0.8695, 0.9519, 1.1786]), atol=1e-4, rtol=0)


def test_one_query_has_two_weights_that_sum_to_one(sdpa):
    weights = sdpa(random(1, 1, 1, 3), random(1, 1, 2, 3, seed=1), torch.eye(2)[None, None])
    assert weights.shape == (1, 1, 1, 2)
    assert weights.sum().item() == pytest.approx(1)
    assert 0 < weights[0, 0, 0, 0] < 1


def test_shared_heads_are_interleaved(sdpa):
    v = torch.arange(3.0).reshape(1, 3, 1, 1).expand(1, 3, 4, 1)
    output = sdpa(random(1, 6, 2, 3), random(1, 3, 4, 3), v, enable_gqa=True)
    assert [round(x, 5) for x in output[0, :, 0, 0].tolist()] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_smallest_number_is_an_ordinary_one(sdpa, dtype):
    q, k, v = qkv(dtype=dtype)
    output = sdpa(q, k, v, torch.full((4, 4), torch.finfo(dtype).min, dtype=dtype))
    mean = v.double().mean(2, keepdim=True).expand(1, 1, 4, 2)
    close(output, mean, tolerance=8e-3 if dtype == torch.bfloat16 else 2e-6)


def test_smallest_float16_leaves_the_softmax_as_it_is(sdpa):
    q, k, v = qkv(dtype=torch.float16)
    bias = torch.full((4, 4), torch.finfo(torch.float16).min, dtype=torch.float16)
    close(sdpa(q, k, v, bias), attention(q, k, v)[0], tolerance=5e-3)


def test_nan_in_an_attended_value_makes_its_row_nan(sdpa):
    q, k, v = qkv(5, 7)
    v[0, 0, 3, 0] = NAN
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[:3, 3] = False
    output = sdpa(q, k, v, mask)
    assert output[0, 0, :, 0].isnan().tolist() == [False, False, False, True, True]
    assert not output[..., 1].isnan().any()
    close(output, attention(q, k, v, mask)[0])


def test_nan_in_a_query_makes_its_row_nan(sdpa):
    q, k, v = qkv(5, 7)
    q[0, 0, 2, 1] = NAN
    output = sdpa(q, k, v, is_causal=True)
    assert output.isnan().all(-1).flatten().tolist() == [False, False, True, False, False]
    close(output, attention(q, k, v, is_causal=True)[0])


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("is_causal", [False, True])
def test_what_is_not_finite_in_a_masked_key_or_value_never_enters(sdpa, bad, is_causal):
    q, k, v = qkv(5, 7)
    clean = attention(q, k, v, torch.arange(7) != 4, is_causal)[0]
    k[0, 0, 4], v[0, 0, 4] = bad, bad
    close(sdpa(q, k, v, torch.arange(7) != 4, is_causal), clean)


def test_a_future_nan_stays_in_the_future(sdpa):
    q, k, v = qkv(5, 5)
    v[0, 0, 3] = NAN
    output = sdpa(q, k, v, is_causal=True)
    assert output.isnan().any(-1).flatten().tolist() == [False, False, False, True, True]


@pytest.mark.parametrize("odd", [(INF, INF), (-INF, -INF), (INF, -INF)])
def test_infinities_in_attended_values_add_up_as_numbers_do(sdpa, odd):
    q, k, v = qkv(5, 7)
    v[0, 0, 1, 0], v[0, 0, 5, 0] = odd
    mask = torch.ones(5, 7, dtype=torch.bool)
    mask[0, 1] = mask[1, 5] = mask[2, 1] = mask[2, 5] = False
    close(sdpa(q, k, v, mask), attention(q, k, v, mask)[0])


MASKS = ((4, 5), (1, 5), (4, 1), (2, 1, 4, 5), (2, 1, 1, 5), (1, 1, 1, 1), (5,), (3, 1, 5))


@pytest.mark.parametrize("shape", MASKS)
@pytest.mark.parametrize("boolean", [True, False])
def test_masks_broadcast(sdpa, shape, boolean):
    q, k, v = random(2, 3, 4, 3), random(2, 3, 5, 3, seed=1), random(2, 3, 5, 3, seed=2)
    mask = random(*shape, seed=3) > -0.5 if boolean else random(*shape, seed=3)
    close(sdpa(q, k, v, mask), attention(q, k, v, mask)[0])


def test_mask_and_causal_both_hold(sdpa):
    q, k, v = qkv(5, 5)
    mask = random(5, 5, seed=3) > 0
    close(sdpa(q, k, v, mask, True), attention(q, k, v, mask & torch.ones(5, 5).tril().bool())[0])


def test_left_padding_under_causal(sdpa):
    q, k, v = (random(2, 1, 6, 3, seed=s) for s in range(3))
    there = torch.ones(2, 1, 1, 6, dtype=torch.bool)
    there[0, ..., :3] = False
    output = sdpa(q, k, v, there, True)
    assert not output[0, 0, :3].any()
    close(output, attention(q, k, v, there, True)[0])


EMPTY = (((2, 3, 4, 2), 0), ((0, 3, 4, 2), 5), ((2, 0, 4, 2), 5), ((2, 3, 0, 2), 5))


@pytest.mark.parametrize(("shape", "key_count"), EMPTY)
def test_empty_sizes(sdpa, shape, key_count):
    kv = torch.randn(*shape[:2], key_count, shape[3])
    output = sdpa(torch.randn(shape), kv, kv, is_causal=True)
    assert output.shape == shape
    assert not output.any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_lse_of_a_row_with_no_key_is_minus_infinity(backend):
    q, k, v = qkv(3, 5)
    mask = torch.tensor([[True] * 5, [False] * 5, [True, False, True, True, True]])
    record = trace_attention(q, k, v, mask, backend=backend, tile=TILES[backend])
    lse = torch.from_numpy(record["lse"].values.copy())
    assert lse[0, 0, 1] == -INF
    close(lse, attention(q, k, v, mask)[2])
