"""A bare scene to put things into, seen as the check of layouts sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import manim

from attnviz.looks.finding import Measured
from attnviz.looks.play import Sighting, painted
from attnviz.looks.view import View, view_of
from attnviz.render.config import configured
from attnviz.render.renderer import QuickRenderer
from attnviz.render.writer import SegmentWriter
from attnviz.theme import DARK, Theme


@contextmanager
def bare_scene(frame: str = "16:9", theme: Theme = DARK, lines: int = 540) -> Iterator[manim.Scene]:
    with TemporaryDirectory() as folder, configured(Sighting(frame=frame, lines=lines), Path(folder)):
        scene = manim.Scene(renderer=QuickRenderer(partial(SegmentWriter, combine=False), skip_animations=True))
        scene.camera.background_color = manim.ManimColor(theme.background)
        scene.camera.init_background()
        yield scene


def seen(*mobjects: manim.Mobject, frame: str = "16:9", theme: Theme = DARK) -> View:
    with bare_scene(frame, theme) as scene:
        scene.add(*mobjects)
        return view_of(scene, theme, frame, painted(scene))


def wrong(found: list[Measured]) -> list[str]:
    """What fails, by its name."""
    return [one.what for one in found if one.fails]
