"""Strings and formulas to mobjects: the calls that scenes and mobjects use for text.

Sizes are the em in pixels at 1080 lines; widths are in Manim's units; colours `#rrggbb`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal

import numpy as np

from attnviz.errors import InputError
from attnviz.escape import visible
from attnviz.text.coverage import learn, run, shown
from attnviz.text.fonts import CUTS, Weight
from attnviz.text.outline import Mark, Page, Points
from attnviz.text.typed import Formula, Typed
from attnviz.text.typeset import ASCENT, DESCENT, EM, pages
from attnviz.theme import DARK, PIXEL

MARK = "…"  # where a text was cut
_BASELINE = "#0ff1ce"  # colour of the dot that tells where the baseline of a formula is
_PART = re.compile(r'\bpart\("([a-z_0-9]+)",')


def prepare(strings: Iterable[str], weight: Weight = "regular") -> None:
    """Set many lines in one document, ahead of `line`, which then finds them done."""
    texts = list(strings)
    learn([visible(text) for text in texts], weight)
    pages(run(shown(text, weight), weight) for text in texts)


def line(text: str, *, size: float = DARK.body_size, color: str = DARK.ink, weight: Weight = "regular") -> Typed:
    """`text` on one line, exactly its characters; what has no shape is spelled out (`‹NUL›`)."""
    check(size, weight)
    return Typed(*set_line(text, weight), color, text=text, size=size, source=page_of(text, weight))


def fitted(
    text: str, *, width: float, size: float = DARK.body_size, color: str = DARK.ink, weight: Weight = "regular"
) -> Typed:
    """`text` on a line no wider than `width` (Manim units): made smaller, as far as it can be read, then shortened.

    A shortened text ends with a visible mark; `text` of the mobject is what is shown.
    """
    smaller = min(size, width / (max(width_of(text, weight), 1e-9) * PIXEL))
    size = max(smaller, float(DARK.minimum_size))
    return line(shortened(text, width / (size * PIXEL), weight), size=size, color=color, weight=weight)


def shortened(text: str, width: float, weight: Weight = "regular") -> str:
    """`text`, or as much of its beginning as fits in `width` em, and a visible mark."""
    if width_of(text, weight) <= width + 1e-6:
        return text
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width_of(text[:middle] + MARK, weight) <= width else (low, middle)
    return text[:low] + MARK


def width_of(text: str, weight: Weight = "regular") -> float:
    """The width of a line in em."""
    return float(set_line(text, weight)[1][1, 0])


def set_line(text: str, weight: Weight) -> tuple[list[Mark], Points]:
    """The marks of one line and its box (lower left and upper right corner), in em from the baseline."""
    [page] = pages([page_of(text, weight)])
    return in_em(page, ASCENT * EM), np.array([[0.0, -DESCENT], [page.width / EM, ASCENT]])


def page_of(text: str, weight: Weight) -> str:
    """The Typst source of one line."""
    return run(shown(text, weight), weight)


def paragraph(
    text: str,
    *,
    width: float,
    size: float = DARK.caption_size,
    color: str = DARK.ink,
    weight: Weight = "regular",
    align: Literal["left", "center"] = "left",
) -> Typed:
    """`text` in as few lines as go into `width` (Manim units), all about as long: no word is left alone on the last.

    `baseline` is that of the first line.
    """
    check(size, weight)
    points = width / (size * PIXEL) * EM
    source = f"#balanced({points:.2f}pt, {align}, [{run(shown(text, weight), weight)}])"
    [page] = pages([source])
    box = np.array([[0.0, ASCENT - page.height / EM], [page.width / EM, ASCENT]])
    return Typed(in_em(page, ASCENT * EM), box, color, text=text, size=size, source=source)


def math(
    source: str, parts: Mapping[str, str] | None = None, *, size: float = DARK.formula_size, color: str = DARK.ink,
    reason: str = "",
) -> Formula:  # fmt: skip
    """A formula in Typst's notation from our own code; `part("q", Q)` names a part, `parts` gives its colour.

    Parts may nest and a name may come again: `.part(name)` is all that the name holds. `reason` says why digits in it
    are bound to no entry.
    """
    check(size, "regular")
    numbered, families = _numbered(source)
    if unknown := set(parts or {}) - {name for family in families for name in family}:
        raise InputError(f"the formula names no part {sorted(unknown)[0]!r}: {source!r}")
    dot = f'#box(width: 0pt, place(bottom, rect(width: 1pt, height: 1pt, fill: rgb("{_BASELINE}"))))'
    whole = f"{dot}$display({numbered})$"
    [page] = pages([whole])
    base = max(mark.points[:, 1].max() for mark in page.marks if mark.color == _BASELINE)
    marks = [mark for mark in in_em(page, base) if mark.color != _BASELINE]
    box = np.array([[0.0, (base - page.height) / EM], [page.width / EM, base / EM]])
    owners = [families[int(mark.color[1:], 16) - 1] if int(mark.color[1:], 16) else () for mark in marks]
    formula = Formula(marks, box, color, text=source, size=size, source=whole, parts=_members(owners))
    formula.reason = reason
    for mobject, family in zip(formula.submobjects, owners, strict=True):
        mobject.set_color(next((parts[name] for name in family if parts and name in parts), color))
    return formula


@cache
def glyphs_of(source: str) -> tuple[Mark, ...]:
    """What is drawn for a page's source, in em, y upwards; where the page stands does not matter."""
    [page] = pages([source])
    return tuple(mark for mark in in_em(page, 0.0) if mark.color != _BASELINE)


def check(size: float, weight: str) -> None:
    """InputError for text too small to read or a cut that is not bundled."""
    if size < DARK.minimum_size:
        raise InputError(f"text of {size:g} px cannot be read: use at least {DARK.minimum_size}")
    if weight not in CUTS:
        raise InputError(f"weight {weight!r} is unknown: use one of {', '.join(CUTS)}")


def in_em(page: Page, baseline: float) -> list[Mark]:
    """The page's marks in em, y upwards from `baseline` (points from the page's top)."""
    flip = np.array([1, -1]) / EM
    return [
        Mark((mark.points - (0, baseline)) * flip, mark.glyph, mark.color, mark.stroke / EM) for mark in page.marks
    ]


def _members(owners: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    members: dict[str, list[int]] = {}
    for place, family in enumerate(owners):
        for name in family:
            members.setdefault(name, []).append(place)
    return members


def _numbered(source: str) -> tuple[str, list[tuple[str, ...]]]:
    """The source with a colour of its own for each part, and for each colour the names from inside out."""
    spans = [(match.start(), _closing(source, match.start()), match[1]) for match in _PART.finditer(source)]
    families = [
        tuple(name for start, end, name in reversed(spans) if start <= own_start and own_end <= end)
        for own_start, own_end, _ in spans
    ]
    colors = iter(range(1, len(spans) + 1))
    return _PART.sub(lambda match: f'part(#"#{next(colors):06x}",', source), families


def _closing(source: str, start: int) -> int:
    """Where the parenthesis that opens after `start` is closed."""
    depth = 0
    for found in re.finditer(r'"(?:\\.|[^"\\])*"|\\.|[()]', source[start:]):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0 and found[0] == ")":
            return start + found.end()
    raise InputError(f"a part of the formula is not closed: {source!r}")
