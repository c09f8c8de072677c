"""Frames to H.264: changed rectangles of RGBA in, one file for each segment of the film out.

Here are the settings of the encoder, the conversion to YUV, and the thread in which both run. A segment starts with a
key frame and needs no other. Nothing here knows a scene.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from numpy.typing import NDArray

from attnviz.errors import RenderError
from attnviz.render.boxes import Box
from attnviz.render.hints import hints_work, tell_changed

Pixels = NDArray[np.uint8]
LONGEST_HOLD = 0.5  # seconds that a frame may last in a film of variable rate
_EXACT = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
ROOM = 128 * 1024 * 1024  # bytes of frames that may wait for the encoder
_TAGS = {"colorspace": "bt709", "color_primaries": "bt709", "color_trc": "bt709", "color_range": "tv"}
_SHARED = {**_TAGS, "chroma_sample_location": "center", "g": "600", "threads": "1"}
# Colours of flat cells come back to within 2 to 3 levels at `default`, 7 at `draft`. `ultrafast` has no deblocking, and
# with a constant qp nothing looks ahead: hints count, and each picture is out at once. What this costs and what else
# was tried stands in docs/performance.md.
ENCODERS = {
    "draft": {"preset": "ultrafast", "qp": "28", "chromaoffset": "-6"},
    "default": {"preset": "ultrafast", "qp": "20", "coder": "1", "8x8dct": "1", "chromaoffset": "-8"},
    "archive": {"preset": "slow", "tune": "animation", "crf": "18", "chromaoffset": "-6"},
}
REORDERED = {"archive": 2}  # frames that a packet may come before its turn, where there are B-frames


@dataclass(frozen=True)
class Patch:
    """What a rectangle of the frame now holds: RGBA bytes (height, width, 4)."""

    box: Box
    pixels: Pixels


@dataclass(frozen=True)
class Coding:
    """How a film is encoded: its size in pixels, frames a second, a key of ENCODERS, and whether frames are held."""

    width: int
    height: int
    fps: int
    profile: str = "default"
    vfr: bool = False


class Segments:
    """Encodes one segment after the other, each into its own file, from one YUV frame that stays."""

    def __init__(self, coding: Coding) -> None:
        self.coding = coding
        self._frame = av.VideoFrame(coding.width, coding.height, "yuv420p")
        self._planes = [_bytes_of(plane) for plane in self._frame.planes]
        self._reformatter = VideoReformatter()
        self._hints = hints_work() and coding.profile != "archive"

    def open(self, path: Path) -> None:
        """Begin a segment."""
        self._container = av.open(path, "w", format="mp4")
        self._stream = _stream(self._container, self.coding, self._hints)
        self._packets: list[Any] = []
        self._starts: list[int] = []
        self._count = 0

    def show(self, patches: Sequence[Patch], frames: int) -> None:
        """Bring the frame up to date and show it for so many frames."""
        for patch in patches:
            self._convert(patch)
        changed = [patch.box for patch in patches]
        longest = int(LONGEST_HOLD * self.coding.fps) if self.coding.vfr else 1
        end = self._count + frames
        if patches or not self._starts:
            self._encode(changed)
        while self._starts[-1] + longest < end:
            self._count = self._starts[-1] + longest
            self._encode([])
        self._count = end

    def close(self) -> None:
        """End the segment: every packet with its duration. Raises RenderError where it has no frame."""
        if not self._starts:
            raise RenderError("a section holds no frame: play something in it, or wait")
        self._packets += self._stream.encode(None)
        ends = dict(zip(self._starts, [*self._starts[1:], self._count], strict=True))
        for packet in self._packets:
            packet.duration = ends[packet.pts] - packet.pts
            self._container.mux(packet)
        self._container.close()

    def _encode(self, changed: Sequence[Box]) -> None:
        self._frame.pts, self._frame.time_base = self._count, Fraction(1, self.coding.fps)
        if self._hints:
            tell_changed(self._frame, changed)
        self._starts.append(self._count)
        self._packets += self._stream.encode(self._frame)

    def _convert(self, patch: Patch) -> None:
        """Bring a rectangle into the YUV frame: BT.709, limited range, each chroma sample the mean of its four."""
        new = self._reformatter.reformat(
            av.VideoFrame.from_numpy_buffer(patch.pixels, format="rgba"),
            format="yuv420p",
            src_colorspace=Colorspace.ITU709,
            dst_colorspace=Colorspace.ITU709,
            src_color_range=ColorRange.JPEG,
            dst_color_range=ColorRange.MPEG,
            interpolation=_EXACT,
            threads=1,
        )
        for plane, target, scale in zip(new.planes, self._planes, (1, 2, 2), strict=True):
            left, top = patch.box.left // scale, patch.box.top // scale
            target[top : top + plane.height, left : left + plane.width] = _bytes_of(plane)


class Encoder:
    """`Segments` in a thread of its own: calls return at once, what fails there is raised by a later one or the end."""

    def __init__(self, coding: Coding) -> None:
        self.coding = coding
        self._fault: BaseException | None = None
        room = max(4, ROOM // (4 * coding.width * coding.height))
        self._queue: Queue[tuple[str, tuple[Any, ...]] | None] = Queue(maxsize=room)
        self._thread = Thread(target=self._work, name="encoder", daemon=True)
        self._thread.start()

    def __call__(self, method: str, *arguments: Any) -> None:
        """Have `Segments` do it, after all that it was asked before."""
        if self._fault is not None:
            raise self._fault
        self._queue.put((method, arguments))

    def finish(self) -> None:
        """Wait until all is written."""
        self._end()
        if self._fault is not None:
            raise self._fault

    def abort(self) -> None:
        """Leave undone what is not done yet."""
        self._fault = self._fault or RuntimeError("the render was ended")
        self._end()

    def _end(self) -> None:
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _work(self) -> None:
        """Work until told to end. After a fault all that comes is thrown away: who puts it must never wait for ever."""
        try:
            segments = Segments(self.coding)
        except BaseException as fault:
            self._fault = fault
        while (item := self._queue.get()) is not None:
            if self._fault is None:
                try:
                    getattr(segments, item[0])(*item[1])
                except BaseException as fault:
                    self._fault = fault


def _stream(container: Any, coding: Coding, hints: bool) -> Any:
    """Return an H.264 stream whose every tag says BT.709, as the pictures are."""
    extra = {"mb_info": "1"} if hints else {}
    if coding.vfr:
        extra["bf"] = "0"  # with B-frames the last picture's length would be lost
    options = {**_SHARED, **ENCODERS[coding.profile], **extra}
    stream = container.add_stream("libx264", rate=coding.fps, options=options)
    stream.width, stream.height, stream.pix_fmt = coding.width, coding.height, "yuv420p"
    return stream


def _bytes_of(plane: Any) -> Pixels:
    """Return the samples of a plane, without the padding of its lines."""
    whole: Pixels = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
    return whole[:, : plane.width]
