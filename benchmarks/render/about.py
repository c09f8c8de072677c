"""What was measured on: the machine, the versions, and how busy it is."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.render.run import run

PACKAGES = ("manim", "numpy", "av", "pycairo", "pillow", "typst", "attnviz")
FFMPEG = "import av, json; print(json.dumps({'ffmpeg': getattr(av, 'ffmpeg_version_info', 'unknown')}))"


def about() -> dict[str, Any]:
    """System, processor, cores, versions and load, as plain JSON values."""
    return {
        "system": platform.platform(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        **run(["-c", FFMPEG]).answer,
        "load": load(),
    }


def load() -> list[float]:
    """Processes that wanted to run, in the last 1, 5 and 15 minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def processor() -> str:
    """The processor's name, where the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def told(facts: dict[str, Any]) -> str:
    """The same in three lines."""
    versions = ", ".join(f"{name} {facts[name]}" for name in ("python", *PACKAGES, "ffmpeg"))
    return (
        f"measured on {facts['processor']}, {facts['cores']} cores, {facts['system']}\n"
        f"{versions}\n"
        f"load before: {facts['load']} (other work on the machine slows all of it: trust ratios, not seconds)"
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
