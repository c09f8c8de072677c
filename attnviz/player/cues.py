"""The cue list: every step of a lecture with its frames in the reel, its words, and the time planned for it.

A step is the cover, a beat, or a slide. Frames are counted in the reel; a step without any has no film.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnviz.errors import InputError
from attnviz.player.described import described
from attnviz.player.lecture import PICTURES, Lecture, ScenePart, SlidePart
from attnviz.player.reel import Piece


@dataclass(frozen=True)
class Shown:
    """A finished render as the player reads it: its folder, its score, and the frames a second of its film."""

    name: str
    folder: Path
    score: Mapping[str, Any]
    fps: int

    @classmethod
    def read(cls, name: str, folder: Path) -> Shown:
        """Read what lies in a render's folder; InputError where it is no render of a film."""
        try:
            score = json.loads((folder / "score.json").read_text(encoding="utf-8"))
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            return cls(name, folder, score, int(manifest["film"]["fps"]))
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise InputError(f"{folder} holds no finished film ({fault!r:.80}); render {name} again") from None

    def frames(self, beat: Mapping[str, Any]) -> tuple[int, int, int]:
        """A beat's first frame, the one from which it stands still, and the one after its last."""
        start, rest, end = (round(beat[at] * self.fps) for at in ("start", "last_change", "end"))
        return start, min(max(rest, start), end - 1), end

    def piece(self, beat: Mapping[str, Any]) -> Piece:
        """Where a beat's frames lie in the film."""
        start, _, end = self.frames(beat)
        return Piece(self.folder / f"{self.name}.mp4", start, end)


@dataclass(frozen=True)
class Step:
    """What the page knows of one step. `plan`: minutes from the beginning at which its part should end."""

    kind: str
    title: str
    start: int = 0
    rest: int = 0
    end: int = 0
    scene: str = ""
    beat: str = ""
    caption: str = ""
    note: str = ""
    opens: bool = False
    plan: float | None = None
    lines: tuple[str, ...] = ()
    picture: str = ""
    alt: str = ""
    described: tuple[str, ...] = ()
    place: tuple[int, int] | None = None  # which render's score, and which of its beats

    def plain(self) -> dict[str, Any]:
        """Without what is empty, and as JSON values."""
        found = {name: value for name, value in asdict(self).items() if value not in ("", (), None, False)}
        return found | {"start": self.start, "rest": self.rest, "end": self.end, "title": self.title}


def pieces_of(lecture: Lecture, shown: Sequence[Shown]) -> list[Piece]:
    """The beats' frames in the order of the lecture; `shown` has a render for each of its scenes."""
    return [render.piece(beat) for _, render, part in _films(lecture, shown) for beat in _beats(part, render)]


def steps_of(lecture: Lecture, shown: Sequence[Shown], title: str) -> list[Step]:
    """All steps: the cover, then the parts in order."""
    films = {place: (number, render) for number, (place, render, _) in enumerate(_films(lecture, shown))}
    steps, at = [_cover(lecture, shown, title)], 0
    for place, (part, plan) in enumerate(zip(lecture.parts, _plans(lecture), strict=True)):
        if isinstance(part, SlidePart):
            steps.append(_slide(part, plan))
            continue
        number, render = films[place]
        new = list(_scene(part, render, number, at, plan))
        steps, at = [*steps, *new], new[-1].end
    return steps


def _films(lecture: Lecture, shown: Sequence[Shown]) -> Iterator[tuple[int, Shown, ScenePart]]:
    renders = iter(shown)
    return ((place, next(renders), part) for place, part in enumerate(lecture.parts) if isinstance(part, ScenePart))


def _beats(part: ScenePart, render: Shown) -> list[dict[str, Any]]:
    beats: list[dict[str, Any]] = render.score["beats"]
    return beats[part.selection.first:part.selection.stop]


def _scene(part: ScenePart, render: Shown, number: int, at: int, plan: float | None) -> Iterator[Step]:
    before: Mapping[str, Any] = {}
    for place, beat in enumerate(_beats(part, render), start=part.selection.first):
        start, rest, end = (at + frame - render.frames(beat)[0] for frame in render.frames(beat))
        said, told = (beat["caption"], beat["note"]), tuple(described(beat, before, render.score))
        yield Step(beat["kind"], beat["title"], start, rest, end, render.name, beat["id"], *said,
                   opens=not before, plan=plan, described=told, place=(number, place))
        before, at = beat, end


def _slide(part: SlidePart, plan: float | None) -> Step:
    picture = ""
    if part.picture:
        content = base64.b64encode(part.picture.read_bytes()).decode()
        picture = f"data:{PICTURES[part.picture.suffix.lower()]};base64,{content}"
    return Step("picture" if part.picture else "slide", part.title, note=part.note, opens=True, plan=plan,
                lines=part.lines, picture=picture, alt=part.alt)


def _cover(lecture: Lecture, shown: Sequence[Shown], title: str) -> Step:
    titles = [render.score["title"] for render in shown]
    lines = tuple(dict.fromkeys(line for line in titles if line != title))
    return Step("cover", title, lines=lines[:8], note="→ begins · ? shows the keys", opens=True)


def _plans(lecture: Lecture) -> list[float | None]:
    """For each part, the minutes at which it should end; None where nobody planned any."""
    if all(part.minutes is None for part in lecture.parts):
        return [None] * len(lecture.parts)
    ends, total = [], 0.0
    for part in lecture.parts:
        total += part.minutes or 0.0
        ends.append(total)
    return list(ends)
