"""How long each implementation takes beside torch's own, after checking that it is right.

    python -m benchmarks.sdpa [--quick]

On a GPU: the Triton kernel beside torch's SDPA, in one run, medians of the same inputs, and their ratio. Without
one it says so, and compares the implementations in plain torch. Nothing here is a claim: it prints what it saw.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # Triton up to 3.9 fuses by itself, 3.10 will not: say which

import torch
from torch import Tensor

from attnviz.sdpa import scaled_dot_product_attention

HALF = torch.float16
GPU_CASES = (  # dtype, batch, heads, length, head_dim, is_causal
    (HALF, 4, 16, 1024, 64, False),
    (HALF, 4, 16, 1024, 64, True),
    (HALF, 4, 16, 4096, 64, True),
    (HALF, 4, 16, 4096, 128, True),
    (torch.bfloat16, 4, 16, 4096, 64, True),
    (torch.bfloat16, 4, 16, 4096, 128, True),
    (torch.float32, 2, 8, 1024, 64, True),
    (torch.float64, 1, 4, 512, 64, True),
)
CPU_CASES = (
    (torch.float32, 1, 4, 128, 64, False),
    (torch.float32, 1, 4, 512, 64, True),
    (torch.float64, 1, 4, 512, 64, True),
)
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5, HALF: 4e-3, torch.bfloat16: 3e-2}
Call = Callable[[], Tensor]


def main() -> None:
    """Print one line a case."""
    parser = argparse.ArgumentParser(description="time the implementations of attention side by side")
    parser.add_argument("--quick", action="store_true", help="few repetitions, the smallest case of each dtype only")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    cases = GPU_CASES if device == "cuda" else CPU_CASES
    backends = ("triton",) if device == "cuda" else ("reference", "tiled")
    if device == "cpu":
        print("no GPU was found: the Triton kernel is not timed, plain torch is")
        torch.set_num_threads(1)
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name() if device == 'cuda' else 'one CPU thread'}")
    for case in smallest(cases) if options.quick else cases:
        print(line(case, device, backends, repetitions=5 if options.quick else 30), flush=True)


def smallest(cases):
    """Return the first case of each dtype."""
    return list({case[0]: case for case in reversed(cases)}.values())


def line(case, device: str, backends: tuple[str, ...], repetitions: int) -> str:
    """Check and time one case; returns what is printed of it. Raises AssertionError when a result is wrong."""
    dtype, *shape, length, dim, is_causal = case
    query, key, value = inputs(dtype, (*shape, length, dim), device)

    def theirs() -> Tensor:
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=is_causal)

    calls: dict[str, Call] = {"torch": theirs}
    for backend in backends:
        calls[backend] = lambda name=backend: scaled_dot_product_attention(
            query, key, value, is_causal=is_causal, backend=name
        )
    errors = [check(call(), (query, key, value), is_causal) for call in calls.values()]
    medians = side_by_side(list(calls.values()), device, repetitions)
    parts = [
        f"{name} {median * 1e3:9.3f} ms (x{median / medians[0]:6.2f}, error {error:.1e})"
        for name, median, error in zip(calls, medians, errors, strict=True)
    ]
    name = str(dtype).removeprefix("torch.")
    return f"{name:8} {tuple(shape)} x {length:5} x {dim:3} {'causal' if is_causal else 'full  '}: " + ", ".join(parts)


def inputs(dtype: torch.dtype, shape: tuple[int, ...], device: str) -> list[Tensor]:
    """Return query, key and value of one shape, the same in every run."""
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator).to(device, dtype) for _ in range(3)]


def check(output: Tensor, tensors: tuple[Tensor, ...], is_causal: bool) -> float:
    """Return the largest error against torch's SDPA in float64, on the first batch; AssertionError if too large."""
    exact = torch.nn.functional.scaled_dot_product_attention(*(t[:1].double() for t in tensors), is_causal=is_causal)
    error = float((output[:1].double() - exact).abs().max())
    assert error <= TOLERANCE[output.dtype], f"off by {error} in {output.dtype}"
    return error


def side_by_side(calls: list[Call], device: str, repetitions: int) -> list[float]:
    """Return the median seconds of each call, taking turns, so that a slow moment meets all of them."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(repetitions):
        for call, seconds in zip(calls, times, strict=True):
            seconds.append(timed(call, device))
    return [statistics.median(seconds) for seconds in times]


def timed(call: Call, device: str) -> float:
    """Return the seconds of one call, until its result is there."""
    start = time.perf_counter()
    call()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
