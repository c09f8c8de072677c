"""Which ink reads well on a colour: arithmetic on whole arrays of colours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.colors import rgb

Array = NDArray[Any]
READABLE = 4.5  # WCAG 2 AA: the contrast of text


def readable_inks(fill: Array, inks: tuple[str, ...]) -> Array:
    """For RGB colours (..., 3) the first of `inks` with a contrast of 4.5, else black or white, RGB bytes."""
    choices, lights = _choices(inks)
    ground = _light(fill)[..., None]
    ratios = (np.maximum(ground, lights) + 0.05) / (np.minimum(ground, lights) + 0.05)
    best = np.argmax(np.where(ratios >= READABLE, 100.0 - np.arange(len(choices)), ratios), axis=-1)
    return np.asarray(choices[best])


@lru_cache(maxsize=16)
def _choices(inks: tuple[str, ...]) -> tuple[Array, Array]:
    choices = np.array([rgb(ink) for ink in (*inks, "#000000", "#ffffff")], dtype=np.uint8)
    return choices, _light(choices)


def _light(colors: Array) -> Array:
    part = np.asarray(colors, dtype=float) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ (0.2126, 0.7152, 0.0722))
