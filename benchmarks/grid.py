"""How long a grid takes to paint, alone: no film, no camera, no encoder.

    python -m benchmarks.grid [--rounds N] [--sizes 8,64]

A grid of about 600 x 600 pixels at 1080 lines, from 8 x 8 cells with digits to 512 x 512. Milliseconds of this thread's
processor time, medians; all cases take turns, so that a slow moment meets them all. What a column says:

    play     one step of `Swap`: what the animation itself takes
    all      every cell painted, as in each frame of a `Swap`; with the surface that is laid onto the frame
    dimmed   the same, all rows but one being faint and that one framed
    row      one row changes its look
    cell     one cell changes its look
    layout   the first picture of an equal grid of other numbers, whose digits are known; once for each play
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Iterator

import manim
import numpy as np

from attnviz.mobjects.animations import Swap
from attnviz.mobjects.grid import Grid
from attnviz.trace import KINDS, NamedTensor

SIZES = (8, 16, 32, 64, 128, 256, 512)
SIDE, LINES = 600 * 8 / 1080, 1080 / 8  # the grid's side in Manim's units; pixels for a unit
MOST, GROWTH = 0.8, {64: 1.5}  # the bars: milliseconds for 8 x 8, and how many times as long a larger grid may take
COLUMNS = ("play", "all", "dimmed", "row", "cell", "layout")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="time the painting of grids, small and large")
    parser.add_argument("--rounds", type=int, default=41, help="how often each case is timed (default 41)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="rows and columns, such as 8,64")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    found = measured(sizes, options.rounds)
    print(f"milliseconds of processor time, medians of {options.rounds}; numpy {np.__version__}")
    print(f"{'cells':>11} {'digits':>6} " + " ".join(f"{name:>8}" for name in COLUMNS))
    for size in sizes:
        digits = "yes" if grid(size).digit_size else "no"
        print(f"{size:>5} x {size:<3} {digits:>6} " + " ".join(f"{found[size, name]:8.3f}" for name in COLUMNS))
    print("\n".join(verdicts({size: found[size, "all"] for size in sizes})))


def verdicts(times: dict[int, float]) -> Iterator[str]:
    """Whether the bars are met, as lines."""
    if 8 in times:
        yield f"8 x 8, bar {MOST} ms: {times[8]:.2f} ms, {'met' if times[8] <= MOST else 'not met'}"
    for size, most in GROWTH.items():
        if {8, size} <= set(times):
            ratio = times[size] / times[8]
            yield f"{size} x {size}, bar {most} times 8 x 8: {ratio:.2f} times, {'met' if ratio <= most else 'not met'}"


def measured(sizes: list[int], rounds: int) -> dict[tuple[int, str], float]:
    """Median milliseconds by size and column."""
    runs = {(size, name): run for size in sizes for name, run in cases(size, rounds).items()}
    times: dict[tuple[int, str], list[float]] = {key: [] for key in runs}
    gc.collect()
    for number in range(rounds):
        for key, run in runs.items():
            times[key].append(run(number))
    return {key: statistics.median(found) for key, found in times.items()}


def cases(size: int, rounds: int) -> dict[str, Callable[[int], float]]:
    """For each column what takes the milliseconds of one round."""
    bright, faint, still = grid(size), grid(size).focus(rows=[1]).highlight(rows=[1]), grid(size)
    other = grid(size, seed=1)
    steps = {name: swap(shown, rounds) for name, shown in (("play", grid(size)), ("all", bright), ("dimmed", faint))}

    def changed(number: int, columns: list[int] | None) -> float:
        still.dim_cells(rows=[2], columns=columns, to=0.3 + number / rounds / 2)
        return timed(lambda: still.painted(LINES).surface)

    def swapped(name: str, shown: Grid, number: int) -> float:
        steps[name](number)
        return timed(lambda: shown.painted(LINES).surface)

    def first(number: int) -> float:
        fresh = (other, still)[number % 2].copy()
        fresh._painted = None
        return timed(lambda: fresh.painted(LINES).surface)

    return {
        "play": lambda number: timed(lambda: steps["play"](number)),
        "all": lambda number: swapped("all", bright, number),
        "dimmed": lambda number: swapped("dimmed", faint, number),
        "row": lambda number: changed(number, None),
        "cell": lambda number: changed(number, [3]),
        "layout": first,
    }


def swap(shown: Grid, rounds: int) -> Callable[[int], None]:
    """One step of a swap of its numbers for others, for the number of a round."""
    animation = Swap(shown, grid(len(shown.cells.positions[0]), seed=1).cells.tensor, rate_func=manim.linear)
    animation.begin()
    return lambda number: animation.interpolate_mobject((number + 0.5) / rounds)


def grid(size: int, seed: int = 0) -> Grid:
    """A grid of numbers between 0 and 1 from a fixed seed, as attention weights."""
    values = np.random.default_rng(seed).random((size, size))
    stage = KINDS["sdpa"].stage("attn_weights")
    return Grid(NamedTensor("benchmark", stage, ("query_pos", "key_pos"), values), fit=(SIDE, SIDE))


def timed(call: Callable[[], object]) -> float:
    """The milliseconds of this thread's processor time that a call takes."""
    start = time.thread_time()
    call()
    return (time.thread_time() - start) * 1e3


if __name__ == "__main__":
    main()
