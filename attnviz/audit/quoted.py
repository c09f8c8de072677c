"""The words of a beat: every digit in title, caption and note comes from a field, and the field's number is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from attnviz.trace import Entry
from attnviz.verify.shown import QUOTED, agrees
from attnviz.words import FIELD, BeatWords

Resolve = Callable[[str, Sequence[str]], Entry | str]  # an entry, or a token
PARTS = ("title", "caption", "note")


def complaints(template: BeatWords, said: BeatWords, resolve: Resolve) -> Iterator[str]:
    """What is false in the words `said`, which must be `template` with its fields filled in."""
    for part in PARTS:
        for complaint in _of(getattr(template, part), getattr(said, part), resolve):
            yield f"the {part} of {said.id} {complaint}"


def _of(template: str, said: str, resolve: Resolve) -> Iterator[str]:
    fields, fixed = list(FIELD.finditer(template)), FIELD.split(template)[::3]
    if typed := [run for piece in fixed for run in QUOTED.findall(piece)]:
        yield f"types {typed[0]}: quote an entry, as in {{attn_weights[q,0]}}"
        return
    filled = re.fullmatch("(.*?)".join(map(re.escape, fixed)), said, re.DOTALL)
    if filled is None:
        digits = QUOTED.search(said)
        yield f"is not that of the words file{f' and quotes {digits[0]}' if digits else ''}: {said!r:.90}"
        return
    for field, shown in zip(fields, filled.groups(), strict=True):
        coords = [part.strip() for part in (field[2] or "").split(",") if part.strip()]
        meant = resolve(field[1], coords)
        if isinstance(meant, Entry) and not agrees(shown, meant.value):
            yield f"quotes {shown} for {meant.address}, the record says {meant.value:.6g}"
        elif isinstance(meant, str) and shown != meant:
            yield f"quotes {shown!r} where the token is {meant!r}"
