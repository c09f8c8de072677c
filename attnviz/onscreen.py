"""What a scene shows now: its things in the order in which they are painted, each with its box and its opacity.

A thing is a text (all glyphs of it together), a picture of ours, or any other leaf with an outline. The audit and the
check of layouts read scenes through this. Nothing here judges, and nothing here paints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz.mobjects.grid import Grid
from attnviz.mobjects.raster import Raster
from attnviz.text import Typed
from attnviz.text.owner import owner_of

HIDDEN = 0.02  # opacity below which nothing is seen
HAIR = 1e-9


@dataclass(frozen=True)
class Box:
    """A rectangle in Manim's units, y upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom

    @property
    def center(self) -> tuple[float, float]:
        """The middle."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    def shared(self, other: Box) -> float:
        """The area that two boxes have in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(across, 0.0) * max(down, 0.0)

    def holds(self, other: Box, slack: float = 1e-6) -> bool:
        """Whether the other lies within this one."""
        return (self.left - slack <= other.left and other.right <= self.right + slack
                and self.bottom - slack <= other.bottom and other.top <= self.top + slack)


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that is seen: `opacity` is that of its most opaque part, `faintest` that of its least.

    `kin` are the mobjects it stands in, outermost first, and those that its parts were made for, where these are shown
    without them. What is painted later lies over it.
    """

    mobject: Any
    leaves: tuple[Any, ...]
    opacity: float
    faintest: float
    kin: tuple[manim.Mobject, ...]
    parts: int = 1  # with those that are hidden

    @cached_property
    def box(self) -> Box:
        """The box around its outlines, lines' width left out."""
        return box_of(self.leaves)

    @property
    def is_text(self) -> bool:
        """Whether it is one of our texts or numbers."""
        return isinstance(self.mobject, Typed)

    @property
    def is_grid(self) -> bool:
        """Whether it is a grid."""
        return isinstance(self.mobject, Grid)


def things(scene: manim.Scene) -> list[Thing]:
    """Everything in a scene that is not hidden, in the order in which it is painted."""
    roots = [*scene.mobjects, *scene.foreground_mobjects]
    kin = _kinship(roots)
    parts: dict[int, list[Any]] = {}
    owners: dict[int, Any] = {}
    for leaf in in_order(roots):
        owner = next((one for one in reversed((*kin[id(leaf)], leaf)) if isinstance(one, Typed)), leaf)
        kin.setdefault(id(owner), kin[id(leaf)])
        owners[id(owner)] = owner
        parts.setdefault(id(owner), []).append(leaf)
    found = (_thing(owner, parts[key], kin.get(key, ())) for key, owner in owners.items())
    return [thing for thing in found if thing is not None]


def in_order(roots: Iterable[manim.Mobject]) -> list[manim.Mobject]:
    """Return all that has points in the families of `roots`, in the order in which Manim paints it.

    That is depth first, a mobject that comes twice at its last place, and then by `z_index`.
    """
    found: list[manim.Mobject] = []
    seen: set[int] = set()
    active: set[int] = set()

    def visit(mobject: manim.Mobject) -> None:
        if id(mobject) in seen or id(mobject) in active:
            return
        active.add(id(mobject))
        for part in reversed(mobject.submobjects):
            visit(part)
        active.discard(id(mobject))
        seen.add(id(mobject))
        if len(mobject.points):
            found.append(mobject)

    for root in reversed(list(roots)):
        visit(root)
    found.reverse()
    return sorted(found, key=lambda mobject: float(mobject.z_index))


def opacity_of(leaf: Any) -> float:
    """How opaque a leaf is: a picture's most opaque cell, an outline's fill or line."""
    if isinstance(leaf, Grid):
        return leaf.opacity * float(max(leaf.cells.opacity.max(initial=0.0), leaf.cells.digit_opacity.max(initial=0.0)))
    if isinstance(leaf, manim.VMobject):
        return max(_alpha(leaf.fill_rgbas), _alpha(leaf.stroke_rgbas) if leaf.stroke_width > 0 else 0.0)
    return float(leaf.opacity if isinstance(leaf, Raster) else 1.0)


def _alpha(colors: NDArray[Any]) -> float:
    """The most opaque of some colours; nearly always there is one."""
    return float(colors[0, 3] if len(colors) == 1 else np.max(colors[:, 3], initial=0.0))


def box_of(leaves: Sequence[Any]) -> Box:
    """The box around the outlines of leaves, lines' width left out."""
    points: NDArray[Any] = np.concatenate([leaf.points for leaf in leaves])[:, :2]
    (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
    return Box(float(left), float(bottom), float(right), float(top))


def _thing(owner: Any, leaves: list[Any], kin: tuple[manim.Mobject, ...]) -> Thing | None:
    if isinstance(owner, Typed):
        leaves = [leaf for leaf in leaves if leaf is not owner]  # its own points are the box that it was set in
    opacities = [opacity_of(leaf) for leaf in leaves]
    if max(opacities, default=0.0) < HIDDEN:
        return None
    seen = tuple(leaf for leaf, opacity in zip(leaves, opacities, strict=True) if opacity >= HIDDEN)
    return Thing(owner, seen, max(opacities), min(opacities), kin, len(leaves))


def _kinship(roots: Iterable[manim.Mobject]) -> dict[int, tuple[manim.Mobject, ...]]:
    """For each mobject those that it stands in, outermost first."""
    found: dict[int, tuple[manim.Mobject, ...]] = {}
    waiting: list[tuple[manim.Mobject, tuple[manim.Mobject, ...]]] = [(root, ()) for root in roots]
    while waiting:
        mobject, above = waiting.pop()
        if id(mobject) not in found or len(found[id(mobject)]) < len(above):
            found[id(mobject)] = above = _with_makers(mobject, above)
            waiting += [(part, (*above, mobject)) for part in mobject.submobjects if part not in above]
    return found


def _with_makers(mobject: manim.Mobject, above: tuple[manim.Mobject, ...]) -> tuple[manim.Mobject, ...]:
    """`above`, and those that a part was made for: where one of that class is there already, that is a copy of it."""
    maker, found = owner_of(mobject), above
    while maker is not None and not any(type(one) is type(maker) for one in found):
        found = (*found, maker)
        maker = owner_of(maker)
    return found
