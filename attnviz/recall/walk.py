"""From any Python value to a digest: what it holds, object by object, and not where it lies in memory.

Objects are numbered as they are met, so it counts whether two places hold one object or two equal ones. How a value
of each class is written stands in `values.py` and `objects.py`; nothing here knows what a scene is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})  # values without parts, and without identity
KNOWN = ("attnviz.", "manim.")  # what is memorised there follows from the rest, and is not changed
NOTHING: Mapping[type, frozenset[str]] = MappingProxyType({})
Writer = Callable[["Walk", Any], None]


class Unknowable(Exception):
    """A value that hides what it holds: an open file, a generator, an object of C code that cannot be copied."""


class Walk:
    """Writes values one after the other; `digest` is that of all so far. `skipped`: attributes that do not count."""

    def __init__(self, choose: Callable[[type], Writer], skipped: Mapping[type, frozenset[str]] = NOTHING) -> None:
        self.out: list[bytes] = []
        self.choose, self.skipped = choose, skipped
        self.numbers: dict[int, int] = {}
        self.owners: dict[int, int] = {}  # of memory: the number of the first array that lies in it
        self.kept: list[object] = []  # an id is not given to another object while its own lives
        self._writers: dict[type, Writer] = {}
        self._shapes: dict[tuple[object, ...], tuple[bytes, tuple[str, ...]]] = {}

    def digest(self) -> str:
        """Return the digest of all that was written, in hex."""
        return sha256(b"".join(self.out)).hexdigest()

    def write(self, value: Any) -> None:
        """Write a value with all that it holds. Raises Unknowable, and RecursionError for what is nested too deep."""
        kind = type(value)
        writer = self._writers.get(kind)
        if writer is None:
            writer = self._writers[kind] = self.choose(kind)
        writer(self, value)

    def met(self, value: object) -> bool:
        """Number an object; where it has a number already, write that and return True."""
        new = len(self.numbers)
        number = self.numbers.setdefault(id(value), new)
        if number == new:
            self.kept.append(value)
            return False
        self.out.append(b"@%d;" % number)
        return True

    def attributes(self, kind: type, table: Mapping[str, Any]) -> None:
        """Write an object's attributes, sorted by name: the order in which they were set says nothing."""
        shape = (kind, *table)
        known = self._shapes.get(shape)
        if known is None:
            known = self._shapes[shape] = self._shape(kind, table)
        token, names = known
        self.out.append(token)
        for name in names:
            self.write(table[name])

    def apart(self, value: object) -> bytes:
        """Return the digest that a value would have here, without writing it."""
        other = Walk(self.choose, self.skipped)
        if type(value) not in PLAIN:
            other.numbers, other.owners, other.kept = dict(self.numbers), dict(self.owners), [self.kept]
        other.write(value)
        return sha256(b"".join(other.out)).digest()

    def _shape(self, kind: type, table: Mapping[str, Any]) -> tuple[bytes, tuple[str, ...]]:
        if "<locals>" in kind.__qualname__:
            raise Unknowable("a class made while something ran: its code may be that of any beat")
        skipped = {name for base in kind.__mro__ for name in self.skipped.get(base, ())}
        skipped |= {name for base in kind.__mro__ if base.__module__.startswith(KNOWN) for name in _memories(base)}
        names = tuple(sorted(table.keys() - skipped, key=str))
        return sha256(repr((full_name(kind), names)).encode()).digest(), names


def _memories(kind: type) -> set[str]:
    return {name for name, value in vars(kind).items() if type(value) is functools.cached_property}


def full_name(kind: Any) -> str:
    """Return the name of a class or a function, with that of its module."""
    return f"{kind.__module__}.{kind.__qualname__}"
