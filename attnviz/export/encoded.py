"""Frames to films in other encodings, by PyAV: AV1 in MP4, VP9 in WebM, and H.264 for what must run backwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from attnviz.errors import EnvironmentFault
from attnviz.player.reel import Piece

CODECS = {
    "av1": ("libsvtav1", {"crf": "35", "preset": "8"}),
    "webm": ("libvpx-vp9", {"crf": "32", "b": "0", "cpu-used": "4", "row-mt": "1"}),
    "h264": ("libx264", {"crf": "20", "preset": "fast", "tune": "animation"}),
}
AT_ONCE = 48  # frames that are held in memory while a film is turned round
_BT709, _LIMITED = 1, 1  # code points of ITU-T H.273


def encode(frames: Iterable[Any], path: Path, fps: int, kind: str) -> None:
    """Write frames as `av1` or `h264` (an MP4, index in front) or `webm`. EnvironmentFault without the encoder."""
    codec, looks = CODECS[kind]
    if codec not in av.codecs_available:
        raise EnvironmentFault(f"this PyAV has no {codec}: install the wheel from PyPI, which has it")
    os.environ.setdefault("SVT_LOG", "1")  # errors only: SVT-AV1 tells its life to stderr otherwise
    form, options = ("webm", {}) if kind == "webm" else ("mp4", {"movflags": "+faststart"})
    with av.open(path, "w", format=form, options=options) as target:
        stream: Any = target.add_stream(codec, rate=fps, options=looks)
        for number, frame in enumerate(frames):
            if not number:
                _dress(stream, frame)
            frame.pts, frame.time_base, frame.pict_type = number, Fraction(1, fps), 0
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))


def backwards(piece: Piece) -> Iterator[Any]:
    """A piece's frames from the last to the first; few of them are held at a time, the rest decoded again."""
    for stop in range(piece.end, piece.start, -AT_ONCE):
        with av.open(piece.path) as film:
            first = max(piece.start, stop - AT_ONCE)
            yield from reversed(list(between(film, first, stop)))


def between(film: Any, start: int, end: int) -> Iterator[Any]:
    """The frames from `start` to before `end` of an open film, decoded."""
    stream = film.streams.video[0]
    stream.thread_type = "AUTO"
    unit = (stream.time_base or Fraction(1)) * stream.average_rate
    film.seek(round(start / unit), stream=stream)
    for frame in film.decode(stream):
        number = round((frame.pts or 0) * unit)
        if number >= end:
            return
        if number >= start:
            yield frame


def _dress(stream: Any, frame: Any) -> None:
    """Size and colours as the film has them."""
    stream.width, stream.height, stream.pix_fmt = frame.width, frame.height, "yuv420p"
    context = stream.codec_context
    context.color_range = _LIMITED
    context.color_primaries = context.color_trc = context.colorspace = _BT709
