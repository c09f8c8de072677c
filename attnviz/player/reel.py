"""The reel: one MP4 of the chosen beats of finished films, one after the other, without encoding anything again.

Every beat of a render begins with a key frame that nothing before it is needed for: so its packets can be taken out.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av

from attnviz.errors import RenderError
from attnviz.render.movie import STEP, Film, moved


@dataclass(frozen=True)
class Piece:
    """One beat of a film: the frames from `start` to before `end` of the file at `path`."""

    path: Path
    start: int
    end: int


def write_reel(pieces: Sequence[Piece], path: Path, title: str) -> Film:
    """Write the pieces into one faststart MP4, each a chapter; return what is in it.

    Raises RenderError where a piece is not of the first one's size, rate and encoding, or does not begin with a key
    frame.
    """
    with av.open(pieces[0].path) as first:
        like = first.streams.video[0]
        film = Film(path, like.width, like.height, int(like.average_rate or 0), sum(p.end - p.start for p in pieces))
        with av.open(path, "w", format="mp4", options={"movflags": "+faststart"}) as target:
            target.metadata.update(title=" ".join(title.split()))
            stream = target.add_stream_from_template(like)
            stream.time_base = Fraction(1, film.fps * STEP)
            start = 0
            for piece in pieces:
                for packet in moved(_packets(piece, like), film, start, piece.start):
                    packet.stream = stream
                    target.mux(packet)
                start += piece.end - piece.start
    return film


def _packets(piece: Piece, like: Any) -> list[Any]:
    """The packets of one beat, in the order of decoding."""
    with av.open(piece.path) as source:
        stream = source.streams.video[0]
        if _look(stream) != _look(like):
            raise RenderError(f"{piece.path} is not encoded like the films before it; render its scene again")
        unit = (stream.time_base or Fraction(1)) * (stream.average_rate or 1)  # of time, in frames
        begin, end = round(piece.start / unit), round(piece.end / unit)
        source.seek(begin, stream=stream)
        late = (packet for packet in source.demux(stream) if (packet.pts or 0) >= begin and packet.size)
        found = list(itertools.takewhile(lambda packet: (packet.pts or 0) < end, late))
    if not found or not found[0].is_keyframe or found[0].pts != begin:
        raise RenderError(f"{piece.path} has no key frame at frame {piece.start}; render its scene again")
    return found


def _look(stream: Any) -> tuple[Any, ...]:
    return stream.width, stream.height, stream.average_rate, bytes(stream.codec_context.extradata or b"")
