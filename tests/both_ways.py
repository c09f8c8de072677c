"""Plays a scene with Manim's own renderer and with ours, and keeps every frame of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import manim
import numpy as np
from manim.scene.scene_file_writer import SceneFileWriter

from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.render.renderer import QuickRenderer
from attnviz.render.writer import SegmentWriter

SMALL = {"pixel_width": 480, "pixel_height": 270, "frame_rate": 10}


class StockCatch(SceneFileWriter):
    """Keeps frames in place of encoding them."""

    def __init__(self, settings: Any) -> None:
        self.frames: list[np.ndarray] = []
        super().__init__(settings)

    def begin_animation(self, *args: Any, **kwargs: Any) -> None: ...
    def end_animation(self, *args: Any, **kwargs: Any) -> None: ...
    def finish(self) -> None: ...

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        self.frames += [pixels] * repeat


class QuickCatch(SegmentWriter):
    """Keeps frames, put together from the boxes that are said to have changed: what is not told is not seen."""

    def __init__(self, settings: Any) -> None:
        super().__init__(settings, combine=False)
        self.frames: list[np.ndarray] = []
        self.boxes: list[list[Any]] = []

    def begin_animation(self, *args: Any, **kwargs: Any) -> None: ...
    def end_animation(self, *args: Any, **kwargs: Any) -> None: ...

    def write_changes(self, frame: np.ndarray, boxes: Any, repeat: int) -> None:
        told = self.frames[-1].copy() if self.frames else np.zeros_like(frame)
        for box in boxes:
            told[box.rows, box.columns] = frame[box.rows, box.columns]
        self.frames += [told] * repeat
        self.boxes += [list(boxes), *[[]] * (repeat - 1)]


def stock(scene: type[manim.Scene], media: Path, **options: Any) -> list[np.ndarray]:
    """The frames that Manim's own renderer makes of a scene."""
    with configured(RenderOptions(), media), manim.tempconfig(SMALL):
        camera = {"camera_class": options["camera"]} if "camera" in options else {}
        played = scene(renderer=manim.CairoRenderer(file_writer_class=StockCatch, **camera))
        played.render()
        return list(played.renderer.file_writer.frames)


def quick(scene: type[manim.Scene], media: Path, **options: Any) -> QuickCatch:
    """What our renderer hands on of the same scene."""
    with configured(RenderOptions(), media), manim.tempconfig(SMALL):
        camera = {"camera_class": options["camera"]} if "camera" in options else {}
        played = scene(renderer=QuickRenderer(QuickCatch, **camera))
        played.render()
        catch: QuickCatch = played.renderer.file_writer
        return catch


def largest_gap(ours: list[np.ndarray], theirs: list[np.ndarray]) -> int:
    """The largest difference of any channel of any pixel of any frame; there must be as many frames."""
    assert len(ours) == len(theirs)
    return max(int(np.abs(a.astype(np.int16) - b).max()) for a, b in zip(ours, theirs, strict=True))
