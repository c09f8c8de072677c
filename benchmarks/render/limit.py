"""The whole render beside what its encoding alone takes: nothing that is drawn can be written faster."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.render.film import FRAMES, OURS, command, drawn
from benchmarks.render.report import GOAL, LIMIT, Bar, Section
from benchmarks.render.run import Usage, middle, ratio, run, say, taking_turns

HEAD = ("", "wall s", "CPU s", "packets", "MB", "whole / it, wall", "CPU")
UNTOLD = "encoding alone, x264 not told what changed"


def limit(quality: str, runs: int, place: Path) -> Section:
    """Render our film and encode its frames from memory, `runs` times in turns."""
    target = place / f"ours-{quality}.mp4"
    exact = drawn(OURS, quality, place)
    taken: dict[str, list[Usage]] = {"the whole render": [], "encoding alone": [], UNTOLD: []}
    for turn in range(runs):
        taken["the whole render"] += taking_turns({"ours": command(OURS, quality, target)}, 1)["ours"]
        say(f"  encoding alone, {turn + 1} of {runs}")
        answer = run(["-m", "benchmarks.render.encode", str(target), str(exact)]).answer
        for name, way in (("encoding alone", "told"), (UNTOLD, "plain")):
            taken[name].append(Usage(answer[way]["wall"], answer[way]["cpu"], 0, json.dumps(answer[way])))
    section = Section(f"The limit, {FRAMES[quality]} frames at quality {quality}, {runs} runs (medians)", HEAD)
    for name, usages in taken.items():
        usage, said = middle(usages), usages[-1].answer
        times = [ratio(taken["the whole render"], usages, what) for what in ("wall", "cpu")]
        size = said.get("bytes", target.stat().st_size) / 1e6
        section.rows.append((name, usage.wall, usage.cpu, said.get("packets"), size, *times))
    section.notes = ["Frames in memory as yuv420p; the film's own x264 settings, packets and key frames."]
    times = section.rows[1][-2:]
    section.bars = [
        Bar(f"the whole render at {quality}, times encoding alone", times[0], LIMIT, most=True),
        Bar(f"the same, the goal at {quality}", times[0], GOAL, most=True),
    ]
    return section
