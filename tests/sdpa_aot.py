"""Compiles the kernel for a Hopper GPU on a machine that may have none, and prints what came out.

Run as a child process, because Triton must be imported without its interpreter: one JSON object of `compiled`'s
arguments on the command line per variant, one JSON object a line out.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from attnviz.sdpa import triton_launch
from attnviz.sdpa.checks import check_inputs
from attnviz.sdpa.triton_kernel import attention_forward
from attnviz.sdpa.triton_plan import Record, Sizes, View

POINTERS = {torch.float64: "*fp64", torch.float32: "*fp32", torch.float16: "*fp16", torch.bfloat16: "*bf16"}
POINTERS[torch.bool] = "*i1"
TENSORS = ("q", "k", "v", "mask", "out")


def compiled(dtype, dim=64, mask="none", is_causal=True, record=False, careful=False, places=False, contiguous=True,
             scale=None):  # fmt: skip
    """Compile one variant as a launch would. `places`: the record's pointers are there, recorded or not.

    `careful`: the second launch. `contiguous`: vectors lie in memory as usual, which a launch knows from the
    stride 1; else no stride is known.
    """
    dtype = getattr(torch, dtype)
    query = torch.empty(1, 1, 1024, dim, dtype=dtype)
    masks = {"none": None, "boolean": torch.empty(1, 1024, dtype=torch.bool), "additive": query[0, 0, :, 0]}
    inputs = check_inputs(query, query, query, masks[mask], is_causal, scale, False, "top-left")
    inputs = triton_launch.without_booleans(inputs)
    tile = triton_launch.default_tile(inputs)
    plan = triton_launch.plan(inputs, tile, query.element_size(), record=record)._replace(careful=careful)
    pointer, sums = POINTERS[dtype], "*fp64" if dtype == torch.float64 else "*fp32"
    pointers = dict.fromkeys(TENSORS, pointer) | {"mask": None}
    if inputs.mask is not None:
        pointers["mask"] = POINTERS[inputs.mask.dtype]
    strides = ("i32", "i32", "i32", 1 if contiguous else "i32")
    arguments = {name: View(pointers[name], strides) for name in TENSORS}
    arguments |= {"lse_ptr": sums, "sizes": Sizes(*("i32",) * 5), "plan": plan}
    arguments["record"] = Record(sums, sums, sums, "*i64") if places or record else Record(*(None,) * 4)
    options = {"num_warps": triton_launch.WARPS[dtype], "num_stages": triton_launch.STAGES}
    return triton.compile(source(arguments, contiguous), target=GPUTarget("cuda", 90, 32), options=options)


def source(arguments, contiguous):
    """What Triton compiles: a type for each argument, or the value of a constant; some strides are multiples of 16."""
    constants, hints = {}, {}

    def described(path, value):
        if isinstance(value, str):
            if contiguous and (path[0] < len(TENSORS)):
                hints[path] = [["tt.divisibility", 16]]
            return value
        if isinstance(value, View | Sizes | Record):
            return type(value)(*(described((*path, i), part) for i, part in enumerate(value)))
        if type(value) is tuple:
            return tuple(described((*path, i), part) for i, part in enumerate(value))
        constants[path] = value
        return "constexpr"

    signature = {name: described((i,), arguments[name]) for i, name in enumerate(attention_forward.arg_names)}
    return ASTSource(fn=attention_forward, signature=signature, constexprs=constants, attrs=hints)


def resources(kernel):
    """Registers and the bytes of stack that spilled ones take, as NVIDIA's own tool reads them from the binary."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(kernel.asm["cubin"])
        tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
        command = [tool, "--dump-resource-usage", path]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: int(re.search(rf"{name}:(\d+)", text)[1]) for name in ("REG", "STACK")}


def main():
    for argument in sys.argv[1:]:
        kernel = compiled(**json.loads(argument))
        print(json.dumps({"ptx": kernel.asm["ptx"], "shared": kernel.metadata.shared, **resources(kernel)}), flush=True)


if __name__ == "__main__":
    main()
