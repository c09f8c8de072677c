"""The sign before a result: an equals sign where the shown digits give the shown result, else ≈.

A relation knows the entries it speaks of, so that the audit can do the sum again from what stands on screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import manim

from attnviz import text
from attnviz.errors import InputError
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Bound, Number
from attnviz.numbers import Operation, relation, works_out
from attnviz.text.owner import own

Shown = Bound | str  # an entry in its format, or digits that a literal shows


@dataclass(frozen=True)
class Claim:
    """That an operation on the digits of `terms`, in order, gives those of `total`."""

    operation: Operation
    terms: tuple[Shown, ...]
    total: Shown

    def __deepcopy__(self, memo: object) -> Claim:
        return self  # nothing in it ever changes

    @property
    def sign(self) -> str:
        """"=" where the shown digits hold, else "≈"."""
        return relation([digits(term) for term in self.terms], digits(self.total), self.operation)

    @property
    def works_out(self) -> bool:
        """Whether the shown digits of the terms give those of the total, once rounded as they are."""
        return works_out([digits(term) for term in self.terms], digits(self.total), self.operation)


class Relation(manim.VGroup):
    """A formula that ends with the sign of its claims: `=` only if all hold. `before` is Typst maths without digits."""

    def __init__(self, before: str, claims: Sequence[Claim], *, size: float, color: str) -> None:
        self.claims = tuple(claims)
        if not self.claims:
            raise InputError(f"the sign after {before!r} rests on no claim: say which digits give which")
        self.sign = "=" if all(claim.sign == "=" for claim in self.claims) else "≈"
        super().__init__(text.math(f"{before} {self.sign}".strip(), size=size, color=color))
        own(self, self.submobjects)

    def describe(self) -> dict[str, Any]:
        """The sign and what it rests on, as plain JSON values."""
        lines = [{"terms": [digits(term) for term in claim.terms], "total": digits(claim.total)}
                 for claim in self.claims]
        return {"type": "relation", "sign": self.sign, "operation": self.claims[0].operation, "lines": lines}


def digits(shown: Shown) -> str:
    """The digits of an entry in its format, or those given."""
    return shown if isinstance(shown, str) else shown.fmt.text(shown.entry.value)


def shown_row(grid: Grid) -> list[Bound]:
    """What the cells of a grid of one row, or one column, show, in order."""
    rows, columns = grid.cells.shape
    return [Bound(grid.cells.entry(row, column), grid.cells.format) for row in range(rows) for column in range(columns)]


def each(operation: Operation, results: Grid, *terms: Grid | Number | str) -> list[Claim]:
    """One claim a cell of `results`, whose terms are the cells in the same place, or the one number for all."""
    rows, columns = results.cells.shape
    repeated = [_repeated(term, rows * columns) for term in terms]
    return [Claim(operation, tuple(row), total)
            for *row, total in zip(*repeated, shown_row(results), strict=True)]


def total_of(row: Grid, total: Number) -> list[Claim]:
    """That a row adds up to a number."""
    return [Claim("sum", tuple(shown_row(row)), total.bound)]


def _repeated(term: Grid | Number | str, count: int) -> Sequence[Shown]:
    if isinstance(term, Grid):
        return shown_row(term)
    return [term.bound if isinstance(term, Number) else term] * count
