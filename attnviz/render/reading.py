"""The film, read back from its file: whether it is what was encoded, whole, and in its place.

Every packet is compared with the one that the encoder gave, and the key frames are decoded. Nothing here writes.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError

from attnviz.errors import RenderError
from attnviz.render.movie import STEP, Film, shifted

_BT709, _LIMITED = 1, 1  # code points of ITU-T H.273: matrix, primaries and transfer, range
_COLOURS = ("yuv420p", _BT709, _BT709, _BT709, _LIMITED)


def inspect(film: Film, segments: Sequence[bytes]) -> None:
    """Read the whole film back. Raises RenderError where the file is not whole, or not what was encoded.

    That is: index in front, size, length and colours, and each packet of `segments` byte by byte, at its time.
    """
    _same(film, "part", next((part for part in _parts(film.path) if part in ("moov", "mdat")), None), "moov")
    try:
        _compare(film, segments)
        _decode_key_frames(film)
    except FFmpegError as fault:
        raise RenderError(f"{film.path.name} cannot be read back: {fault}") from fault


def _compare(film: Film, segments: Sequence[bytes]) -> None:
    with _opened(film) as container:
        stream = container.streams.video[0]
        length = (stream.duration or 0) * (stream.time_base or 0)
        _same(film, "seconds", length, Fraction(film.frames, film.fps))
        unit = Fraction(1, film.fps * STEP)
        found = (packet for packet in container.demux(stream) if packet.dts is not None)
        for number, (there, made) in enumerate(zip_longest(found, _made(film, segments))):
            if there is None or made is None or bytes(there) != bytes(made):
                raise RenderError(f"{film.path.name} was not written whole: packet {number} is not what was encoded")
            _same(film, f"time of packet {number}", there.pts * there.time_base, made.pts * unit)
            _same(film, f"length of packet {number}", there.duration * there.time_base, made.duration * unit)


def _made(film: Film, segments: Sequence[bytes]) -> Iterator[Any]:
    start = 0
    for segment in segments:
        held = 0
        for packet in shifted(segment, film, start):
            held += packet.duration
            yield packet
        start += held // STEP


def _decode_key_frames(film: Film) -> None:
    with _opened(film) as container:
        stream = container.streams.video[0]
        stream.codec_context.skip_frame = "NONKEY"
        for frame in container.decode(stream):
            tags = (frame.colorspace, frame.color_primaries, frame.color_trc, frame.color_range)
            facts = (frame.width, frame.height, frame.format.name, *tags)
            _same(film, "picture", facts, (film.width, film.height, *_COLOURS))


def _opened(film: Film) -> Any:
    return av.open(film.path)


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
