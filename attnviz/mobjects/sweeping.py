"""Sweeping: grids, bars and numbers taken along the steps of a sweep. At every moment one recorded step is shown.

Nothing between two steps is ever drawn: a step that a film shows was computed, and a smooth motion needs many of them.
"""

from __future__ import annotations

from typing import Any

import manim

from attnviz.errors import InputError
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.theme import DARK
from attnviz.trace import Record

STEP = "step"
Swept = Grid | Bars | Number


def step_of(part: Swept, record: str | None = None) -> int | None:
    """The step that a part shows; None where it is bound to none, or to one of another record."""
    if isinstance(part, Number):
        at, held = part.entry.coords, part.entry.record
    else:
        tensor = part.cells.tensor if isinstance(part, Grid) else part.tensor
        at, held = tensor.at, tensor.record
    return at.get(STEP) if record in (None, held) else None


class StepTo(manim.Animation):
    """One part from the step that it shows to another, by way of all the recorded ones between."""

    def __init__(self, part: Swept, record: Record, to: int, *, run_time: float = DARK.slow, **options: Any) -> None:
        if step_of(part, record.name) is None:
            said = {**part.describe(), **part.describe().get("content", {})}
            raise InputError(f"{said['address']} of {said['record']!r} is at no step of the sweep {record.name!r}")
        self.part, self.record, self.to, self.start = part, record, to, to
        record[_name(part)].sel(step=to)  # refuses a step that is not there
        super().__init__(part, run_time=run_time, **options)

    def begin(self) -> None:
        """Start from the step that the part shows now."""
        self.start = step_of(self.part) or 0
        super().begin()

    def interpolate_mobject(self, alpha: float) -> None:
        """Show the one step that this moment has."""
        share = min(max(float(self.rate_func(alpha)), 0.0), 1.0)
        step = self.start + round((self.to - self.start) * share)
        if step != step_of(self.part):
            self.show(step)

    def show(self, step: int) -> None:
        """Bind the part to another step of its record, and draw it so."""
        part, whole = self.part, self.record[_name(self.part)]
        if isinstance(part, Number):
            other = part.other(whole.entry(**{**part.entry.coords, STEP: step}))
            part.show_as(other.align_to(part, manim.LEFT), 1.0)  # one more digit leaves the others where they are
        elif isinstance(part, Grid):
            cells = part.cells
            part.cells = part.bound_to(whole.sel(**{**cells.tensor.at, STEP: step}), cells.scale, cells.format)
        else:
            part.show_as(whole.sel(**{**part.tensor.at, STEP: step}))


class Sweeping(manim.AnimationGroup):
    """All `parts`, which show one step of `record`, go together to the step `to`; InputError where they do not."""

    def __init__(self, record: Record, *parts: Swept, to: int, run_time: float = DARK.slow, **options: Any) -> None:
        if not parts:
            raise InputError(f"nothing was given to sweep along {record.name!r}: name grids, bars or numbers")
        steps = [StepTo(part, record, to, run_time=run_time, **options) for part in parts]
        self.record, self.parts = record, parts
        super().__init__(*steps, run_time=run_time)

    def begin(self) -> None:
        """Refuse to begin from two steps at once."""
        found = sorted({step_of(part) or 0 for part in self.parts})
        if len(found) > 1:
            raise InputError(f"a sweep along {self.record.name!r} would begin at steps {', '.join(map(str, found))}: "
                             "bring its parts to one step first")
        super().begin()


def _name(part: Swept) -> str:
    return part.entry.name if isinstance(part, Number) else (
        part.cells.tensor.name if isinstance(part, Grid) else part.tensor.name)
