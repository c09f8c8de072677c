"""Encoding alone: the frames of a film lie in memory as yuv420p, and x264 writes as many packets as the film has.

    python -m benchmarks.render.encode FILM DRAWN

Prints JSON: seconds of wall and processors, packets, bytes; once with x264 told what changed, as our renderer does, and
once without. FILM says which frames are encoded and where a key frame stands; DRAWN has the same frames without loss.
Reading and converting them is not timed, nor is finding out what changed.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import av

from benchmarks.render.clock import now, since
from benchmarks.render.compare import ticks, yuv
from benchmarks.render.ours import changed, stream, tell

Shown = tuple[Any, list[Any]]  # a frame as yuv420p, and where it differs from the one before


def main() -> None:
    """Encode the frames of the files named on the command line."""
    print(json.dumps(encoded(*sys.argv[1:3])))


def encoded(film: str, drawn: str) -> dict[str, dict[str, float]]:
    """Return for `told` and `plain`: `wall` and `cpu` in seconds, `packets` and `bytes`, over all segments."""
    total = {way: {"wall": 0.0, "cpu": 0.0, "packets": 0, "bytes": 0} for way in ("told", "plain")}
    with av.open(drawn) as source:
        rate = source.streams.video[0].average_rate
        for segment in segments(film, rate, ticks(source, rate)):
            for way, sums in total.items():
                for name, value in timed(segment, rate, hints=way == "told").items():
                    sums[name] += value
    return total


def segments(film: str, rate: Any, drawn: Iterator[Any]) -> Iterator[list[Shown]]:
    """Yield the frames from each key frame of the film to the next; a frame's `pts` is its place among them."""
    keys, matrix = keys_of(film, rate)
    segment: list[Shown] = []
    before = None
    for place, frame in enumerate(drawn):
        if place not in keys:
            continue
        if keys[place] and segment:
            yield segment
            segment = []
        pixels = frame.to_ndarray(format="rgba")
        picture = yuv(frame, matrix)
        picture.pts, picture.time_base = place, Fraction(1, rate)
        segment.append((picture, changed(before, pixels) if segment else []))
        before = pixels
    yield segment


def keys_of(film: str, rate: Any) -> tuple[dict[int, bool], int]:
    """Return the place of each of the film's packets and whether it is a key frame, and the film's matrix."""
    with av.open(film) as container:
        matrix = next(container.decode(video=0)).colorspace
    with av.open(film) as container:
        packets = [packet for packet in container.demux(video=0) if packet.pts is not None]
    return {round(packet.pts * packet.time_base * rate): packet.is_keyframe for packet in packets}, matrix


def timed(frames: Sequence[Shown], rate: Any, *, hints: bool) -> dict[str, float]:
    """Encode one segment into a file in memory, from nothing to its last packet."""
    first = frames[0][0]
    start = now()
    packets = []
    with av.open(io.BytesIO(), "w", format="mp4") as container:
        coding = stream(container, first.width, first.height, int(rate), hints=hints)
        for frame, boxes in frames:
            if hints:
                tell(frame, boxes)
            packets += coding.encode(frame)
        packets += coding.encode(None)
        container.mux(packets)
    return {**since(start), "packets": len(packets), "bytes": sum(packet.size for packet in packets)}


if __name__ == "__main__":
    main()
