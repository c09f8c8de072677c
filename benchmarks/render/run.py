"""One process, measured from its start to its end: wall, processor time and memory of it and of all it started.

Standard library only, so that the coordinator takes no memory or time from what it measures. POSIX only (wait4).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAUSE, LOOK = 0.01, 0.2  # seconds between two looks whether it has ended, and at its memory
MIB = 2**20


class BenchmarkError(Exception):
    """A measured process did not do what it should; the message is one line."""


@dataclass(frozen=True)
class Usage:
    """What a process took: seconds of wall and of all processors, peak bytes of memory, what it printed last."""

    wall: float
    cpu: float
    memory: int
    said: str = ""

    @property
    def answer(self) -> dict[str, Any]:
        """The last line it printed, as JSON."""
        lines = self.said.strip().splitlines()
        return dict(json.loads(lines[-1])) if lines else {}


def run(arguments: Sequence[str], *, extra: Mapping[str, str] | None = None) -> Usage:
    """Run `python ARGUMENTS` in a fresh process; raise BenchmarkError with its last words where it fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(extra or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each run would compile anew what was edited lately
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        child = subprocess.Popen([sys.executable, *arguments], cwd=place, env=environment, stdout=out, stderr=err)
        cpu, peak = _watched(child)
        wall = time.perf_counter() - start
        said, complaint = (_read(file) for file in (out, err))
    if child.returncode:
        last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
        raise BenchmarkError(f"{' '.join(arguments)[:100]} ended with {child.returncode}: {last[:300]}")
    return Usage(wall, cpu, peak, said)


def _watched(child: subprocess.Popen[bytes]) -> tuple[float, int]:
    """Wait for the end; return the seconds of processor time and the peak bytes of the child and all below it."""
    peak, look = 0, time.monotonic()
    try:
        while not (ended := os.wait4(child.pid, os.WNOHANG))[0]:
            if time.monotonic() >= look:
                peak, look = max(peak, _memory(child.pid)), time.monotonic() + LOOK
            time.sleep(PAUSE)
    except BaseException:
        child.kill()
        raise
    _, status, usage = ended
    child.returncode = os.waitstatus_to_exitcode(status)
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return usage.ru_utime + usage.ru_stime, max(peak, largest)


def _memory(pid: int) -> int:
    """Return what a process and all below it hold, in bytes, shared pages counted once; 0 where there is no /proc."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parents.setdefault(int(path.read_text().rpartition(")")[2].split()[1]), []).append(int(path.parent.name))
    family = [pid]
    for member in family:  # grows while it is gone through
        family += parents.get(member, [])
    return sum(map(_share, family))


def _share(pid: int) -> int:
    with suppress(OSError):  # it ended just now
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return 0


def _read(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode("utf-8", "replace"))


def taking_turns(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, list[Usage]]:
    """Run all commands `runs` times, one after the other, the order turned around each time."""
    taken: dict[str, list[Usage]] = {name: [] for name in commands}
    for turn in range(runs):
        for name in list(commands)[:: -1 if turn % 2 else 1]:
            say(f"  {name}, {turn + 1} of {runs}")
            taken[name].append(run(commands[name]))
    return taken


def say(text: str) -> None:
    """Tell on stderr what goes on; stdout is for the report."""
    print(text, file=sys.stderr, flush=True)


def middle(usages: Sequence[Usage]) -> Usage:
    """The median of each quantity, and the largest memory."""
    wall, cpu = (statistics.median(getattr(usage, name) for usage in usages) for name in ("wall", "cpu"))
    return Usage(wall, cpu, max(usage.memory for usage in usages), usages[-1].said)


def ratio(slow: Sequence[Usage], fast: Sequence[Usage], what: str = "wall") -> float:
    """How many times as much the slow one takes: the median over runs taken side by side."""
    pairs = zip(slow, fast, strict=True)
    return statistics.median(getattr(one, what) / getattr(other, what) for one, other in pairs)
