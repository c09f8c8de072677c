"""One heat map in plain Manim, all its colours changing in every frame: a square for each cell.

    python -m benchmarks.render.heat_plain SIZE FRAMES QUALITY

Prints JSON: seconds of wall and processors from the first frame to the finished film, and the number of frames. Making
the squares is not timed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import manim
import numpy as np

from benchmarks.render import QUALITIES
from benchmarks.render.clock import now, since
from benchmarks.render.plain import plain

SIDE = 5.6  # units: how wide the map is on screen
PANEL, YELLOW = manim.ManimColor("#1e2534"), manim.ManimColor("#f5e050")


class HeatMap(manim.Scene):
    """Squares whose colours go from one matrix of weights to another."""

    size, seconds, started = 8, 1.0, (0.0, 0.0)

    def construct(self) -> None:
        """Play one animation that colours every square anew in each frame."""
        start, end = np.random.default_rng(0).random((2, self.size**2))
        squares = manim.VGroup(*(manim.Square(SIDE / self.size, stroke_width=0, fill_opacity=1) for _ in start))
        squares.arrange_in_grid(self.size, self.size, buff=0)

        def colour(group: manim.Mobject, alpha: float) -> None:
            for square, weight in zip(group, start + (end - start) * alpha, strict=True):
                square.set_fill(manim.interpolate_color(PANEL, YELLOW, weight))

        change = manim.UpdateFromAlphaFunc(squares, colour, run_time=self.seconds, rate_func=manim.linear)
        type(self).started = now()
        self.play(change)


def main() -> None:
    """Render the map that the command line asks for."""
    size, frames, quality = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    HeatMap.size, HeatMap.seconds = size, frames / QUALITIES[quality][2]
    with tempfile.TemporaryDirectory() as place:
        plain(HeatMap, quality, Path(place) / "map.mp4")
        print(json.dumps({**since(HeatMap.started), "frames": frames}))


if __name__ == "__main__":
    main()
