"""Strangers: whatever Manim can draw and this package has no shorter way for. Manim's camera draws them, whole."""

from typing import Any

import numpy as np
from manim.mobject.types.image_mobject import AbstractImageMobject
from manim.mobject.types.point_cloud_mobject import PMobject

from attnviz.render.boxes import Box
from attnviz.render.leaf import Leaf
from attnviz.render.outline import Outline
from attnviz.render.picture import Picture


class Stranger(Leaf):
    """Whatever else Manim can draw: its own camera does that, over the whole frame."""

    clipped = False

    @classmethod
    def suits(cls, mobject: Any) -> bool:
        """What no quicker kind of leaf suits."""
        return not any(kind.suits(mobject) for kind in (Picture, Outline))

    def looks(self) -> tuple[object, ...]:
        """What is known to count; of a kind that is not known, something new each time."""
        mobject = self.mobject
        if isinstance(mobject, PMobject):
            return mobject.points.tobytes(), mobject.rgbas.tobytes(), mobject.stroke_width
        if isinstance(mobject, AbstractImageMobject):
            pixels = np.ascontiguousarray(mobject.get_pixel_array())
            return mobject.points.tobytes(), pixels.tobytes(), mobject.resampling_algorithm
        return mobject.points.tobytes(), object()

    def covers(self) -> Box:
        """An image's corners, a cloud's points; else the whole frame."""
        if isinstance(self.mobject, PMobject):
            return self._spanned(2 + self.mobject.stroke_width)
        if isinstance(self.mobject, AbstractImageMobject):
            return self._spanned(2)
        return Box(0, 0, *self.easel.size)

    def paint(self) -> None:
        """Have Manim's camera draw it."""
        self.easel.camera.capture_mobjects([self.mobject], include_submobjects=False)
