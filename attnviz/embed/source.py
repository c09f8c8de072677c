"""The finished render that is embedded: its film, its words and its measures, read from the files that lie there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from attnviz.errors import InputError
from attnviz.player.cues import Shown
from attnviz.player.described import described
from attnviz.render.manifest import read_manifest


@dataclass(frozen=True)
class Told:
    """A beat in words: its seconds, what it says, and sentences on what came into the picture."""

    start: float
    end: float
    title: str
    caption: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """A render of the scene `name`: its folder, its title, width and height in pixels."""

    name: str
    folder: Path
    title: str
    width: int
    height: int
    has_burnt_captions: bool

    @classmethod
    def read(cls, name: str, folder: Path) -> Source:
        """Read what lies in a render's folder; InputError where it holds no film."""
        manifest = read_manifest(folder)
        try:
            film, options = manifest["film"], manifest["options"]
            return cls(name, folder, str(manifest["title"]), int(film["width"]), int(film["height"]),
                       bool(options["burn_captions"]))
        except (KeyError, TypeError, ValueError) as fault:
            raise InputError(f"{folder} holds no finished film ({fault!r:.80}); render {name} again") from None

    @property
    def film(self) -> Path:
        """The MP4."""
        return self.folder / f"{self.name}.mp4"

    @cached_property
    def shown(self) -> Shown:
        """The render as the player reads it, with its score."""
        return Shown.read(self.name, self.folder)

    @property
    def beats(self) -> list[dict[str, Any]]:
        """The beats as the score has them."""
        found: list[dict[str, Any]] = self.shown.score["beats"]
        return found

    def told(self) -> list[Told]:
        """Every beat in words, in order."""
        before: list[Mapping[str, Any]] = [{}, *self.beats]
        return [Told(beat["start"], beat["end"], beat["title"], beat["caption"],
                     tuple(described(beat, last, self.shown.score))) for last, beat in pairwise(before)]
