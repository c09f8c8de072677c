"""Checks of how small and how faint things are: the em of each text in pixels, the opacity of what is dimmed.

Pixels are those of a picture whose shorter side has 1080. Colours are no matter here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import manim
import numpy as np

from attnviz.looks.finding import Measured
from attnviz.looks.places import DIMMED
from attnviz.looks.view import View, named
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.raster import Raster
from attnviz.onscreen import HIDDEN, Thing
from attnviz.text import Formula
from attnviz.theme import PIXEL

SMALLEST = 18.0  # pixels
ROUNDING = 0.005  # pixels, and shares of opacity: what floats of four bytes leave
SCRIPT = 0.7  # of a formula's em: its exponents and indices


def sizes(view: View) -> list[Measured]:
    """The em of each text and of each grid's digits, as drawn now."""
    seen = [(thing, em_of(thing) * view.lines) for thing in view.things]
    remedy = f"a larger size, or more room: its em is told as drawn, and {view.layout.frame} may draw smaller"
    return [Measured("size", named(thing), em, SMALLEST - ROUNDING, " px", thing.box, remedy)
            for thing, em in seen if em > 0]


def em_of(thing: Thing) -> float:
    """The smallest em in a text or a grid, in units; 0 for what has no letters."""
    if isinstance(thing.mobject, Grid):
        return thing.mobject.digit_size * PIXEL
    if not thing.is_text:
        return 0.0
    has_scripts = isinstance(thing.mobject, Formula) and re.search(r"[\^_]", thing.mobject.text)
    return float(thing.mobject.em) * (SCRIPT if has_scripts else 1.0)


def dims(view: View) -> list[Measured]:
    """How opaque what is seen is: texts, cells with their digits, pictures, and lines. A tint over others is no dim."""
    return [Measured("dimming", named(thing), opacity, DIMMED - ROUNDING, "", thing.box, "dim it to 0.45 or hide it")
            for thing in view.things for opacity in _opacities(thing)]


def _opacities(thing: Thing) -> Iterator[float]:
    mobject = thing.mobject
    if isinstance(mobject, Grid):
        shown = np.concatenate([(mobject.cells.opacity * mobject.opacity).ravel(),
                                (mobject.cells.digit_opacity * mobject.opacity).ravel()])
        yield float(shown.min(initial=1.0, where=shown >= HIDDEN))
    elif thing.is_text or isinstance(mobject, Raster):
        yield thing.faintest
    elif isinstance(mobject, manim.VMobject) and mobject.stroke_width > 0:
        line = float(np.max(mobject.stroke_rgbas[:, 3], initial=0.0))
        if line >= HIDDEN:
            yield line
