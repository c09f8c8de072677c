"""Colour arithmetic and the scales that turn a stage's numbers into colours.

Colours are `#rrggbb`. Steps are even in OKLab (Björn Ottosson, 2020), contrast is that of WCAG 2. No theme and
no stage has its colours written here: `attnviz.theme` hands them in.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from attnviz.errors import InputError

Rgb = tuple[int, int, int]
Lab = tuple[float, float, float]
STEPS = 256  # colours from zero to an end of a scale: finer than eight bits can show


def rgb(color: str) -> Rgb:
    """The three bytes of `#rrggbb`; InputError for anything else."""
    try:
        value = int(color[1:], 16) if color[0] == "#" and len(color) == 7 else -1
    except (ValueError, IndexError):
        value = -1
    if value < 0:
        raise InputError(f"{color!r} is no colour: write it as #rrggbb")
    return value >> 16, value >> 8 & 255, value & 255


def hex_color(red: int, green: int, blue: int) -> str:
    """`#rrggbb` from three bytes."""
    return f"#{red:02x}{green:02x}{blue:02x}"


def _linear(byte: int) -> float:
    part = byte / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _byte(linear: float) -> int:
    part = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return round(255 * min(max(part, 0.0), 1.0))


def linear(color: str) -> tuple[float, float, float]:
    """The shares of red, green and blue light, 0 to 1."""
    red, green, blue = (_linear(part) for part in rgb(color))
    return red, green, blue


def from_linear(light: tuple[float, float, float]) -> str:
    """The nearest `#rrggbb` of shares of light."""
    return hex_color(*map(_byte, light))


def luminance(color: str) -> float:
    """Relative luminance, 0 for black to 1 for white."""
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio, 1 (the same) to 21 (black on white)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def oklab(color: str) -> Lab:
    """Lightness and the two opponent coordinates in OKLab."""
    r, g, b = linear(color)
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    mid = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * long + 0.7936177850 * mid - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * mid + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * mid - 0.8086757660 * short,
    )


def from_oklab(lab: Lab) -> str:
    """The nearest `#rrggbb` of an OKLab colour."""
    light, a, b = lab
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    mid = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return from_linear((
        4.0767416621 * long - 3.3077115913 * mid + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * mid - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * mid + 1.7076147010 * short,
    ))


def boosted(zero: str, end: str) -> str:
    """The control colour that keeps a ramp from `zero` to `end` from looking grey on its way."""
    start, last = oklab(zero), oklab(end)
    return from_oklab((start[0] + 0.45 * (last[0] - start[0]), 0.8 * last[1], 0.8 * last[2]))


def ramp(start: str, control: str, end: str, steps: int) -> tuple[str, ...]:
    """`steps` + 1 colours along the curve from `start` by `control` to `end`, at equal distances to the eye."""
    corners = [oklab(color) for color in (start, control, end)]
    curve = [_on_curve(corners, step / (4 * steps)) for step in range(4 * steps + 1)]
    along = list(accumulate((math.dist(*pair) for pair in pairwise(curve)), initial=0.0))
    nearest = (bisect_left(along, along[-1] * step / steps - 1e-12) for step in range(steps + 1))
    return tuple(from_oklab(curve[place]) for place in nearest)


def _on_curve(corners: list[Lab], share: float) -> Lab:
    rest = 1 - share
    light, a, b = (rest * rest * s + 2 * rest * share * c + share * share * e for s, c, e in zip(*corners, strict=True))
    return light, a, b


@dataclass(frozen=True)
class ColorScale:
    """A stage's numbers from `low` to `high` as colours; nothing outside is clipped, it is refused.

    `table` holds the colours from low to high in equal steps: 0 is the first of a sequential scale, the middle one
    of a diverging scale. Minus infinity has a colour of its own.
    """

    stage: str
    kind: Literal["sequential", "diverging"]
    low: float
    high: float
    table: tuple[str, ...]
    minus_infinity: str

    @property
    def ends(self) -> tuple[float, float]:
        """The values at the two ends."""
        return self.low, self.high

    def step(self, value: float) -> int:
        """The place of `value` in the table; InputError outside the ends (NaN and infinities too)."""
        if not self.low <= value <= self.high:
            raise InputError(
                f"{self.stage}: {value!r} is outside its colour scale {self.low:g}..{self.high:g}: "
                "make the scale from all values that are drawn"
            )
        return round((value - self.low) / (self.high - self.low) * (len(self.table) - 1))

    def color(self, value: float) -> str:
        """The colour of `value`; minus infinity has its own."""
        return self.minus_infinity if value == -math.inf else self.table[self.step(value)]


def rounded_up(bound: float) -> float:
    """The smallest of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 times a power of ten that is at least `bound`; 1 for 0."""
    if bound <= 0:
        return 1.0
    power = math.floor(math.log10(bound))
    steps = (float(f"{step}e{power}") for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15))
    return next(step for step in steps if step >= bound)
