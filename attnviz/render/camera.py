"""Manim's camera with one short cut: Cairo lays a grid onto the frame, where Pillow would warp it across all of it."""

import math

import cairo
import manim
import numpy as np
from manim.mobject.types.image_mobject import AbstractImageMobject
from numpy.typing import NDArray

from attnviz.mobjects.raster import Raster


class QuickCamera(manim.Camera):
    """Draws everything as Manim does, and upright rasters at whole pixels, in a millisecond or less each."""

    def display_image_mobject(self, image_mobject: AbstractImageMobject, pixel_array: NDArray[np.uint8]) -> None:
        """Lay an upright raster onto the frame, its corner at the nearest pixel; leave everything else to Manim."""
        if not (isinstance(image_mobject, Raster) and image_mobject.is_upright()):
            super().display_image_mobject(image_mobject, pixel_array)
            return
        frame = cairo.ImageSurface.create_for_data(
            pixel_array.data, cairo.FORMAT_ARGB32, self.pixel_width, self.pixel_height
        )
        x, y = self.points_to_subpixel_coords(image_mobject, image_mobject.points[:1])[0]
        surface = image_mobject.painted(self.pixel_height / self.frame_height).surface
        context = cairo.Context(frame)
        context.set_source_surface(surface, math.ceil(x - 0.5), math.ceil(y - 0.5))
        context.paint_with_alpha(image_mobject.opacity)
