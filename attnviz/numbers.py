"""Number to text: the only place where a value becomes digits.

Here live the formats, their defaults per stage, and the rule for writing an equals sign.
No colour, no outline and no manim belongs here.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from typing import Literal, SupportsFloat

from attnviz.errors import InputError

MINUS = "\u2212"
INFINITY = "∞"
STYLES = ("fixed", "scientific", "integer", "trimmed")
Operation = Literal["sum", "product", "difference", "quotient", "exp"]


@dataclass(frozen=True)
class NumberFormat:
    """How a value is written: a style and the digits behind the decimal point.

    `fixed` 0.62, `scientific` 8.9e-08, `integer` 12 (the value must be whole), `trimmed` like fixed without
    trailing zeros (0, −0.5).
    """

    style: Literal["fixed", "scientific", "integer", "trimmed"] = "fixed"
    digits: int = 2

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise InputError(f"number style {self.style!r} is unknown: use one of {', '.join(STYLES)}")
        if not 0 <= self.digits <= 17:
            raise InputError(f"a number with {self.digits} digits cannot be written: use 0 to 17")

    def text(self, value: SupportsFloat) -> str:
        """The shown form of `value` (any real scalar, half types too); InputError for NaN."""
        number = float(value)
        if math.isnan(number):
            raise InputError("a NaN cannot be written as a number: find where it entered the computation")
        if math.isinf(number):
            return (MINUS if number < 0 else "") + INFINITY
        return self._signed(number)

    def _signed(self, number: float) -> str:
        digits = self._magnitude(abs(number))
        shows_nothing = not any(figure in digits.split("e")[0] for figure in "123456789")
        return digits if number >= 0 or shows_nothing else MINUS + digits

    def _magnitude(self, magnitude: float) -> str:
        if self.style == "scientific":
            return f"{magnitude:.{self.digits}e}"
        if self.style == "integer":
            return _whole(magnitude)
        fixed = f"{magnitude:.{self.digits}f}"
        return fixed.rstrip("0").rstrip(".") if self.style == "trimmed" and "." in fixed else fixed


def _whole(magnitude: float) -> str:
    if magnitude != int(magnitude):
        raise InputError(f"{magnitude!r} is not a whole number: use the fixed style for it")
    return str(int(magnitude))


_INTEGER = NumberFormat("integer", 0)
_STAGE_FORMATS: Mapping[str, NumberFormat] = {
    "mask": NumberFormat("trimmed", 2),
    "abs_difference": NumberFormat("scientific", 1),
    "max_abs_difference": NumberFormat("scientific", 1),
    "tile_kind": _INTEGER,
    "bytes_read": _INTEGER,
    "bytes_written": _INTEGER,
}


def format_for(stage: str) -> NumberFormat:
    """The format that a stage's numbers have unless a scene asks for another: two decimals for most."""
    return _STAGE_FORMATS.get(stage, NumberFormat("fixed", 2))


def shown_decimal(text: str) -> Decimal:
    """The exact decimal that a shown text stands for; InputError if it is no number."""
    plain = text.replace(MINUS, "-").replace(INFINITY, "Infinity")
    try:
        return Decimal(plain)
    except DecimalException:
        raise InputError(f"{text!r} is not a shown number: pass the text that the formatter wrote") from None


def _sum_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return sum(terms, Decimal(0)) == total


def _product_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return math.prod(terms, start=Decimal(1)) == total


def _difference_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return terms[0] - sum(terms[1:], Decimal(0)) == total


def _quotient_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return terms[0] == total * math.prod(terms[1:], start=Decimal(1))


def _exp_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return (terms[0], total) in ((Decimal(0), Decimal(1)), (Decimal("-Infinity"), Decimal(0)))


_HOLDS: Mapping[str, Callable[[Sequence[Decimal], Decimal], bool]] = {
    "sum": _sum_holds,
    "product": _product_holds,
    "difference": _difference_holds,
    "quotient": _quotient_holds,
    "exp": _exp_holds,
}


def relation(shown_terms: Sequence[str], shown_total: str, operation: Operation = "sum") -> str:
    """"=" where the shown digits give the shown total exactly (decimal arithmetic), otherwise "≈"."""
    if operation not in _HOLDS:
        raise InputError(f"operation {operation!r} is unknown: use one of {', '.join(_HOLDS)}")
    if not shown_terms:
        raise InputError(f"no terms were given for {shown_total!r}: pass the texts of all terms")
    terms, total = [shown_decimal(term) for term in shown_terms], shown_decimal(shown_total)
    try:
        return "=" if _HOLDS[operation](terms, total) else "≈"
    except DecimalException:
        return "≈"
