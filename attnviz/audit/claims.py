"""What claims something of numbers: arrows from one to the other, and the signs before results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import manim
import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.flow import Flow, bound_stage, may_flow
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Bound, Number
from attnviz.mobjects.relation import Claim, Relation, Shown, digits
from attnviz.numbers import shown_decimal
from attnviz.onscreen import Box, box_of
from attnviz.text import Typed
from attnviz.verify.shown import holds

TOUCHING = 0.7  # units: an arrow's end this near to something bound points at it
BEFORE = 0.6  # units: a sign this near to a number stands before it
ABOUT = 5e-3  # of a total: what the rounding of a literal's digits may change


def complaints(view: View) -> Iterator[str]:
    """Arrows and signs that are false; only where nothing moves."""
    for line in view.lone(manim.TipableVMobject):
        yield from _arrow(view, line)
    relations = view.all_of(Relation)
    shown = _digits_on_screen(view) if relations else set()
    for relation in relations:
        yield from _relation(view, relation, shown)


# --- arrows


def _arrow(view: View, arrow: Any) -> Iterator[str]:
    """Whatever its class: where it points from one bound thing to another, the computation must go that way."""
    ends = arrow.get_start(), arrow.get_end()
    ways = ([ends] if arrow.has_tip() else []) + ([ends[::-1]] if arrow.has_start_tip() else [])
    for way in ways:
        yield from _one_way(view, arrow, *(_bound_near(view, point) for point in way))


def _one_way(view: View, arrow: Any, start: Any, end: Any) -> Iterator[str]:
    if start is None or end is None or start is end:
        if isinstance(arrow, Flow) and start is not end:
            yield f"the arrow from {arrow.ends[0][1].name} to {arrow.ends[1][1].name} does not reach both"
        return
    source, target = bound_stage(start), bound_stage(end)
    if not may_flow(source, target):
        yield (f"an arrow from {source[1].name} to {target[1].name}: {_address(end)} is not computed from "
               f"{_address(start)}")
    elif isinstance(arrow, Flow) and (source, target) != arrow.ends:
        yield f"the arrow for {arrow.ends[1][1].name} points at {_address(end)}"


def _bound_near(view: View, point: Any) -> Any:
    x, y = float(point[0]), float(point[1])
    spot = Box(x, y, x, y)
    near: list[tuple[float, Any]]
    near = [(apart(spot, thing.box), thing.mobject) for thing in view.things
            if isinstance(thing.mobject, Grid | Number)]
    near += [(apart(spot, whole_box(bars)), bars) for bars in view.all_of(Bars)]
    best = min(near, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] <= TOUCHING else None


def _address(bound: Any) -> str:
    if isinstance(bound, Number):
        return bound.entry.address
    return str(bound.cells.tensor.address if isinstance(bound, Grid) else bound.tensor.address)


# --- signs


def _digits_on_screen(view: View) -> set[tuple[str, str, str]]:
    """Record, address and digits of every entry that stands on screen with digits."""
    found = {(number.entry.record, number.entry.address, number.text) for number in view.lone(Number)}
    for grid in view.grids:
        cells, (rows, columns) = grid.cells, grid.cells.shape
        if rows * columns <= 4096:
            entries = ((cells.entry(row, column), cells.digits(row, column))
                       for row in range(rows) for column in range(columns))
            found |= {(entry.record, entry.address, text) for entry, text in entries}
    return found


def _relation(view: View, relation: Relation, shown: set[tuple[str, str, str]]) -> Iterator[str]:
    drawn: Any = next(part for part in relation.submobjects if isinstance(part, Typed))
    is_equal = drawn.text.rstrip().endswith("=")
    for claim in relation.claims:
        for part in (*claim.terms, claim.total):
            if is_equal and (stale := _is_stale(part, shown)):
                yield f"an equals sign speaks of {stale}, which is not on screen"
                return
        terms, total = [digits(term) for term in claim.terms], digits(claim.total)
        if is_equal and not holds(claim.operation, terms, total):
            sum_ = _written(claim.operation, terms)
            yield f"{_named(claim.total)}: {sum_} is not {total}, but an equals sign says so"
            return
        if not _is_about_right(claim):
            yield f"{_named(claim.total)} is {total}, but a sign says that it is {_written(claim.operation, terms)}"
            return
    yield from _before_another(view, relation)


def _is_about_right(claim: Claim) -> bool:
    """Whether the operation on the recorded numbers gives the recorded total: what ≈ may hide is rounding only."""
    terms, total = [_value(term) for term in claim.terms], _value(claim.total)
    if claim.operation == "exp":
        wanted = math.exp(terms[0] - math.fsum(terms[1:]))
    elif claim.operation == "largest":
        wanted = max(terms)
    elif claim.operation == "rescaled":
        wanted = math.prod(terms[:2]) + math.fsum(terms[2:])
    elif claim.operation == "quotient":
        wanted = terms[0] / (math.prod(terms[1:]) or math.inf)
    elif claim.operation == "product":
        wanted = math.prod(terms)
    else:
        wanted = math.fsum(terms) if claim.operation == "sum" else terms[0] - math.fsum(terms[1:])
    return wanted == total or abs(wanted - total) <= ABOUT * max(1.0, abs(total))


def _value(part: Shown) -> float:
    return float(shown_decimal(part)) if isinstance(part, str) else part.entry.value


def _before_another(view: View, relation: Relation) -> Iterator[str]:
    """A sign that stands before a number which it says nothing of."""
    own = whole_box(relation)
    addresses = {part.total.entry.address for part in relation.claims if isinstance(part.total, Bound)}
    for thing in view.things:
        if not isinstance(thing.mobject, Number | Grid):
            continue
        gap = thing.box.left - own.right
        if not (-0.05 < gap < BEFORE and thing.box.bottom < own.center[1] < thing.box.top):
            continue
        there = ({thing.mobject.entry.address} if isinstance(thing.mobject, Number) else
                 {thing.mobject.cells.entry(*at).address for at in np.ndindex(thing.mobject.cells.shape)})
        if not addresses & there:
            yield f"a sign about {', '.join(sorted(addresses)[:1])} stands before {_address(thing.mobject)}"
        return


def _is_stale(part: Shown, shown: set[tuple[str, str, str]]) -> str:
    if isinstance(part, str) or (part.entry.record, part.entry.address, digits(part)) in shown:
        return ""
    return f"{part.entry.address} = {digits(part)}"


def _named(part: Shown) -> str:
    return part if isinstance(part, str) else part.entry.address


def _written(operation: str, terms: Sequence[str]) -> str:
    if operation == "largest":
        return f"max({', '.join(terms)})"
    if operation == "exp":
        return f"exp({' − '.join(terms)})"
    if operation == "rescaled":
        return " + ".join([" × ".join(terms[:2]), *terms[2:]])
    return {"sum": " + ", "product": " × ", "difference": " − ", "quotient": " / "}[operation].join(terms)


def whole_box(mobject: manim.Mobject) -> Box:
    """The box of all that a mobject holds."""
    return box_of(mobject.family_members_with_points())


def apart(one: Box, other: Box) -> float:
    """The gap between two boxes along the axis on which they are further apart; 0 or less where they meet."""
    across = max(other.left - one.right, one.left - other.right)
    down = max(other.bottom - one.top, one.bottom - other.top)
    return max(across, down)
