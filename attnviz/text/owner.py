"""Whose a part is, also when a scene shows it by itself: a bar of bars, a glyph of a number, a tick of a legend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import manim


class Owner:
    """Holds the mobject that a part was made for. A copy of the part belongs to the same one."""

    def __init__(self, mobject: manim.Mobject) -> None:
        self.mobject = mobject

    def __deepcopy__(self, memo: object) -> Owner:
        return self


def own(owner: manim.Mobject, parts: Iterable[Any]) -> None:
    """Say of each part whose it is."""
    for part in parts:
        part.owner = Owner(owner)


def owner_of(part: Any) -> Any:
    """The mobject that a part was made for; None where nobody said."""
    held = getattr(part, "owner", None)
    return held.mobject if isinstance(held, Owner) else None
