"""Whether a shown text is a number's rounded form: decimal arithmetic on the text, with no formatter's help.

A text agrees with a number when it lies within half a unit of its own last digit. Nothing here knows a film.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal, DecimalException, localcontext

import numpy as np
from numpy.typing import NDArray

MINUS, INFINITY, NAN = "−", "∞", "NaN"
NUMBER = re.compile(r"−?(?:\d{1,40}(?:\.\d{1,40})?(?:e[-−+]?\d{1,4})?|∞)")
QUOTED = re.compile(r"[−-]?\d+(?:\.\d+)?(?:e[-−+]?\d+)?")
SLACK = Decimal("1e-9")  # of half a unit: a double is not the decimal that it was rounded from
TRIMMED = Decimal("0.005")  # whole numbers may be hundredths with their zeros left out


def decimal_of(text: str) -> Decimal | None:
    """The exact decimal of a shown number, None for any other text."""
    if not NUMBER.fullmatch(text):
        return None
    return Decimal(text.replace(MINUS, "-").replace(INFINITY, "Infinity"))


def agrees(text: str, value: float) -> bool:
    """Whether `text` is `value`, rounded to the digits that it shows, with the right sign; NaN is called NaN."""
    if text == NAN:
        return math.isnan(value)
    shown = decimal_of(text)
    if shown is None or math.isnan(value):
        return False
    if not shown.is_finite() or math.isinf(value):
        return float(shown) == value
    if text.startswith(MINUS) and (value >= 0 or shown == 0):
        return False  # a minus that the number has not, or that says nothing
    return abs(shown - Decimal(value)) <= half_unit(shown) * (1 + SLACK)


def half_unit(shown: Decimal) -> Decimal:
    """Half a unit of the last digit of a finite decimal."""
    exponent = shown.as_tuple().exponent
    return Decimal((0, (5,), int(exponent) - 1))


def is_quoted(text: str, numbers: NDArray[np.float64]) -> bool:
    """Whether some of the sorted `numbers` rounds to what a caption quotes; a dash before digits need be no minus."""
    plain = text.replace("-", MINUS) if text[:1] == "-" else text
    return any(_rounds(choice, numbers) for choice in {plain, plain.lstrip(MINUS)})


def _rounds(text: str, numbers: NDArray[np.float64]) -> bool:
    shown = decimal_of(text.replace("e-", f"e{MINUS}"))
    if shown is None:
        return False
    is_whole = "e" not in text and "." not in text
    room = TRIMMED if is_whole else half_unit(shown)
    low, high = (float(shown + sign * room * (1 + SLACK)) for sign in (-1, 1))
    start, end = np.searchsorted(numbers, (low, high), side="left")
    return bool(np.searchsorted(numbers, high, side="right") > start or end > start)


def holds(operation: str, terms: Sequence[str], total: str) -> bool:
    """Whether the shown terms give the shown total exactly, in decimal arithmetic."""
    numbers, result = [decimal_of(term) for term in terms], decimal_of(total)
    known = [number for number in numbers if number is not None]
    if result is None or len(known) < len(numbers) or not known:
        return False
    try:
        with localcontext() as context:
            context.prec = 200
            return _exactly(operation, known, result)
    except DecimalException:
        return False


def _exactly(operation: str, terms: Sequence[Decimal], total: Decimal) -> bool:
    first, rest = terms[0], terms[1:]
    if operation == "exp":
        return (first - sum(rest, Decimal(0)), total) in ((Decimal(0), Decimal(1)), (Decimal("-Infinity"), Decimal(0)))
    gives = {"sum": lambda: sum(terms, Decimal(0)) == total, "product": lambda: math.prod(terms) == total,
             "difference": lambda: first - sum(rest, Decimal(0)) == total,
             "quotient": lambda: first == total * math.prod(rest), "largest": lambda: total == max(terms),
             "rescaled": lambda: total == math.prod(terms[:2]) + sum(terms[2:], Decimal(0))}
    return bool(gives[operation]())
