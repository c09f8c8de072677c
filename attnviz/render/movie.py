"""The MP4 itself: joins the beats' segments into it, without encoding anything again.

Only containers and packets here; scenes and beats are frame numbers and titles by now. What was written is read back
in reading.py.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from attnviz.errors import RenderError

STEP = 512  # units of time in a frame


@dataclass(frozen=True)
class Film:
    """A film file and what must be in it: size in pixels, frames a second, number of frames."""

    path: Path
    width: int
    height: int
    fps: int
    frames: int
    reordered: int = 0  # frames that a packet may come before its turn

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


def join(
    segments: Sequence[bytes], film: Film, chapters: Sequence[Chapter], *, title: str, comment: str, sound: bytes = b""
) -> None:
    """Write the segments' packets one after the other into one MP4, its index in front; `sound` is a WAV file, or none.

    Raises RenderError where a segment does not hold the frames of its chapter, or starts without a key frame: a player
    that jumps there would first show something else.
    """
    with av.open(film.path, "w", options={"movflags": "+faststart"}) as target:
        target.metadata.update(title=_clean(title), comment=comment)
        target.set_chapters([_chapter(number, chapter, film.fps) for number, chapter in enumerate(chapters)])
        stream = _stream_like(segments[0], target, film.fps)
        voice = target.add_stream("aac") if sound else None
        for segment, chapter in zip(segments, chapters, strict=True):
            held = 0
            for packet in shifted(segment, film, chapter.start):
                if not held and not packet.is_keyframe:
                    raise RenderError(f'the beat "{chapter.title}" does not start with a key frame; draw it again')
                held += packet.duration
                packet.stream = stream
                target.mux(packet)
            if held != (chapter.end - chapter.start) * STEP:
                drawn, wanted = held / STEP, chapter.end - chapter.start
                beat = f'"{chapter.title}" drew {drawn:g} frames but holds {wanted}'
                raise RenderError(f"the beat {beat}; play inside of beats only")
        if voice:
            _add_sound(target, voice, sound, film)
    if film.frames != (held := chapters[-1].end):
        raise RenderError(f"the scene has {film.frames} frames but its beats hold {held}; play inside of beats only")


def read(content: bytes) -> Any:
    """Open the bytes of a film or a sound."""
    return av.open(io.BytesIO(content))


def shifted(segment: bytes, film: Film, start: int) -> Iterator[Any]:
    """Yield the packets of a segment that starts with frame `start`, their times in STEPs of a frame.

    Each is decoded as long before it is shown in every segment, however short: so one segment follows the other.
    """
    with read(segment) as source:
        packets = [packet for packet in source.demux(video=0) if packet.dts is not None]  # but the one that ends it
        yield from moved(packets, film, start)


def moved(packets: Sequence[Any], film: Film, start: int, begin: int = 0) -> Iterator[Any]:
    """Yield packets as `shifted` does, where frame `begin` of their own film becomes frame `start` of this one."""
    base = Fraction(1, film.fps * STEP)
    for packet in packets:
        unit = packet.time_base / base
        packet.pts, packet.duration = (start - begin) * STEP + round(packet.pts * unit), round(packet.duration * unit)
        packet.time_base = base
    early = [(start - film.reordered + number) * STEP for number in range(film.reordered)]
    turns = [*early, *sorted(packet.pts for packet in packets)]
    for packet, turn in zip(packets, turns, strict=False):
        packet.dts = turn
        yield packet


def _stream_like(segment: bytes, target: Any, fps: int) -> Any:
    """Add a stream with the headers of a segment's; all segments of a film were encoded with the same settings."""
    with read(segment) as source:
        stream = target.add_stream_from_template(source.streams.video[0])
    stream.time_base = Fraction(1, fps * STEP)
    return stream


def _add_sound(target: Any, voice: Any, sound: bytes, film: Film) -> None:
    """Encode a WAV file into the stream `voice`, no further than the film goes."""
    with read(sound) as source:
        for frame in source.decode(audio=0):
            if frame.time is None or frame.time < film.frames / film.fps:
                target.mux(voice.encode(frame))
        target.mux(voice.encode(None))


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
