"""Strings from outside, made safe and visible: a Typst string literal, never markup.

What works unseen (control characters, direction overrides, lone surrogates) is spelled out by name, so that
nothing is lost in silence. Characters that no bundled font has are found by `attnviz.text.coverage`.
"""

import unicodedata

JOINERS = "\u200c\u200d"  # without a shape of their own, they shape letters of Arabic and Indic scripts
_NAMES = {0: "NUL", 8: "BS", 9: "TAB", 10: "LF", 13: "CR", 27: "ESC", 127: "DEL"}


def spelled_out(character: str) -> str:
    """A visible stand-in such as `‹NUL›` or `‹U+202E›`."""
    code = ord(character)
    return f"‹{_NAMES.get(code, f'U+{code:04X}')}›"


def visible(text: str) -> str:
    """`text` with control and format characters and lone surrogates spelled out."""
    return "".join(spelled_out(c) if _works_unseen(c) else c for c in text)


def _works_unseen(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in JOINERS


def literal(text: str) -> str:
    """`text` as a Typst string literal; every character outside plain ASCII letters and such is escaped."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    plain = character.isascii() and character.isprintable() and character not in '"\\'
    return character if plain else f"\\u{{{ord(character):x}}}"
