"""How films are encoded: a second film in AV1, and the names by which browsers know an encoding.

The first film is never encoded again.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import av

from attnviz.export.encoded import between, encode


def write_av1(film: Path, path: Path, fps: int) -> None:
    """Encode a film's pictures anew, as AV1, with its title, chapters and sound; index in front.

    Raises EnvironmentFault where this FFmpeg has no encoder for it.
    """
    with tempfile.TemporaryDirectory(prefix="attnviz-") as work:
        bare = Path(work) / "bare.mp4"
        with av.open(film) as source:
            encode(between(source, 0, source.streams.video[0].frames), bare, fps, "av1")
        _dress(bare, film, path)


def _dress(bare: Path, film: Path, path: Path) -> None:
    """Write the pictures of `bare` with what else is in `film`, encoding nothing."""
    options = {"movflags": "+faststart"}
    with av.open(film) as source, av.open(bare) as pictures, av.open(path, "w", options=options) as target:
        target.metadata.update({key: source.metadata[key] for key in ("title", "comment") if key in source.metadata})
        target.set_chapters(source.chapters())
        both = [(pictures, pictures.streams.video[0]), *((source, sound) for sound in source.streams.audio)]
        added = [target.add_stream_from_template(stream, opaque=True) for _, stream in both]
        for (container, stream), new in zip(both, added, strict=True):
            for packet in container.demux(stream):
                if packet.dts is not None:
                    packet.stream = new
                    target.mux(packet)


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
