"""Rasters of ours, laid down by Cairo where Manim's camera would warp them across the whole frame."""

import math
from collections.abc import Iterable
from typing import Any

import cairo
import numpy as np

from attnviz.mobjects.raster import Painted, Raster
from attnviz.render.boxes import NOWHERE, Box, around
from attnviz.render.leaf import Leaf

FLAT = 1e-6  # units: what rounding may add to a parallelogram's corner


class Picture(Leaf):
    """A raster of ours: laid down at whole pixels where it is upright, else through Cairo's affine map."""

    @classmethod
    def suits(cls, mobject: Any) -> bool:
        """Rasters whose corners are still those of a parallelogram."""
        if not isinstance(mobject, Raster):
            return False
        first, right, below, last = mobject.points
        return bool(abs(first + last - right - below).max() < FLAT)

    def looks(self) -> tuple[object, ...]:
        """Where it stands, how opaque it is, and what it shows."""
        return self.mobject.points.tobytes(), self.mobject.opacity, self._painted()

    def covers(self) -> Box:
        """Its four corners, and a pixel around them."""
        return self._spanned(1) if self.mobject.opacity else NOWHERE

    def differing(self, old: Any, before: Box) -> Iterable[Box]:
        """Only the pixels that differ, where the same place is taken by another picture of the same size."""
        new: Any = self._look
        if old is None or old[:2] != new[:2] or not self.mobject.is_upright():
            return before, self.box
        return self._within(old[2], new[2])

    def _within(self, old: Painted, new: Painted) -> Iterable[Box]:
        """Where the pixels of two pictures in the same place differ: the newer one may have been told already."""
        if old.pixels.shape != new.pixels.shape:
            return (self.box,)
        if new.since == old.serial and new.changed is not None:
            left, top, right, bottom = new.changed
        else:
            differs = (old.pixels.view(np.uint32) != new.pixels.view(np.uint32))[..., 0]
            rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
            if not len(rows):
                return ()
            left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
        x, y = self._corner()
        return (around(x + left, y + top, x + right, y + bottom, self.easel.size),)

    def paint(self) -> None:
        """Lay the picture onto the frame."""
        context, surface = self.easel.context, self._painted().surface
        if self.mobject.is_upright():
            context.set_source_surface(surface, *self._corner())
        else:
            context.set_source(self._turned(surface))
        context.paint_with_alpha(self.mobject.opacity)

    def _corner(self) -> tuple[int, int]:
        """The whole pixel of its upper left corner."""
        x, y = self.easel.camera.points_to_subpixel_coords(self.mobject, self.mobject.points[:1])[0]
        return math.ceil(x - 0.5), math.ceil(y - 0.5)

    def _turned(self, surface: cairo.ImageSurface) -> cairo.SurfacePattern:
        corner, right, below = self.easel.camera.points_to_subpixel_coords(self.mobject, self.mobject.points[:3])
        along, down = (right - corner) / surface.get_width(), (below - corner) / surface.get_height()
        pattern = cairo.SurfacePattern(surface)
        matrix = cairo.Matrix(*along, *down, *corner)
        try:
            matrix.invert()
        except cairo.Error:  # seen from its edge: it has no pixels
            return cairo.SurfacePattern(cairo.ImageSurface(cairo.FORMAT_ARGB32, 1, 1))
        pattern.set_matrix(matrix)
        pattern.set_filter(cairo.FILTER_BILINEAR)
        return pattern

    def _painted(self) -> Painted:
        painted: Painted = self.mobject.painted(self.easel.pixels_per_unit)
        return painted
