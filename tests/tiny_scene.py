"""A scene of two beats and under two seconds, for tests of rendering. It keeps LessonScene's contract without its cost.

The case chooses what happens in it: `plain`, `noise` (hard to compress), `hostile` (words that try to break out),
`stray` (a frame outside of the beats), `large` (a score over the limit), and `boom`, `kill`, `pause`, `quit`, `talk` in
the second beat.
"""

import logging
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import manim
import numpy as np

from attnviz.errors import InputError
from attnviz.scene import Beat, SceneOptions

HOSTILE = 'a --> b\n\n<script>alert("x")</script> &amp; \0 {{#import "x"}} </script>\u2028<|endoftext|>'
CASES = ("plain", "noise", "hostile", "stray", "large", "boom", "kill", "pause", "quit", "talk")


class TinyBundle(dict[str, Any]):
    """Stands in for a trace.Bundle: one record of unchecked numbers, saved as the same bytes each time."""

    def __init__(self, seed: int) -> None:
        super().__init__(numbers=SimpleNamespace(described=lambda: {"seed": seed}))
        self.seed = seed

    def save(self, path: Path) -> None:
        with path.open("wb") as file:
            np.savez(file, numbers=np.random.default_rng(self.seed).random(8))


class TinyScene(manim.Scene):
    """A square comes, and turns green."""

    poster_beat = "comes"

    def __init__(self, options: SceneOptions | None = None, **manim_options: Any) -> None:
        self.options = options or SceneOptions()
        self.case = self.options.case or "plain"
        if self.case not in CASES:
            raise InputError(f'no case is called "{self.case}"')
        self.words = SimpleNamespace(title="A square" if self.case != "hostile" else HOSTILE)
        self.bundle = TinyBundle(self.options.seed)
        self.beats: list[Beat] = []
        super().__init__(**manim_options)

    def construct(self) -> None:
        self.square = manim.Square(1.0, color=manim.BLUE, fill_opacity=1.0)
        self._beat(0, "comes", lambda: self.play(manim.FadeIn(self.square), run_time=0.4))
        self._beat(1, "turns", self._turn)
        if self.case == "stray":
            self.wait(0.2)

    def score(self) -> dict[str, Any]:
        text = "x" * (500_000 if self.case == "large" else 3)
        return {"beats": [{"id": beat.id, "start": beat.start} for beat in self.beats], "text": text}

    def _turn(self) -> None:
        if self.case == "boom":
            raise ZeroDivisionError("the square\nfell over")
        if self.case == "quit":
            raise SystemExit(0)
        if self.case == "talk":
            manim.logger.error("heard from the logger")
            manim.console.print("heard from the console")
            logging.getLogger("another package").info("heard from a stranger")
        if self.case == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.case == "pause":
            print("pausing", flush=True)
            time.sleep(60)
        self.square.set_color(manim.GREEN)
        if self.case == "noise":
            pixels = np.random.default_rng(self.options.seed).integers(0, 255, (480, 854, 3), dtype=np.uint8)
            self.add(manim.ImageMobject(pixels).stretch_to_fit_width(14.2).stretch_to_fit_height(8.0))
        self.wait(0.4)

    def _beat(self, index: int, name: str, action: Any) -> None:
        if self.options.on_beat:
            self.options.on_beat(index, 2, name)
        self.next_section(name)
        start = self.time
        action()
        last_change = self.time
        self.wait(0.2)
        words = HOSTILE if self.case == "hostile" else f"The square {name}."
        beat = Beat(name, words, words, "", "show", start, last_change, self.time, visible=[])
        self.beats.append(beat)
