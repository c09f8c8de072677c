"""Digits and the signs around them, set once; numbers are put together from them without Typst.

The default figures of the text font are tabular: every digit is equally wide, so columns of numbers align.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from attnviz.errors import InputError
from attnviz.text.coverage import run
from attnviz.text.fonts import Weight
from attnviz.text.outline import Mark
from attnviz.text.setting import in_em
from attnviz.text.typeset import ASCENT, EM, pages

CHARACTERS = "0123456789−-+.,e%∞()×=≈/:Na"  # the last two for NaN
_SPACE = 0.25


@dataclass(frozen=True)
class NumberGlyph:
    """One character: its outline in em from its own origin on the baseline, and how far it moves the pen."""

    mark: Mark | None
    advance: float


@cache
def number_glyphs(weight: Weight = "regular") -> dict[str, NumberGlyph]:
    """The glyphs that numbers are made of, by character."""
    set_pages = pages([run(character, weight) for character in CHARACTERS])
    glyphs = {
        character: NumberGlyph(in_em(page, ASCENT * EM)[0], page.width / EM)
        for character, page in zip(CHARACTERS, set_pages, strict=True)
    }
    return {**glyphs, " ": NumberGlyph(None, _SPACE)}


@lru_cache(maxsize=4096)
def compose(text: str, weight: Weight = "regular") -> tuple[tuple[Mark, ...], float]:
    """The marks of a number, in em from its origin on the baseline, and its width in em."""
    glyphs, pen, marks = number_glyphs(weight), 0.0, []
    for character in text:
        if character not in glyphs:
            raise InputError(f"{text!r} holds {character!r}, which is no part of a number: use text.line for words")
        glyph = glyphs[character]
        if glyph.mark is not None:
            marks.append(Mark(glyph.mark.points + np.array([pen, 0.0]), glyph.mark.glyph, glyph.mark.color, 0.0))
        pen += glyph.advance
    return tuple(marks), pen
