"""Reading a JSON file that may hold anything: every value is asked for by its type, and knows where it stands.

What is missing, of another type, or no finite number raises InputError with place and value. No claim is judged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from attnviz.errors import InputError
from attnviz.registry import printable

LARGEST_JSON = 16 * 1024 * 1024  # bytes
LONGEST_SHOWN = 60  # letters of a value in a message
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
REMEDY = "render the scene again"


@dataclass(frozen=True)
class Claim:
    """A value in a JSON file, and where: `score.json: beats[3].visible[0].center`."""

    value: Any
    place: str

    def __getitem__(self, key: str) -> Claim:
        """The value under a key; InputError where there is none."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        if key not in self.value:
            raise InputError(f"{self.place} has no {printable(key)!r}; {REMEDY}")
        separator = "." if self.place[-1:] != ":" else " "
        return Claim(self.value[key], f"{self.place}{separator}{key}")

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def parts(self, count: int | None = None) -> list[Claim]:
        """The members of a list, of so many where `count` is given."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            self.refuse("a list" if count is None else f"a list of {count}")
        return [Claim(part, f"{self.place}[{number}]") for number, part in enumerate(self.value)]

    def pairs(self) -> Iterator[tuple[str, Claim]]:
        """The keys and values of an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return ((key, self[key]) for key in self.value)

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.refuse("a text")
        return str(self.value)

    def number(self, low: float = -1e300, high: float = 1e300) -> float:
        """A finite number between two ends."""
        fits = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not fits or not low <= self.value <= high:  # NaN is in no range
            self.refuse("a finite number" if low == -1e300 else f"a number from {low:g} to {high:g}")
        return float(self.value)

    def whole(self, low: int = 0, high: int = 2**31) -> int:
        """A whole number between two ends."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not low <= self.value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return int(self.value)

    def numbers(self, count: int | None = None, low: float = -1e300, high: float = 1e300) -> tuple[float, ...]:
        """A list of finite numbers."""
        return tuple(part.number(low, high) for part in self.parts(count))

    def color(self) -> tuple[float, float, float]:
        """The red, green and blue of `#rrggbb`."""
        if not isinstance(self.value, str) or not _COLOR.fullmatch(self.value):
            self.refuse("a colour such as #1e2534")
        red, green, blue = (int(self.value[place:place + 2], 16) for place in (1, 3, 5))
        return float(red), float(green), float(blue)

    def one_of(self, *known: str) -> str:
        """One of some words."""
        if self.value not in known:
            self.refuse(" or ".join(known))
        return str(self.value)

    def refuse(self, wanted: str) -> NoReturn:
        """Say that this is not what it must be."""
        raise InputError(f"{self.place} is {shortly(self.value)}, it must be {wanted}; {REMEDY}")


def shortly(value: Any) -> str:
    """A value as a message quotes it: printable, and not long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deep; a whole number with too many digits
        text = f"a {type(value).__name__}"
    shown = printable(text)
    return shown if len(shown) <= LONGEST_SHOWN else shown[:LONGEST_SHOWN - 1] + "…"


def read_json(path: Path) -> Claim:
    """The object in a JSON file; InputError for what cannot be read as one, for NaN, and for a key that comes twice."""
    try:
        if (size := path.stat().st_size) > LARGEST_JSON:
            raise InputError(f"{path} has {size} bytes, more than {LARGEST_JSON}; it is not one of ours")
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant, object_pairs_hook=_once)
    except OSError as fault:
        raise InputError(f"{path} cannot be read ({fault.strerror}); {REMEDY}") from None
    except (ValueError, RecursionError, MemoryError) as fault:
        if isinstance(fault, InputError):
            raise
        why = printable(str(fault)) or type(fault).__name__
        raise InputError(f"{path} is no JSON that can be used ({why:.120}); {REMEDY}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} holds {shortly(found)}, it must hold an object; {REMEDY}")
    return Claim(found, f"{path.name}:")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}, which is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key comes twice")
    if any(isinstance(value, float) and not math.isfinite(value) for value in table.values()):
        raise ValueError("a number is too large")  # 1e999 is read as infinity
    return table
