"""What the door refuses: one line that names the tensor and both sizes."""

import pytest
import torch

from attnviz.errors import InputError
from attnviz.sdpa import scaled_dot_product_attention as sdpa

F = torch.float32


def zeros(*shape, dtype=F):
    return torch.zeros(shape, dtype=dtype)


Q, K = zeros(1, 2, 4, 3), zeros(1, 2, 5, 3)
REFUSED = {
    "key of 5, value of 6": ((Q, K, zeros(1, 2, 6, 3)), {}, "key has position size 5 and value has 6"),
    "3 heads on 2": ((zeros(1, 3, 4, 3), K, K), {"enable_gqa": True}, "query has 3 heads and key has 2"),
    "2 heads on 1 unasked": ((Q, K[:, :1], K[:, :1]), {}, "query has 2 heads and key has 1.*enable_gqa"),
    "head counts of key and value": ((Q, K, K[:, :1]), {}, "key has head size 2 and value has 1"),
    "batches": ((Q, zeros(2, 2, 5, 3), zeros(2, 2, 5, 3)), {}, "key has batch size 2 and query has 1"),
    "head_dim": ((Q, zeros(1, 2, 5, 4), K), {}, "key has dim size 4 and query has 3"),
    "no dim": ((zeros(1, 2, 4, 0), zeros(1, 2, 5, 0), K), {}, "query has dim 0"),
    "wide mask": ((Q, K, K, zeros(4, 6)), {}, "attn_mask has key_pos size 6 and the scores have 5"),
    "high mask": ((Q, K, K, zeros(3, 5)), {}, "attn_mask has query_pos size 3 and the scores have 4"),
    "integer mask": ((Q, K, K, zeros(4, 5, dtype=torch.int64)), {}, "attn_mask is int64 and query is float32"),
    "wider mask dtype": ((Q, K, K, zeros(4, 5, dtype=torch.float64)), {}, "attn_mask is float64"),
    "scalar mask": ((Q, K, K, zeros()), {}, "attn_mask has 0 axes"),
    "5-D mask": ((Q, K, K, zeros(1, 1, 1, 4, 5)), {}, "attn_mask has 5 axes"),
    "list as mask": ((Q, K, K, [[True]]), {}, "attn_mask is a list"),
    "mixed dtypes": ((Q, K.half(), K), {}, "key is float16 and query is float32"),
    "mixed devices": ((Q, K.to("meta"), K), {}, "key is on meta and query is on cpu"),
    "3-D": ((Q[0], K, K), {}, "query has 3 axes"),
    "complex": ((Q.cfloat(), K, K), {}, "query is complex64"),
    "integers": ((Q, K.long(), K), {}, "key is int64"),
    "numpy": ((Q.numpy(), K, K), {}, "query is a ndarray"),
    "sparse": ((Q.to_sparse(), K, K), {}, "query has the layout"),
    "backend": ((Q, K, K), {"backend": "cuda"}, "backend is 'cuda'"),
    "alignment": ((Q, K, K), {"causal": "upper"}, "causal is 'upper'"),
    "tile 0": ((Q, K, K), {"tile": (0, 2), "backend": "tiled"}, r"tile is \(0, 2\)"),
    "one tile size": ((Q, K, K), {"tile": 4, "backend": "tiled"}, "tile is 4"),
    "tile of the reference": ((Q, K, K), {"tile": (2, 2)}, "has no tiles"),
    "huge tile": ((Q, K, K), {"tile": (256, 16), "backend": "triton"}, "takes sizes up to 128"),
    "wide vectors": ((zeros(1, 1, 2, 300),) * 3, {"backend": "triton"}, "query has dim size 300"),
    "scale": ((Q, K, K), {"scale": float("nan")}, "scale is nan"),
    "scale text": ((Q, K, K), {"scale": "1"}, "scale is '1'"),
    "is_causal": ((Q, K, K), {"is_causal": "yes"}, "is_causal is 'yes'"),
    "no gradient": ((Q.clone().requires_grad_(), K, K), {"backend": "triton"}, "has no gradient"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(name):
    arguments, options, message = REFUSED[name]
    with pytest.raises(InputError, match=message) as refusal:
        sdpa(*arguments, **options)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == 2
