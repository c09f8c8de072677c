"""What a record's parameters may be, and how parameters and provenance are frozen.

Both are plain JSON values: they are saved with the numbers, and rules compute with the parameters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attnviz.errors import RecordError

LARGEST_COUNT = 2**31


@dataclass(frozen=True)
class Param:
    """What one parameter must be: in words, and as a test."""

    says: str
    fits: Callable[[Any], bool]


FINITE = Param("a finite number", lambda value: type(value) in (int, float) and abs(value) <= sys.float_info.max)
FLAG = Param("true or false", lambda value: type(value) is bool)
COUNT = Param("a whole number of 1 or more", lambda value: type(value) is int and 1 <= value < LARGEST_COUNT)
SEED = Param("a whole number of 0 or more", lambda value: type(value) is int and 0 <= value < 2**32)
ALIGNMENT = Param("top-left or bottom-right", lambda value: value in ("top-left", "bottom-right"))
WORD = Param("a word", lambda value: type(value) is str and bool(value))
ATTENTION = MappingProxyType({"scale": FINITE, "is_causal": FLAG, "causal": ALIGNMENT, "enable_gqa": FLAG})


def checked(kind: str, wanted: Mapping[str, Param], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """`given`, frozen; RecordError unless it has exactly the parameters that the kind wants, each as it must be."""
    if odd := set(wanted) ^ set(given):
        raise RecordError(f"{kind}: parameters do not match the table: {', '.join(sorted(odd))} missing or unknown")
    for name, param in wanted.items():
        if not param.fits(given[name]):
            raise RecordError(f"{kind}: parameter {name} is {given[name]!r:.60}, it must be {param.says}")
    return frozen(kind, given)


def frozen(kind: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy that nobody can change, of plain JSON values; RecordError for anything else."""
    try:
        plain = json.loads(json.dumps(dict(values), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"{kind}: parameters and provenance must be plain JSON values ({error})") from error
    result: Mapping[str, Any] = _freeze(plain)
    return result


def thawed(value: Any) -> Any:
    """The plain JSON value that a frozen one was."""
    if isinstance(value, Mapping):
        return {key: thawed(part) for key, part in value.items()}
    return [thawed(part) for part in value] if isinstance(value, tuple) else value


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({key: _freeze(part) for key, part in value.items()})
    return tuple(_freeze(part) for part in value) if isinstance(value, list) else value
