"""Expressions: operations on recorded numbers. `evaluate` says what one gives, `plain` what a page may hold of it.

No stage is known here (see the recipes beside this file).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnviz.trace import Entry


@dataclass(frozen=True)
class Leaf:
    """A recorded number."""

    entry: Entry


@dataclass(frozen=True)
class Known:
    """A number of no stage, and where it is from: a parameter, a count, what holds by definition."""

    value: float
    words: str


@dataclass(frozen=True)
class Done:
    """An operation of OPERATIONS on one part or more."""

    operation: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Told:
    """What is only told: too many numbers to list, or drawn by chance."""

    words: str


Expression = Leaf | Known | Done | Told
LARGEST_FLOAT32 = (2 - 2.0**-23) * 2.0**127


def _quotient(values: Sequence[float]) -> float:
    over, under = values
    return over / under if math.isfinite(over) or math.isfinite(under) else math.nan


def _exp(values: Sequence[float]) -> float:
    try:
        return math.exp(values[0])
    except OverflowError:
        return math.inf


def _float32(values: Sequence[float]) -> float:
    return math.copysign(math.inf, values[0]) if abs(values[0]) > LARGEST_FLOAT32 else values[0]


OPERATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "same": lambda values: values[0],
    "sum": sum,
    "difference": lambda values: values[0] - values[1],
    "product": math.prod,
    "quotient": _quotient,
    "exp": _exp,
    "ln": lambda values: math.log(values[0]),
    "root": lambda values: math.sqrt(values[0]),
    "size": lambda values: abs(values[0]),
    "largest": max,
    "float32": _float32,
}


def evaluate(expression: Expression) -> float | None:
    """What an expression gives in float64; None where a part of it is only told."""
    if isinstance(expression, Leaf):
        return expression.entry.value
    if isinstance(expression, Known):
        return expression.value
    if isinstance(expression, Told):
        return None
    values = [evaluate(part) for part in expression.parts]
    known = [value for value in values if value is not None]
    return OPERATIONS[expression.operation](known) if len(known) == len(values) else None


def leaves(expression: Expression) -> Iterator[Entry]:
    """The recorded numbers of an expression, from left to right."""
    if isinstance(expression, Leaf):
        yield expression.entry
    elif isinstance(expression, Done):
        for part in expression.parts:
            yield from leaves(part)


def plain(expression: Expression, number_of: Callable[[Entry], int]) -> Any:
    """An expression as JSON values: a leaf is its number, the rest a list that begins with what it is."""
    if isinstance(expression, Leaf):
        return number_of(expression.entry)
    if isinstance(expression, Known):
        return ["known", written(expression.value), expression.words]
    if isinstance(expression, Told):
        return ["told", expression.words]
    return [expression.operation, *(plain(part, number_of) for part in expression.parts)]


def written(value: float) -> str:
    """A number as JavaScript's `Number` reads it, to its last digit."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if math.isnan(value) else repr(value)
