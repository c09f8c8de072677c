"""What a viewer is told where not everything is shown: the words of the lines that say so.

Only words live here. Who leaves something out, and where the line stands, is decided where it is drawn.
"""

from __future__ import annotations

SPARED = "how many rows or columns there are to a label"
COUNTED = "how many of the words are shown"


def every_word(every: int) -> str:
    """Where one word in `every` is named: "every 3rd word"."""
    is_teen = every % 100 // 10 == 1
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(every % 10, "th")
    return f"every {every}{ending} word"


def some_words(shown: int, total: int) -> str:
    """Where so many of all words are shown: "5 of 64 words"."""
    return f"{shown} of {total} words"
