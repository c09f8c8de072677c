"""Numbers outside of grids: bound to an entry, or a literal that says why it is bound to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import manim
import numpy as np

from attnviz import text
from attnviz.errors import InputError
from attnviz.numbers import NumberFormat, format_for
from attnviz.text.owner import own
from attnviz.text.setting import check, page_of, set_line
from attnviz.text.typed import Glyph, Typed
from attnviz.text.typeset import ASCENT, DESCENT
from attnviz.theme import DARK
from attnviz.trace import Entry


class Digit(Glyph):
    """One character of a number: drawn whole or not at all."""

    def pointwise_become_partial(self, *args: Any, **kwargs: Any) -> Self:
        """Raises InputError: half a digit is no number."""
        raise InputError("Write and Create would show half a number: use FadeIn")


@dataclass(frozen=True)
class Bound:
    """What a number shows, and how it is written."""

    entry: Entry
    fmt: NumberFormat

    def __deepcopy__(self, memo: object) -> Bound:
        return self  # nothing in it ever changes


class Number(Typed):
    """The digits of one entry; `entry` and `text` are what it shows. Its digits are tabular and stand on `baseline`.

    `size` is the em in pixels at 1080 lines, `fmt` the stage's own format unless given. InputError for a NaN, unless
    it is a result of its stage.
    """

    glyph = Digit

    def __init__(
        self,
        entry: Entry,
        fmt: NumberFormat | None = None,
        *,
        size: float = DARK.number_size,
        color: str = DARK.ink,
        weight: text.Weight = "regular",
    ) -> None:
        if np.isnan(entry.value) and not entry.stage.overflows:
            raise InputError(f"{entry.address} is NaN and cannot be drawn: find where it came from")
        self.bound, self.ink, self.weight = Bound(entry, fmt or format_for(entry.name)), color, weight
        check(size, weight)
        shown = self.bound.fmt.text(entry.value)
        marks, width = text.compose(shown, weight)
        super().__init__(marks, np.array([[0.0, -DESCENT], [width, ASCENT]]), color, text=shown, size=size)

    @property
    def entry(self) -> Entry:
        """The entry whose value the digits are."""
        return self.bound.entry

    def other(self, entry: Entry) -> Number:
        """A number of the same look and size in the same place, bound to another entry."""
        number = Number(entry, self.bound.fmt, size=self.size, color=self.ink, weight=self.weight)
        number.scale(self.height / number.height).move_to(self)
        return number

    def remove(self, *mobjects: manim.Mobject) -> Self:
        """Raises InputError: without one of its digits it would be another number."""
        raise InputError(f"{self.entry.address} without a digit would be another number: remove the whole of it")

    def show_as(self, other: Number, opacity: float) -> None:
        """Show what `other` shows, where it is, with digits as opaque as `opacity` says (0 to 1)."""
        self.bound, self.text, self._diagonal = other.bound, other.text, other._diagonal
        self.points = other.points.copy()
        for glyph in self.submobjects:
            glyph.clear_points()  # Manim holds what a play began with, and would paint it until the play is over
        self.submobjects = [glyph.copy().set_fill(opacity=opacity) for glyph in other.submobjects]
        own(self, self.submobjects)

    def align_data(self, mobject: manim.Mobject, skip_point_alignment: bool = False) -> Self:
        """Refuse to morph into other digits: between two numbers there is none that was computed."""
        if not isinstance(mobject, Number) or (mobject.entry.address, mobject.text) != (
            self.entry.address,
            self.text,
        ):
            there = mobject.entry.address if isinstance(mobject, Number) else type(mobject).__name__
            raise InputError(f"Transform from {self.entry.address} to {there} would show wrong digits: use SwapNumber")
        super().align_data(mobject, skip_point_alignment)
        return self

    def describe(self) -> dict[str, Any]:
        """What is drawn and where, as plain JSON values."""
        address = {"record": self.entry.record, "address": self.entry.address}
        return {**super().describe(), "type": "number", **address, "color": self.ink}


class Literal(Typed):
    """Text with digits that no record holds, such as a shape or an index; `reason` says why, in a few words."""

    def __init__(
        self,
        shown: str,
        reason: str,
        *,
        size: float = DARK.label_size,
        color: str = DARK.muted,
        weight: text.Weight = "regular",
    ) -> None:
        if not reason.strip():
            raise InputError(f"the literal {shown!r} has no reason: say what it is, or bind a Number to an entry")
        self.reason, self.ink = reason, color
        check(size, weight)
        super().__init__(*set_line(shown, weight), color, text=shown, size=size, source=page_of(shown, weight))

    def describe(self) -> dict[str, Any]:
        """What is drawn, where and why, as plain JSON values."""
        return {**super().describe(), "type": "literal", "reason": self.reason, "color": self.ink}
