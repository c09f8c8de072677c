"""Which characters the bundled fonts can draw; the others are spelled out instead of drawn as empty boxes."""

import unicodedata
from collections.abc import Iterable

from attnviz.escape import JOINERS, literal, spelled_out, visible
from attnviz.text.fonts import CUTS, Weight
from attnviz.text.typeset import pages

_NOWHERE = "\U0010ffff"  # a code point that no font has
_drawable: dict[tuple[Weight, str], bool] = {}


def run(text: str, weight: Weight) -> str:
    """The Typst source of `text` in one cut of the text font; `text` is a literal, never markup."""
    family, style, strength = CUTS[weight]
    return f'#text(font: fonts("{family}"), style: "{style}", weight: {strength}, {literal(text)})'


def learn(texts: Iterable[str], weight: Weight) -> None:
    """Find out, in one document, which characters of `texts` can be drawn."""
    new = sorted({c for text in texts for c in text if not c.isascii() and (weight, c) not in _drawable})
    if not new:
        return
    nowhere, *found = pages([run(character, weight) for character in (_NOWHERE, *new)])
    boxes = {mark.glyph for mark in nowhere.marks}
    for character, page in zip(new, found, strict=True):
        drawn = {mark.glyph for mark in page.marks}
        has_shape = bool(drawn and not drawn & boxes)
        _drawable[weight, character] = has_shape or character in JOINERS or unicodedata.category(character) == "Zs"


def shown(text: str, weight: Weight) -> str:
    """`text` as it is drawn: whatever has no shape is spelled out."""
    seen = visible(text)
    learn([seen], weight)
    return "".join(c if c.isascii() or _drawable[weight, c] else spelled_out(c) for c in seen)
