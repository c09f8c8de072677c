"""The film: what its file says of itself, and the frames at the ends of beats, with PyAV.

Colours are read with the matrix and the range that the film is tagged with. Nothing here knows what ought to be seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.frame import VideoFrame

from attnviz.errors import CheckError, InputError
from attnviz.registry import printable
from attnviz.verify.picture import Picture

MATRICES = {1: (0.2126, 0.0722), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}  # as H.273 numbers them
LIMITED, FULL = 1, 2
LARGEST_SIDE, MOST_FRAMES = 4096, 2_000_000


@dataclass(frozen=True)
class Facts:
    """What a film's file says of itself; chapters as (first frame, frame after the last, title).

    `is_even` says that a frame comes at every turn; `is_odd` that some come between two turns.
    """

    width: int
    height: int
    fps: int
    frames: int
    is_even: bool
    is_odd: bool
    comment: str
    title: str
    chapters: list[tuple[int, int, str]]


def facts_of(path: Path, fps: int) -> Facts:
    """Read a film's headers and count its frames at so many a second, without decoding one."""
    with _opened(path) as container:
        stream = container.streams.video[0]
        if not 0 < stream.width <= LARGEST_SIDE or not 0 < stream.height <= LARGEST_SIDE:
            raise InputError(f"{path} is {stream.width}x{stream.height} pixels; render the scene again")
        packets, unit = _packets(container, stream), stream.time_base * fps
        end = max((packet.pts + (packet.duration or 0) for packet in packets), default=0) * unit
        if not 0 < end <= MOST_FRAMES:
            raise InputError(f"{path} holds {float(end):g} frames; render the scene again")
        turns = [packet.pts * unit for packet in packets]
        is_odd = any(turn.denominator != 1 for turn in (*turns, end))
        is_even = sorted(turns) == list(range(len(turns))) and end == len(turns)
        chapters = [_chapter(chapter, fps) for chapter in container.chapters()]
        about = {key.lower(): str(value) for key, value in container.metadata.items()}
        return Facts(stream.width, stream.height, fps, round(end), is_even, is_odd, about.get("comment", ""),
                     about.get("title", ""), chapters)


def _packets(container: Any, stream: Any) -> list[Any]:
    return [packet for packet in container.demux(stream) if packet.pts is not None]


def _chapter(chapter: Any, rate: int) -> tuple[int, int, str]:
    start, end = (round(chapter[side] * chapter["time_base"] * rate) for side in ("start", "end"))
    return start, end, str(chapter["metadata"].get("title", ""))


def frames_at(path: Path, wanted: Sequence[int], fps: int) -> Iterator[Picture]:
    """The pictures that are seen at these frame numbers, in rising order. CheckError where one does not decode."""
    with _opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        packets = _packets(container, stream)
        keys = [number for number, packet in enumerate(packets) if packet.is_keyframe]
        unit = stream.time_base * fps
        numbers = sorted(round(packet.pts * unit) for packet in packets)
        for number in wanted:
            place = bisect_right(numbers, number) - 1  # a frame that is held is the last one that came
            seen = numbers[place] if place >= 0 else -1
            starts = [key for key in keys if round(packets[key].pts * unit) <= seen]
            if not starts:
                raise CheckError(f"{path} has no key frame before frame {number}")
            yield _picture(_decoded(stream.codec_context, packets[starts[-1]:], seen, unit, path), path)


def _decoded(decoder: Any, packets: Sequence[Any], number: int, unit: Fraction, path: Path) -> VideoFrame:
    decoder.flush_buffers()
    for packet in [*packets, None]:
        for frame in decoder.decode(packet):
            if frame.pts is not None and round(frame.pts * unit) == number:
                if frame.is_corrupt:
                    break
                found: VideoFrame = frame
                return found
    raise CheckError(f"{path}: frame {number} does not decode; render the scene again")


def _picture(frame: VideoFrame, path: Path) -> Picture:
    matrix, span = int(frame.colorspace), int(frame.color_range)
    if matrix not in MATRICES or span not in (LIMITED, FULL) or frame.format.name not in ("yuv420p", "yuvj420p"):
        tags = f"matrix {matrix}, range {span}, {frame.format.name}"
        raise CheckError(f"{path} does not say how its colours are to be read ({tags}); render the scene again")
    y, u, v = (_samples(plane) for plane in frame.planes)
    light, color = ((255 / 219, 255 / 224) if span == LIMITED else (1.0, 1.0))
    base = 16 if span == LIMITED else 0
    return Picture((y - base) * light, (u - 128) * color, (v - 128) * color, 2, MATRICES[matrix])


def _samples(plane: Any) -> Any:
    whole = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
    return whole[: plane.height, : plane.width].astype(np.float64)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The container of a film; what PyAV cannot read becomes one line."""
    try:
        with av.open(path) as container:
            if (held := len(container.streams.video)) != 1:
                raise InputError(f"{path} holds {held} pictures side by side, it must be one; render the scene again")
            yield container
    except (av.error.FFmpegError, ValueError, OSError, EOFError) as fault:
        if isinstance(fault, InputError):
            raise
        raise InputError(f"{path} is no film that can be read ({printable(str(fault)):.100}); "
                         "render the scene again") from None
