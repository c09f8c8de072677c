"""What an export is made from: some beats of a finished render, and their frames as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import numpy as np
from PIL import Image

from attnviz.export.encoded import between
from attnviz.player.cues import Shown
from attnviz.player.reel import Piece
from attnviz.player.selection import Selection
from attnviz.render.job import RenderOptions


@dataclass(frozen=True)
class Source:
    """Some beats of a scene's film, and the options that it was rendered with."""

    shown: Shown
    selection: Selection
    options: RenderOptions

    @property
    def name(self) -> str:
        """The scene's name."""
        return self.shown.name

    @property
    def title(self) -> str:
        """The scene's title."""
        return str(self.shown.score["title"])

    @property
    def beats(self) -> list[Mapping[str, Any]]:
        """The chosen beats, as the score has them."""
        beats: list[Mapping[str, Any]] = self.shown.score["beats"]
        return beats[self.selection.first:self.selection.stop]

    @property
    def pieces(self) -> list[Piece]:
        """Where their frames lie in the film."""
        return [self.shown.piece(beat) for beat in self.beats]

    @property
    def seconds(self) -> float:
        """How long they are together."""
        return sum(piece.end - piece.start for piece in self.pieces) / self.shown.fps

    @property
    def files(self) -> list[str]:
        """A name for each beat's file, without an ending: its number in the scene and its id."""
        return [f"{number:02}-{beat['id']}" for number, beat in enumerate(self.beats, start=self.selection.first + 1)]


def frames(source: Source) -> Iterator[Any]:
    """The frames of the chosen beats, decoded, in order: beats follow one another in the film."""
    with av.open(source.pieces[0].path) as film:
        yield from between(film, source.pieces[0].start, source.pieces[-1].end)


def pictures(source: Source, fps: int, width: int) -> Iterator[tuple[Image.Image, int]]:
    """Pictures `width` pixels wide, at `fps` a second, each with how many of these it stands; equal ones are one."""
    kept, count = None, 0
    for picture in _sampled(source, fps, width):
        if kept is not None and picture.tobytes() != kept.tobytes():
            yield kept, count
            count = 0
        kept, count = picture, count + 1
    if kept is not None:
        yield kept, count


def _sampled(source: Source, fps: int, width: int) -> Iterator[Image.Image]:
    """Of every so many frames one; the same one again, where the film has fewer than `fps`."""
    step, wanted = Fraction(source.shown.fps, fps), Fraction(0)
    for number, frame in enumerate(frames(source)):
        if number < wanted:
            continue
        picture = picture_of(frame, width)
        while number >= wanted:
            wanted += step
            yield picture


def picture_of(frame: Any, width: int | None = None) -> Image.Image:
    """A frame as a picture of this width (its own unless said), in the colours that it is tagged with.

    By way of floats: the direct way to bytes ends a level too low.
    """
    exact = frame.reformat(format="gbrpf32le", src_colorspace="ITU709", dst_colorspace="ITU709").to_ndarray()
    found = Image.fromarray(np.rint(np.clip(exact, 0, 1) * 255).astype(np.uint8))
    if width in (None, found.width):
        return found
    return found.resize((width, round(frame.height * width / frame.width / 2) * 2), Image.Resampling.LANCZOS)


def still(source: Source, beat: Mapping[str, Any]) -> Image.Image:
    """The picture at a beat's end: the film's own last frame of it."""
    piece = source.shown.piece(beat)
    with av.open(piece.path) as film:
        return picture_of(next(between(film, piece.end - 1, piece.end)))
