"""Seconds of wall and of processors, with all threads and all ended child processes of this one."""

from __future__ import annotations

import os
import time


def now() -> tuple[float, float]:
    """The clocks now: wall and processors."""
    return time.perf_counter(), sum(os.times()[:4])


def since(start: tuple[float, float]) -> dict[str, float]:
    """Return `wall` and `cpu` seconds since `start`."""
    wall, cpu = now()
    return {"wall": wall - start[0], "cpu": cpu - start[1]}
