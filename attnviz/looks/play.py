"""A scene played without a film: shown at the end of each beat, in the midst of its plays, or frame by frame.

Here Manim is run. What is seen is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from attnviz.looks.contrast import light
from attnviz.looks.flashes import FlashMeter
from attnviz.looks.view import LINES, Array
from attnviz.registry import SceneEntry
from attnviz.render.boxes import Box
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.render.part import scene_class
from attnviz.render.renderer import QuickRenderer
from attnviz.render.writer import SegmentWriter
from attnviz.scene import Beat, SceneOptions

SHARES = (0.25, 0.5, 0.75)  # of a play, at which it is looked into
SMALL, SLOW = 90, 15  # lines, and frames a second, that flashes are looked for in


@dataclass(frozen=True)
class Sighting(RenderOptions):
    """What is played: `lines` are those of the shorter side, `rate` frames a second."""

    kind: str = "png"
    cache: bool = False
    lines: int = LINES
    rate: int = 30

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height."""
        long = round(self.lines * 16 / 9)
        return {"16:9": (long, self.lines), "9:16": (self.lines, long), "1:1": (self.lines, self.lines)}[self.frame]

    @property
    def fps(self) -> int:
        """Frames a second."""
        return self.rate


def visit(
    entry: SceneEntry,
    options: Sighting,
    rest: Callable[[Any, Array], None],
    midway: Callable[[Any, str, float], None],
) -> None:
    """Play a scene without drawing its plays. `rest` is called at the end of each beat, with the painted frame, and
    `midway` on the way of each play, with the beat's id and the share of the play that has passed.
    """
    beats: list[str] = []

    def begin(index: int, total: int, beat: str) -> None:
        if beats:
            rest(scene, painted(scene))
        beats.append(beat)

    with TemporaryDirectory() as folder, configured(options, Path(folder)):
        renderer = QuickRenderer(partial(SegmentWriter, combine=False), skip_animations=True)
        scene = _made(entry, options, renderer, begin)
        look_into(scene, lambda share: midway(scene, beats[-1] if beats else "", share))
        scene.render()
        rest(scene, painted(scene))


def painted(scene: Any) -> Array:
    """What a scene shows now, as RGB bytes."""
    scene.renderer.update_frame(scene)
    frame: Array = scene.renderer.camera.pixel_array
    return frame[..., :3].copy()


def look_into(scene: Any, look: Callable[[float], None]) -> None:
    """Have `look` called at a quarter, a half and three quarters of each play, with the scene as it is then."""
    plain = scene.update_to_time

    def update_to_time(t: float) -> None:
        duration = float(scene.duration or 0.0)
        for share in SHARES:
            if scene.last_t < share * duration < t:
                plain(share * duration)
                look(share)
        plain(t)

    scene.update_to_time = update_to_time


class Taker(SegmentWriter):
    """Encodes nothing: it shows every frame to a meter of flashes, and keeps the one at which most were counted."""

    def __init__(self, settings: Any, meter: FlashMeter) -> None:
        self.meter, self.worst = meter, np.zeros((1, 1, 3), np.uint8)
        super().__init__(settings, combine=False)
        self._encoder = None

    def begin_animation(self, allow_write: bool = False, *, animation_index: int, file_path: Any = None) -> None:
        """Nothing is opened."""

    def end_animation(self, allow_write: bool = False) -> None:
        """Nothing is closed."""

    def write_changes(self, frame: Array, boxes: Sequence[Box], repeat: int) -> None:
        """Show a frame to the meter."""
        before = self.meter.most
        self.meter.take(light(frame[..., :3]), repeat)
        if self.meter.most > before:
            self.worst = frame[..., :3].copy()

    def finish(self) -> None:
        """Nothing is joined."""


def flashes_of(entry: SceneEntry, options: Sighting) -> tuple[FlashMeter, str, Array]:
    """Play a scene frame by frame, and count its flashes: the meter, the beat with most of them, and a frame of it."""
    meter = FlashMeter(options.rate)
    with TemporaryDirectory() as folder, configured(options, Path(folder)):
        renderer = QuickRenderer(partial(Taker, meter=meter))
        scene = _made(entry, options, renderer, lambda index, total, beat: None)
        scene.render()
    return meter, _beat_at(scene.beats, meter.at), renderer.file_writer.worst


def _beat_at(beats: Sequence[Beat], second: float) -> str:
    return next((beat.id for beat in beats if beat.start <= second <= beat.end), beats[-1].id if beats else "")


def _made(entry: SceneEntry, options: Sighting, renderer: QuickRenderer, on_beat: Callable[..., None]) -> Any:
    chosen = SceneOptions(case=options.case, seed=options.seed, tokens=options.tokens, theme=options.theme,
                          frame=options.frame, burn_captions=options.burn_captions, audit=False, on_beat=on_beat)
    return scene_class(entry)(chosen, renderer=renderer)
