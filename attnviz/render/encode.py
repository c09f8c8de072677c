"""Frames to H.264: changed rectangles of RGBA in, one file for each segment of the film out.

Here are the settings of the encoder, and the two threads in which pieces are converted and frames encoded. A segment
starts with a key frame and needs no other. Nothing here knows a scene.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.video.frame import PictureType

from attnviz.errors import RenderError
from attnviz.render.boxes import Box
from attnviz.render.hints import hints_work, tell_changed
from attnviz.render.repeats import Repeats
from attnviz.render.worker import Worker
from attnviz.render.yuv import Patch, YuvFrame, YuvPatch, converted

LONGEST_HOLD = 0.5  # seconds that a frame may last in a film of variable rate
KEY = 10  # seconds between key frames at most: what a player that jumps has to decode
TURN = 0.0005  # seconds that one thread may keep Python from the others; the usual 0.005 is as long as a frame takes
ROOM = 128 * 1024 * 1024  # bytes of frames that may wait for the encoder
_TAGS = {"colorspace": "bt709", "color_primaries": "bt709", "color_trc": "bt709", "color_range": "tv"}
_SHARED = {**_TAGS, "chroma_sample_location": "center", "g": "999999", "forced-idr": "1", "threads": "1"}
# Colours of flat cells come back to within 2 to 3 levels at `default`, 7 at `draft`. `ultrafast` has no deblocking, and
# with a constant qp nothing looks ahead: hints count, and each picture is out at once. What this costs and what else
# was tried stands in docs/performance.md.
ENCODERS = {
    "draft": {"preset": "ultrafast", "qp": "28", "chromaoffset": "-6"},
    "default": {"preset": "ultrafast", "qp": "20", "chromaoffset": "-8"},
    "archive": {"preset": "slow", "tune": "animation", "crf": "18", "chromaoffset": "-6"},
}
REORDERED = {"archive": 2}  # frames that a packet may come before its turn, where there are B-frames


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
        self._picture = YuvFrame(coding.width, coding.height)
        self._hints = hints_work() and coding.profile != "archive"

    def open(self, path: Path) -> None:
        """Begin a segment."""
        self._container = av.open(path, "w", format="mp4")
        self._stream = stream(self._container, self.coding, self._hints)
        self._repeats = Repeats(-(-self.coding.width // 16) * -(-self.coding.height // 16))
        self._packets: list[Any] = []
        self._starts: list[int] = []
        self._count = 0

    def show(self, patches: Sequence[YuvPatch], changed: Sequence[Box], frames: int) -> None:
        """Bring the frame up to date and show it for so many frames; nothing outside of `changed` differs."""
        for patch in patches:
            self._picture.take(patch)
        longest = int(LONGEST_HOLD * self.coding.fps) if self.coding.vfr else 1
        end = self._count + frames
        if changed or not self._starts:
            self._encode(changed)
        while self._starts[-1] + longest < end:
            self._count = self._starts[-1] + longest
            self._again()
        self._count = end

    def close(self) -> None:
        """End the segment: every packet with its duration. Raises RenderError where it has no frame."""
        if not self._starts:
            raise RenderError("a section holds no frame: play something in it, or wait")
        self._take(self._stream.encode(None))
        ends = dict(zip(self._starts, [*self._starts[1:], self._count], strict=True))
        for packet in self._packets:
            packet.duration = ends[packet.pts] - packet.pts
            self._container.mux(packet)
        self._container.close()

    def _encode(self, changed: Sequence[Box]) -> None:
        """Code the frame as it is now."""
        frame = self._picture.frame
        frame.pts, frame.time_base = self._count, Fraction(1, self.coding.fps)
        if self._hints:
            tell_changed(frame, changed)
        frame.pict_type = PictureType.NONE
        if self._is_key_due():
            frame.pict_type, self._key = PictureType.I, self._count
        self._starts.append(self._count)
        self._take(self._stream.encode(frame))

    def _take(self, packets: Sequence[Any]) -> None:
        for packet in packets:
            self._add(packet, self._repeats.coded(bytes(packet), packet.is_keyframe))

    def _again(self) -> None:
        """Code the frame as it was: without x264 where it is known how, and nothing is on its way."""
        all_out = len(self._packets) == len(self._starts)
        same = self._repeats.again() if all_out and not self._is_key_due() else None
        if same is None:
            self._encode([])
        else:
            last = self._packets[-1]
            self._starts.append(self._count)
            self._add(last, same, self._count - last.pts)

    def _add(self, like: Any, content: bytes, later: int = 0) -> None:
        """Add a packet, timed like another or later."""
        packet = av.Packet(content)
        packet.stream, packet.time_base = self._stream, like.time_base
        packet.pts, packet.dts = like.pts + later, like.dts + later
        packet.is_keyframe = like.is_keyframe and not later
        self._packets.append(packet)

    def _is_key_due(self) -> bool:
        return not self._starts or self._count >= self._key + KEY * self.coding.fps


class Encoder:
    """`Segments` behind two threads, one that converts and one that encodes: calls return at once.

    What fails there is raised by a later call, or the end.
    """

    def __init__(self, coding: Coding) -> None:
        self._segments = Segments(coding)
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(TURN)
        room = max(2, ROOM // (4 * coding.width * coding.height) // 2)
        self._encode = Worker(self._do, room)
        self._convert = Worker(self._prepare, room)

    def open(self, path: Path) -> None:
        """Begin a segment."""
        self._convert("open", path)

    def show(self, patches: Sequence[Patch], changed: Sequence[Box], frames: int) -> None:
        """Bring the frame up to date and show it for so many frames; nothing outside of `changed` differs."""
        self._convert("show", patches, changed, frames)

    def close(self) -> None:
        """End the segment."""
        self._convert("close")

    def finish(self) -> None:
        """Wait until all is written."""
        try:
            self._convert.finish()
            self._encode.finish()
        finally:
            self.abort()

    def abort(self) -> None:
        """Leave undone what is not done yet."""
        self._convert.abort()
        self._encode.abort()
        sys.setswitchinterval(self._interval)

    def _prepare(self, method: str, *arguments: Any) -> None:
        if method == "show":
            arguments = ([converted(patch) for patch in arguments[0]], *arguments[1:])
        self._encode(method, *arguments)

    def _do(self, method: str, *arguments: Any) -> None:
        getattr(self._segments, method)(*arguments)


def stream(container: Any, coding: Coding, hints: bool) -> Any:
    """Return an H.264 stream whose every tag says BT.709, as the pictures are."""
    extra = {"mb_info": "1"} if hints else {}
    if coding.vfr:
        extra["bf"] = "0"  # with B-frames the last picture's length would be lost
    elif coding.profile not in REORDERED:
        extra["x264-params"] = "force-cfr=1"  # or each picture would wait for the next one's time
    options = {**_SHARED, **ENCODERS[coding.profile], **extra}
    made = container.add_stream("libx264", rate=coding.fps, options=options)
    made.width, made.height, made.pix_fmt = coding.width, coding.height, "yuv420p"
    return made
