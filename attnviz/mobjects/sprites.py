"""Numbers as pixels: the outlines of `attnviz.text` filled by Cairo, once for each text and size."""

from functools import lru_cache

import cairo
import numpy as np
from numpy.typing import NDArray

from attnviz.text import compose
from attnviz.text.outline import Points

Mask = NDArray[np.uint8]
CAP_HEIGHT = 0.698  # of an em: the height of the text font's digits


@lru_cache(maxsize=4096)
def sprite(text: str, em: float) -> Mask:
    """Coverage (0 to 255) of `text` with an em of `em` pixels; its digits are centred and stand on whole pixels."""
    marks, width = compose(text)
    shape = int(np.ceil(1.2 * em)), int(np.ceil(width * em)) + 2
    baseline = round(shape[0] / 2 + CAP_HEIGHT * em / 2)
    origin = ((shape[1] - width * em) / 2, baseline)
    mask = fill([mark.points * (em, -em) + origin for mark in marks], shape)
    mask.setflags(write=False)
    return mask


@lru_cache(maxsize=4096)
def ink_size(text: str, em: float) -> tuple[int, int]:
    """Height and width in pixels of a cell that holds all of the sprite's ink when their middles agree."""
    mask = sprite(text, em)
    inked = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    tall, wide = (np.abs(2 * at - length + 1).max(initial=0) for at, length in zip(inked, mask.shape, strict=True))
    return int(tall) + 2, int(wide) + 2  # one more than the ink: middles may lie half a pixel apart


@lru_cache(maxsize=256)
def widest(texts: tuple[str, ...]) -> float:
    """The width of the widest of these numbers, in em."""
    return max(compose(text)[1] for text in texts)


def fill(outlines: list[Points], shape: tuple[int, int]) -> Mask:
    """The coverage of filled outlines (cubic curves in pixels, y downwards) on a raster of `shape` rows, columns."""
    surface = cairo.ImageSurface(cairo.FORMAT_A8, shape[1], shape[0])
    context = cairo.Context(surface)
    for points in outlines:
        _trace(context, points)
        context.fill()
    surface.flush()
    rows = np.frombuffer(surface.get_data(), np.uint8).reshape(shape[0], surface.get_stride())
    return rows[:, : shape[1]].copy()


def _trace(context: "cairo.Context[cairo.ImageSurface]", points: Points) -> None:
    at = None
    for first, one, two, last in points.reshape(-1, 4, 2).tolist():  # plain lists: ten times faster than arrays here
        if at != first:
            context.move_to(*first)
        context.curve_to(*one, *two, *last)
        at = last
