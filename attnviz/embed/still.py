"""One beat's end as a picture: the film's own frame, and what it shows in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.video.reformatter import Colorspace
from PIL import Image

from attnviz.errors import RenderError
from attnviz.player.described import described


def write_still(film: Path, frame: int, path: Path) -> None:
    """Write frame `frame` of a film, counted from 0, as a PNG of the film's size; RenderError where it has none."""
    picture = _frame(film, frame).to_rgb(src_colorspace=Colorspace.ITU709, dst_colorspace=Colorspace.ITU709)
    Image.fromarray(picture.to_ndarray()).save(path, optimize=True)


def _frame(film: Path, number: int) -> Any:
    with av.open(film) as source:
        stream = source.streams.video[0]
        at = round(number / ((stream.time_base or Fraction(1)) * (stream.average_rate or 1)))
        source.seek(at, stream=stream)
        for frame in source.decode(stream):
            if frame.pts is not None and frame.pts >= at:
                return frame
    raise RenderError(f"{film} ends before frame {number}; render its scene again")


def alt_text(beat: Mapping[str, Any], score: Mapping[str, Any]) -> str:
    """What a beat's last picture shows, in a few sentences: its caption, what stands there, the numbers worked."""
    shown = [sentence.replace("New in the picture: ", "In the picture: ", 1) for sentence in described(beat, {}, score)]
    return " ".join([beat["caption"] or beat["title"], *shown])
