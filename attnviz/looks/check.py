"""All checks over a scene: in each theme and frame at the end of every beat, in the midst of plays, frame by frame.

Here it is decided what is looked at when, and what becomes of what was found. Nothing is measured here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnviz.layout import FRAMES
from attnviz.looks.captions import reading_time
from attnviz.looks.contrast import contrasts, masked_cells
from attnviz.looks.finding import Complaint, Measured, failing
from attnviz.looks.flashes import MOST
from attnviz.looks.marks import picture_name, write_marked
from attnviz.looks.names import names
from attnviz.looks.places import frame_edges, overflows, overlaps, passing, safe_area
from attnviz.looks.play import SLOW, SMALL, Sighting, flashes_of, painted, visit
from attnviz.looks.sizes import dims, sizes
from attnviz.looks.view import Array, View, view_of
from attnviz.looks.vision import palette
from attnviz.registry import SceneEntry
from attnviz.theme import THEMES, theme_for

Check = Callable[[View], list[Measured]]
AT_REST: tuple[Check, ...] = (safe_area, overlaps, overflows, sizes, dims, names, contrasts,
                              masked_cells)
MIDWAY: tuple[Check, ...] = (frame_edges, passing)


@dataclass(frozen=True)
class LookOptions:
    """What is looked at, and where pictures of failing frames go (None: none are written). `case` None: the scene's."""

    themes: tuple[str, ...] = tuple(THEMES)
    frames: tuple[str, ...] = FRAMES
    case: str | None = None
    seed: int = 0
    tokens: tuple[str, ...] = ()
    with_flashes: bool = True
    pictures: Path | None = None


@dataclass
class Look:
    """What one scene in one theme and frame gave: complaints, and of each check the value nearest its limit."""

    scene: str
    theme: str
    frame: str
    complaints: list[Complaint] = field(default_factory=list)
    nearest: dict[str, Measured] = field(default_factory=dict)
    written: list[Path] = field(default_factory=list)

    def take(self, found: Iterable[Measured], beat: str, when: str) -> list[Complaint]:
        """Keep the figures and the complaints, and return these. What stands wrong at rest is told of that alone."""
        fresh = self._fresh(found, beat, when)
        again = {(one.check, one.what) for one in fresh}
        self.complaints = [old for old in self.complaints if old.beat != beat or (old.check, old.what) not in again]
        self.complaints += fresh
        return fresh

    def take_midway(self, found: Iterable[Measured], beat: str, when: str) -> list[Complaint]:
        """The same for what was found in the midst of a play: only what is not known yet, from whichever beat."""
        known = {(old.check, old.what) for old in self.complaints}
        fresh = [one for one in self._fresh(found, beat, when) if (one.check, one.what) not in known]
        self.complaints += fresh
        return fresh

    def _fresh(self, found: Iterable[Measured], beat: str, when: str) -> list[Complaint]:
        found = list(found)
        for one in found:
            if one.spare <= self.nearest.get(one.check, one).spare:
                self.nearest[one.check] = one
        return [self._complaint(one, beat, when) for one in failing(found)]

    @property
    def figures(self) -> dict[str, float]:
        """The value of each check that came nearest to its limit."""
        return {check: one.value for check, one in self.nearest.items()}

    def described(self) -> dict[str, Any]:
        """All of it as plain JSON values."""
        figures = {name: value if math.isfinite(value) else None for name, value in self.figures.items()}
        return {"scene": self.scene, "theme": self.theme, "frame": self.frame, "figures": figures,
                "complaints": [complaint.described() for complaint in self.complaints],
                "pictures": [str(path) for path in self.written]}

    def _complaint(self, one: Measured, beat: str, when: str) -> Complaint:
        return Complaint(one.check, self.scene, beat, self.theme, self.frame, when, one.what, one.said, one.box,
                         one.remedy)


def check_scene(entry: SceneEntry, options: LookOptions | None = None) -> list[Complaint]:
    """Look at a scene in every theme and frame that the options name; return what is wrong with it."""
    return [complaint for look in looks_at(entry, options or LookOptions()) for complaint in look.complaints]


def looks_at(entry: SceneEntry, options: LookOptions) -> Iterable[Look]:
    """One look for each theme and frame, as it is done."""
    for theme in options.themes:
        for frame in options.frames:
            yield _look_at(entry, options, theme, frame)


def _look_at(entry: SceneEntry, options: LookOptions, theme: str, frame: str) -> Look:
    run = _Run(Look(entry.name, theme, frame), options)
    chosen: dict[str, Any] = {"case": options.case, "seed": options.seed, "tokens": options.tokens,
                              "theme": theme, "frame": frame}
    run.look.take(palette(theme_for(theme)), "all beats", "at any time")
    visit(entry, Sighting(**chosen), run.rest, run.midway)
    if options.with_flashes:
        run.flashes(entry, Sighting(**chosen, lines=SMALL, rate=SLOW))
    return run.look


class _Run:
    """One scene in one theme and frame, as it is looked at."""

    def __init__(self, look: Look, options: LookOptions) -> None:
        self.look, self._options = look, options
        self._theme = theme_for(look.theme)
        self._waiting: tuple[Array, list[Complaint]] | None = None  # the first frame of this beat's plays that fails

    def rest(self, scene: Any, frame: Array) -> None:
        """Look at the end of a beat, which the scene has just noted."""
        beat, view = scene.beats[-1], view_of(scene, self._theme, self.look.frame, frame)
        found = [reading_time(beat), *(one for check in AT_REST for one in check(view))]
        self._write(frame, self.look.take(found, beat.id, "at its end"))
        if self._waiting:
            before, complaints = self._waiting
            self._write(before, [one for one in complaints if one in self.look.complaints], "-midway")
            self._waiting = None

    def midway(self, scene: Any, beat: str, share: float) -> None:
        """Look into a play."""
        view = view_of(scene, self._theme, self.look.frame)
        when = f"at {scene.time:.1f} s, {share:.0%} into a play"
        fresh = self.look.take_midway((one for check in MIDWAY for one in check(view)), beat, when)
        if fresh and self._options.pictures and self._waiting is None:
            self._waiting = painted(scene), fresh

    def flashes(self, entry: SceneEntry, options: Sighting) -> None:
        """Count flashes in the whole film."""
        meter, beat, frame = flashes_of(entry, options)
        found = Measured("flashes", "the picture", meter.most, MOST, " a second", at_most=True,
                         remedy="slow it down, or let less of the picture change")
        self._write(frame, self.look.take([found], beat, f"at {meter.at:.1f} s"), "-flash")

    def _write(self, frame: Array, complaints: list[Complaint], part: str = "") -> None:
        if complaints and self._options.pictures:
            path = self._options.pictures / picture_name(complaints[0], part)
            write_marked(path, frame, complaints)
            self.look.written.append(path)
