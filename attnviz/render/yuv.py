"""Pieces of a frame from RGBA to YUV 4:2:0: BT.709, limited range, each chroma sample the mean of its four pixels.

A piece that starts at a block's edge gets the same bytes as the whole frame would there. Nothing here encodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter
from numpy.typing import NDArray

from attnviz.render.boxes import Box

Pixels = NDArray[np.uint8]
_CONVERSION: Any = {
    "format": "yuv420p",
    "src_colorspace": Colorspace.ITU709,
    "dst_colorspace": Colorspace.ITU709,
    "src_color_range": ColorRange.JPEG,
    "dst_color_range": ColorRange.MPEG,
    "interpolation": Interpolation.AREA | Interpolation.BITEXACT,
    "threads": 1,
}


@dataclass(frozen=True)
class Patch:
    """What a rectangle of the frame now holds: RGBA bytes (height, width, 4)."""

    box: Box
    pixels: Pixels


@dataclass(frozen=True)
class YuvPatch:
    """The same in YUV: one array for each plane, chroma at half the size."""

    box: Box
    planes: Sequence[Pixels]


class YuvFrame:
    """A whole frame in YUV that stays, and takes pieces: `frame` is what is encoded."""

    def __init__(self, width: int, height: int) -> None:
        self.frame = av.VideoFrame(width, height, "yuv420p")
        self.planes = [_bytes_of(plane) for plane in self.frame.planes]

    def take(self, patch: YuvPatch) -> None:
        """Bring one piece up to date."""
        for plane, target, scale in zip(patch.planes, self.planes, (1, 2, 2), strict=True):
            left, top = patch.box.left // scale, patch.box.top // scale
            target[top : top + plane.shape[0], left : left + plane.shape[1]] = plane


def converted(patch: Patch) -> YuvPatch:
    """Return a piece in YUV."""
    rgba = av.VideoFrame.from_numpy_buffer(patch.pixels, format="rgba")
    new = _reformatter(rgba.width, rgba.height).reformat(rgba, **_CONVERSION)
    return YuvPatch(patch.box, [_bytes_of(plane) for plane in new.planes])


@lru_cache(maxsize=256)
def _reformatter(width: int, height: int) -> VideoReformatter:
    """One converter for each size: to set one up for another size takes longer than to convert most pieces."""
    return VideoReformatter()


def _bytes_of(plane: Any) -> Pixels:
    """Return the samples of a plane, without the padding of its lines."""
    whole: Pixels = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
    return whole[:, : plane.width]
