"""Labels that a score says stand at a grid: the words of its record, at their places, all or every n-th of them.

Nothing is looked for in the picture here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from attnviz.verify.claims import Claim
from attnviz.verify.grids import Shown, beside
from attnviz.verify.report import Tally
from attnviz.verify.truth import Truth


def check(item: Claim, grids: Sequence[Shown], texts: Collection[str], truth: Truth, tally: Tally) -> None:
    """Complain of labels that are not the words of the record at their places, or do not stand as the grid's do."""
    side, axis = item["side"].one_of("left", "top"), item["axis"].value
    placed = _words(item, _tokens(item, grids, truth), tally)
    order = [place for _, place in sorted(placed, reverse=side == "left")]
    index, every = 0 if side == "left" else 1, item["every"].whole()
    drawn = [list(grid.content.positions[index])[:: max(every, 1)] for grid in grids
             if grid.content.axes[index] == axis]
    if order not in drawn:
        tally.complain(f"the labels of {axis}", f"they stand as {order}", "no grid has its rows or columns so")
    if every != 1 and f"every {every}{_ending(every)} word" not in texts:
        tally.complain(f"the labels of {axis}", f"one in {every} is there", "no line in the beat says so")


def _words(item: Claim, tokens: Sequence[str] | None, tally: Tally) -> list[tuple[float, int]]:
    """Each label's place along its side and its position; complaints of those that are not the word there."""
    axis, is_left, placed = item["axis"].value, item["side"].value == "left", []
    for label in item["labels"].parts():
        token, place, shown_as = label["token"].text(), label["position"].whole(), label["shown"].text()
        where = f"the label of {axis}={place}"
        if shown_as != token and not (shown_as.endswith("…") and token.startswith(shown_as[:-1])):
            tally.complain(where, f"the score shows “{shown_as}”", f"it is for “{token}”")
        if tokens is not None and (place >= len(tokens) or tokens[place] != token):
            known = f"“{tokens[place]}”" if place < len(tokens) else "no word there"
            tally.complain(where, f"the score says “{token}”", f"the record says {known}")
        placed.append((label["center"].numbers(2, -1000, 1000)[is_left], place))
    if tokens is None and placed:
        tally.complain(f"the labels of {axis}", "they are words", "the record has no words along that axis")
    return placed


def _ending(place: int) -> str:
    """What is written after a number that counts places: st, nd, rd or th."""
    return "th" if place % 100 // 10 == 1 else ("th", "st", "nd", "rd", *6 * ("th",))[place % 10]


def _tokens(item: Claim, grids: Sequence[Shown], truth: Truth) -> list[str] | None:
    """The words of the record whose grid labels stand at; None where there is none, or no words."""
    side, axis = item["side"].one_of("left", "top"), item["axis"].value
    centers = [label["center"].numbers(2, -1000, 1000) for label in item["labels"].parts()]
    near = beside(grids, side, axis, centers) if isinstance(axis, str) and centers else None
    return truth.tokens(axis, near.content.tensor.record) if near else None
