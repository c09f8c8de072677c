"""Colours as they are seen: over the background, back through a scale to a value, and the ink that reads on them.

Arithmetic only: nothing here looks at a picture.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from attnviz.colors import ColorScale, contrast, hex_color, rgb
from attnviz.theme import Theme
from attnviz.verify.picture import Array

READABLE = 4.5  # the contrast of ink


def over(theme: Theme, fill: Array, opacity: float | Array) -> Array:
    """A colour, so opaque, over the background."""
    under = np.array(rgb(theme.background), np.float64)
    return np.asarray(under + (fill - under) * opacity)


def slope(scale: ColorScale, value: float) -> float:
    """Levels that the colour changes for one unit of value, near a value, in the channel that changes most."""
    table, place, reach = _table(scale), scale.step(value), 8
    low, high = max(place - reach, 0), min(place + reach, len(scale.table) - 1)
    width = (high - low) * (scale.high - scale.low) / (len(scale.table) - 1)
    return float(np.abs(table[high] - table[low]).max()) / width


def nearest(scale: ColorScale, color: Array) -> float:
    """The value whose colour is nearest; minus infinity has a colour too."""
    table = _table(scale)
    place = int(np.square(table - color).sum(axis=1).argmin())
    masked = np.square(np.array(rgb(scale.minus_infinity)) - color).sum()
    if masked < np.square(table[place] - color).sum():
        return -math.inf
    return scale.low + (scale.high - scale.low) * place / (len(table) - 1)


@lru_cache(maxsize=64)
def _table(scale: ColorScale) -> Array:
    return np.array([rgb(color) for color in scale.table], dtype=np.float64)


@lru_cache(maxsize=4096)
def readable(ground: str, theme: Theme) -> str:
    """The ink of digits on a ground: that of the theme or its background if it is read well, else black or white."""
    inks = (theme.ink, theme.background, "#000000", "#ffffff")
    ratios = [contrast(f"#{ground}", ink) for ink in inks]
    return next((ink for ink, ratio in zip(inks, ratios, strict=True) if ratio >= READABLE),
                inks[ratios.index(max(ratios))])


def hexadecimal(color: Array) -> str:
    """A colour as it is quoted, without its #."""
    return hex_color(*(int(min(max(round(float(part)), 0), 255)) for part in color))[1:]
