"""Number to text: the only place where a value becomes digits.

Here live the formats, their defaults per stage, and the rule for writing an equals sign.
No colour, no outline and no manim belongs here.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, DecimalException
from typing import Literal, SupportsFloat

from attnviz.errors import InputError

MINUS = "\u2212"
INFINITY = "∞"
NAN = "NaN"
MOST_DIGITS = 17  # behind the point: more than a double holds
LONGEST = 6  # characters without a sign, 999.99: more crowd a cell
SMALLEST_END, LARGEST_END = 1e-2, 1e5  # between them the ends of a colour scale are written out
STYLES = ("fixed", "scientific", "integer", "trimmed", "graded")
Operation = Literal["sum", "product", "difference", "quotient", "exp", "largest", "rescaled"]


@dataclass(frozen=True)
class NumberFormat:
    """How a value is written: a style and the digits behind the decimal point.

    `fixed` 0.62, `scientific` 8.9e-08, `integer` 12 (the value must be whole), `trimmed` like fixed without
    trailing zeros (0, −0.5), `graded` like fixed, but scientific where that would be nothing but zeros.
    With `has_nan` a NaN is written too: only where it is the result that a viewer should see.
    """

    style: Literal["fixed", "scientific", "integer", "trimmed", "graded"] = "fixed"
    digits: int = 2
    has_nan: bool = False

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise InputError(f"number style {self.style!r} is unknown: use one of {', '.join(STYLES)}")
        if not 0 <= self.digits <= MOST_DIGITS:
            raise InputError(f"a number with {self.digits} digits cannot be written: use 0 to {MOST_DIGITS}")

    def text(self, value: SupportsFloat) -> str:
        """The shown form of `value` (any real scalar, half types too); InputError for NaN, unless `has_nan`."""
        number = float(value)
        if math.isnan(number) and self.has_nan:
            return NAN
        if math.isnan(number):
            raise InputError("a NaN cannot be written as a number: find where it entered the computation")
        if math.isinf(number):
            return (MINUS if number < 0 else "") + INFINITY
        return self._signed(number)

    def _signed(self, number: float) -> str:
        digits = self._magnitude(abs(number))
        return MINUS + digits if number < 0 and _says_something(digits) else digits

    def _magnitude(self, magnitude: float) -> str:
        if self.style == "scientific":
            return f"{magnitude:.{self.digits}e}"
        if self.style == "integer":
            return _whole(magnitude)
        fixed = f"{magnitude:.{self.digits}f}"
        if self.style == "graded" and magnitude and not _says_something(fixed):
            return f"{magnitude:.0e}"
        return fixed.rstrip("0").rstrip(".") if self.style == "trimmed" and "." in fixed else fixed


def _says_something(digits: str) -> bool:
    return any(figure in digits.split("e")[0] for figure in "123456789")


def _whole(magnitude: float) -> str:
    if magnitude != int(magnitude):
        raise InputError(f"{magnitude!r} is not a whole number: use the fixed style for it")
    return str(int(magnitude))


_INTEGER = NumberFormat("integer", 0)
SCIENTIFIC = NumberFormat("scientific", 1)
_STAGE_FORMATS: Mapping[str, NumberFormat] = {
    "mask": NumberFormat("trimmed", 2),
    "abs_difference": SCIENTIFIC,
    "max_abs_difference": SCIENTIFIC,
    "largest_gap": NumberFormat("fixed", 3),
    "largest_miss": NumberFormat("fixed", 3),
    "naive_weights": NumberFormat("fixed", 2, has_nan=True),
    "tile_kind": _INTEGER,
    "bytes_read": _INTEGER,
    "bytes_written": _INTEGER,
    "counts_raw": _INTEGER,
    "counts_scaled": _INTEGER,
    "fine_counts_scaled": _INTEGER,
    "kept_raw": _INTEGER,
    "kept_scaled": _INTEGER,
    **dict.fromkeys(("predicted_std", "bin_edges", "fine_edges"), NumberFormat("trimmed", 2)),
    "quartiles_jacobian_raw": NumberFormat("graded", 3),
    "quartiles_jacobian_scaled": NumberFormat("graded", 3),
    **dict.fromkeys(("query_count", "key_count", "head_dim", "value_dim", "element_size", "query_tile_size",
                     "untiled_moves", "tiled_moves", "bytes_moved", "bytes_held"), _INTEGER),
    **dict.fromkeys(("untiled_moves_mib", "tiled_moves_mib", "bytes_moved_mib", "bytes_held_mib"),
                    NumberFormat("trimmed", 1)),
}


def format_for(stage: str, values: Iterable[SupportsFloat] = ()) -> NumberFormat:
    """The format that a stage's numbers have unless a scene asks for another: two decimals for most.

    Where that would write nothing but zeros, or more than six characters, for the largest magnitude among `values`
    (the whole stage), the format is scientific: so pass all values, and one film writes a stage in one way.
    """
    usual = _STAGE_FORMATS.get(stage, NumberFormat("fixed", 2))
    largest = largest_magnitude(values)
    if usual.style in ("scientific", "integer") or not largest:
        return usual
    shown = usual.text(largest)
    return usual if _says_something(shown) and len(shown) <= LONGEST else SCIENTIFIC


def end_format(stage: str, ends: Iterable[float]) -> NumberFormat:
    """The format that writes the ends of a colour scale exactly: the stage's own with as many digits as that takes.

    Scientific for a largest end of 1e5 and more, or below 1e-2.
    """
    usual, bounds = format_for(stage), [end for end in ends if end]
    largest = largest_magnitude(bounds)
    if largest and usual.style != "scientific" and not SMALLEST_END <= largest < LARGEST_END:
        usual = NumberFormat("scientific", 0)
    exact = (replace(usual, digits=digits) for digits in range(usual.digits, MOST_DIGITS + 1))
    return next((fmt for fmt in exact if all(float(shown_decimal(fmt.text(end))) == end for end in bounds)),
                NumberFormat("scientific", 16))  # which writes any double


def largest_magnitude(values: Iterable[SupportsFloat]) -> float:
    """The largest magnitude among the finite ones of `values`; 0 where there is none."""
    magnitudes = (abs(float(value)) for value in values)
    return max((magnitude for magnitude in magnitudes if magnitude < math.inf), default=0.0)


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
    power = terms[0] - sum(terms[1:], Decimal(0))
    return (power, total) in ((Decimal(0), Decimal(1)), (Decimal("-Infinity"), Decimal(0)))


def _largest_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return max(terms) == total


def _rescaled_holds(terms: Sequence[Decimal], total: Decimal) -> bool:
    return math.prod(terms[:2], start=Decimal(1)) + sum(terms[2:], Decimal(0)) == total


_HOLDS: Mapping[str, Callable[[Sequence[Decimal], Decimal], bool]] = {
    "sum": _sum_holds,
    "product": _product_holds,
    "difference": _difference_holds,
    "quotient": _quotient_holds,
    "exp": _exp_holds,
    "largest": _largest_holds,
    "rescaled": _rescaled_holds,
}


def relation(shown_terms: Sequence[str], shown_total: str, operation: Operation = "sum") -> str:
    """"=" where the shown digits give the shown total exactly (decimal arithmetic), otherwise "≈".

    `exp` is that of the first term less all others, `rescaled` the product of the first two and what is added to it.
    """
    if operation not in _HOLDS:
        raise InputError(f"operation {operation!r} is unknown: use one of {', '.join(_HOLDS)}")
    if not shown_terms:
        raise InputError(f"no terms were given for {shown_total!r}: pass the texts of all terms")
    terms, total = [shown_decimal(term) for term in shown_terms], shown_decimal(shown_total)
    try:
        return "=" if _HOLDS[operation](terms, total) else "≈"
    except DecimalException:
        return "≈"


_RESULTS: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "sum": lambda terms: sum(terms, Decimal(0)),
    "exp": lambda terms: (terms[0] - sum(terms[1:], Decimal(0))).exp(),
    "largest": max,
    "rescaled": lambda terms: terms[0] * terms[1] + sum(terms[2:], Decimal(0)),
}


def works_out(shown_terms: Sequence[str], shown_total: str, operation: Operation) -> bool:
    """Whether who computes with the shown digits, and rounds to as many as the total has, gets the shown total."""
    if operation not in _RESULTS:
        raise InputError(f"operation {operation!r} is not worked out: use one of {', '.join(_RESULTS)}")
    total = shown_decimal(shown_total)
    try:
        return _RESULTS[operation]([shown_decimal(term) for term in shown_terms]).quantize(total) == total
    except DecimalException:
        return False
