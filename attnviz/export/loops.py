"""Small loops for pages and messages: GIF by PyAV's filters, WebP and AVIF by Pillow.

Times in a GIF are hundredths of a second: only rates that divide them evenly are exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import av.filter
import numpy as np
from PIL import Image

from attnviz.errors import InputError
from attnviz.export.source import Source, pictures

WIDTH = 640  # pixels, unless said
RATES = {"gif": 10, "webp": 15, "avif": 15}  # frames a second, unless said
LONGEST = 60.0  # seconds: beyond, a loop is as heavy as the film, and stutters
_LOOKS: dict[str, dict[str, Any]] = {"webp": {"quality": 80, "method": 4}, "avif": {"quality": 55, "speed": 8}}


def write_loop(source: Source, path: Path, kind: str, width: int | None, fps: int | None) -> None:
    """Write a loop of `kind` (gif, webp, avif). InputError where it would be too long, or its rate not exact."""
    width, fps = width or WIDTH, fps or RATES[kind]
    if source.seconds > LONGEST:
        raise InputError(f"a {kind} of {source.seconds:.0f} s is heavier than its film: name some beats, up to "
                         f"{LONGEST:.0f} s, as {source.name}:{source.beats[0]['id']}, or use --to mp4")
    if kind == "gif" and 100 % fps:
        raise InputError(f"a GIF cannot have {fps} frames a second: use 10, 20, 25 or 50")
    found = list(pictures(source, fps, width))
    if kind == "gif":
        _write_gif(path, [picture for picture, count in found for _ in range(count)], fps)
        return
    images, times = [picture for picture, _ in found], [round(1000 * count / fps) for _, count in found]
    images[0].save(path, format=kind.upper(), save_all=True, append_images=images[1:], duration=times, loop=0,
                   **_LOOKS[kind])


def _write_gif(path: Path, images: list[Image.Image], fps: int) -> None:
    """One palette for all pictures, without dithering: flat areas stay flat, and small."""
    palette = next(_filtered(images, "palettegen=stats_mode=diff", fps))
    with av.open(path, "w", format="gif", options={"loop": "0"}) as target:
        stream: Any = target.add_stream("gif", rate=fps)
        stream.width, stream.height, stream.pix_fmt = *images[0].size, "pal8"
        stream.codec_context.time_base = Fraction(1, fps)
        for frame in _filtered(images, "paletteuse=dither=none:diff_mode=rectangle", fps, palette):
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))


def _filtered(images: Iterable[Image.Image], what: str, fps: int, palette: Any = None) -> Any:
    """What one filter of PyAV makes of pictures; a second input of it is a palette."""
    graph: Any = av.filter.Graph()
    name, settings = what.split("=", 1)
    first: Any = next(iter(images))
    base = Fraction(1, fps)
    source = graph.add_buffer(width=first.width, height=first.height, format="rgb24", time_base=base)
    link, sink = graph.add(name, settings), graph.add("buffersink")
    source.link_to(link)
    if palette is not None:
        second = graph.add_buffer(width=16, height=16, format=palette.format.name, time_base=base)
        second.link_to(link, 0, 1)
    link.link_to(sink)
    graph.configure()
    if palette is not None:
        second.push(palette)
        second.push(None)
    for number, image in enumerate(images):
        frame = av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")
        frame.pts, frame.time_base = number, base
        source.push(frame)
        if palette is not None:
            yield from _pulled(sink)
    source.push(None)
    yield from _pulled(sink)


def _pulled(sink: Any) -> Any:
    """The frames that are ready."""
    while True:
        try:
            yield sink.pull()
        except (av.BlockingIOError, av.EOFError):
            return
