"""How digits look: coverage of each character of the bundled number font, at any size and place between pixels.

Rasterised here by Pillow, eight times as large and averaged down, so that it comes close to an unhinted outline.
Nothing is taken from the folder that is checked.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from attnviz.errors import EnvironmentFault

FONT = Path(__file__).resolve().parent.parent / "fonts" / "IBMPlexSans-Regular.ttf"
CHARACTERS = "0123456789−-.e+%∞"
NAN = "NaN"  # its letters are looked for in nothing else
ALIKE = {"-": "−", "−": "-"}  # no reader tells these apart by their places in a number
CAP_HEIGHT, DESCENT, LINE = 0.698, 0.251, 1.2  # of an em: digits, below the baseline, the whole box
ABOVE, BELOW = 0.8, 0.15  # of an em: what a digit may reach
OVER = 8  # times as large
Coverage = NDArray[np.float64]


def characters_for(text: str) -> str:
    """The characters that a number may be made of: those of all numbers, and for NaN its letters."""
    return CHARACTERS + "Na" if text == NAN else CHARACTERS


@cache
def advance(character: str) -> float:
    """How far a character moves the pen, in em."""
    return float(_font(1000.0).getlength(character)) / 1000


def width_of(text: str) -> float:
    """The width of a number in em: every character stands by itself, without kerning."""
    return sum(map(advance, text))


@lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(FONT, size, layout_engine=ImageFont.Layout.BASIC)
    except OSError:
        raise EnvironmentFault(f"the font {FONT} is missing: install attnviz again") from None


@lru_cache(maxsize=16384)
def tile(character: str, em: float, right: int, down: int) -> Coverage:
    """Coverage (0 to 1) of a character, read-only.

    Its origin is `right` and `down` eighths of a pixel from the corner of the pixel in column 1 and the row that
    `rows_above(em)` says.
    """
    above = rows_above(em)
    size = math.ceil(advance(character) * em) + 4, above + math.ceil(BELOW * em) + 2
    image = Image.new("L", (size[0] * OVER, size[1] * OVER))
    place = (OVER + right, above * OVER + down)
    ImageDraw.Draw(image).text(place, character, fill=255, font=_font(em * OVER), anchor="ls")
    pixels = np.asarray(image, dtype=np.float64).reshape(size[1], OVER, size[0], OVER)
    coverage: Coverage = pixels.mean(axis=(1, 3)) / 255
    coverage.setflags(write=False)
    return coverage


def rows_above(em: float) -> int:
    """Rows of a tile above its origin."""
    return math.ceil(ABOVE * em) + 1


def stamp(target: Coverage, character: str, em: float, x: float, y: float) -> None:
    """Add a character's coverage to a picture, its origin at (x, y) in pixels."""
    (column, right), (row, down) = (divmod(round(at * OVER), OVER) for at in (x, y))
    part = tile(character, em, right, down)
    top, left = row - rows_above(em), column - 1
    rows, columns = slice(max(top, 0), top + part.shape[0]), slice(max(left, 0), left + part.shape[1])
    seen = target[rows, columns]
    seen += part[max(-top, 0):, max(-left, 0):][: seen.shape[0], : seen.shape[1]]
