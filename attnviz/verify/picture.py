"""A picture to be looked at: its luma at every pixel, and the colour of any part of it, in RGB levels from 0 to 255.

A frame of a film keeps its Y, U and V planes and the matrix that the film is tagged with; a still is RGB. Nothing here
knows what ought to be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels, half open
LUMA = (0.2126, 0.0722)  # BT.709: shares of red and of blue


@dataclass(frozen=True, eq=False)
class Picture:
    """Y, Cb and Cr as planes: Y 0 to 255, the others around 0; `step` luma pixels share a chroma sample each way."""

    luma: Array
    blue: Array
    red: Array
    step: int
    shares: tuple[float, float] = LUMA

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.luma.shape[1], self.luma.shape[0]

    def inside(self, box: Box) -> Box:
        """As much of a box as lies in the picture."""
        width, height = self.size
        return max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)

    def median(self, box: Box, chosen: Flags) -> Array | None:
        """The colour of the chosen pixels of a box that lies in the picture: medians of Y, Cb and Cr, read together.

        Of the chroma samples those count whose pixels are all chosen, where there are some.
        """
        left, top, right, bottom = box
        if not chosen.any():
            return None
        light = _middle(self.luma[top:bottom, left:right][chosen])
        across, down = (np.arange(start, end) // self.step for start, end in ((left, right), (top, bottom)))
        place = slice(down[0], down[-1] + 1), slice(across[0], across[-1] + 1)
        high, wide = (part.stop - part.start for part in place)
        sample = (down - down[0])[:, None] * wide + (across - across[0])
        shares = np.bincount(sample.ravel(), chosen.ravel(), high * wide).reshape(high, wide)
        best = shares >= min(self.step**2, shares.max())
        return self._rgb(light, _middle(self.blue[place][best]), _middle(self.red[place][best]))

    def crop(self, box: Box) -> Array:
        """The colours of all pixels of a box inside the picture, (height, width, 3)."""
        left, top, right, bottom = box
        down, across = np.arange(top, bottom) // self.step, np.arange(left, right) // self.step
        place = np.ix_(down, across)
        return self._rgb(self.luma[top:bottom, left:right], self.blue[place], self.red[place])

    def _rgb(self, light: Any, blue: Any, red: Any) -> Array:
        of_red, of_blue = self.shares
        r, b = light + 2 * (1 - of_red) * red, light + 2 * (1 - of_blue) * blue
        g = (light - of_red * r - of_blue * b) / (1 - of_red - of_blue)
        return np.stack([r, g, b], axis=-1)


def _middle(values: Array) -> float:
    """The median, without the detours of numpy's."""
    ranked = np.sort(values)
    return float(ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def still(pixels: NDArray[np.uint8]) -> Picture:
    """A picture from RGB bytes (height, width, 3)."""
    red, green, blue = np.moveaxis(pixels.astype(np.float64), -1, 0)
    light = LUMA[0] * red + (1 - sum(LUMA)) * green + LUMA[1] * blue
    return Picture(light, (blue - light) / (2 * (1 - LUMA[1])), (red - light) / (2 * (1 - LUMA[0])), 1)


def luma_of(color: Array, shares: tuple[float, float] = LUMA) -> float:
    """The luma of one RGB colour."""
    return float(shares[0] * color[0] + (1 - sum(shares)) * color[1] + shares[1] * color[2])
