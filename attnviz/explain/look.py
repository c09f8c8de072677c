"""What a recipe is written with: the numbers of one record, taken by the coordinates of the one that is explained.

Axes of the same name have the same position: that is what names are for. No stage is known here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.explain.tree import Done, Expression, Known, Leaf, Told, evaluate
from attnviz.trace import Entry, NamedTensor, Record

MOST_TERMS = 64  # of a sum that is listed; beyond, it is told


@dataclass(frozen=True)
class Look:
    """One record and the coordinates `at` of the number that is explained."""

    record: Record
    at: Mapping[str, int] = field(default_factory=dict)

    @property
    def params(self) -> Mapping[str, Any]:
        """The record's parameters."""
        return self.record.params

    def size(self, stage: str, axis: str) -> int:
        """How many positions an axis of a stage has."""
        return self.record[stage].size(axis)

    def entry(self, stage: str, **other: int) -> Entry:
        """The entry of `stage` at the same coordinates, but for those in `other`."""
        tensor = self.record[stage]
        at = {**self.at, **self._shared_head(tensor), **other}
        return tensor.entry(**{axis: at[axis] for axis in tensor.axes})

    def one(self, stage: str, **other: int) -> Leaf:
        """The same as a leaf."""
        return Leaf(self.entry(stage, **other))

    def value(self, stage: str, **other: int) -> float:
        """Its number."""
        return self.entry(stage, **other).value

    def along(self, stage: str, axis: str) -> list[Leaf]:
        """All entries of `stage` along one axis, at the same other coordinates."""
        return [self.one(stage, **{axis: place}) for place in range(self.size(stage, axis))]

    def _shared_head(self, tensor: NamedTensor) -> dict[str, int]:
        """Which key and value head a query's head uses: several may share one."""
        if "kv_head" not in tensor.axes or "head" not in self.at:
            return {}
        return {"kv_head": self.at["head"] * tensor.size("kv_head") // self.size("query", "head")}


def every(look: Look, stage: str) -> list[Leaf]:
    """All entries of a stage, in order."""
    tensor = look.record[stage]
    places = itertools.product(*(range(size) for size in tensor.values.shape))
    return [Leaf(tensor.entry(**dict(zip(tensor.axes, place, strict=True)))) for place in places]


def add(parts: Iterable[Expression]) -> Expression:
    """Their sum; told, where there are too many to list, and nothing at all is 0."""
    listed = tuple(parts)
    if len(listed) > MOST_TERMS:
        return Told(f"the sum of {len(listed)} numbers")
    return Done("sum", listed) if listed else Known(0.0, "a sum of nothing")


def largest(parts: Iterable[Expression]) -> Expression:
    """The largest of them; of nothing it is minus infinity. Of too many to list, it and a word on the others."""
    listed = tuple(parts)
    if len(listed) > MOST_TERMS:
        best = max(listed, key=lambda part: evaluate(part) or -math.inf)
        return Done("largest", (best, Known(-math.inf, f"the other {len(listed) - 1} are no larger")))
    return Done("largest", listed) if listed else Known(-math.inf, "the largest of nothing")


def times(*parts: Expression) -> Done:
    """Their product."""
    return Done("product", parts)


def less(one: Expression, other: Expression) -> Done:
    """The first less the second."""
    return Done("difference", (one, other))


def over(one: Expression, other: Expression) -> Done:
    """The first divided by the second."""
    return Done("quotient", (one, other))


def exp(part: Expression) -> Done:
    """The exponential function of it."""
    return Done("exp", (part,))


def same(part: Expression) -> Done:
    """It, unchanged."""
    return Done("same", (part,))
