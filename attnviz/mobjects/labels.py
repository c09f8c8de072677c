"""What stands around a grid: token labels on its rows and columns, the shape, the colour bar.

Labels belong to positions, so repeated words are no trouble. A label that is too long is made smaller, then
slanted (above columns), then shortened with a visible mark; its whole text stays in `text`. Where not every row or
column has room for a word that can be read, every n-th is named, and a line says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import manim
import numpy as np

from attnviz import text
from attnviz.colors import ColorScale, rgb
from attnviz.errors import InputError
from attnviz.mobjects.grid import Grid, whole_pixels
from attnviz.mobjects.notices import SPARED, every_word
from attnviz.mobjects.number import Literal as LiteralText
from attnviz.mobjects.raster import Picture, Raster
from attnviz.numbers import end_format
from attnviz.text.owner import own
from attnviz.theme import DARK, PIXEL, Theme

ROOM = 2.4  # that labels may take from their grid on, in units, where a scene says nothing else
GAP = 0.14  # between a label and its grid, in units
BREATH = 0.92  # of a column's width that a label over it may take
THINNED_BREATH = 0.75  # of the width of the columns that it stands for: labels without lines between them read as one
TICK_GAP = 0.06  # between the numbers below a colour bar, in units
LINE = 1.2  # em: the height of a line's box
SLANT = math.radians(45)
FOOT = 1 / 3  # of a slanted label's height that it stands above the gap
CORNER = {"left": 0.1, "top": 0.32}  # how far above its grid a notice stands, in units, that for columns higher


@dataclass(frozen=True)
class _Fit:
    """How labels are set: the largest em in pixels, the width each may take in units, their angle, and that only every
    `every`-th position has one."""

    size: float
    width: float
    angle: float
    every: int


class TokenLabels(manim.VGroup):
    """Labels for the rows (`side="left"`) or columns (`side="top"`) that `grid` draws; `tokens` has one a position.

    All are named where there is room for words that can be read, else the first and every `every`-th from there:
    `positions` says which, `drawn` what the grid draws, and `notice` (else None) is the line that tells the viewer.
    `room` is the longest a label may reach from the grid, in units; `slanted` says whether they had to be slanted.
    InputError for a wrong number of tokens.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        grid: Grid,
        side: Literal["left", "top"] = "left",
        *,
        color: str = DARK.ink,
        size: float = DARK.label_size,
        room: float = ROOM,
    ) -> None:
        index = {"left": 0, "top": 1}[side]
        drawn = _drawn(tokens, grid, index)
        fit = _beside(grid.pitch[1], size, room) if side == "left" else _above(grid.pitch[0], drawn, size, room)
        self.side, self.every, self.slanted = side, fit.every, fit.angle > 0
        self.axis, self.drawn = grid.cells.axes[index], grid.cells.positions[index]
        self.tokens, self.positions = drawn[:: fit.every], self.drawn[:: fit.every]
        self.labels = [text.fitted(token, width=fit.width, size=fit.size, color=color) for token in self.tokens]
        for place, label in zip(self.positions, self.labels, strict=True):
            _stand(label, grid.region(**{("rows", "columns")[index]: [place]}), side, fit.angle)
        self.notice = self._told(grid, color) if fit.every > 1 else None
        super().__init__(*self.labels, *([self.notice] if self.notice else []))
        own(self, [*self.submobjects])

    def _told(self, grid: Grid, color: str) -> LiteralText:
        """The line that says how many positions there are to a label, at the upper left corner of the grid."""
        notice = LiteralText(every_word(self.every), SPARED, size=DARK.minimum_size, color=color)
        right = min([grid.get_left()[0], *(label.get_left()[0] for label in self.labels[:1] if self.side == "top")])
        x, y = right - GAP - notice.width / 2, grid.get_top()[1] + CORNER[self.side] + notice.height / 2
        return notice.move_to((x, y, 0))

    def describe(self) -> dict[str, Any]:
        """Side, whole tokens and what is shown of them, with each label's place, as plain JSON values."""
        labels = [
            {"position": place, "token": token, "shown": label.text,
             "center": [float(x) for x in label.get_center()[:2]]}
            for place, token, label in zip(self.positions, self.tokens, self.labels, strict=True)
        ]  # fmt: skip
        return {"type": "labels", "side": self.side, "axis": self.axis, "every": self.every, "labels": labels}


def _drawn(tokens: Sequence[str], grid: Grid, index: int) -> list[str]:
    axis = grid.cells.axes[index]
    size = grid.cells.tensor.size(axis) if axis else 1
    if len(tokens) != size:
        where = f"{grid.cells.tensor.address}: {axis or 'one line'} has {size} positions"
        raise InputError(f"{where}, but {len(tokens)} labels came: give one for each")
    return [tokens[position] for position in grid.cells.positions[index]]


def _beside(pitch: float, size: float, room: float) -> _Fit:
    every = rows_to_a_label(pitch)
    return _Fit(min(size, _beside_size(every * pitch)), room - GAP, 0.0, every)


def _above(pitch: float, tokens: Sequence[str], size: float, room: float) -> _Fit:
    every = columns_to_a_label(pitch, tokens)
    level, slanted = min(size, _level_size(pitch, tokens, every)), min(size, _slanted_size(every * pitch))
    if level >= DARK.minimum_size:
        return _Fit(level, _breath(every) * every * pitch, 0.0, every)
    height = LINE * slanted * PIXEL
    reach = room - GAP - FOOT * height - height / 2 * math.cos(SLANT)
    return _Fit(slanted, max(reach, 0.0) / math.sin(SLANT), SLANT, every)


def rows_to_a_label(pitch: float) -> int:
    """How many rows as high as this (in units) one label that can be read needs."""
    return _to_a_label(lambda every: _beside_size(every * pitch))


def columns_to_a_label(pitch: float, tokens: Sequence[str]) -> int:
    """How many columns as wide as this (in units) one label that can be read needs, level or slanted."""
    return _to_a_label(lambda every: max(_level_size(pitch, tokens, every), _slanted_size(every * pitch)))


def _to_a_label(size: Callable[[int], float]) -> int:
    return next(every for every in count(1) if size(every) >= DARK.minimum_size)


def can_be_read(cell: tuple[float, float], column_tokens: Sequence[str]) -> bool:
    """Whether grids with this cell (width, height, in units) have room for readable labels on rows and columns."""
    width, height = map(whole_pixels, cell)
    across = max(_level_size(width, column_tokens), _slanted_size(width))
    return min(across, _beside_size(height)) >= DARK.minimum_size


def are_level(cell: tuple[float, float], column_tokens: Sequence[str]) -> bool:
    """Whether these tokens stand level above columns of cells (width, height, in units), not slanted."""
    return _level_size(whole_pixels(cell[0]), column_tokens) >= DARK.minimum_size


def slanted_reach(tokens: Sequence[str]) -> float:
    """How far the longest of these reaches from its grid, in units, if it is slanted and as small as can be read."""
    height, longest = LINE * DARK.minimum_size * PIXEL, max(map(text.width_of, tokens), default=0.0)
    return GAP + (FOOT + 0.5) * height + longest * DARK.minimum_size * PIXEL * math.sin(SLANT) + GAP


def _beside_size(pitch: float) -> float:
    return pitch / (LINE * PIXEL)


def _level_size(pitch: float, tokens: Sequence[str], every: int = 1) -> float:
    return _breath(every) * every * pitch / (max(map(text.width_of, tokens), default=0.0) * PIXEL + 1e-9)


def _breath(every: int) -> float:
    return BREATH if every == 1 else THINNED_BREATH


def _slanted_size(pitch: float) -> float:
    return pitch * math.sin(SLANT) / (LINE * PIXEL)


def _stand(label: text.Typed, anchor: manim.Mobject, side: str, angle: float) -> None:
    if side == "left":
        label.next_to(anchor, manim.LEFT, buff=GAP)
    elif angle:
        foot = anchor.get_top() + (GAP + FOOT * label.height) * manim.UP
        label.shift(foot - label.get_left()).rotate(angle, about_point=foot)
    else:
        label.next_to(anchor, manim.UP, buff=GAP / 2)


class ShapeLabel(LiteralText):
    """The shape of a grid, such as `8 × 4`, rows first; `space` stands on both sides of its sign."""

    def __init__(self, grid: Grid, *, space: str = " ", size: float = DARK.small_size, color: str = DARK.muted) -> None:
        self.rows, self.columns = rows, columns = grid.cells.shape
        super().__init__(f"{rows}{space}×{space}{columns}", "shape of the tensor", size=size, color=color)


class _Strip(Raster):
    """The colours of a scale side by side, low values left."""

    def __init__(self, scale: ColorScale, size: tuple[float, float]) -> None:
        self._scale = scale
        super().__init__(size)

    def shows(self) -> ColorScale:
        """The scale."""
        return self._scale

    def paint(self, size: tuple[int, int], zoom: float) -> Picture:
        """Every column of pixels in the colour of its value."""
        colors = np.array([(*rgb(color), 255) for color in self._scale.table], dtype=np.uint8)
        steps = np.rint(np.linspace(0, len(colors) - 1, size[0])).astype(int)
        return np.ascontiguousarray(np.broadcast_to(colors[steps], (size[1], size[0], 4)))


class ColorBar(manim.Group):
    """The legend of a colour scale: the very scale that colours the cells, with the values at its ends."""

    def __init__(
        self, scale: ColorScale, *, width: float = 2.4, height: float = 0.16, size: float = DARK.small_size,
        theme: Theme = DARK,
    ) -> None:  # fmt: skip
        self.scale_shown = scale
        self.strip = strip = _Strip(scale, (round(width / PIXEL) * PIXEL, round(height / PIXEL) * PIXEL))
        super().__init__(strip)
        corner = strip.get_corner(manim.DL)
        first, *middle, last = (
            LiteralText(shown, "end of the colour scale", size=size, color=theme.muted)
            .next_to(corner + share * width * manim.RIGHT, manim.DOWN, buff=0.06)
            for shown, share in ticks_of(scale)
        )  # fmt: skip
        room = last.get_left()[0] - first.get_right()[0]
        self.add(first, *(tick for tick in middle if tick.width + 2 * TICK_GAP <= room), last)
        own(self, self.submobjects)

    def describe(self) -> dict[str, Any]:
        """The stage and the ends of the scale, as plain JSON values."""
        scale, (x, y, _) = self.scale_shown, self.strip.get_corner(manim.UL)
        return {"type": "color_bar", "stage": scale.stage, "kind": scale.kind, "ends": list(scale.ends),
                "origin": [float(x), float(y)], "size": [float(self.strip.width), float(self.strip.height)]}


def ticks_of(scale: ColorScale) -> list[tuple[str, float]]:
    """What is written below a bar of this scale, and at which share of its width."""
    fmt = end_format(scale.stage, scale.ends)
    return [(fmt.text(value) if value or fmt.style != "scientific" else "0", share) for value, share in _ticks(scale)]


def _ticks(scale: ColorScale) -> list[tuple[float, float]]:
    """The values that are named below a bar, and their share of its width; a middle one goes where it is crowded."""
    return [(scale.low, 0.0), *([(0.0, 0.5)] if scale.kind == "diverging" else []), (scale.high, 1.0)]
