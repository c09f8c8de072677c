"""A scene drawn by this project's renderer: the one place that says how. Switch renderers here, and only here."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import manim

from attnviz.render.boxes import Box
from attnviz.render.canvas import difference
from attnviz.render.config import configured
from attnviz.render.encode import Coding
from attnviz.render.encode import stream as h264_stream
from attnviz.render.hints import tell_changed
from attnviz.render.job import RenderOptions
from attnviz.render.renderer import QuickRenderer
from attnviz.render.yuv import Pixels
from benchmarks.render.plain import EXACT


def ours(scene: type[manim.Scene], quality: str, target: Path, *, exact: bool = False) -> float:
    """Render `scene` into `target`; returns the scene's own clock at the end, in seconds.

    With `exact` every pixel is kept as it was drawn: what a film is compared with.
    """
    options, kept = RenderOptions(quality=quality), EXACT if exact else {}
    with tempfile.TemporaryDirectory() as media, configured(options, Path(media)), manim.tempconfig(kept):
        film = scene(renderer=QuickRenderer())
        film.render()
        shutil.move(film.renderer.file_writer.movie_file_path, target)
    return float(film.time)


def stream(container: Any, width: int, height: int, fps: int, *, hints: bool) -> Any:
    """A stream that encodes as `ours` does, for encoding frames that are there already; `hints`: told what changed."""
    return h264_stream(container, Coding(width, height, fps), hints)


def changed(before: Pixels, after: Pixels) -> list[Box]:
    """Where two RGBA frames differ, as `ours` tells its encoder on machines where that can be done."""
    return difference(before, after)


def tell(frame: Any, boxes: Sequence[Box]) -> None:
    """Tell the encoder what changed in `frame` since the one before."""
    tell_changed(frame, boxes)
