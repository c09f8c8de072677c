"""A scene drawn by Manim as it comes: its own renderer, its own encoder's defaults. Nothing of attnviz here."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import manim

from benchmarks.render import QUALITIES

EXACT = {"video_codec": "libx264rgb", "pixel_format": "rgb24",
         "video_encoder_options": {"qp": "0", "preset": "ultrafast"}}  # fmt: skip


def settings(quality: str, media: Path, *, caching: bool = False, exact: bool = False) -> dict[str, Any]:
    """What Manim is told: size, rate, where its files go; `exact` keeps every pixel as drawn, for comparing."""
    width, height, fps = QUALITIES[quality]
    return {
        "media_dir": str(media),
        "pixel_width": width,
        "pixel_height": height,
        "frame_rate": fps,
        "disable_caching": not caching,
        "progress_bar": "none",
        "verbosity": "ERROR",
        "notify_outdated_version": False,
        **(EXACT if exact else {}),
    }


def plain(scene: type[manim.Scene], quality: str, target: Path, **chosen: bool) -> float:
    """Render `scene` into `target`; returns the scene's own clock at the end, in seconds."""
    with tempfile.TemporaryDirectory() as media, manim.tempconfig(settings(quality, Path(media), **chosen)):
        film = scene()
        film.render()
        shutil.move(film.renderer.file_writer.movie_file_path, target)
    return float(film.time)
