"""What the check of layouts finds: a measured value beside its limit, and the complaint that one beyond it becomes.

Only records and their words live here. Nothing is measured here, and no scene is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from attnviz.onscreen import Box


@dataclass(frozen=True)
class Measured:
    """One value that a check took of one thing (or of two), with the limit that it must keep.

    `check` names the check, `what` the thing, `unit` follows the numbers, `box` is the place in Manim's units.
    """

    check: str
    what: str
    value: float
    limit: float
    unit: str = ""
    box: Box | None = None
    remedy: str = ""
    at_most: bool = False

    @property
    def spare(self) -> float:
        """How far the value is from its limit; below 0 it lies beyond."""
        return self.limit - self.value if self.at_most else self.value - self.limit

    @property
    def fails(self) -> bool:
        """Whether the value lies beyond its limit."""
        return self.spare < 0

    @property
    def said(self) -> str:
        """The value and the limit in words."""
        word = "at most" if self.at_most else "at least"
        return f"{_short(self.value)}{self.unit}, {word} {_short(self.limit)}{self.unit} is needed"


@dataclass(frozen=True)
class Complaint:
    """Something that a viewer would trip over: which check, where in which scene, what, how far, and a remedy."""

    check: str
    scene: str
    beat: str
    theme: str
    frame: str
    when: str
    what: str
    measured: str
    box: Box | None
    remedy: str

    def line(self) -> str:
        """All of it in one line."""
        place = f" at {placed(self.box)}" if self.box else ""
        where = f"{self.scene}, {self.beat}, {self.theme} {self.frame}, {self.when}"
        return f"{where}: {self.check} of {self.what}{place}: {self.measured}; {self.remedy}"

    def described(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return asdict(self)


def placed(box: Box) -> str:
    """A box in words."""
    return f"x {box.left:.2f} to {box.right:.2f}, y {box.bottom:.2f} to {box.top:.2f}"


def failing(found: Iterable[Measured]) -> list[Measured]:
    """Those beyond their limits, of each check and thing the worst one, in the order in which they came."""
    worst: dict[tuple[str, str], Measured] = {}
    for one in found:
        if one.fails:
            before = worst.setdefault((one.check, one.what), one)
            if one.spare < before.spare:
                worst[one.check, one.what] = one
    return list(worst.values())


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
