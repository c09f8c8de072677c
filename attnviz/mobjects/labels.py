"""What stands around a grid: token labels on its rows and columns, the shape, the colour bar.

Labels belong to positions, so repeated words are no trouble. A label that is too long is made smaller, then
slanted (above columns), then shortened with a visible mark; its whole text stays in `text`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import manim
import numpy as np

from attnviz import text
from attnviz.colors import ColorScale, rgb
from attnviz.errors import InputError
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Literal as LiteralText
from attnviz.mobjects.raster import Picture, Raster
from attnviz.numbers import format_for
from attnviz.text.setting import set_line
from attnviz.theme import DARK, PIXEL, Theme

MARK = "…"
GAP = 0.14  # between a label and its grid, in units
BREATH = 0.92  # of a column's width that a label over it may take
LINE = 1.2  # em: the height of a line's box
SLANT = math.radians(45)


@dataclass(frozen=True)
class _Fit:
    """How labels are set: the largest em in pixels, the width each may take in units, and their angle."""

    size: float
    width: float
    angle: float


class TokenLabels(manim.VGroup):
    """One label for each row (`side="left"`) or column (`side="top"`) that `grid` draws; `tokens` has one a position.

    `room` is the longest a label may reach from the grid, in units. InputError for a wrong number of tokens, and for
    cells so small that no readable label fits.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        grid: Grid,
        side: Literal["left", "top"] = "left",
        *,
        color: str = DARK.ink,
        size: float = DARK.label_size,
        room: float = 2.4,
    ) -> None:
        index = {"left": 0, "top": 1}[side]
        self.side, self.tokens = side, _drawn(tokens, grid, index)
        fit = _beside(grid, size, room) if side == "left" else _above(grid, self.tokens, size, room)
        self.labels = [_label(token, fit, color) for token in self.tokens]
        super().__init__(*self.labels)
        for place, label in enumerate(self.labels):
            anchor = grid.region(**{("rows", "columns")[index]: [grid.cells.positions[index][place]]})
            _stand(label, anchor, side, fit.angle)

    def describe(self) -> dict[str, Any]:
        """Side, whole tokens and what is shown of them, with each label's place, as plain JSON values."""
        labels = [
            {"token": token, "shown": label.text, "center": [float(x) for x in label.get_center()[:2]]}
            for token, label in zip(self.tokens, self.labels, strict=True)
        ]
        return {"type": "labels", "side": self.side, "labels": labels}


def _drawn(tokens: Sequence[str], grid: Grid, index: int) -> list[str]:
    axis = grid.cells.axes[index]
    size = grid.cells.tensor.size(axis) if axis else 1
    if len(tokens) != size:
        where = f"{grid.cells.tensor.address}: {axis or 'one line'} has {size} positions"
        raise InputError(f"{where}, but {len(tokens)} labels came: give one for each")
    return [tokens[position] for position in grid.cells.positions[index]]


def _width(token: str) -> float:
    """The width of a token in em."""
    return float(set_line(token, "regular")[1][1, 0])


def _beside(grid: Grid, size: float, room: float) -> _Fit:
    fitting = min(size, grid.pitch[1] / (LINE * PIXEL))
    if fitting < DARK.minimum_size:
        raise _too_small(grid, "rows")
    return _Fit(fitting, room, 0.0)


def _above(grid: Grid, tokens: Sequence[str], size: float, room: float) -> _Fit:
    pitch, widest = grid.pitch[0], max(map(_width, tokens), default=0.0) * PIXEL
    level = min(size, BREATH * pitch / widest if widest else size)
    if level >= DARK.minimum_size:
        return _Fit(level, BREATH * pitch, 0.0)
    slanted = min(size, pitch * math.sin(SLANT) / (LINE * PIXEL))
    if slanted < DARK.minimum_size:
        raise _too_small(grid, "columns")
    return _Fit(slanted, room / math.sin(SLANT), SLANT)


def _too_small(grid: Grid, which: str) -> InputError:
    return InputError(
        f"{grid.cells.tensor.address}: its {which} are too narrow for labels that can be read: draw fewer positions"
    )


def _label(token: str, fit: _Fit, color: str) -> text.Typed:
    size = max(min(fit.size, fit.width / (max(_width(token), 1e-9) * PIXEL)), DARK.minimum_size)
    return text.line(_shortened(token, fit.width / (size * PIXEL)), size=size, color=color)


def _shortened(token: str, width: float) -> str:
    """The token, or as much of its beginning as fits in `width` em, and the mark."""
    if _width(token) <= width + 1e-6:
        return token
    low, high = 0, len(token)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _width(token[:middle] + MARK) <= width else (low, middle)
    return token[:low] + MARK


def _stand(label: text.Typed, anchor: manim.Mobject, side: str, angle: float) -> None:
    if side == "left":
        label.next_to(anchor, manim.LEFT, buff=GAP)
    elif angle:
        foot = anchor.get_top() + (GAP + label.height / 3) * manim.UP
        label.shift(foot - label.get_left()).rotate(angle, about_point=foot)
    else:
        label.next_to(anchor, manim.UP, buff=GAP / 2)


class ShapeLabel(LiteralText):
    """The shape of a grid, such as `8 × 4`, rows first."""

    def __init__(self, grid: Grid, *, size: float = DARK.small_size, color: str = DARK.muted) -> None:
        rows, columns = grid.cells.shape
        super().__init__(f"{rows} × {columns}", "shape of the tensor", size=size, color=color)


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
        strip = _Strip(scale, (round(width / PIXEL) * PIXEL, round(height / PIXEL) * PIXEL))
        super().__init__(strip)
        values = scale.ends if scale.kind == "sequential" else (scale.low, 0.0, scale.high)
        for value in values:
            share = (value - scale.low) / (scale.high - scale.low)
            self.add(self._tick(value, strip.get_corner(manim.DL) + share * width * manim.RIGHT, size, theme))

    def _tick(self, value: float, at: Any, size: float, theme: Theme) -> LiteralText:
        shown = format_for(self.scale_shown.stage).text(value)
        label = LiteralText(shown, "end of the colour scale", size=size, color=theme.muted)
        return label.next_to(at, manim.DOWN, buff=0.06)

    def describe(self) -> dict[str, Any]:
        """The stage and the ends of the scale, as plain JSON values."""
        return {"type": "color_bar", "stage": self.scale_shown.stage, "ends": list(self.scale_shown.ends)}
