"""The palette as people see it who lack one kind of cone: the smallest distance between two hues that mean something.

G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of Color Vision
Deficiency. IEEE Transactions on Visualization and Computer Graphics 15(6), 2009, severity 1.0, on linear light.
"""

from __future__ import annotations

import math
from itertools import combinations

from attnviz.colors import from_linear, linear, oklab
from attnviz.looks.finding import Measured
from attnviz.theme import Theme

# Distance in OKLab below which two hues are taken for one. Where patches touch, 0.02 is just seen; thin strokes apart
# from each other need some three times that. Simulated swatches were looked at side by side: pairs at 0.03 to 0.055
# (hues that the light theme once had) pass for one colour, those at 0.07 do not.
APART = 0.065
ROLES = ("query", "key", "value", "scores", "weights", "output")
VISIONS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen_by(vision: str, color: str) -> str:
    """A colour as it looks with this vision."""
    parts = linear(color)
    red, green, blue = (sum(weight * part for weight, part in zip(row, parts, strict=True)) for row in VISIONS[vision])
    return from_linear((red, green, blue))


def palette(theme: Theme) -> list[Measured]:
    """For each vision the two hues of a theme that look most alike, and how far apart they are in OKLab."""
    return [_nearest(theme, vision) for vision in VISIONS]


def _nearest(theme: Theme, vision: str) -> Measured:
    labs = {role: oklab(seen_by(vision, theme.role(role))) for role in ROLES}
    one, other = min(combinations(ROLES, 2), key=lambda pair: math.dist(labs[pair[0]], labs[pair[1]]))
    what = f"{one} and {other} with {vision}"
    return Measured("colour vision", what, math.dist(labs[one], labs[other]), APART, " in OKLab",
                    remedy=f"set the hues of the theme {theme.name} further apart, in lightness first")
