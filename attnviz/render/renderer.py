"""Manim's renderer, with a frame that stays: only what changed is painted, and only that is handed on to be encoded.

What the scene plays is Manim's own; here are the frames, their number and the clock.
"""

from collections.abc import Iterable
from typing import Any

import manim
import numpy as np

from attnviz.onscreen import in_order
from attnviz.render.boxes import Box
from attnviz.render.canvas import Canvas, difference
from attnviz.render.order import changing, family, only_ends_count
from attnviz.render.writer import SegmentWriter


class QuickRenderer(manim.CairoRenderer):
    """Draws what stock Manim draws. A camera of another class than Manim's plain one draws each frame whole.

    The clock is the number of frames: a play that is skipped takes as long as one that is drawn, and leaves the scene
    as that would.
    """

    def __init__(self, file_writer_class: Any = SegmentWriter, **options: Any) -> None:
        super().__init__(file_writer_class=file_writer_class, **options)
        self.frames = 0
        self.drawing = True  # whether the play that runs is drawn
        self._canvas = Canvas(self.camera) if type(self.camera) is manim.Camera else None
        self._unsent: list[Box] = []  # where the frame changed since it was last handed on
        self._static: list[manim.Mobject] = []
        self._changing: list[manim.Mobject] | None = None  # whose families the play that runs can change; None: all
        self._first = True  # whether the next frame is a play's first: between plays anything may have changed
        self._whole: np.ndarray | None = None

    def play(self, scene: manim.Scene, *args: Any, **kwargs: Any) -> None:
        """Play animations; what is on disk, or not wanted, is passed through without drawing."""
        self.skip_animations = self._original_skipping_status
        self.update_skipping_status()
        self.drawing = not self.skip_animations
        scene.compile_animation_data(*args, **kwargs)
        name = f"play_{self.num_plays:05}" if self.drawing else None
        self.file_writer.add_partial_movie_file(name)
        self.animations_hashes.append(name)
        self.file_writer.begin_animation(self.drawing, animation_index=self.num_plays)
        scene.begin_animations()
        if self.drawing:
            self._look_around(scene)
        self._run(scene)
        self._first = True
        self.skip_animations = self._original_skipping_status  # a sound is heard also where nothing is drawn
        self.file_writer.end_animation(self.drawing)
        self.num_plays += 1

    def update_frame(  # type: ignore[override]  # Manim passes its further options through to itself only
        self, scene: manim.Scene, mobjects: Iterable[manim.Mobject] | None = None, **options: Any
    ) -> None:
        """Bring the camera's frame to what the scene shows."""
        if self._canvas is None:
            super().update_frame(scene, mobjects, **options)
            boxes = self._compared()
        else:
            static = self._static if mobjects else []
            roots = mobjects or [*scene.mobjects, *scene.foreground_mobjects]
            touched = None if self._first or self._changing is None else family(self._changing)
            boxes = self._canvas.show([*static, *in_order(roots)], touched)
            self._first = False
        self._unsent += boxes

    def render(self, scene: manim.Scene, time: float, moving_mobjects: Iterable[manim.Mobject] | None = None) -> None:
        """Draw one frame of a play and hand on what changed in it."""
        if self.drawing:
            self.update_frame(scene, moving_mobjects)
        self._hand_on(1)

    def freeze_current_frame(self, duration: float) -> None:
        """Show the frame as it is for `duration` seconds, in whole frames as Manim counts them."""
        self._hand_on(int(duration / (1 / self.camera.frame_rate)))

    def _look_around(self, scene: manim.Scene) -> None:
        """What stands still in the play that begins, and what it can change; all may have changed before it."""
        self._static, self._changing, self._first = in_order(scene.static_mobjects), changing(scene), True
        if self._canvas is None:
            self.save_static_frame_data(scene, scene.static_mobjects)

    def _run(self, scene: manim.Scene) -> None:
        if scene.is_current_animation_frozen_frame():
            if self.drawing:
                self.update_frame(scene, scene.moving_mobjects)
            self.freeze_current_frame(scene.duration)
        elif self.drawing or scene.stop_condition is not None or not only_ends_count(scene):
            self.skip_animations = False  # what adds up frames sees every one, drawn or not
            scene.play_internal()
        else:
            start = self.frames
            scene.play_internal()  # to its end in one step
            self._set_clock(start + len(np.arange(0, scene.duration, 1 / self.camera.frame_rate)))

    def _hand_on(self, frames: int) -> None:
        if self.drawing and frames:
            boxes, self._unsent = self._unsent, []
            self.file_writer.write_changes(self.camera.pixel_array, boxes, frames)
        self._set_clock(self.frames + frames)

    def _set_clock(self, frames: int) -> None:
        self.frames = frames
        self.time = frames / self.camera.frame_rate

    def _compared(self) -> list[Box]:
        """Return where the frame differs from the one before: Manim's other cameras keep no account of it."""
        frame: np.ndarray = self.camera.pixel_array
        before, self._whole = self._whole, frame.copy()
        return [Box(0, 0, frame.shape[1], frame.shape[0])] if before is None else difference(before, frame)
