"""One heat map as a grid of this project, all its colours changing in every frame.

    python -m benchmarks.render.heat_ours SIZE FRAMES QUALITY [--digits]

Prints JSON: seconds of wall and processors from the first frame to the finished film, and the number of frames. Binding
the numbers is not timed.
With --digits they are drawn where they fit; without, only colours are, as in `benchmarks.render.heat_plain`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import manim
import numpy as np

from attnviz.mobjects.animations import Swap
from attnviz.mobjects.grid import Grid
from attnviz.theme import DARK
from attnviz.trace import KINDS, NamedTensor
from benchmarks.render import QUALITIES
from benchmarks.render.clock import now, since
from benchmarks.render.ours import ours

SIDE = 5.6  # units: how wide the map is on screen


def weights(size: int) -> tuple[NamedTensor, NamedTensor]:
    """Two matrices of numbers between 0 and 1, drawn from a fixed seed, as attention weights."""
    stage = KINDS["sdpa"].stage("attn_weights")
    both = np.random.default_rng(0).random((2, size, size))
    one, other = (NamedTensor("heat", stage, ("query_pos", "key_pos"), values) for values in both)
    return one, other


class HeatMap(manim.Scene):
    """A grid whose numbers are swapped for others, slowly: every colour moves in every frame."""

    size, seconds, started, digits = 8, 1.0, (0.0, 0.0), False

    def construct(self) -> None:
        """Play one swap."""
        self.camera.background_color = manim.ManimColor(DARK.background)
        self.camera.init_background()
        start, end = weights(self.size)
        grid = Grid(start, fit=(SIDE, SIDE))
        if not self.digits:
            grid.cells = replace(grid.cells, digit_opacity=np.zeros_like(grid.cells.digit_opacity))
        swap = Swap(grid, end, run_time=self.seconds, rate_func=manim.linear)
        type(self).started = now()
        self.play(swap)


def main() -> None:
    """Render the map that the command line asks for."""
    size, frames, quality = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    HeatMap.size, HeatMap.seconds, HeatMap.digits = size, frames / QUALITIES[quality][2], "--digits" in sys.argv
    with tempfile.TemporaryDirectory() as place:
        ours(HeatMap, quality, Path(place) / "map.mp4")
        print(json.dumps({**since(HeatMap.started), "frames": frames}))


if __name__ == "__main__":
    main()
