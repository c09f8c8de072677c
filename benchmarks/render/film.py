"""The film twice, side by side: in plain Manim, and with this project's mobjects and renderer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.render.report import FILM, LUMA, PLAYS, Bar, Section
from benchmarks.render.run import MIB, Usage, middle, ratio, run, say, taking_turns

PLAIN, OURS = "benchmarks.film_plain", "benchmarks.film_ours"
FRAMES = {"m": 600, "h": 1200}
SECONDS = 20
HEAD = ("", "wall s", "CPU s", "peak MiB", "frames/s", "MB", "PSNR dB", "worst dB", "x wall", "x CPU")


def film(quality: str, runs: int, place: Path, *, caching: bool, psnr: bool) -> Section:
    """Render both `runs` times in turns; `caching` adds plain Manim with its cache on, in a first render."""
    commands = {"plain Manim": command(PLAIN, quality, place / f"plain-{quality}.mp4")}
    if caching:
        commands["plain Manim, its cache on"] = [*command(PLAIN, quality, place / f"cached-{quality}.mp4"), "--caching"]
    commands["ours"] = command(OURS, quality, place / f"ours-{quality}.mp4")
    taken = taking_turns(commands, runs)
    section = Section(f"The film, {FRAMES[quality]} frames at quality {quality}, {runs} runs (medians)", HEAD)
    for name, usages in taken.items():
        exact = psnr and name != "plain Manim, its cache on"
        quality_of = compared(commands[name], place) if exact else {}
        section.rows.append(_row(name, taken["plain Manim"], usages, Path(commands[name][5]), quality, quality_of))
        if name == "ours" and quality_of:
            section.bars.append(Bar(f"luma of our film, {quality}", quality_of["luma"], LUMA, " dB"))
    faster = ratio(taken["plain Manim"], taken["ours"])
    plays = SECONDS / middle(taken["ours"]).wall
    section.bars[:0] = [
        Bar(f"the film at {quality}, times as fast as plain Manim", faster, FILM),
        Bar(f"the same, times as fast as it plays, {quality}", plays, PLAYS),
    ]
    return section


def command(module: str, quality: str, target: Path) -> list[str]:
    """The arguments of Python that render a film into `target`."""
    return ["-m", module, "-q", quality, "-o", str(target)]


def drawn(module: str, quality: str, place: Path) -> Path:
    """The frames of a film as they were drawn, without loss, in one file; made once for each film and quality."""
    target = place / f"drawn-{module.rpartition('_')[2]}-{quality}.mp4"
    if not target.exists():
        say(f"  drawing {target.stem} without loss, to compare with")
        run([*command(module, quality, target), "--exact"])
    return target


def compared(rendered: Sequence[str], place: Path) -> dict[str, Any]:
    """PSNR and number of frames of a film that this command rendered."""
    _, module, _, quality, _, target = rendered
    return run(["-m", "benchmarks.render.compare", target, str(drawn(module, quality, place))]).answer


def _row(name: str, plain: Sequence[Usage], usages: Sequence[Usage], target: Path, quality: str,
         psnr: dict[str, Any]) -> tuple[Any, ...]:
    usage, frames = middle(usages), FRAMES[quality]
    if psnr and psnr["frames"] != frames:
        name = f"{name} ({psnr['frames']} frames!)"
    times = [ratio(plain, usages, what) for what in ("wall", "cpu")]
    size = target.stat().st_size / 1e6
    return (name, usage.wall, usage.cpu, usage.memory / MIB, frames / usage.wall, size,
            psnr.get("luma"), psnr.get("worst"), *times)  # fmt: skip
