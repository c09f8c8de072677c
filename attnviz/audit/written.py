"""Everything written: numbers and the entries they are bound to, digits that are bound to nothing, outlines.

After a morph the screen shows one text and the mobject says another: so outlines are compared with those of the text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import manim
import numpy as np
from manim.mobject.svg.svg_mobject import VMobjectFromSVGPath

from attnviz import text
from attnviz.audit.outlines import digit_in, is_like, sign_in
from attnviz.audit.view import View
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.number import Literal, Number
from attnviz.mobjects.raster import Raster
from attnviz.mobjects.relation import Relation
from attnviz.onscreen import Thing
from attnviz.text.setting import MARK, glyphs_of
from attnviz.verify.shown import agrees

FOREIGN = (manim.SVGMobject, manim.Text, manim.MarkupText, manim.DecimalNumber, manim.Variable, manim.ImageMobject,
           VMobjectFromSVGPath)  # fmt: skip
NATIVE = (manim.Brace, manim.BraceLabel)  # drawn from a path, and without a digit
UNEVEN = 0.02  # opacity: glyphs of one number may differ by this
WITHIN = 1.0  # units: how far from a sign its result may stand
TOUCHING = 0.3  # units: a sign or unit this near to a number is read with it
END_OF_SCALE = "end of the colour scale"
READ_WITH = {"−", "-", "–", "+", "%", "∞", "±", "·"}


def complaints(view: View) -> Iterator[str]:
    """What is false about the writing on screen."""
    for thing in view.things:
        if isinstance(thing.mobject, Number):
            yield from _number(view, thing)
        elif thing.is_text:
            yield from _text(view, thing) if view.at_rest else _digits(view, thing)
        else:
            yield from _other(thing)


# --- numbers


def _number(view: View, thing: Thing) -> Iterator[str]:
    number: Number = thing.mobject
    address, value = number.entry.address, view.value(number.entry)
    if value is None or not (value == number.entry.value or np.isnan(value)):
        says = "no such entry" if value is None else f"{value:.6g}"
        yield f"{address} of {number.entry.record!r} is bound to {number.entry.value:.6g}, the records say {says}"
    elif not agrees(number.text, value):
        yield f"{address} shows {number.text}, the record says {value:.6g}"
    elif np.isnan(value) and not number.entry.stage.overflows:
        yield f"{address} is NaN, which is no result of this stage: find where it entered the computation"
    elif thing.parts < len(number.submobjects) or thing.opacity - thing.faintest > UNEVEN:
        yield f"{address} shows only part of {number.text}: show, fade and remove the whole Number"
    elif not is_like(number.submobjects, text.compose(number.text, number.weight)[0], upright=view.at_rest):
        yield f"{address} says {number.text}, but other outlines are drawn: it was morphed"
    else:
        yield from _ink(view, thing)


def _ink(view: View, thing: Thing) -> Iterator[str]:
    """One colour for all digits, which is not that of the background, and no line around them."""
    number: Number = thing.mobject
    colors = {str(glyph.get_fill_color()).lower() for glyph in thing.leaves}
    if len(colors) > 1 or view.theme.background in colors:
        yield f"{number.entry.address} has digits in {', '.join(sorted(colors))}: give all one that can be seen"
    if any(glyph.stroke_width > 0 and float(np.max(glyph.stroke_rgbas[:, 3])) > 0 for glyph in thing.leaves):
        yield f"{number.entry.address} is drawn with a line around its digits, which makes them others: set no stroke"


# --- texts


def _text(view: View, thing: Thing) -> Iterator[str]:
    typed: Any = thing.mobject
    is_whole = thing.parts == len(typed.submobjects)
    if unbound := list(_digits(view, thing)):
        yield from unbound
    elif is_whole and not is_like(typed.submobjects, glyphs_of(typed.source)):
        yield from _morphed(thing)
    elif isinstance(typed, Literal) and typed.reason == END_OF_SCALE and not _stands_in(thing, ColorBar):
        yield f"{_short(typed.text)} is called the end of a colour scale, but stands in no ColorBar: a legend by hand"
    elif typed.text.strip() in READ_WITH and (number := _beside(view, thing, TOUCHING)):
        yield f"the {typed.text.strip()} is read together with {number}, which is another number then"
    elif not _stands_in(thing, Relation) and (sign := _sign_of(thing)) and (result := _beside(view, thing, WITHIN)):
        yield f"the {sign} of {_short(typed.text)} stands before {result} and was checked by nobody: use Relation"


def _morphed(thing: Thing) -> Iterator[str]:
    """Words may have become other words; what reads as a digit, or was a text with digits, may not."""
    typed: Any = thing.mobject
    read = next((digit for glyph in thing.leaves if (digit := digit_in(glyph))), "")
    if read or _has_digits(typed.text):
        seen = f", with a {read}" if read else ""
        yield f"the text {_short(typed.text)} is drawn with other outlines than its own{seen}: it was morphed"


def _digits(view: View, thing: Thing) -> Iterator[str]:
    shown = thing.mobject.text
    if _has_digits(shown) and not _may_hold_digits(view, thing):
        yield f"the digits of {_short(shown)} are bound to no entry: use Number, or a Literal with a reason"


def _has_digits(shown: str) -> bool:
    """Digits of any script, fractions, Roman numerals, infinity."""
    return any(unicodedata.category(one) in ("Nd", "No", "Nl") or one == "∞" for one in shown)


def _may_hold_digits(view: View, thing: Thing) -> bool:
    shown = thing.mobject.text
    tokens = view.tokens
    cut = shown.endswith(MARK) and any(token.startswith(shown[:-1]) for token in tokens)
    rest = " ".join(word for word in shown.split() if word.strip("“”\"'.,") not in tokens)
    return bool(thing.mobject.reason) or shown in view.quoted or shown in tokens or cut or not _has_digits(rest)


def _sign_of(thing: Thing) -> str:
    """The = or ≈ at the end or the beginning of a text, read from its outlines."""
    if not thing.leaves:
        return ""
    by_place = sorted(thing.leaves, key=lambda glyph: float(glyph.points[:, 0].max()))
    last, first = sign_in(by_place[-1]), sign_in(by_place[0])
    shown = thing.mobject.text.strip()
    return last or first or (shown[-1] if shown[-1:] in ("=", "≈") else "")


def _beside(view: View, thing: Thing, within: float) -> str:
    """The address of the number or grid next to a text: on its line, or above and below where it is a sign alone."""
    x, y = thing.box.center
    is_alone = len(thing.leaves) <= 2
    for other in view.things:
        if not isinstance(other.mobject, Number | Grid):
            continue
        across = max(other.box.left - thing.box.right, thing.box.left - other.box.right)
        down = max(other.box.bottom - thing.box.top, thing.box.bottom - other.box.top)
        is_on_line = other.box.bottom < y < other.box.top and -0.05 < across < within
        is_above = is_alone and other.box.left < x < other.box.right and -0.05 < down < within
        if is_on_line or is_above:
            mobject: Any = other.mobject
            return str(mobject.cells.tensor.address if other.is_grid else mobject.entry.address)
    return ""


# --- what is no text


def _other(thing: Thing) -> Iterator[str]:
    """What can show a number of its own making, and what paints itself by code that nobody here knows."""
    if isinstance(thing.mobject, NATIVE) or any(isinstance(one, NATIVE) for one in thing.kin):
        return
    for one in (*thing.kin, thing.mobject):
        if isinstance(one, FOREIGN):
            yield f"a {type(one).__name__} cannot be audited: write with attnviz.text, and numbers with Number"
            return
    mobject = thing.mobject
    if isinstance(mobject, Raster) and not type(mobject).__module__.startswith("attnviz."):
        yield f"a {type(mobject).__name__} paints itself and cannot be audited: use Grid"
    if isinstance(mobject, manim.VMobject) and (digit := digit_in(mobject)):
        yield f"a shape that reads {digit} is bound to no entry: use Number, or a Literal with a reason"


def _stands_in(thing: Thing, kind: type) -> bool:
    return any(isinstance(one, kind) for one in thing.kin)


def _short(shown: str) -> str:
    return repr(shown if len(shown) <= 40 else f"{shown[:39]}{MARK}")
