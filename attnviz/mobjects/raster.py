"""Mobjects that are pictures: where they stand, how they fade, and their pixels at the screen's resolution.

They are images to Manim, so its own camera draws them (and `attnviz.render.picture` lays them down fast). Whole pixels
are kept: a picture is as many pixels wide as it is on screen, and is not resampled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, Self, cast

import cairo
import manim
import numpy as np
from manim.mobject.types.image_mobject import AbstractImageMobject
from numpy.typing import NDArray
from PIL.Image import Resampling

from attnviz.errors import InputError
from attnviz.theme import PIXEL

Picture = NDArray[np.uint8]
Array = NDArray[Any]
Rectangle = tuple[int, int, int, int]  # left, top, right, bottom in pixels, half open
_numbers = count(1)


@dataclass(frozen=True, eq=False)
class Painted:
    """A picture and what it shows; `pixels` are RGBA bytes (height, width, 4), colours multiplied by alpha.

    Those with the same `serial` are equal: they have the same pixels. Where `changed` is given, nothing outside of that
    rectangle differs from the picture whose serial is `since`, which the same mobject had before.
    """

    shows: object
    pixels: Picture
    changed: Rectangle | None = None
    since: int | None = None
    serial: int = field(default_factory=lambda: next(_numbers))

    def __post_init__(self) -> None:
        pixels = np.ascontiguousarray(self.pixels).view()
        pixels.setflags(write=False)
        object.__setattr__(self, "pixels", pixels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Painted) and self.serial == other.serial

    def __hash__(self) -> int:
        return self.serial

    def __deepcopy__(self, memo: object) -> Painted:
        return self  # nothing in it ever changes

    @cached_property
    def surface(self) -> cairo.ImageSurface:
        """The picture for Cairo, on the very memory of `pixels`: to be read only. Red and blue in Manim's order."""
        height, width = self.pixels.shape[:2]
        memory = cast(Any, self.pixels.base)  # Cairo takes no view that cannot be written
        if memory.nbytes != self.pixels.nbytes or not memory.flags.writeable:
            memory = self.pixels.copy()
        return cairo.ImageSurface.create_for_data(memory, cairo.FORMAT_ARGB32, width, height)

    @cached_property
    def picture(self) -> Picture:
        """The picture with colours not multiplied by alpha, as Pillow and Manim's own camera take it."""
        faint = self.pixels[..., 3] % 255 > 0
        if not faint.any():
            return self.pixels
        pixels = self.pixels.copy()
        some = pixels[faint].astype(np.uint16)
        pixels[faint, :3] = np.minimum((some[:, :3] * 255 + some[:, 3:] // 2) // some[:, 3:], 255)
        pixels.setflags(write=False)
        return pixels


class Raster(AbstractImageMobject):
    """A picture of `size` (width and height in Manim's units). Subclasses say what they show and paint it."""

    def __init__(self, size: tuple[float, float]) -> None:
        self.opacity, self._size = 1.0, size
        self._painted: Painted | None = None
        super().__init__(0)

    def shows(self) -> object:
        """What is shown: something unequal whenever the picture must be painted again."""
        raise NotImplementedError

    def paint(self, size: tuple[int, int], zoom: float) -> Picture:
        """The picture, `size` pixels wide and high; `zoom` is output pixels for a pixel at 1080 lines.

        Colours are multiplied by alpha. Subclasses that can paint a part alone override `paint_anew` instead.
        """
        raise NotImplementedError

    def paint_anew(self, shows: object, size: tuple[int, int], zoom: float, old: Painted | None) -> Painted:
        """The picture of what it `shows`, perhaps made from the `old` one."""
        return Painted(shows, self.paint(size, zoom))

    def reset_points(self) -> Self:
        """The four corners around the origin: upper left, upper right, lower left, lower right."""
        x, y = self._size[0] / 2, self._size[1] / 2
        self.points = np.array([[-x, y, 0], [x, y, 0], [-x, -y, 0], [x, -y, 0]])
        return self

    def corner_and_sides(self) -> tuple[Array, Array, Array]:
        """The upper left corner, the upper side and the left side, as they are now."""
        corner, right, below = self.points[:3]
        return corner, right - corner, below - corner

    def is_mirrored(self) -> bool:
        """Whether its right side would be read as its left."""
        _, along, down = self.corner_and_sides()
        return bool(along[0] * down[1] > along[1] * down[0])

    def is_upright(self) -> bool:
        """Whether it is neither turned nor mirrored nor skewed."""
        _, along, down = self.corner_and_sides()
        return bool(along[0] > 0 and down[1] < 0 and max(abs(along[1]), abs(down[0]), abs(along[2])) < 1e-9)

    def painted(self, pixels_per_unit: float) -> Painted:
        """The picture without the opacity of the whole; made again only when something changed."""
        _, along, down = self.corner_and_sides()
        width, height = (max(1, round(length(side) * pixels_per_unit)) for side in (along, down))
        old, shows = self._painted, self.shows()
        if old is None or old.shows != shows or old.pixels.shape[:2] != (height, width):
            old = self._painted = self.paint_anew(shows, (width, height), pixels_per_unit * PIXEL, old)
        return old

    def get_pixel_array(self) -> Any:
        """RGBA bytes at the size it now has on the screen that Manim is set to."""
        self.resampling_algorithm = Resampling.NEAREST if self.is_upright() else Resampling.BICUBIC
        picture = self.painted(manim.config["pixel_height"] / manim.config["frame_height"]).picture
        return picture if self.opacity >= 1 else _fainter(picture, self.opacity)

    def set_opacity(self, opacity: float) -> Self:
        """The opacity of the whole picture; InputError unless that is 0 to 1."""
        self.opacity = share(opacity, "opacity of a picture")
        return self

    def fade(self, darkness: float = 0.5, family: bool = True) -> Self:
        """Make the whole picture fainter by `darkness` (1: gone)."""
        return self.set_opacity(self.opacity * (1 - darkness))

    def set_color(self, *args: Any, **kwargs: Any) -> Self:
        """Nothing: the colours are those of what is shown."""
        return self

    def interpolate_color(self, mobject1: Any, mobject2: Any, alpha: float) -> Self:
        """An opacity between those of two."""
        mixed = mobject1.opacity + (mobject2.opacity - mobject1.opacity) * alpha
        self.opacity = min(max(float(mixed), 0.0), 1.0)  # a rate function may swing beyond both
        return self


def length(vector: Array) -> float:
    """The length of a vector, as `numpy.linalg.norm` has it but without its detours."""
    return math.sqrt(vector.dot(vector))


def share(value: float, what: str) -> float:
    """`value` if it lies between 0 and 1, else InputError: bytes made from anything else would wrap around."""
    if not 0 <= value <= 1:
        raise InputError(f"the {what} cannot be {value:g}: give a number from 0 to 1")
    return float(value)


def _fainter(picture: Picture, opacity: float) -> Picture:
    fainter = picture.copy()
    fainter[..., 3] = np.rint(picture[..., 3] * np.float32(opacity))
    return fainter
