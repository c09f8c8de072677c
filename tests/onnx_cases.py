"""ONNX's own node tests of Attention (and FlexAttention), turned into calls of plain SDPA.

Some are asked directly; others after splitting heads, joining past keys, padding a short mask, or turning a
cache or a window into a boolean mask. What plain SDPA cannot answer is left out: a softcap, a graph of scores.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
import onnx.backend.test.case.node as nodes
import onnx.backend.test.case.node.attention
import onnx.backend.test.case.node.flexattention
import torch

SLOTS = ("query", "key", "value", "mask", "past_key", "past_value", "nonpad")
TRACED = {0: "scores", 2: "masked_scores", 3: "attn_weights"}  # by qk_matmul_output_mode


@dataclass(frozen=True)
class Case:
    """Arguments of one call, what it must give, and the stage behind `qk_matmul_output` where there is one."""

    name: str
    arguments: dict
    expected: torch.Tensor
    stage: str | None
    expected_stage: torch.Tensor | None

    @property
    def rtol(self):
        """ONNX's runner allows 1e-3, and 2**-6 in bfloat16; float16 vectors were computed in float16: two units."""
        return {torch.bfloat16: 2**-6, torch.float16: 2**-9}.get(self.expected.dtype, 1e-3)


@cache
def cases():
    """Every test that plain SDPA answers."""
    found = [c for c in nodes._NodeTestCases if c.model.graph.node[0].op_type in ("Attention", "FlexAttention")]
    whole = [c for c in found if "_expanded" not in c.name]
    return [case for case in map(_case, whole) if case is not None]


def _case(test):
    node = test.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    causal_graph = test.name == "test_flexattention_causal_mask"
    if attributes.get("softcap") or (("score_mod" in attributes or "prob_mod" in attributes) and not causal_graph):
        return None
    arrays, outputs = test.data_sets[0]
    given = dict(zip([s for s, n in zip(SLOTS, node.input, strict=False) if n], map(_tensor, arrays), strict=True))
    made = dict(zip([name for name in node.output if name], map(_tensor, outputs), strict=True))
    expected = made.get("Y", next(iter(made.values())))
    if given["query"].dim() == 3:
        given, expected = _split(given, expected, attributes)
    arguments = _arguments(given, attributes, causal_graph)
    traced = made.get("qk_matmul_output")
    stage = TRACED[attributes.get("qk_matmul_output_mode", 0)] if traced is not None else None
    return Case(test.name.removeprefix("test_"), arguments, expected, stage, traced)


def _tensor(array):
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.astype(np.float32)).bfloat16()
    return torch.from_numpy(np.array(array))


def _split(given, expected, attributes):
    """(batch, position, head x dim) into (batch, head, position, dim)."""
    heads = {"query": attributes["q_num_heads"], "key": attributes["kv_num_heads"], "value": attributes["kv_num_heads"]}
    split = {name: given[name].unflatten(2, (count, -1)).transpose(1, 2) for name, count in heads.items()}
    return given | split, expected.unflatten(2, (heads["query"], -1)).transpose(1, 2)


def _arguments(given, attributes, causal_graph):
    query, key, value, mask = given["query"], given["key"], given["value"], given.get("mask")
    if "past_key" in given:
        key, value = torch.cat([given["past_key"], key], 2), torch.cat([given["past_value"], value], 2)
    is_causal = bool(attributes.get("is_causal")) or causal_graph
    limits = _limits(given, attributes, is_causal, query.shape[2], key.shape[2])
    if limits is not None:
        is_causal = False
    mask = _both(_padded(mask, key.shape[2]), limits)
    shared = query.shape[1] != key.shape[1]
    return {"query": query, "key": key, "value": value, "attn_mask": mask, "is_causal": is_causal,
            "scale": attributes.get("scale"), "enable_gqa": shared}  # fmt: skip


def _limits(given, attributes, is_causal, query_count, key_count):
    """A cache or a window as a boolean mask (batch or 1, 1, query_pos, key_pos); None where there is neither."""
    left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    nonpad = given.get("nonpad")
    if "past_key" not in given and nonpad is None and max(left, right) < 0:
        return None
    offset = torch.tensor([given["past_key"].shape[2] if "past_key" in given else 0])
    if nonpad is not None:
        offset = nonpad - query_count
    key_pos = torch.arange(key_count)
    ahead = key_pos - (torch.arange(query_count)[:, None] + offset[:, None, None, None])
    allowed = torch.ones_like(ahead, dtype=torch.bool)
    if nonpad is not None:
        allowed &= key_pos < nonpad[:, None, None, None]
    if is_causal:
        allowed &= ahead <= 0
    if left >= 0:
        allowed &= ahead >= -left
    if right >= 0:
        allowed &= ahead <= right
    return allowed


def _padded(mask, key_count):
    if mask is None or mask.shape[-1] in (1, key_count):
        return mask
    nothing = False if mask.dtype == torch.bool else -torch.inf
    return torch.nn.functional.pad(mask, (0, key_count - mask.shape[-1]), value=nothing)


def _both(mask, limits):
    if mask is None or limits is None:
        return mask if limits is None else limits
    if mask.dtype == torch.bool:
        return mask & limits
    return torch.where(limits, mask, -torch.inf)
