"""All text, set by Typst with bundled fonts: lines, paragraphs, formulas and the digits of numbers.

A string from outside is always a literal, never markup. Nothing here knows tensors or scenes.
"""

from attnviz.text.fonts import FONT_DIR, Weight, bundled_fonts
from attnviz.text.numerals import compose, number_glyphs
from attnviz.text.setting import fitted, line, math, paragraph, prepare, shortened, width_of
from attnviz.text.typed import Formula, Typed

__all__ = [
    "FONT_DIR",
    "Formula",
    "Typed",
    "Weight",
    "bundled_fonts",
    "compose",
    "fitted",
    "line",
    "math",
    "number_glyphs",
    "paragraph",
    "prepare",
    "shortened",
    "width_of",
]
