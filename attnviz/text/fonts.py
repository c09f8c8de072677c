"""The fonts that all text is set in, and the check that Typst really finds them.

Typst replaces a missing font in silence, so the check is made before the first text is set. System fonts are
never used: a picture must not depend on the machine.
"""

from functools import cache
from pathlib import Path
from typing import Literal

import typst

from attnviz.errors import EnvironmentFault

FONT_DIR = Path(__file__).resolve().parent.parent / "fonts"
Weight = Literal["regular", "semibold", "italic"]
# How Typst names each cut: (family, style, weight).
CUTS: dict[Weight, tuple[str, str, int]] = {
    "regular": ("IBM Plex Sans", "normal", 400),
    "semibold": ("IBM Plex Sans SmBld", "normal", 600),
    "italic": ("IBM Plex Sans", "italic", 400),
}
ARABIC = ("IBM Plex Sans Arabic", "normal", 400)
CHINESE = ("Noto Sans SC", "normal", 400)
MATHS = ("New Computer Modern Math", "normal", 450)
SYMBOLS = ("DejaVu Sans Mono", "normal", 400)
FALLBACKS = (ARABIC, CHINESE, SYMBOLS, MATHS)


@cache
def bundled_fonts() -> typst.Fonts:
    """The fonts beside this package and those inside Typst; EnvironmentFault if one is missing."""
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(FONT_DIR)])
    found = {(font.family, font.style, font.weight) for font in fonts.fonts()}
    for needed in (*CUTS.values(), *FALLBACKS):
        if needed not in found:
            family, style, weight = needed
            raise EnvironmentFault(
                f"font {family!r} ({style}, weight {weight}) is not in {FONT_DIR} nor in typst: "
                "install attnviz and typst again"
            )
    return fonts
