"""The implementations in plain torch can be differentiated, at the edges too."""

import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention


@pytest.mark.parametrize(("backend", "tile"), [("reference", None), ("tiled", (2, 2))])
def test_gradients_are_right_with_masks_and_rows_without_keys(backend, tile):
    generator = torch.Generator().manual_seed(0)
    tensors = [torch.randn(1, 2, n, 3, generator=generator, dtype=torch.float64) for n in (3, 4, 4)]
    q, k, v = (tensor.requires_grad_() for tensor in tensors)
    mask = torch.tensor([[True, True, False, True], [False] * 4, [True, False, True, True]])

    def attend(*tensors):
        return scaled_dot_product_attention(*tensors, mask, True, backend=backend, tile=tile)

    assert torch.autograd.gradcheck(attend, (q, k, v))
