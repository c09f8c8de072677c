"""Everything written: numbers and the entries they are bound to, digits that are bound to nothing, outlines.

After a morph the screen shows one text and the mobject says another: so outlines are compared with those of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz import text
from attnviz.audit.view import NEAR, View
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.number import Digit, Literal, Number
from attnviz.mobjects.raster import Raster
from attnviz.mobjects.relation import Relation
from attnviz.onscreen import Thing
from attnviz.text.fonts import CUTS
from attnviz.text.outline import Mark
from attnviz.text.setting import MARK, glyphs_of, page_of
from attnviz.text.typed import Glyph
from attnviz.verify.shown import agrees

Points = NDArray[Any]
FOREIGN = (manim.SVGMobject, manim.Text, manim.MarkupText, manim.DecimalNumber, manim.Variable, manim.ImageMobject)
OFF = 0.004  # of an em: how far an outline may lie from its text's
UNEVEN = 0.02  # opacity: glyphs of one number may differ by this
SIGNS = ("=", "≈")
END_OF_SCALE = "end of the colour scale"


def complaints(view: View) -> Iterator[str]:
    """What is false about the writing on screen."""
    for thing in view.things:
        if isinstance(thing.mobject, Number):
            yield from _number(view, thing)
        elif thing.is_text:
            yield from _text(view, thing) if view.at_rest else _digits(view, thing)
        elif isinstance(thing.mobject, Glyph):
            yield from _loose(thing)
        else:
            yield from _foreign(thing)


def _number(view: View, thing: Thing) -> Iterator[str]:
    number: Number = thing.mobject
    address, value = number.entry.address, view.value(number.entry)
    if value is None or not (value == number.entry.value or np.isnan(value)):
        says = "no such entry" if value is None else f"{value:.6g}"
        yield f"{address} of {number.entry.record!r} is bound to {number.entry.value:.6g}, the records say {says}"
    elif not agrees(number.text, value):
        yield f"{address} shows {number.text}, the record says {value:.6g}"
    elif thing.opacity - thing.faintest > UNEVEN:
        yield f"{address} shows only part of {number.text}: one of its digits is fainter than the others"
    elif not _is_itself(number, text.compose(number.text, number.weight)[0]):
        yield f"{address} says {number.text}, but other outlines are drawn: it was morphed"


def _text(view: View, thing: Thing) -> Iterator[str]:
    typed: Any = thing.mobject
    if not _is_itself(typed, tuple(glyphs_of(typed.source))):
        yield f"the text {_short(typed.text)} is drawn with other outlines than its own: it was morphed"
    elif unbound := list(_digits(view, thing)):
        yield from unbound
    elif isinstance(typed, Literal) and typed.reason == END_OF_SCALE and not _stands_in(thing, ColorBar):
        yield f"{_short(typed.text)} is called the end of a colour scale, but stands in no ColorBar: a legend by hand"
    elif not _stands_in(thing, Relation) and (result := _result(view, thing)):
        yield (f"the {typed.text.strip()[-1]} of {_short(typed.text)} stands before {result} and was checked by "
               "nobody: use Relation")


def _digits(view: View, thing: Thing) -> Iterator[str]:
    shown = thing.mobject.text
    if re.search(r"\d", shown) and not _may_hold_digits(view, thing):
        yield f"the digits of {_short(shown)} are bound to no entry: use Number, or a Literal with a reason"


def _loose(thing: Thing) -> Iterator[str]:
    """A glyph without its text: of a number it is another number, of words it may be a digit."""
    glyph: Any = thing.mobject
    if isinstance(glyph, Digit):
        yield "a digit is shown without the rest of its number: show, move and remove the whole Number"
        return
    for digit, mark in _digit_marks():
        if _is_like([glyph], (mark,)):
            yield f"a glyph that reads {digit} is bound to no entry: use Number, or a Literal with a reason"
            return


def _foreign(thing: Thing) -> Iterator[str]:
    """What can show a number of its own making, and what paints itself by code that nobody here knows."""
    for one in (*thing.kin, thing.mobject):
        kind = type(one)
        if isinstance(one, FOREIGN):
            yield f"a {kind.__name__} cannot be audited: write with attnviz.text, and numbers with Number"
            return
    if isinstance(thing.mobject, Raster) and not type(thing.mobject).__module__.startswith("attnviz."):
        yield f"a {type(thing.mobject).__name__} paints itself and cannot be audited: use Grid"


@cache
def _digit_marks() -> tuple[tuple[str, Mark], ...]:
    """The outlines of digits in every cut that texts are set in, and in formulas."""
    cuts = [(digit, glyphs_of(page_of(digit, weight))[0]) for digit in "0123456789" for weight in CUTS]
    return (*cuts, *((digit, glyphs_of(text.math(digit).source)[0]) for digit in "0123456789"))


def _may_hold_digits(view: View, thing: Thing) -> bool:
    shown = thing.mobject.text
    tokens = (*view.case.query_tokens, *view.case.key_tokens)
    cut = shown.endswith(MARK) and any(token.startswith(shown[:-1]) for token in tokens)
    return bool(thing.mobject.reason) or shown in view.quoted or shown in tokens or cut


def _result(view: View, thing: Thing) -> str:
    """The address of the number or grid on a text's line, next to the sign with which the text ends; or nothing."""
    if not thing.mobject.text.rstrip().endswith(SIGNS):
        return ""
    for other in view.things:
        if not isinstance(other.mobject, Number | Grid):
            continue
        gap, middle = other.box.left - thing.box.right, thing.box.center[1]
        if -0.05 < gap < NEAR and other.box.bottom < middle < other.box.top:
            mobject: Any = other.mobject
            return str(mobject.cells.tensor.address if other.is_grid else mobject.entry.address)
    return ""


def _stands_in(thing: Thing, kind: type) -> bool:
    return any(isinstance(one, kind) for one in thing.kin)


def _is_itself(typed: Any, marks: tuple[Mark, ...]) -> bool:
    """Whether the glyphs of a text have the outlines of `marks`."""
    return _is_like(typed.submobjects, marks)


def _is_like(glyphs: Sequence[Any], marks: tuple[Mark, ...]) -> bool:
    """Whether outlines are those of `marks`: moved, turned (not upside down) and scaled alike, not mirrored."""
    if len(glyphs) != len(marks) or not marks:
        return len(glyphs) == len(marks)
    wanted = _plane(marks)
    if [len(glyph.points) for glyph in glyphs] != [len(mark.points) for mark in marks]:
        return False
    points = np.concatenate([glyph.points for glyph in glyphs])
    found = points[:, 0] + 1j * points[:, 1]
    centred, aim = found - found.mean(), wanted - wanted.mean()
    size = float(np.vdot(aim, aim).real)
    factor = np.vdot(aim, centred) / size
    if abs(factor) < 1e-6:
        return True
    return bool(np.abs(centred - factor * aim).max() <= OFF * abs(factor) and factor.real > -0.2 * abs(factor))


@lru_cache(maxsize=2048)
def _plane(marks: tuple[Mark, ...]) -> Points:
    points = np.concatenate([mark.points for mark in marks])
    return np.asarray(points[:, 0] + 1j * points[:, 1])


def _short(shown: str) -> str:
    return repr(shown if len(shown) <= 40 else f"{shown[:39]}{MARK}")
