"""How the time of a frame grows with the size of a heat map, and how much memory a film at 4K takes."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.render.film import OURS, command
from benchmarks.render.report import FLAT, HEAT, MEMORY, Bar, Section
from benchmarks.render.run import MIB, Usage, run, say

SIZES = (8, 16, 32, 64, 128, 256, 512)
FRAMES = 240  # of ours; plain Manim's are fewer where cells are many
PLAIN_CELLS, FEWEST = 8192, 12  # cells in all that plain Manim colours in a run, and frames at least
PLAIN, GRID = "benchmarks.render.heat_plain", "benchmarks.render.heat_ours"
LARGEST_DIGITS = 10  # cells along a side: into more no digits fit that could be read
COLUMNS = ((PLAIN, ""), (GRID, ""), (GRID, "--digits"))
HEAD = ("cells", "plain ms", "grid ms", "digits ms", "plain CPU ms", "grid CPU ms", "grid MiB", "x plain")


def growth(quality: str, runs: int, sizes: Sequence[int] = SIZES, plain_to: int = 64) -> Section:
    """Milliseconds a frame for maps of `sizes`, all in turns; plain Manim up to `plain_to` cells along a side."""
    wanted = [(module, size, extra) for size in sizes for module, extra in _variants(size, plain_to)]
    taken: dict[Any, list[Usage]] = {key: [] for key in wanted}
    for turn in range(runs):
        for key in wanted:
            say(f"  {key[0].rpartition('_')[2]} {key[1]}x{key[1]} {key[2]}, {turn + 1} of {runs}")
            taken[key].append(_one(*key, quality))
    section = Section(f"Growth: a heat map at quality {quality}, every colour new in every frame, {runs} runs", HEAD)
    for size in sizes:
        section.rows.append(_row(size, [taken.get((module, size, extra)) for module, extra in COLUMNS]))
    section.notes = ["Milliseconds a frame; making the map is left out. Digits are drawn only in the third column."]
    section.bars = _bars(section.rows)
    return section


def _variants(size: int, plain_to: int) -> list[tuple[str, str]]:
    most = {(PLAIN, ""): plain_to, (GRID, "--digits"): LARGEST_DIGITS}
    return [column for column in COLUMNS if size <= most.get(column, size)]


def _one(module: str, size: int, extra: str, quality: str) -> Usage:
    """Seconds a frame, of wall and of processors."""
    frames = FRAMES if module == GRID else max(FEWEST, min(FRAMES, PLAIN_CELLS // size**2))
    usage = run(["-m", module, str(size), str(frames), quality, *([extra] if extra else [])])
    return Usage(usage.answer["wall"] / frames, usage.answer["cpu"] / frames, usage.memory)


def _row(size: int, columns: Sequence[list[Usage] | None]) -> tuple[Any, ...]:
    def ms(usages: list[Usage] | None, what: str = "wall") -> float | None:
        return 1e3 * statistics.median(getattr(usage, what) for usage in usages) if usages else None

    plain, grid, digits = columns
    assert grid
    pairs = [one.wall / other.wall for one, other in zip(plain or [], grid, strict=False)]
    memory = max(usage.memory for usage in grid) / MIB
    return (f"{size}x{size}", ms(plain), ms(grid), ms(digits), ms(plain, "cpu"), ms(grid, "cpu"), memory,
            statistics.median(pairs) if pairs else None)  # fmt: skip


def _bars(rows: Sequence[tuple[Any, ...]]) -> list[Bar]:
    """Flatness to 64 and to 256, and the distance to plain Manim at 64: as far as those sizes were measured."""
    grid, faster = ({row[0]: row[column] for row in rows} for column in (2, 7))
    flat = [Bar(f"{large}x{large}, times a map of 8x8", grid[f"{large}x{large}"] / grid["8x8"], FLAT, most=True)
            for large in (64, 256) if f"{large}x{large}" in grid and "8x8" in grid]  # fmt: skip
    beside = faster.get("64x64")
    return [*flat, *([Bar("64x64, times as fast as plain Manim", beside, HEAT)] if beside else [])]


def memory(place: Path) -> Section:
    """Render our film once at 3840x2160 and 60 frames a second, for its peak memory."""
    say("  the film at 4K")
    usage = run(command(OURS, "k", place / "ours-k.mp4"))
    title = "Memory: our film at 3840x2160 and 60 frames a second, one run"
    section = Section(title, ("", "wall s", "CPU s", "peak MiB"))
    section.rows = [("ours", usage.wall, usage.cpu, usage.memory / MIB)]
    section.bars = [Bar("peak memory at 4K", usage.memory / MIB, MEMORY, " MiB", most=True)]
    return section
