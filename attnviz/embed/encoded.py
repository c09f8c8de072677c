"""How films are encoded: a second film in AV1, and the names by which browsers know an encoding.

Only PyAV is used here. The first film is never encoded again.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import av
from av.video.reformatter import ColorRange, Colorspace

from attnviz.errors import EnvironmentFault

_ENCODER = "libsvtav1"
_OPTIONS = {"crf": "35", "preset": "8"}
_BT709 = {"color_range": ColorRange.MPEG, "colorspace": Colorspace.ITU709, "color_primaries": 1, "color_trc": 1}


def write_av1(film: Path, path: Path) -> None:
    """Encode a film's pictures anew, as AV1, with its chapters and its sound; faststart.

    Raises EnvironmentFault where this FFmpeg has no encoder for it.
    """
    if _ENCODER not in av.codecs_available:
        raise EnvironmentFault(f"--av1 needs FFmpeg's {_ENCODER}, which PyAV has not here; leave --av1 out")
    os.environ.setdefault("SVT_LOG", "1")  # else it writes its settings to stderr
    with av.open(film) as source, av.open(path, "w", options={"movflags": "+faststart"}) as target:
        target.metadata.update({key: source.metadata[key] for key in ("title", "comment") if key in source.metadata})
        target.set_chapters(source.chapters())
        pictures, stream = source.streams.video[0], _stream(source.streams.video[0], target)
        sounds = {sound.index: target.add_stream_from_template(sound) for sound in source.streams.audio}
        for packet in source.demux(pictures, *source.streams.audio):
            if packet.stream.index in sounds and packet.size:
                packet.stream = sounds[packet.stream.index]
                target.mux(packet)
            elif packet.stream is pictures:
                for frame in pictures.decode(packet):
                    frame.pict_type = av.video.frame.PictureType.NONE
                    target.mux(stream.encode(frame))
        target.mux(stream.encode(None))


def _stream(like: Any, target: Any) -> Any:
    stream = target.add_stream(_ENCODER, rate=like.average_rate, options=_OPTIONS)
    stream.width, stream.height, stream.pix_fmt = like.width, like.height, "yuv420p"
    for name, value in _BT709.items():
        setattr(stream.codec_context, name, value)
    return stream


def mime(path: Path) -> str:
    """`video/mp4` with the film's encoding; without, where there is sound, or the encoding is neither H.264 nor AV1."""
    with av.open(path) as film:
        stream = film.streams.video[0]
        codec = _codec(stream.codec_context.codec.canonical_name, bytes(stream.codec_context.extradata or b""))
        return f'video/mp4; codecs="{codec}"' if codec and not film.streams.audio else "video/mp4"


def _codec(name: str, box: bytes) -> str:
    """What RFC 6381 calls an encoding, from the first bytes of its avcC or av1C box; empty where that is neither."""
    if name == "h264" and box[:1] == b"\x01":
        return f"avc1.{box[1:4].hex()}"
    if name == "av1" and box[:1] == b"\x81" and len(box) >= 3:
        tier, depth = "H" if box[2] & 0x80 else "M", 10 if box[2] & 0x40 else 8
        return f"av01.{box[1] >> 5}.{box[1] & 31:02}{tier}.{depth:02}"
    return ""
