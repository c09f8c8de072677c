"""Arrows between what is drawn from records: only where the computation goes.

A stage may point to a stage that is computed directly from it, or to the same stage where another record takes it over.
"""

from __future__ import annotations

from typing import Any

import manim
import numpy as np

from attnviz.errors import InputError
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.theme import Theme
from attnviz.trace import KINDS, Stage

Bound = Grid | Bars | Number


class Flow(manim.Arrow):
    """An arrow from one bound mobject to another; InputError where the second is not computed from the first."""

    def __init__(self, source: Bound, target: Bound, theme: Theme, **options: Any) -> None:
        self.ends = bound_stage(source), bound_stage(target)
        if not may_flow(*self.ends):
            raise InputError(f"no arrow from {_said(self.ends[0])} to {_said(self.ends[1])}: "
                             f"{self.ends[1][1].name} is not computed from {self.ends[0][1].name}")
        towards = target.get_center() - source.get_center()
        side = np.sign(towards) * (np.abs(towards) == np.abs(towards).max())
        start, end = source.get_critical_point(side), target.get_critical_point(-side)
        super().__init__(start, end, **{"color": theme.muted, "stroke_width": 4, "buff": 0.1, **options})

    def describe(self) -> dict[str, Any]:
        """What it goes from and to, as plain JSON values."""
        source, target = ({"record": record, "stage": stage.name} for record, stage in self.ends)
        return {"type": "arrow", "source": source, "target": target}


def bound_stage(mobject: Bound) -> tuple[str, Stage]:
    """The record and the stage that a mobject is bound to."""
    if isinstance(mobject, Number):
        return mobject.entry.record, mobject.entry.stage
    if not isinstance(mobject, Grid | Bars):
        raise InputError(f"an arrow cannot start or end at a {type(mobject).__name__}: take a Grid, Bars or a Number")
    tensor = mobject.cells.tensor if isinstance(mobject, Grid) else mobject.tensor
    return tensor.record, tensor.stage


def may_flow(source: tuple[str, Stage], target: tuple[str, Stage]) -> bool:
    """Whether the second is computed directly from the first, or is of the same stage: a part, or another record."""
    if source[0] != target[0] or source[1] == target[1]:
        return source[1].name == target[1].name
    known = {stage.name for kind in KINDS.values() if target[1] in kind.stages for stage in kind.stages}
    return source[1].name in known and source[1].name in target[1].inputs


def _said(end: tuple[str, Stage]) -> str:
    return f"{end[0]}.{end[1].name}"
