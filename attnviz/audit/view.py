"""What the audit looks at: the things on screen by what they are, beside the records that they must agree with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz.cases import Case
from attnviz.mobjects.grid import Grid
from attnviz.onscreen import HIDDEN, Thing, things
from attnviz.theme import Theme
from attnviz.trace import Bundle, Entry, NamedTensor

Sort = TypeVar("Sort")
WORDS = ("query_tokens", "key_tokens")  # where a record notes the words along its axes
NEAR = 0.6  # units: how far a label, a name or an arrow's end may stand from what it belongs to


@dataclass(frozen=True, eq=False)
class View:
    """One moment of a scene. `at_rest` is False inside a play, where things are on their way."""

    bundle: Bundle
    case: Case
    theme: Theme
    quoted: frozenset[str]  # titles and captions, which are audited by themselves
    things: list[Thing]
    at_rest: bool
    kept_fills: frozenset[int] = frozenset()  # identities of colours that the play leaves as they are
    stepping: frozenset[int] = frozenset()  # identities of what the play takes along the steps of a sweep

    @classmethod
    def of(cls, scene: Any, *, at_rest: bool, kept_fills: frozenset[int] = frozenset(),
           stepping: frozenset[int] = frozenset()) -> View:
        """What a scene shows now."""
        said = frozenset(text for beat in scene.words.beats for text in (beat.title, beat.caption))
        return cls(scene.bundle, scene.data, scene.theme, said, things(scene), at_rest, kept_fills,
                   stepping)

    def is_settled(self, grid: Grid) -> bool:
        """Whether a grid has the very colours of its numbers now: at rest, kept by a play, or at a step of a sweep."""
        return self.at_rest or id(grid.cells.fill) in self.kept_fills or id(grid) in self.stepping

    def all_of(self, kind: type[Sort]) -> list[Sort]:
        """Everything of a class that is on screen, things and groups with a thing in them, in order of painting."""
        return [mobject for mobject in self._everything if isinstance(mobject, kind)]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words of the case, and those that a record notes."""
        noted = [record.provenance.get(name) for record in self.bundle.values() for name in WORDS]
        own = (self.case.query_tokens, self.case.key_tokens)
        return frozenset(token for some in (*own, *noted) if isinstance(some, tuple) for token in some)

    def thing(self, mobject: manim.Mobject) -> Thing:
        """The thing that a mobject is."""
        return self._by_mobject[id(mobject)]

    def lone(self, kind: type[Sort]) -> list[Sort]:
        """Things of a class, leaves only."""
        return [thing.mobject for thing in self.things if isinstance(thing.mobject, kind)]

    @property
    def grids(self) -> list[Grid]:
        """The grids of which a cell can be seen."""
        return self.lone(Grid)

    @cached_property
    def _everything(self) -> list[manim.Mobject]:
        found: dict[int, manim.Mobject] = {}
        for thing in self.things:
            for mobject in (*thing.kin, thing.mobject):
                found.setdefault(id(mobject), mobject)
        return list(found.values())

    @cached_property
    def _by_mobject(self) -> dict[int, Thing]:
        return {id(thing.mobject): thing for thing in self.things}

    def recorded(self, tensor: NamedTensor) -> NDArray[Any] | None:
        """The numbers that the records hold at a tensor's address; None where there are none."""
        if tensor.record not in self.bundle or tensor.stage not in self.bundle[tensor.record].kind.stages:
            return None
        whole = self.bundle[tensor.record][tensor.name]
        if not set(tensor.at) <= set(whole.axes):
            return None
        return whole.values[tuple(tensor.at.get(axis, slice(None)) for axis in whole.axes)]

    def value(self, entry: Entry) -> float | None:
        """The number that the records hold at an entry's address; None where there is none."""
        if entry.record not in self.bundle or entry.stage not in self.bundle[entry.record].kind.stages:
            return None
        array = self.bundle[entry.record].arrays[entry.name]
        if set(entry.coords) != set(entry.stage.axes):
            return None
        return float(array[tuple(entry.coords[axis] for axis in entry.stage.axes)])


def seen_cells(grid: Grid) -> NDArray[np.bool_]:
    """Which cells of a grid can be seen, their fill or their digits."""
    cells = grid.cells
    return np.asarray(np.maximum(cells.opacity, cells.digit_opacity) * grid.opacity >= HIDDEN)


def places(grid: Grid) -> Iterator[tuple[int, int]]:
    """Row and column of every cell that can be seen."""
    return ((int(row), int(column)) for row, column in np.argwhere(seen_cells(grid)))
