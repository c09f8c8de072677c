"""Outlines: vector mobjects, drawn by Manim's own code, each onto a surface of its own.

Cairo rounds a shape's edges otherwise where its clip cuts through: laid down from a surface, every part of a shape has
the same pixels whatever else is painted, and what stands still is never drawn twice.
"""

import math
from collections.abc import Iterable
from typing import Any

import cairo
import manim
import numpy as np

from attnviz.render.boxes import NOWHERE, Box
from attnviz.render.leaf import Easel, Leaf

MITER = 10  # how far a sharp corner may reach out, in half line widths: Cairo's own limit


class Outline(Leaf):
    """A vector mobject: Manim's drawing, on a surface of its own, so that a part of it can be laid down again."""

    def __init__(self, mobject: manim.VMobject, easel: Easel) -> None:
        super().__init__(mobject, easel)
        self._path: Any = None
        self._surface: cairo.ImageSurface | None = None

    @classmethod
    def suits(cls, mobject: Any) -> bool:
        """Vector mobjects without a background image."""
        return isinstance(mobject, manim.VMobject) and not mobject.get_background_image()

    def looks(self) -> tuple[object, ...]:
        """Shape, colours and strokes; in float32, as Manim's interpolation shakes what stands still by 1e-16."""
        shape = self.mobject
        return (
            shape.points.astype(np.float32).tobytes(),
            shape.get_fill_rgbas().tobytes(),
            shape.get_stroke_rgbas().tobytes(),
            shape.get_stroke_rgbas(background=True).tobytes(),
            (shape.stroke_width, shape.background_stroke_width, shape.joint_type, shape.cap_style),
            self._gradient(),
        )

    @property
    def leans(self) -> bool:
        """Whether it has a gradient: Manim spans it over its family, and it changes when another part moves."""
        shape = self.mobject
        sides = (shape.get_fill_rgbas(), shape.get_stroke_rgbas(), shape.get_stroke_rgbas(background=True))
        return any(len(rgbas) > 1 for rgbas in sides)

    def _gradient(self) -> bytes:
        return np.asarray(self.mobject.get_gradient_start_and_end_points(), np.float32).tobytes() if self.leans else b""

    def covers(self) -> Box:
        """The hull of the control points, with the strokes around it; nothing where all is transparent."""
        shape = self.mobject
        widths = [shape.get_stroke_width(back) * _shows(shape.get_stroke_rgbas(back)) for back in (False, True)]
        if not any(widths) and not _shows(shape.get_fill_rgbas()):
            return NOWHERE
        round_corners = shape.joint_type in (manim.LineJointType.ROUND, manim.LineJointType.BEVEL)
        reach = math.sqrt(2) if round_corners else MITER
        units = max(widths) * self.easel.camera.cairo_line_width_multiple
        return self._spanned(reach * units / 2 * self.easel.pixels_per_unit)

    def differing(self, old: Any, before: Box) -> Iterable[Box]:
        """All of it."""
        self._surface = None
        return before, self.box

    def reshape(self) -> None:
        """Its path is another one now."""
        super().reshape()
        self._path = None

    def paint(self) -> None:
        """Lay the drawing down."""
        self._surface = self._surface or self._drawn()
        self.easel.context.set_source_surface(self._surface, self.box.left, self.box.top)
        self.easel.context.paint()

    def _drawn(self) -> cairo.ImageSurface:
        """Fill and stroke the path, as Manim's camera does, with whole pixels between this surface and the frame's."""
        camera, shape, (left, top, right, bottom) = self.easel.camera, self.mobject, self.box
        surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, right - left, bottom - top)
        context = cairo.Context(surface)
        context.translate(-left, -top)
        context.transform(self.easel.matrix)
        if self._path is None:
            camera.set_cairo_context_path(context, shape)
            self._path = context.copy_path()
        else:
            context.append_path(self._path)
        camera.apply_stroke(context, shape, background=True)
        if _shows(shape.get_fill_rgbas()):
            camera.apply_fill(context, shape)
        camera.apply_stroke(context, shape)
        return surface


def _shows(rgbas: Any) -> bool:
    return bool(rgbas[0, 3] if len(rgbas) == 1 else rgbas[:, 3].any())
