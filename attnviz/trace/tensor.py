"""Tensors that know their axes, and single entries that know their address.

Values are read-only. Batch and head are axes like the others: they are selected away to draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import InputError
from attnviz.trace.stage import Stage


def _address(name: str, coords: Mapping[str, int]) -> str:
    inside = ", ".join(f"{axis}={index}" for axis, index in coords.items())
    return f"{name}[{inside}]" if inside else name


@dataclass(frozen=True)
class Entry:
    """One number of one stage. `coords` are in the stage's own order of axes; `value` may be minus infinity."""

    record: str
    stage: Stage
    coords: Mapping[str, int]
    value: float

    @property
    def name(self) -> str:
        """The stage's name, such as `attn_weights`."""
        return self.stage.name

    @property
    def symbol(self) -> str:
        """The stage's symbol, such as `P`."""
        return self.stage.symbol

    @property
    def address(self) -> str:
        """Where the number stands: `attn_weights[batch=0, head=1, query_pos=2, key_pos=0]`."""
        return _address(self.name, self.coords)

    def __hash__(self) -> int:
        return hash((self.record, self.address))

    def __deepcopy__(self, memo: object) -> Entry:
        return self  # nothing in it ever changes


@dataclass(frozen=True, eq=False)
class NamedTensor:
    """A stage's numbers, whole or with some axes selected away; `at` holds what was selected."""

    record: str
    stage: Stage
    axes: tuple[str, ...]
    values: NDArray[Any]
    at: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def __deepcopy__(self, memo: object) -> NamedTensor:
        return self  # nothing in it ever changes

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    @property
    def symbol(self) -> str:
        """The stage's symbol."""
        return self.stage.symbol

    @property
    def title(self) -> str:
        """The stage's title, in words."""
        return self.stage.title

    @property
    def address(self) -> str:
        """Where these numbers stand, e.g. `attn_weights[batch=0, head=1]`."""
        return _address(self.name, self._ordered(self.at))

    def size(self, axis: str) -> int:
        """How many positions `axis` has; InputError if the tensor has no such axis."""
        return int(self.values.shape[self._index(axis)])

    def sel(self, **coords: int) -> NamedTensor:
        """The same tensor with these axes fixed, e.g. `sel(batch=0, head=1)`; InputError outside its range."""
        index: list[Any] = [slice(None)] * len(self.axes)
        chosen = {axis: self._checked(axis, position) for axis, position in coords.items()}
        for axis, position in chosen.items():
            index[self._index(axis)] = position
        values = np.asarray(self.values[tuple(index)])
        values.setflags(write=False)
        rest = tuple(axis for axis in self.axes if axis not in coords)
        return NamedTensor(self.record, self.stage, rest, values, MappingProxyType({**self.at, **chosen}))

    def entry(self, **coords: int) -> Entry:
        """The one number at these coordinates; InputError unless they name every remaining axis."""
        if missing := [axis for axis in self.axes if axis not in coords]:
            raise InputError(f"{self.address} needs {', '.join(missing)} to name one entry")
        one = self.sel(**coords)
        return Entry(self.record, self.stage, MappingProxyType(self._ordered(one.at)), float(one.values))

    def _index(self, axis: str) -> int:
        if axis not in self.axes:
            raise InputError(f"{self.address} has no axis {axis!r}; its axes are {', '.join(self.axes)}")
        return self.axes.index(axis)

    def _checked(self, axis: str, position: int) -> int:
        size = self.size(axis)
        if isinstance(position, bool) or not isinstance(position, int | np.integer):
            raise InputError(f"{self.address}: {axis}={position!r} is no whole number")
        if not 0 <= position < size:
            raise InputError(f"{self.address}: {axis}={position} is outside 0..{size - 1}")
        return int(position)

    def _ordered(self, coords: Mapping[str, int]) -> dict[str, int]:
        return {axis: coords[axis] for axis in self.stage.axes if axis in coords}
