"""Sweeps: all that is on screen of one sweep shows one step of it, at rest and at every moment of a play."""

from __future__ import annotations

from collections.abc import Iterator

from attnviz.audit.view import View
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.number import Number
from attnviz.mobjects.sweeping import Swept, step_of

KIND = "sweep"


def complaints(view: View) -> Iterator[str]:
    """What of one sweep shows another step than the rest of it."""
    first: dict[str, tuple[int, str]] = {}
    parts: list[Swept] = [*view.grids, *view.lone(Number), *view.all_of(Bars)]
    for part in parts:
        record, address = _place(part)
        step = step_of(part)
        if step is None or record not in view.bundle or view.bundle[record].kind.name != KIND:
            continue
        other, where = first.setdefault(record, (step, address))
        if step != other:
            yield f"{address} of {record!r} is shown beside {where}: one sweep has one step at a time"


def _place(part: Swept) -> tuple[str, str]:
    if isinstance(part, Number):
        return part.entry.record, part.entry.address
    tensor = part.tensor if isinstance(part, Bars) else part.cells.tensor
    return tensor.record, tensor.address
