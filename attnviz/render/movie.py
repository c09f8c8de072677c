"""The MP4 itself: joins manim's segments into it, and reads it back to see that it is what it should be.

Only containers, packets and pictures here; scenes and beats are frame numbers and titles by now.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError
from PIL.Image import Image

from attnviz.errors import RenderError

_SMPTE170M, _BT709, _LIMITED = 6, 1, 1  # code points of ITU-T H.273: matrix, primaries and transfer, range
_COLOURS = ("yuv420p", _SMPTE170M, _BT709, _BT709, _LIMITED)
_STEP = 512  # units of time in a frame


@dataclass(frozen=True)
class Film:
    """A film file and what must be in it: size in pixels, frames a second, number of frames."""

    path: Path
    width: int
    height: int
    fps: int
    frames: int

    def facts(self) -> dict[str, object]:
        """Return what the manifest says of the film; duration in seconds."""
        return {
            "file": self.path.name,
            "width": self.width,
            "height": self.height,
            "fps": self.fps,
            "frames": self.frames,
            "duration": self.frames / self.fps,
        }


@dataclass(frozen=True)
class Chapter:
    """A beat as a chapter: its first frame, the frame after its last, its title."""

    start: int
    end: int
    title: str


def join(segments: Sequence[Path], film: Film, chapters: Sequence[Chapter], *, title: str, comment: str) -> None:
    """Write the segments' packets one after the other into one MP4 at a constant rate, its index in front.

    Raises RenderError where they do not hold the frames that the film must have, or where a chapter starts without a
    key frame: a player that jumps there would first show something else.
    """
    base = Fraction(1, film.fps * _STEP)
    count, keys = 0, set()
    with av.open(film.path, "w", options={"movflags": "+faststart"}) as target:
        target.metadata.update(title=_clean(title), comment=comment)
        target.set_chapters([_chapter(number, chapter, film.fps) for number, chapter in enumerate(chapters)])
        for segment in segments:
            with av.open(segment) as source:
                if not target.streams:
                    stream = target.add_stream_from_template(source.streams.video[0])
                    stream.time_base = base
                for packet in source.demux(video=0):
                    if packet.dts is None:  # the empty packet that ends a stream
                        continue
                    if packet.is_keyframe:
                        keys.add(count)
                    packet.stream, packet.time_base = stream, base
                    packet.pts = packet.dts = count * _STEP
                    packet.duration = _STEP
                    target.mux(packet)
                    count += 1
    if count != film.frames:
        raise RenderError(f"the scene drew {count} frames but its beats hold {film.frames}; play inside of beats only")
    if late := [chapter.title for chapter in chapters if chapter.start not in keys]:
        raise RenderError(f"no key frame at the start of: {', '.join(late)}; start each beat with a play of its own")


def inspect(film: Film, wanted: Sequence[int]) -> Iterator[Image]:
    """Decode the whole film and yield the pictures at the frame numbers `wanted`, in order.

    Raises RenderError where the file is not whole or not what `film` says: number, times and size of the frames,
    length, colours, pixel format, index in front.
    """
    _same(film, "part", next((part for part in _parts(film.path) if part in ("moov", "mdat")), None), "moov")
    try:
        with av.open(film.path) as container:
            yield from _pictures(film, container, frozenset(wanted))
    except FFmpegError as fault:
        raise RenderError(f"{film.path.name} cannot be read back: {fault}") from fault


def _pictures(film: Film, container: av.container.InputContainer, wanted: frozenset[int]) -> Iterator[Image]:
    stream = container.streams.video[0]
    _same(film, "frames a second", stream.average_rate, film.fps)
    _same(film, "seconds", (stream.duration or 0) * (stream.time_base or 0), Fraction(film.frames, film.fps))
    count = 0
    frames: Iterator[Any] = container.decode(stream)
    for frame in frames:
        _same(film, "time of a frame", frame.pts * frame.time_base, Fraction(count, film.fps))
        _same(film, "picture", _picture_facts(frame), (film.width, film.height, *_COLOURS))
        if count in wanted:
            yield frame.to_image()
        count += 1
    _same(film, "frames", count, film.frames)


def _picture_facts(frame: Any) -> tuple[object, ...]:
    return (
        frame.width,
        frame.height,
        frame.format.name,
        frame.colorspace,
        frame.color_primaries,
        frame.color_trc,
        frame.color_range,
    )


def _parts(path: Path) -> Iterator[str]:
    """Yield the names of an MP4's outermost parts, in order, as far as they make sense."""
    with path.open("rb") as file:
        at = 0
        while len(head := file.read(16)) >= 8:
            yield head[4:8].decode("latin-1")
            size = int.from_bytes(head[:4])
            size = int.from_bytes(head[8:]) if size == 1 else size  # 1: too long for 32 bits
            if size < 8:
                return
            at += size
            file.seek(at)


def _same(film: Film, what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise RenderError(f"{film.path.name} was not written whole: {what} {found}, expected {wanted}")


def _chapter(number: int, chapter: Chapter, fps: int) -> Any:
    return {
        "id": number,
        "start": chapter.start,
        "end": chapter.end,
        "time_base": Fraction(1, fps),
        "metadata": {"title": _clean(chapter.title)},
    }


def _clean(text: str) -> str:
    """Return `text` on one line and without NUL, which would end it early in the file."""
    return " ".join(text.replace("\0", " ").split())
