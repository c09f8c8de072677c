"""Manim's file writer, with one file for each section in place of one for each play.

What it does not do itself (pictures, GIF, WebM, transparent film, sound, sections, subcaptions) is Manim's own code.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from manim.scene.scene_file_writer import SceneFileWriter

from attnviz.render.boxes import Blocks, Box
from attnviz.render.encode import Coding, Encoder
from attnviz.render.yuv import Patch, Pixels

TILE = 64  # pixels: what is converted is grown to these, so that few sizes come, each with a converter of its own


class SegmentWriter(SceneFileWriter):
    """Writes an opaque H.264 film as segments, one for each section, that start with a key frame and need no other.

    `combine` False leaves them apart: `sections[i].get_clean_partial_movie_files()` has what section i became.
    `passes` says of the section that begins whether it is passed through without drawing; `seen` hears of each frame.
    """

    def __init__(
        self,
        settings: Any,
        profile: str = "default",
        vfr: bool = False,
        combine: bool = True,
        passes: Callable[[], bool] = lambda: False,
        seen: Callable[[], None] = lambda: None,
    ) -> None:
        self._combine, self._passes, self._seen, self._open = combine, passes, seen, False
        spec = settings.video_encoder
        self._encoder: Encoder | None = None
        if spec is not None and (spec.codec, spec.pixel_format) == ("libx264", "yuv420p"):
            self._encoder = Encoder(Coding(spec.width, spec.height, int(spec.frame_rate), profile, vfr))
        super().__init__(settings)

    def next_section(self, name: str, type_: str, skip_animations: bool) -> None:
        """Begin a section: what is drawn from now on goes into its own file."""
        self._close()
        super().next_section(name, type_, skip_animations or self._passes())

    def add_partial_movie_file(self, hash_animation: str | None) -> None:
        """Name a play's file: the first that is drawn in a section names the section's, the others have none."""
        super().add_partial_movie_file(None if self._open else hash_animation)

    def begin_animation(self, allow_write: bool = False, *, animation_index: int, file_path: Any = None) -> None:
        """Open the section's file where the play is the first that is drawn in it."""
        if self._encoder is None:
            super().begin_animation(allow_write, animation_index=animation_index, file_path=file_path)
        elif allow_write and not self._open:
            path = Path(str(self.partial_movie_files[animation_index]))
            path.parent.mkdir(parents=True, exist_ok=True)
            self._encoder.open(path)
            self._open = True

    def end_animation(self, allow_write: bool = False) -> None:
        """The section's file stays open: the next play may go into it too."""
        if self._encoder is None:
            super().end_animation(allow_write)

    def write_changes(self, frame: Pixels, boxes: Sequence[Box], repeat: int) -> None:
        """Show `frame`, which differs from the one before in `boxes` only, for so many frames."""
        if self._encoder is None:
            whole: Any = frame.copy()
            self.write_frame(whole, repeat=repeat)
        else:
            tiles = Blocks((frame.shape[1], frame.shape[0]), TILE)
            for box in boxes:
                tiles.mark(box)
            patches = [Patch(box, frame[box.rows, box.columns].copy()) for box in tiles.boxes()]
            self._encoder.show(patches, boxes, repeat)
        self._seen()

    def join_all_encode_jobs(self) -> None:
        """Wait until everything is written, and raise what went wrong."""
        self._close()
        if self._encoder is not None:
            self._encoder.finish()
        super().join_all_encode_jobs()

    def abort_encode_jobs(self, reraise_encoder_failures: bool = False) -> None:
        """Leave what is not written yet."""
        if self._encoder is not None:
            self._encoder.abort()
        else:
            super().abort_encode_jobs(reraise_encoder_failures)

    def finish(self) -> None:
        """Write all to the end, and join it as Manim does where that is wanted."""
        if self._combine:
            super().finish()
        else:
            self.join_all_encode_jobs()

    def _close(self) -> None:
        if self._open and self._encoder is not None:
            self._encoder.close()
        self._open = False
