"""The first film as a user renders it, by the command line: cold, again, after an edit of one line, and all scenes.

Works on a copy of the scenes' folder and with a beat cache of its own: nothing of the checkout is written.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.render.report import PLAYS, Bar, Section
from benchmarks.render.run import MIB, ROOT, BenchmarkError, Usage, middle, run, say

CACHE = "ATTNVIZ_CACHE"  # the environment variable that names the folder of the beat cache


@dataclass(frozen=True)
class Line:
    """One row: a command line, whether it starts with an empty cache, whether the scene was edited before it."""

    name: str
    arguments: str
    cold: bool = False
    edited: bool = False


LINES = (
    Line("pipeline, cold", "render pipeline -q {quality}", cold=True),
    Line("pipeline, again", "render pipeline -q {quality}"),
    Line("pipeline, one line edited", "render pipeline -q {quality}", edited=True),
    Line("pipeline, two jobs, cold", "render pipeline -q {quality} --jobs 2", cold=True),
    Line("all, one job, cold", "render all -q {quality} --jobs 1", cold=True),
    Line("all, two jobs, cold", "render all -q {quality} --jobs 2", cold=True),
)
EDIT = ("pipeline.py", "self.show(self.formula, still=self.theme.step)",
        "self.show(self.formula, still=self.theme.slow)")  # fmt: skip
HEAD = ("", "wall s", "CPU s", "peak MiB", "film s", "x as it plays", "x cold")


def pipeline(quality: str, runs: int, place: Path, lines: Sequence[Line] = LINES) -> Section:
    """Run all lines in order, `runs` times; a line that the command line does not know yet gets a note."""
    section = Section(f"The pipeline film by the command line at quality {quality}, {runs} runs (medians)", HEAD)
    taken: dict[Line, list[Usage]] = {line: [] for line in lines}
    missing: dict[Line, str] = {}
    seconds: dict[Line, float] = {}
    for turn in range(runs):
        workshop = Workshop(place / f"pipeline-{quality}-{turn}")
        for line in (line for line in lines if line not in missing):
            say(f"  {line.name}, {turn + 1} of {runs}")
            try:
                taken[line].append(workshop.run(line, quality))
                seconds[line] = workshop.seconds()
            except BenchmarkError as fault:
                missing[line] = str(fault)
        shutil.rmtree(workshop.place)
    first = {line.cold: taken[line] for line in reversed(lines)}.get(True) or []
    section.rows = [_row(line, usages, seconds[line], first) for line, usages in taken.items() if usages]
    section.notes = [f"{line.name}: not measured: {fault}" for line, fault in missing.items()]
    cold = {line.name for line in lines if line.cold}
    bars = ((row[0], row[HEAD.index("x as it plays")]) for row in section.rows if row[0] in cold)
    section.bars = [Bar(f"{name}, at {quality}, times as fast as it plays", value, PLAYS) for name, value in bars]
    return section


class Workshop:
    """A copy of the scenes, an empty cache and a place for renders, all below one new folder."""

    def __init__(self, place: Path) -> None:
        self.place, self.scenes, self.renders, self.caches = place, place / "scenes", place / "renders", 0
        shutil.copytree(ROOT / "scenes", self.scenes, ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, line: Line, quality: str) -> Usage:
        """Run a command line in a fresh process."""
        if line.cold:
            self.caches += 1
        if line.edited:
            edit(self.scenes)
        if self.renders.exists():
            shutil.rmtree(self.renders)
        words = line.arguments.format(quality=quality).split()
        folders = [str(self.scenes), str(self.renders)]
        cache = str(self.place / f"cache-{self.caches}")
        return run(["-m", "benchmarks.render.drive", *folders, *words], extra={CACHE: cache})

    def seconds(self) -> float:
        """How long the films play that lie there now."""
        manifests = [json.loads(path.read_text(encoding="utf-8")) for path in self.renders.rglob("manifest.json")]
        return sum(manifest["film"]["duration"] for manifest in manifests)


def edit(scenes: Path) -> None:
    """Change one line of one beat of a scene's copy; BenchmarkError where the line is no longer there."""
    name, old, new = EDIT
    path = scenes / name
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise BenchmarkError(f"{name} has not exactly one line with {old}: choose another EDIT in {__name__}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def _row(line: Line, usages: Sequence[Usage], seconds: float, cold: Sequence[Usage]) -> tuple[Any, ...]:
    usage = middle(usages)
    share = usage.wall / middle(cold).wall if cold and line.name.startswith("pipeline") else None
    return (line.name, usage.wall, usage.cpu, usage.memory / MIB, seconds, seconds / usage.wall, share)
