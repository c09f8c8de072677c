"""Any length, any head size, any strides: each implementation against the float64 loop."""

import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention as sdpa
from tests.oracle import attention

BACKENDS = ("reference", "tiled", "triton")


def close(output, expected, tolerance=3e-6):
    torch.testing.assert_close(output.double(), expected, rtol=tolerance, atol=tolerance)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


LENGTHS = ((7, 2), (1, 16), (2, 16), (17, 16), (31, 16), (33, 32), (38, 32), (39, 32), (70, 64))
HEAD_SIZES = ((1, 1), (3, 5), (5, 3), (15, 17), (17, 15), (80, 96), (128, 8), (8, 128))


@pytest.mark.parametrize(("length", "tile"), LENGTHS)
@pytest.mark.parametrize("backend", ["tiled", "triton"])
def test_ragged_lengths_are_never_dropped(backend, length, tile):
    q, k, v = (random(1, 1, length, 4, seed=s) for s in range(3))
    output = sdpa(q, k, v, is_causal=True, backend=backend, tile=(tile, tile))
    close(output, attention(q, k, v, is_causal=True)[0])


@pytest.mark.parametrize("backend", ["tiled", "triton"])
def test_192_in_tiles_of_128(backend):
    q, k, v = (random(1, 1, 192, 4, seed=s) for s in range(3))
    close(sdpa(q, k, v, backend=backend, tile=(128, 128)), attention(q, k, v)[0])


@pytest.mark.parametrize(("dim", "value_dim"), HEAD_SIZES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_head_sizes(backend, dim, value_dim):
    q, k, v = random(1, 2, 5, dim), random(1, 2, 7, dim, seed=1), random(1, 2, 7, value_dim, seed=2)
    close(sdpa(q, k, v, backend=backend), attention(q, k, v)[0], tolerance=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_permuted_strides(backend):
    q, k, v = (random(2, 5, 3, 4, seed=s).permute(0, 2, 1, 3) for s in range(3))
    close(sdpa(q, k, v, backend=backend), attention(q, k, v)[0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_slices_of_one_packed_tensor(backend):
    packed = random(2, 5, 3, 3, 4)
    q, k, v = (packed[:, :, i].transpose(1, 2) for i in range(3))
    close(sdpa(q, k, v, backend=backend), attention(q, k, v)[0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_lies_between_the_numbers_is_never_read(backend):
    """Storage full of NaN around every number: a load outside its mask would show."""
    q, k, v = random(1, 2, 5, 3), random(1, 2, 7, 3, seed=1), random(1, 2, 7, 3, seed=2)
    mask = random(1, 1, 5, 7, seed=3)

    def hidden(tensor):
        wide = torch.full([2 * size + 3 for size in tensor.shape], torch.nan)
        inside = wide[tuple(slice(1, 1 + 2 * size, 2) for size in tensor.shape)]
        inside.copy_(tensor)
        return inside

    output = sdpa(*map(hidden, (q, k, v)), hidden(mask), True, backend=backend)
    close(output, attention(q, k, v, mask, True)[0])


def test_offsets_beyond_32_bits():
    """Rows 2**30 numbers apart: their offset inside one tile passes 2**31. The memory is never touched."""
    try:
        space = torch.empty(2**31 + 2**30, dtype=torch.float16)
    except RuntimeError:
        pytest.skip("this machine does not lend 6 GiB of untouched memory")
    far = space.as_strided((1, 1, 3, 2), (1, 1, 2**30, 1))
    far.copy_(random(1, 1, 3, 2))
    near = far.clone()
    assert torch.equal(sdpa(far, far, far, backend="triton"), sdpa(near, near, near, backend="triton"))
