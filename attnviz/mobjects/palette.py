"""The colours that the pixels of each cell may have: its fill, its hatching, its digits at each coverage, its frame.

One table for all cells of a part of a grid. Which pixel takes which colour is no matter here.
"""

from __future__ import annotations

import numpy as np

from attnviz.colors import Rgb, rgb
from attnviz.mobjects.cells import Array, Cells, Part

LEVELS = 256  # of the coverage of a pixel by digits
FILL, HATCH, DIGITS = 0, 1, 2  # where they begin in a cell's row of the table


def palette(cells: Cells, part: Part, colors: int) -> tuple[Array, Array | None]:
    """The colours of the cells in a part (packed RGBA, multiplied by alpha), and for each cell its row below a frame.

    Of `colors` columns the first is the fill, the next the hatching, and then follow the digits over the fill for each
    coverage. Each cell has a row; those with a frame have a second one after all these (None: there are none).
    """
    is_opaque, strength, below_frame = not (cells.opacity[part] < 1).any(), cells.highlight[part].ravel(), None
    table = _plain(cells, part, colors, is_opaque)
    if (framed := np.flatnonzero(strength > 0)).size:
        below_frame = np.arange(len(table))
        below_frame[framed] = len(table) + np.arange(len(framed))
        table = np.concatenate([table, _framed(table[framed], strength[framed], rgb(cells.theme.accent))])
    if not is_opaque:
        alpha = table[..., 3].astype(np.uint16)  # room for a product of two bytes
        for channel in range(3):
            table[..., channel] = (table[..., channel] * alpha + 127) // 255
    return packed(table), below_frame


def packed(pixels: Array) -> Array:
    """The same memory, four bytes at a time: alpha is the highest."""
    return pixels.view("<u4")[..., 0]


def _plain(cells: Cells, part: Part, colors: int, is_opaque: bool) -> Array:
    """RGBA (cells, colors, 4), not multiplied, without frames."""
    fill, opacity = cells.fill[part].reshape(-1, 3), cells.opacity[part].reshape(-1, 1)
    table = np.empty((len(fill), colors, 4), np.uint8)
    for channel in range(3):  # each by itself: loops over three bytes would take longer
        table[:, FILL, channel] = fill[:, channel]
    table[:, :DIGITS, 3] = 255 if is_opaque else np.rint(opacity.astype(float) * 255)
    if colors > HATCH:
        table[:, HATCH, :3] = rgb(cells.theme.hatch)
    if colors > DIGITS:
        ink, ink_opacity = cells.inks(part).reshape(-1, 3), cells.digit_opacity[part].reshape(-1, 1)
        sides = [side.astype(float) for side in (ink, ink_opacity, fill, opacity)]
        _blend(table[:, DIGITS:], *sides[:3], opacity=None if is_opaque else sides[3])
    return table


def _blend(table: Array, ink: Array, ink_opacity: Array, fill: Array, *, opacity: Array | None) -> None:
    """Write RGBA (cells, 256, 4), not multiplied, for each coverage (0 to 255) of digits over a cell's fill.

    No opacity: the cells are opaque, and so is all that is drawn over them.
    """
    if (ink_opacity == ink_opacity[:1]).all():  # so it is nearly always, and one row will do for all
        ink_opacity = ink_opacity[:1]
    over = np.arange(float(LEVELS)) * (ink_opacity / 255)
    under = 1 - over
    if opacity is not None:
        under = under * opacity
        alpha = over + under
        whole = np.maximum(alpha, 1e-9)
    color, ground = np.empty((2, len(ink), LEVELS))  # used again for each channel: fresh memory takes longer
    for channel in range(3):
        np.multiply(ink[:, channel, None], over, out=color)
        color += np.multiply(fill[:, channel, None], under, out=ground)
        if opacity is not None:
            color /= whole
        table[..., channel] = np.rint(color, out=color)
    table[..., 3] = 255 if opacity is None else np.rint(255 * alpha)


def _framed(table: Array, strength: Array, accent: Rgb) -> Array:
    edge = table.astype(np.float32)
    over = np.array([*accent, 255], np.float32) - edge
    return np.rint(edge + over * strength.astype(np.float32)[:, None, None]).astype(np.uint8)
