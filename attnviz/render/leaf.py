"""A leaf: what is painted of one mobject, kept from one frame to the next with the pixels that it covers.

A leaf can tell whether its mobject looks different from when it was last painted. Its kinds are in outline.py,
picture.py and stranger.py; here lies no frame, and no order.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import cairo
import manim

from attnviz.render.boxes import NOWHERE, Box, around


class Easel(Protocol):
    """What a leaf needs to know of the frame it is painted on."""

    camera: manim.Camera
    context: Any

    matrix: cairo.Matrix

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""

    @property
    def pixels_per_unit(self) -> float:
        """Output pixels in one of Manim's units."""


class Leaf:
    """One mobject with points. `box` holds the pixels that it covers, as it was when last looked at."""

    clipped = True  # whether it is painted within the context's clip; if not, it is painted whole

    def __init__(self, mobject: Any, easel: Easel) -> None:
        self.mobject, self.easel = mobject, easel
        self.box = NOWHERE
        self._look: tuple[object, ...] | None = None
        self._edges = [0.0, 0.0, 0.0, 0.0]  # left, top, right, bottom in pixels

    @property
    def leans(self) -> bool:
        """Whether it can look different although nothing touched it itself."""
        return False

    @classmethod
    def suits(cls, mobject: Any) -> bool:
        """Whether a mobject can be painted by this kind of leaf."""
        raise NotImplementedError

    def renew(self) -> Iterable[Box]:
        """Look at the mobject again; return the boxes in which it changed."""
        look = self.looks()
        if look == self._look:
            return ()
        before, old, self._look = self.box, self._look, look
        if old is None or old[0] != look[0]:
            self.reshape()
        self.box = self.covers()
        return self.differing(old, before)

    def reshape(self) -> None:
        """Take note of where its points are now."""
        x, y = self.mobject.points[:, 0], self.mobject.points[:, 1]
        edges = self.easel.matrix.transform_point(x.min(), y.max()), self.easel.matrix.transform_point(x.max(), y.min())
        self._edges = [*edges[0], *edges[1]]

    def looks(self) -> tuple[object, ...]:
        """All that its pixels depend on: equal exactly when they are. The first is the place of its points."""
        raise NotImplementedError

    def covers(self) -> Box:
        """The pixels that it may colour."""
        raise NotImplementedError

    def differing(self, old: Any, before: Box) -> Iterable[Box]:
        """The boxes in which it differs from how it looked before, when it covered `before`."""
        return before, self.box

    def paint(self) -> None:
        """Paint it onto the easel."""
        raise NotImplementedError

    def _spanned(self, pad: float) -> Box:
        left, top, right, bottom = self._edges
        return around(left - pad, top - pad, right + pad, bottom + pad, self.easel.size)
