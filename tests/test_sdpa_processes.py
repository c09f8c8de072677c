"""Where the kernel runs, each in a process of its own, because Triton decides when it is first imported."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention

ROOT = Path(__file__).parent.parent
NO_TRITON = pytest.mark.skipif(find_spec("triton") is None, reason="there is no Triton for this system")
TRACE = """
import json, torch
torch.manual_seed(0)
q = torch.randn(1, 1, 5, 4)
import sys
from attnviz.sdpa import trace_attention
early = sys.modules.get("triton") is not None
record = trace_attention(q, q, q, is_causal=True, backend="triton", tile=(2, 2))
same = trace_attention(q, q, q, is_causal=True, backend="tiled", tile=(2, 2))
close = bool(abs(record["output"].values - same["output"].values).max() < 1e-6)
print(json.dumps(dict(record.provenance) | {"close": close, "kind": record.kind.name, "early": early}, default=dict))
"""


def child(program, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, env=kept | environment, capture_output=True, text=True, check=False)


def provenance(program):
    done = child(program)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_without_triton_the_tiled_path_stands_in_and_says_so():
    made = provenance("import sys; sys.modules['triton'] = None\n" + TRACE)
    assert (made["stand_in"], made["interpreted"], made["backend"]) == (True, False, "triton")
    assert made["kind"] == "tiled"
    assert made["close"]
    assert "triton" not in made


@NO_TRITON
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_the_kernel_is_interpreted_and_says_so():
    made = provenance(TRACE)
    assert (made["stand_in"], made["interpreted"], made["ran_on"]) == (False, True, "cpu")
    assert made["close"]
    assert made["triton"]
    assert not made["early"], "importing attnviz.sdpa imports triton"


@NO_TRITON
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_triton_imported_too_early_is_one_clear_line():
    program = """
import triton, torch
from attnviz.errors import EnvironmentFault
from attnviz.sdpa import scaled_dot_product_attention
q = torch.ones(1, 1, 2, 2)
try:
    scaled_dot_product_attention(q, q, q, backend="triton")
except EnvironmentFault as fault:
    print(fault)
"""
    done = child(program)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("\n") == 1
    assert "TRITON_INTERPRET=1" in done.stdout


def test_threads_take_turns():
    q = torch.randn(1, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    expected, found, failed = scaled_dot_product_attention(q, q, q), [], []

    def launch():
        try:
            found.extend(scaled_dot_product_attention(q, q, q, backend="triton", tile=(16, 16)) for _ in range(3))
        except Exception as error:
            failed.append(error)

    threads = [Thread(target=launch) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(found) == 9
    for output in found:
        torch.testing.assert_close(output, expected)
