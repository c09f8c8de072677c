"""The audit of one scene, called at every rest, inside every play, and at the end of each beat.

Here is when to look and what to raise; what is false is found by the other files of this package.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import manim
import numpy as np

from attnviz.audit import (
    booleans,
    claims,
    covering,
    extents,
    heights,
    naming,
    quoted,
    rows,
    sheets,
    steps,
    tiles,
    written,
)
from attnviz.audit.grids import Grids, is_beyond
from attnviz.audit.story import Story
from attnviz.audit.view import View
from attnviz.errors import CheckError
from attnviz.mobjects.cells import Cells
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.sweeping import StepTo
from attnviz.words import Words

MOMENTS = (1 / 3, 2 / 3)  # of a play, at which it is looked into


class Audit:
    """Compares what a scene shows with its records; raises CheckError with the first complaint and their number."""

    def __init__(self, scene: Any) -> None:
        self._scene, self._grids = scene, Grids()
        self._story = Story(scene.heads_shown, frozenset(scene.records_compared))
        self._ends: dict[int, list[Any]] = {}  # of each grid in a play: the colours it starts from and is to have
        self._middle: list[tuple[Grid, Any]] = []
        self._kept: frozenset[int] = frozenset()  # colours of the grids that the play leaves alone
        self._stepping: frozenset[int] = frozenset()  # what the play takes along the steps of a sweep
        self._places: dict[int, bytes] = {}  # where everything stood at the last look into this play
        self._plays = 0
        self.passing = False  # whether the beat was looked at when it was drawn, or is by the process that draws it

    def begin_play(self, animations: Iterable[Any]) -> None:
        """Remember the colours from which a play's grids start, and those of what they are to show."""
        self._plays, self._middle, self._ends, self._places = self._plays + 1, [], {}, {}
        changing = [] if self.passing else list(_flat(animations))
        for animation in changing:
            for part in animation.mobject.get_family():
                if isinstance(part, Grid):
                    self._ends.setdefault(id(part), []).append(part.cells.fill)
            if isinstance(end := getattr(animation, "end", None), Cells):
                self._ends.setdefault(id(animation.mobject), []).append(end.fill)
        self._stepping = frozenset(id(step.mobject) for step in changing if isinstance(step, StepTo))
        recolored = {id(animation.mobject) for animation in changing if _may_recolor(animation)}
        grids = (part for animation in changing for part in animation.mobject.get_family() if isinstance(part, Grid))
        self._kept = frozenset(id(grid.cells.fill) for grid in grids if id(grid) not in recolored)

    def inside(self, share: float) -> None:
        """Look into a play: numbers are whole, and the old ones or the new ones."""
        view = View.of(self._scene, at_rest=False, kept_fills=self._kept, stepping=self._stepping)
        self._middle += [(grid, grid.cells.fill) for grid in view.grids if id(grid) not in self._stepping]
        places = {id(leaf): leaf.points.tobytes() for thing in view.things for leaf in thing.leaves}
        is_still = share > MOMENTS[0] and all(self._places.get(key) == place for key, place in places.items())
        self._places = places
        self._raise(f"{share:.0%} into play {self._plays}", chain(
            self._grids.complaints(view), written.complaints(view), sheets.complaints(view),
            steps.complaints(view), heights.stepping(view), self._standing(view) if is_still else (),
            self._story.complaints(view)))

    def after_play(self) -> None:
        """Look at what a play left, unless the beat is only passed through."""
        if not self.passing:
            self.at_rest()

    def end_beat(self) -> None:
        """Look at the end of a beat that was passed through: what was shown before counts for what comes."""
        if self.passing:
            self.at_rest()

    def at_rest(self) -> None:
        """Look at the scene where nothing moves."""
        view = View.of(self._scene, at_rest=True)
        self._raise(f"after play {self._plays}", chain(
            self._colors_on_the_way(), self._grids.complaints(view), written.complaints(view),
            sheets.complaints(view), steps.complaints(view), self._standing(view), self._story.complaints(view)))

    def _standing(self, view: View) -> Iterator[str]:
        """What can be judged where nothing moves: also inside of plays that only fade and swap."""
        frame = self._scene.layout
        return chain(naming.complaints(view), claims.complaints(view), heights.complaints(view),
                     extents.complaints(view), rows.complaints(view), tiles.complaints(view), booleans.complaints(view),
                     covering.complaints(view, (frame.width, frame.height)))

    def words(self, index: int) -> None:
        """Look at the words of a beat, as they were filled in."""
        template = Words.load(self._scene.words_path()).suited(self._scene.situations).beats[index]
        said = self._scene.words.beats[index]
        self._raise("its words", quoted.complaints(template, said, self._scene.resolve))

    def _colors_on_the_way(self) -> Iterator[str]:
        """Inside a play a colour lies between that of its start and that of its end."""
        for grid, fill in self._middle:
            ends = [grid.cells.fill, *self._ends.get(id(grid), ())]
            if any(end.shape != fill.shape for end in ends):
                continue
            if (wrong := is_beyond(fill, ends)).any():
                row, column = (int(at) for at in np.argwhere(wrong)[0])
                address = grid.cells.entry(row, column).address
                yield f"{address} had a colour inside the play that is on no way to its own"
        self._middle = []

    def _raise(self, when: str, complaints: Iterable[str]) -> None:
        found = list(dict.fromkeys(complaints))
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise CheckError(f"beat {self._scene.beat_id}, {when}{_line(self._scene)}: {found[0]}{more}")


def _line(scene: Any) -> str:
    """Where in the scene's own file it was playing, in words; nothing where that cannot be told."""
    own, frame = inspect.getfile(type(scene)), inspect.currentframe()
    while frame is not None and frame.f_code.co_filename != own:
        frame = frame.f_back
    return f" ({Path(own).name}:{frame.f_lineno})" if frame else ""


def _flat(animations: Iterable[Any]) -> Iterator[Any]:
    """Animations, with those that groups are made of."""
    for animation in animations:
        yield animation
        yield from _flat(getattr(animation, "animations", ()))


def _may_recolor(animation: Any) -> bool:
    """Whether an animation takes its grid from the colours of one stage to those of another."""
    return isinstance(getattr(animation, "end", None), Cells) or isinstance(animation, manim.UpdateFromAlphaFunc)


def looked_at(duration: float, before: float, now: float) -> list[float]:
    """The moments of a play of `duration` seconds that lie after `before` and not after `now`, as shares."""
    return [share for share in MOMENTS if before < share * duration <= now]
