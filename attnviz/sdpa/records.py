"""Producers of records of attention itself: `sdpa`, `tiled` and `difference`.

Every record says how it was made. Nothing is computed here but a subtraction: see `front` for what runs.
"""

import importlib.metadata
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

import attnviz
from attnviz.errors import InputError
from attnviz.sdpa.checks import Alignment, Inputs, Tile, check_inputs
from attnviz.sdpa.front import Backend, Run, run
from attnviz.sdpa.masks import additive_mask
from attnviz.trace import Record


def trace_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False, *, backend: Backend = "reference",
    causal: Alignment = "top-left", tile: Tile | None = None, notes: Mapping[str, object] | None = None,
) -> Record:  # fmt: skip
    """Run `scaled_dot_product_attention` with every step kept: kind `sdpa` for "reference", else `tiled`.

    Arguments as there; `notes` (case, seed, ...) join the provenance. Raises InputError, EnvironmentFault,
    RecordError.
    """
    with torch.no_grad():
        inputs = check_inputs(query, key, value, attn_mask, is_causal, scale, enable_gqa, causal)
        ran = run(inputs, backend, tile, record=True)
        arrays = _given(inputs) | {name: to_array(step) for name, step in ran.steps.items()}
    arrays |= {"output": to_array(ran.output), "lse": to_array(ran.lse)}
    params: dict[str, Any] = {"scale": inputs.scale, "is_causal": is_causal, "causal": causal}
    params["enable_gqa"] = enable_gqa
    if ran.tile is not None:
        params |= dict(zip(("query_tile_size", "key_tile_size"), ran.tile, strict=True))
        params["element_size"] = query.element_size()
    kind = "sdpa" if backend == "reference" else "tiled"
    made = provenance(backend, query, **_manner(ran), **(notes or {}))
    return Record.build(kind, arrays, dtype=dtype_name(query), params=params, provenance=made)


def trace_difference(
    ours: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False, *,
    causal: Alignment = "top-left", notes: Mapping[str, object] | None = None,
) -> Record:  # fmt: skip
    """Compare `ours`, an output for these arguments, with torch's own SDPA (its MATH backend): kind `difference`."""
    with torch.no_grad():
        inputs = check_inputs(query, key, value, attn_mask, is_causal, scale, enable_gqa, causal)
        theirs = torch_output(inputs)
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            found = f"{dtype_name(ours)} {tuple(ours.shape)}"
            wanted = f"{dtype_name(theirs)} {tuple(theirs.shape)}"
            raise InputError(f"ours is {found} and torch's is {wanted}: give both alike")
        gap = (ours.to(inputs.compute_dtype) - theirs.to(inputs.compute_dtype)).abs()
    largest = gap.max() if gap.numel() else gap.new_zeros(())
    named = {"ours": ours, "theirs": theirs, "abs_difference": gap, "max_abs_difference": largest}
    arrays = {name: to_array(tensor) for name, tensor in named.items()}
    params = {"scale": inputs.scale, "is_causal": is_causal, "causal": causal, "enable_gqa": enable_gqa}
    made = provenance("torch MATH", query, **(notes or {}))
    return Record.build("difference", arrays, dtype=dtype_name(query), params=params, provenance=made)


def torch_output(inputs: Inputs) -> Tensor:
    """Return what torch's own SDPA gives; its MATH backend takes no mask beside is_causal, so it gets one mask."""
    mask = additive_mask(inputs).to(inputs.query.dtype)
    with sdpa_kernel(SDPBackend.MATH):
        return torch.nn.functional.scaled_dot_product_attention(
            inputs.query, inputs.key, inputs.value, mask, scale=inputs.scale, enable_gqa=inputs.enable_gqa
        )


def provenance(backend: str, tensor: Tensor, **more: object) -> dict[str, object]:
    """Return how numbers came about: backend, dtype, device, versions, and whatever else is known."""
    versions = {"attnviz": attnviz.__version__, "torch": torch.__version__, "numpy": np.__version__}
    made = {"backend": backend, "dtype": dtype_name(tensor), "device": str(tensor.device), "versions": versions}
    return made | more


def dtype_name(tensor: Tensor) -> str:
    """Return "float32" and the like."""
    return str(tensor.dtype).removeprefix("torch.")


def to_array(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor's numbers for a record; numpy has no bfloat16, and float32 holds it exactly."""
    tensor = tensor.detach().cpu()
    return np.asarray((tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy())


def _given(inputs: Inputs) -> dict[str, NDArray[Any]]:
    given = {"query": inputs.query, "key": inputs.key, "value": inputs.value, "mask": additive_mask(inputs)}
    return {name: to_array(tensor) for name, tensor in given.items()}


def _manner(ran: Run) -> dict[str, object]:
    """How a fused backend ran: in the interpreter or on what device, by Triton or by its stand-in."""
    if ran.tile is None:
        return {}
    manner: dict[str, object] = {"interpreted": ran.interpreted, "stand_in": ran.stand_in}
    if ran.by_triton:
        manner |= {"triton": importlib.metadata.version("triton"), "ran_on": str(ran.inputs.query.device)}
    return manner
