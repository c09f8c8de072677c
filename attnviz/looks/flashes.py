"""How often a film flashes: pairs of opposing changes of light over a large part of the frame, within a second.

The bounds are those of WCAG 2.3.1: relative luminance that changes by 0.1 or more, the darker state below 0.8. What
is counted is every pixel's own turns, so that a flash need not reach all of them in the same frame. No scene is
known here.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from attnviz.looks.view import Array

CHANGE, DARKER, AREA, MOST = 0.1, 0.8, 0.25, 3


class FlashMeter:
    """Takes a film's frames in order (relative luminance, all of one size); `most` is the most flashes in a second.

    `at` is the second at whose end so many were counted.
    """

    def __init__(self, fps: int) -> None:
        self.fps, self.most, self.at = fps, 0, 0.0
        self._frames = 0
        self._recent: deque[Array | None] = deque(maxlen=fps)  # which pixels turned in each frame of the last second
        self._low = self._high = self._rising = self._turns = np.zeros(0)

    def take(self, light: Array, repeat: int = 1) -> None:
        """See a frame, shown `repeat` times."""
        if not self._frames:
            self._low, self._high = light.copy(), light.copy()
            self._rising, self._turns = np.zeros(light.shape, int), np.zeros(light.shape, int)
        turned = self._turned(light)
        self._count(turned if turned.any() else None)
        for _ in range(min(repeat - 1, self.fps)):
            self._count(None)
        self._frames += max(repeat - 1 - self.fps, 0)

    def _turned(self, light: Array) -> Array:
        """Which pixels have come as far up from their last low, or down from their last high, as counts as a change."""
        self._low, self._high = np.minimum(self._low, light), np.maximum(self._high, light)
        up = (self._rising <= 0) & (light - self._low >= CHANGE) & (self._low < DARKER)
        down = (self._rising >= 0) & (self._high - light >= CHANGE) & (light < DARKER) & ~up
        self._high = np.where(up | (self._rising < 0) & ~up, light, self._high)
        self._low = np.where(down | (self._rising > 0) & ~down, light, self._low)
        self._rising = np.where(up, 1, np.where(down, -1, self._rising))
        return up | down

    def _count(self, turned: Array | None) -> None:
        if len(self._recent) == self.fps and (old := self._recent[0]) is not None:
            self._turns = self._turns - old
        self._recent.append(turned)
        self._frames += 1
        if turned is not None:
            self._turns = self._turns + turned
            count = int(np.quantile(self._turns, 1 - AREA, method="lower")) // 2
            if count > self.most:
                self.most, self.at = count, self._frames / self.fps
