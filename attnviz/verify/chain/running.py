"""Numbers that know how far rounding may have carried them: running error analysis (Wilkinson), in float64.

Every operation adds what its own rounding may change, in units of the record's computing precision, to what its
operands bring along. So the allowance of a stage follows from the whole chain before it, and not from a constant. For a
float32 layer of ordinary size it is below 1e-4: a change of 0.01, a unit of the last drawn digit, is far outside.
No stage is known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Approx:
    """Values, and for each how far a computation with unit roundoff `unit` may be off."""

    values: Array
    error: Array
    unit: float

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both arrays."""
        return self.values.shape

    def __getitem__(self, key: Any) -> Approx:
        return Approx(self.values[key], self.error[key], self.unit)

    def __add__(self, other: Approx) -> Approx:
        return self._rounded(self.values + other.values, self.error + other.error)

    def __sub__(self, other: Approx) -> Approx:
        return self._rounded(self.values - other.values, self.error + other.error)

    def __mul__(self, other: Approx) -> Approx:
        cross = np.abs(self.values) * other.error + np.abs(other.values) * self.error + self.error * other.error
        return self._rounded(self.values * other.values, cross)

    def __truediv__(self, other: Approx) -> Approx:
        values = self.values / other.values
        return self._rounded(values, (self.error + np.abs(values) * other.error) / np.abs(other.values))

    def total(self, axis: int) -> Approx:
        """The sum along an axis, in whatever order it was added up: n roundings of at most the sum of magnitudes."""
        magnitude = np.abs(self.values).sum(axis=axis)
        own = self.values.shape[axis] * self.unit * magnitude
        return self._rounded(self.values.sum(axis=axis), self.error.sum(axis=axis) + own)

    def largest(self, axis: int) -> Approx:
        """The largest along an axis, minus infinity where there is none; rounding adds nothing."""
        error = np.max(self.error, axis=axis, initial=0.0)
        return Approx(np.max(self.values, axis=axis, initial=-np.inf), error, self.unit)

    def exp(self) -> Approx:
        """The exponential: the error of the argument becomes one of the value, relative to it.

        An argument is rounded once more where exp is computed as a power of two: hence its size.
        """
        values = np.exp(self.values)
        size = np.where(np.isfinite(self.values), np.abs(self.values), 0.0)
        grown = values * np.expm1(np.minimum(self.error, 50.0)) + values * 2 * self.unit * (1 + size)
        return self._rounded(values, grown)

    def root(self) -> Approx:
        """The square root of numbers above 0: it halves a relative error, at first order."""
        values = np.sqrt(self.values)
        return self._rounded(values, self.error / (2 * values))

    def log(self) -> Approx:
        """The natural logarithm."""
        return self._rounded(np.log(self.values), self.error / np.abs(self.values) + self.unit)

    def where(self, chosen: NDArray[np.bool_], other: float) -> Approx:
        """These numbers where `chosen`, and exactly `other` elsewhere."""
        values = np.where(chosen, self.values, other)
        return Approx(values, np.where(chosen, self.error, 0.0), self.unit)

    def _rounded(self, values: Array, error: Array) -> Approx:
        """One rounding more; what is no finite number has no error to speak of."""
        grown = np.asarray(error + self.unit * np.abs(values), dtype=np.float64)
        return Approx(np.asarray(values, np.float64), np.where(np.isfinite(grown), grown, 0.0), self.unit)


def given(values: Any, unit: float) -> Approx:
    """Numbers that are what they are."""
    exact = np.asarray(values, dtype=np.float64)
    return Approx(exact, np.zeros(exact.shape), unit)
