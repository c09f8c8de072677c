"""Numbers in a picture beside what grids are: whether their digits are due, and ink where there should be none."""

from __future__ import annotations

import numpy as np

from attnviz.verify.glyphs import ABOVE, BELOW, CAP_HEIGHT, width_of
from attnviz.verify.picture import Box
from attnviz.verify.reading import Place
from attnviz.verify.view import FRAME_WIDTH, View

DUE, TRIED = 10.0, 7.0  # pixels of a digit's height: from where it must be read, and from where it is tried
SHARE = 0.25  # of the contrast of ink from where a pixel counts as inked
LEAST = 0.03  # of an em squared: inked pixels that are something, less than half of any digit's


def is_due(em: float) -> bool:
    """Whether digits of this em (pixels) are so high that they must be read."""
    return CAP_HEIGHT * em >= DUE


def extra_ink(view: View, box: Box, text: str, place: Place, contrast: float) -> bool:
    """Whether there is ink in a cell beside its number, frames left out."""
    inset = max(1, round(FRAME_WIDTH * view.zoom)) + 2
    left, top, right, bottom = box[0] + inset, box[1] + inset, box[2] - inset, box[3] - inset
    if left >= right or top >= bottom:
        return False
    part = view.picture.luma[top:bottom, left:right]
    free = np.ones(part.shape, bool)
    if text:
        upper, lower = place.y - ABOVE * place.em - 1, place.y + BELOW * place.em + 1
        rows = slice(max(int(upper) - top, 0), max(int(lower) + 1 - top, 0))
        end = place.x + width_of(text) * place.em + 1
        free[rows, max(int(place.x - 1) - left, 0):max(int(end) + 1 - left, 0)] = False
    if free.sum() < 4:
        return False
    inked = np.abs(part - np.median(part[free])) > SHARE * abs(contrast)
    return int((inked & free).sum()) > max(3.0, LEAST * place.em**2)
