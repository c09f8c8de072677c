"""What stands around the numbers: token labels, names of stages, colour bars, arrows, and the signs before results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import manim

from attnviz.audit.view import NEAR, View
from attnviz.mobjects.flow import Flow, bound_stage, may_flow
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar, TokenLabels
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.number import Number
from attnviz.mobjects.relation import Relation, Shown, digits
from attnviz.onscreen import Box
from attnviz.text.setting import MARK
from attnviz.verify.shown import holds

TOLERANCE = 0.3  # of a cell: how far a label may stand from the middle of its row or column
TOUCHING = 0.35  # units: an arrow's end this near to something bound points at it


def complaints(view: View) -> Iterator[str]:
    """What is false around the numbers; only at rest, as things move to their places in plays."""
    for labels in view.all_of(TokenLabels):
        yield from _labels(view, labels)
    for name in view.all_of(StageName):
        yield from _name(view, name)
    for bar in view.all_of(ColorBar):
        yield from _color_bar(view, bar)
    for arrow in view.all_of(manim.Arrow):
        yield from _arrow(view, arrow)
    shown = _digits_on_screen(view)
    for relation in view.all_of(Relation):
        yield from _relation(relation, shown)


# --- labels


def _labels(view: View, labels: TokenLabels) -> Iterator[str]:
    words = {"query_pos": view.case.query_tokens, "key_pos": view.case.key_tokens}.get(labels.axis or "")
    side = ("rows", "columns")[labels.side == "top"]
    for label, token, place in zip(labels.labels, labels.tokens, labels.positions, strict=True):
        said = label.text
        if words is not None and (place >= len(words) or words[place] != token):
            wanted = repr(words[place]) if place < len(words) else "no such position"
            yield f"{labels.axis}={place} is labelled {token!r}, the case says {wanted}"
        elif not (said == token or (said.endswith(MARK) and token.startswith(said[:-1]))):
            yield f"{labels.axis}={place} is labelled {said!r}, which is not its token {token!r}"
    if not any(_stand_beside(labels, grid) for grid in view.grids):
        tokens = ", ".join(labels.tokens[:4])
        yield (f"the labels {tokens} stand for {labels.axis} on the {side}, but beside no grid whose {side} are "
               f"{labels.axis}, one by one")


def _stand_beside(labels: TokenLabels, grid: Grid) -> bool:
    """Whether each label stands at the middle of its own row or column of a grid."""
    index = ("left", "top").index(labels.side)
    if grid.cells.axes[index] != labels.axis or not set(labels.positions) >= set(grid.cells.positions[index]):
        return False
    for label, place in zip(labels.labels, labels.positions, strict=True):
        if place not in grid.cells.positions[index]:
            continue
        anchor = grid.row(place) if index == 0 else grid.column(place)
        if not _at(label, anchor.get_center(), grid, index, labels.slanted):
            return False
    return True


def _at(label: Any, middle: Any, grid: Grid, index: int, is_slanted: bool) -> bool:
    if index == 0:
        apart, pitch = label.get_center()[1] - middle[1], grid.pitch[1]
        return bool(abs(apart) <= TOLERANCE * pitch and label.get_right()[0] <= grid.get_left()[0] + 1e-6)
    x = label.get_left()[0] if is_slanted else label.get_center()[0]
    return bool(abs(x - middle[0]) <= (1 if is_slanted else TOLERANCE) * grid.pitch[0]
                and label.get_bottom()[1] >= grid.get_top()[1] - 1e-6)


# --- names and legends


def _name(view: View, name: StageName) -> Iterator[str]:
    own = Box(*_edges(name))
    near = [grid for grid in view.grids if _apart(own, view.thing(grid).box) <= NEAR]
    if any(_is_named(grid, name) for grid in near):
        return
    where = f"beside {near[0].cells.tensor.address}" if near else "beside nothing of that stage"
    yield f"the name {name.stage.symbol}{'ᵀ' * name.is_transposed} of {name.stage.name} stands {where}"


def _is_named(grid: Grid, name: StageName) -> bool:
    tensor, (rows, columns) = grid.cells.tensor, grid.cells.axes
    if tensor.stage != name.stage or tensor.record != name.record:
        return False
    order = tensor.stage.axes
    is_transposed = bool(rows and columns) and order.index(str(rows)) > order.index(str(columns))
    return is_transposed == name.is_transposed


def _color_bar(view: View, bar: ColorBar) -> Iterator[str]:
    scale, drawn = bar.scale_shown, bar.strip.shows()
    of_stage = [grid for grid in view.grids if grid.cells.tensor.name == scale.stage]
    if drawn != scale:
        yield f"the colour bar of {scale.stage} shows other colours than its own scale"
    if not of_stage:
        yield f"a colour bar of {scale.stage} stands where no {scale.stage} is shown"
    for grid in of_stage:
        if grid.cells.scale != scale:
            yield (f"the colour bar of {scale.stage} goes from {scale.low:g} to {scale.high:g}, the colours of "
                   f"{grid.cells.tensor.address} from {grid.cells.scale.low:g} to {grid.cells.scale.high:g}")
    wanted = [str(part.text) for part in ColorBar(scale, width=9.0, theme=view.theme).submobjects[1:]]
    found = [str(part.text) for part in bar.submobjects[1:]]
    if found != [text for text in wanted if text in found] or not {wanted[0], wanted[-1]} <= set(found):
        yield f"the colour bar of {scale.stage} says {', '.join(found)} where its scale has {', '.join(wanted)}"
    xs = [part.get_center()[0] for part in bar.submobjects[1:]]
    if xs != sorted(xs):
        yield f"the numbers below the colour bar of {scale.stage} stand in the wrong order"


# --- arrows


def _arrow(view: View, arrow: manim.Arrow) -> Iterator[str]:
    """Whatever its class: an arrow between two bound things must be one that the computation has."""
    start, end = (_bound_near(view, point) for point in (arrow.get_start(), arrow.get_end()))
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
    near = [(_apart(spot, thing.box), thing.mobject) for thing in view.things
            if isinstance(thing.mobject, Grid | Number)]
    best = min(near, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] <= TOUCHING else None


def _address(bound: Any) -> str:
    return str(bound.cells.tensor.address if isinstance(bound, Grid) else bound.entry.address)


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


def _relation(relation: Relation, shown: set[tuple[str, str, str]]) -> Iterator[str]:
    drawn: Any = relation.submobjects[0]
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


def _is_stale(part: Shown, shown: set[tuple[str, str, str]]) -> str:
    if isinstance(part, str) or (part.entry.record, part.entry.address, digits(part)) in shown:
        return ""
    return f"{part.entry.address} = {digits(part)}"


def _named(part: Shown) -> str:
    return part if isinstance(part, str) else part.entry.address


def _written(operation: str, terms: Sequence[str]) -> str:
    sign = {"sum": " + ", "product": " × ", "difference": " − ", "quotient": " / ", "exp": " exp "}[operation]
    return f"exp({terms[0]})" if operation == "exp" else sign.join(terms)


def _edges(mobject: manim.Mobject) -> tuple[float, float, float, float]:
    left, bottom = (float(edge) for edge in mobject.get_corner(manim.DL)[:2])
    right, top = (float(edge) for edge in mobject.get_corner(manim.UR)[:2])
    return left, bottom, right, top


def _apart(one: Box, other: Box) -> float:
    """The gap between two boxes along the axis on which they are further apart; 0 or less where they meet."""
    across = max(other.left - one.right, one.left - other.right)
    down = max(other.bottom - one.top, one.bottom - other.top)
    return max(across, down)
