"""The kernel compiled for a Hopper GPU, on any Linux machine: what it uses, and what it must not."""

import json
import os
import re
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="there is no Triton for this system")
ROOT = Path(__file__).parent.parent


TOGETHER = {
    "float16": {"dtype": "float16"},
    "float32": {"dtype": "float32"},
    "with places": {"dtype": "float16", "places": True},
    "recording": {"dtype": "float16", "record": True},
}


def compiled(*variants):
    """Compile variants in a child process, where Triton is not interpreted."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["TRITON_DEFAULT_FP_FUSION"] = "1"  # what Triton up to 3.9 does by itself; 3.10 will not
    command = [sys.executable, "-m", "tests.sdpa_aot", *map(json.dumps, variants)]
    child = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr[-2000:]
    return [json.loads(line) for line in child.stdout.splitlines()]


@pytest.fixture(scope="module")
def together():
    """The variants of the quick tests, from one process."""
    return dict(zip(TOGETHER, compiled(*TOGETHER.values()), strict=True))


def check(kernel, dtype):
    assert kernel["STACK"] <= (32 if dtype == "float64" else 0), "registers spill"
    assert kernel["shared"] < 227 * 1024
    assert "tf32" not in kernel["ptx"]
    assert ("wgmma.mma_async" in kernel["ptx"]) == (dtype in ("float16", "bfloat16"))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_compiles_without_spilling(together, dtype):
    check(together[dtype], dtype)


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["none", "boolean", "additive"])
@pytest.mark.parametrize("dim", [16, 64, 80, 128, 256])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_every_tile_of_the_table_compiles_without_spilling(dtype, dim, mask):
    check(compiled({"dtype": dtype, "dim": dim, "mask": mask})[0], dtype)


@pytest.mark.slow
@pytest.mark.parametrize("mask", ["none", "boolean", "additive"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_compiles_without_spilling_where_every_key_is_seen(dtype, mask):
    check(compiled({"dtype": dtype, "dim": 128, "mask": mask, "is_causal": False})[0], dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_second_launch_compiles(dtype):
    kernel = compiled({"dtype": dtype, "mask": "boolean", "careful": True, "record": True})[0]
    assert kernel["shared"] < 227 * 1024
    assert "tf32" not in kernel["ptx"]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_compiles_for_any_strides(dtype):
    assert compiled({"dtype": dtype, "mask": "additive", "contiguous": False})[0]["shared"] < 227 * 1024


def body(ptx):
    """The code without its list of parameters, of which the record's pointers are the last, and debug lines."""
    code = ptx[ptx.index("{", ptx.index(".entry")) : ptx.index("// -- End function")]
    return re.sub(r"\.loc.*|//.*", "", code)


def record_pointers_read(ptx):
    """How many of the record's four pointers the code ever reads; two pointers of Triton's own come after them."""
    last = max(int(number) for number in re.findall(r"attention_forward_param_(\d+)", ptx))
    read = {int(number) for number in re.findall(r"ld\.param\S+\s+\S+ \[attention_forward_param_(\d+)", ptx)}
    return len(read & set(range(last - 5, last - 1)))


def test_a_kernel_that_keeps_no_record_carries_nothing_of_it(together):
    without, ignored, recording = (together[name] for name in ("float16", "with places", "recording"))
    assert body(without["ptx"]) == body(ignored["ptx"])
    assert record_pointers_read(ignored["ptx"]) == 0
    assert record_pointers_read(recording["ptx"]) == 4
    assert body(without["ptx"]).count("st.global") < body(recording["ptx"]).count("st.global")


@pytest.mark.slow
def test_scale_keeps_its_64_bits():
    exact = struct.pack(">d", 0.1).hex().upper()
    assert f"0d{exact}" in compiled({"dtype": "float64", "scale": 0.1})[0]["ptx"]
