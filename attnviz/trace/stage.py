"""What a stage is: one row of a kind's table, with the rule that its numbers must follow.

No stage is defined here (see `attnviz.trace.kinds`), and no array is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import InputError
from attnviz.trace.params import Param

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Arrays = Mapping[str, Array]
Params = Mapping[str, Any]


@dataclass(frozen=True)
class Expected:
    """What a rule says a stage should hold, in float64, and how far rounding may carry it away.

    `largest` is the largest term of the sum behind each value (broadcastable to `values`), `terms` the
    length of that sum; a record allows 4 * eps * sqrt(terms) * largest.
    """

    values: Array
    largest: Array | float = 0.0
    terms: int = 1


Rule = Callable[[Arrays, Params], Expected]


@dataclass(frozen=True)
class Stage:
    """One table row. `rule` is None for what is given; `external` marks what came from outside this project.

    `storage` says what the numbers are rounded to: `input` (the dtype of the tensors given), `compute`
    (float32 for half types, else the same) or `integer`.
    """

    name: str
    symbol: str
    title: str
    axes: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    rule: Rule | None = None
    storage: Literal["input", "compute", "integer"] = "compute"
    external: bool = False
    overflows: bool = False  # infinity and NaN are what the computation gives here, and may be shown
    gaps: bool = False  # NaN stands for "no number here" (a lane or a tile that does not exist)


@dataclass(frozen=True)
class Kind:
    """A table of stages under one name, in the order in which they are computed, and the parameters of their rules."""

    name: str
    stages: tuple[Stage, ...]
    params: Mapping[str, Param] = field(default_factory=lambda: MappingProxyType({}))

    def stage(self, name: str) -> Stage:
        """The row called `name`; InputError if the table has none."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        known = ", ".join(s.name for s in self.stages)
        raise InputError(f"kind {self.name!r} has no stage {name!r}; it has {known}")

    def feeds(self, source: str, target: str) -> bool:
        """Whether `target` is computed directly from `source`: the only arrows that may be drawn."""
        return source in self.stage(target).inputs
