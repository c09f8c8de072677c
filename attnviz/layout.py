"""Frames and their named regions, in Manim's units. Scenes name a region, never a coordinate.

`caption` stays empty in the film: players lay captions there, and burned-in ones are drawn there.

Only geometry lives here: no colours, no text sizes, nothing of Manim.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from attnviz.errors import InputError

Flow = Literal["beside", "below"]

SAFE = 0.05  # share of each side of the frame that stays empty: projectors and players cut edges


@dataclass(frozen=True)
class Region:
    """A rectangle: its centre (x, y), its width and height, in Manim's units."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float, float]:
        """The centre as a point that Manim takes."""
        return (self.x, self.y, 0.0)

    @property
    def left(self) -> float:
        """The x of the left edge."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The x of the right edge."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The y of the upper edge."""
        return self.y + self.height / 2

    @property
    def bottom(self) -> float:
        """The y of the lower edge."""
        return self.y - self.height / 2


@dataclass(frozen=True)
class Layout:
    """One frame: its size in units and its regions. `flow` says where `side` lies as seen from `stage`."""

    frame: str
    width: float
    height: float
    flow: Flow
    regions: MappingProxyType[str, Region]

    def region(self, name: str) -> Region:
        """The region called `name`; InputError if the layout has none."""
        if name not in self.regions:
            raise InputError(f"no region {name!r} in the layout; it has {', '.join(self.regions)}")
        return self.regions[name]


def _stack(width: float, height: float, *bands: tuple[str, float]) -> dict[str, Region]:
    """Full-width bands from the top of the safe area down; a band whose name starts with `gap` stays empty."""
    inner_width, top = width * (1 - 2 * SAFE), height * (0.5 - SAFE)
    regions = {}
    for name, band in bands:
        regions[name] = Region(0.0, top - band / 2, inner_width, band)
        top -= band
    return {name: region for name, region in regions.items() if not name.startswith("gap")}


def _split(band: Region, left_share: float, gap: float) -> tuple[Region, Region]:
    left_width = (band.width - gap) * left_share
    right_width = band.width - gap - left_width
    left = Region(band.left + left_width / 2, band.y, left_width, band.height)
    return left, Region(band.right - right_width / 2, band.y, right_width, band.height)


def _wide() -> Layout:
    width, height = 8 * 16 / 9, 8.0
    regions = _stack(width, height, ("head", 0.95), ("gap1", 0.3), ("whole", 5.2), ("gap2", 0.05), ("caption", 0.7))
    regions["title"], regions["formula"] = _split(regions.pop("head"), 0.66, 0.2)
    regions["stage"], regions["side"] = _split(regions["whole"], 0.62, 0.25)
    return Layout("16:9", width, height, "beside", MappingProxyType(regions))


def _tall() -> Layout:
    width, height = 8.0, 8 * 16 / 9
    regions = _stack(width, height, ("title", 0.8), ("gap1", 0.1), ("formula", 1.15), ("gap2", 0.2), ("stage", 5.15),
                     ("gap3", 0.3), ("side", 3.8), ("gap4", 0.2), ("caption", 1.1))
    regions["whole"] = _spanning(regions["stage"], regions["side"])
    return Layout("9:16", width, height, "below", MappingProxyType(regions))


def _square() -> Layout:
    width = height = 8.0
    regions = _stack(width, height, ("head", 0.9), ("gap1", 0.05), ("stage", 3.5), ("gap2", 0.05), ("side", 2.0),
                     ("gap3", 0.05), ("caption", 0.65))
    regions["title"], regions["formula"] = _split(regions.pop("head"), 0.61, 0.2)
    regions["whole"] = _spanning(regions["stage"], regions["side"])
    return Layout("1:1", width, height, "below", MappingProxyType(regions))


def _spanning(upper: Region, lower: Region) -> Region:
    return Region(upper.x, (upper.top + lower.bottom) / 2, upper.width, upper.top - lower.bottom)


LAYOUTS = {layout.frame: layout for layout in (_wide(), _tall(), _square())}
FRAMES = tuple(LAYOUTS)


def layout_for(frame: str) -> Layout:
    """The layout of a frame (`16:9`, `9:16`, `1:1`); InputError for another."""
    if frame not in LAYOUTS:
        raise InputError(f"no frame {frame!r}; frames are {', '.join(FRAMES)}")
    return LAYOUTS[frame]


def frame_size(frame: str) -> tuple[float, float]:
    """Width and height of a frame in Manim's units."""
    layout = layout_for(frame)
    return layout.width, layout.height
