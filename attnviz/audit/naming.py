"""What names the numbers: token labels, names of stages, colour bars; each must stand at what it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attnviz.audit.claims import apart, whole_box
from attnviz.audit.view import View
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar, TokenLabels, ticks_of
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.notices import every_word
from attnviz.mobjects.number import Literal, Number
from attnviz.onscreen import Box, Thing
from attnviz.text import Typed
from attnviz.text.setting import MARK

TOLERANCE = 0.3  # of a cell: how far a label may stand from the middle of its row or column
BESIDE = 1.0  # units: how far labels may stand from their grid
NAMED = 1.5  # units: how far a name may stand from what it names, labels between them
OFF = 0.03  # of a colour bar's width: how far a number may stand from its place
POSITIONS = ("query_pos", "key_pos")


def complaints(view: View) -> Iterator[str]:
    """What is false about names; only where nothing moves."""
    for labels in view.all_of(TokenLabels):
        yield from _labels(view, labels)
    for thing in view.things:
        if thing.is_text and not any(isinstance(one, TokenLabels) for one in thing.kin):
            yield from _lone_token(view, thing)
    for name in view.all_of(StageName):
        yield from _name(view, name)
    for bar in view.all_of(ColorBar):
        yield from _color_bar(view, bar)


def _words(view: View, axis: str | None, grid: Grid) -> Sequence[str] | None:
    """The words along an axis of a grid: those that its record notes, which may be about some positions only."""
    if axis not in POSITIONS:
        return None
    name, record = axis.replace("_pos", "_tokens"), grid.cells.tensor.record
    noted = view.bundle[record].provenance.get(name) if record in view.bundle else None
    own: Sequence[str] = getattr(view.case, name)
    return noted if isinstance(noted, tuple) else own


# --- labels


def _labels(view: View, labels: TokenLabels) -> Iterator[str]:
    side, own = ("rows", "columns")[labels.side == "top"], whole_box(labels)
    notice = [labels.notice] if labels.notice else []
    if [*map(id, (*labels.labels, *notice))] != [id(part) for part in labels.submobjects if isinstance(part, Typed)]:
        yield f"the labels {', '.join(labels.tokens[:4])} are not those that were made: one was exchanged or removed"
    yield from _sparing(view, labels)
    near = [grid for grid in view.grids if _faces(labels, own, view.thing(grid).box, grid)]
    for grid in near:
        yield from _wrong_words(view, labels, grid)
    if not near or not all(_stand_beside(labels, grid) for grid in near):
        yield (f"the labels {', '.join(labels.tokens[:4])} stand for {labels.axis} on the {side}, but beside no grid "
               f"whose {side} are {labels.axis}, one by one")
    for grid in near:
        if labels.axis is None and (wanted := _token_at(view, grid)) not in ("", labels.tokens[0]):
            yield f"{grid.cells.tensor.address} is labelled {labels.tokens[0]!r}, the case says {wanted!r}"


def _wrong_words(view: View, labels: TokenLabels, grid: Grid) -> Iterator[str]:
    """Labels that are not the words at the positions of a grid, or do not say their own token."""
    words, record = _words(view, labels.axis, grid), grid.cells.tensor.record
    is_own = words in (None, view.case.query_tokens, view.case.key_tokens)
    source = "the case says" if is_own else f"the record {record!r} notes"
    for label, token, place in zip(labels.labels, labels.tokens, labels.positions, strict=True):
        said = label.text
        if words is not None and (place >= len(words) or words[place] != token):
            wanted = repr(words[place]) if place < len(words) else "no such position"
            yield f"{labels.axis}={place} is labelled {token!r}, {source} {wanted}"
        elif not (said == token or (said.endswith(MARK) and token.startswith(said[:-1]))):
            yield f"{labels.axis}={place} is labelled {said!r}, which is not its token {token!r}"


def _sparing(view: View, labels: TokenLabels) -> Iterator[str]:
    """Where not every position has a label: the first has one and every n-th, and a line that is seen says so."""
    if labels.positions != labels.drawn[:: labels.every]:
        missing = sorted(set(labels.drawn[:: labels.every]) - set(labels.positions))
        yield f"of every {labels.every} {labels.axis} one should have a label: {missing or 'others'} has not"
    said = labels.notice.text if labels.notice else "nothing"
    if labels.every > 1 and (said != every_word(labels.every) or labels.notice not in view.lone(Literal)):
        yield f"only every {labels.every} {labels.axis} has a label, and {said!r} is what the viewer is told of it"


def _faces(labels: TokenLabels, own: Box, box: Box, grid: Grid) -> bool:
    """Whether a grid with the labels' axis stands next to them, on the side where they belong."""
    index = ("left", "top").index(labels.side)
    if grid.cells.axes[index] != labels.axis:
        return False
    if index == 0:
        return -0.01 <= box.left - own.right < BESIDE and min(box.top, own.top) > max(box.bottom, own.bottom)
    return -0.01 <= own.bottom - box.top < BESIDE and min(box.right, own.right) > max(box.left, own.left)


def _token_at(view: View, grid: Grid) -> str:
    """The token of the one position that a grid was selected at; nothing where there are two or none."""
    at = {axis: place for axis, place in grid.cells.tensor.at.items() if axis in POSITIONS}
    if len(at) != 1:
        return ""
    [(axis, place)] = at.items()
    words = _words(view, axis, grid) or ()
    return words[place] if place < len(words) else ""


def _stand_beside(labels: TokenLabels, grid: Grid) -> bool:
    """Whether each label stands at the middle of its own row or column of a grid."""
    index = ("left", "top").index(labels.side)
    if not set(labels.drawn) >= set(grid.cells.positions[index]):
        return False
    for label, place in zip(labels.labels, labels.positions, strict=True):
        if place in grid.cells.positions[index]:
            anchor = grid.row(place) if index == 0 else grid.column(place)
            if not _at(label, anchor.get_center(), grid, index, labels.slanted):
                return False
    return True


def _at(label: Any, middle: Any, grid: Grid, index: int, is_slanted: bool) -> bool:
    if index == 0:
        return bool(abs(label.get_center()[1] - middle[1]) <= TOLERANCE * grid.pitch[1])
    x = label.get_left()[0] if is_slanted else label.get_center()[0]
    return bool(abs(x - middle[0]) <= (1 if is_slanted else TOLERANCE) * grid.pitch[0])


def _lone_token(view: View, thing: Thing) -> Iterator[str]:
    """A token that a scene wrote to the left of a row by itself."""
    token, (_, y) = thing.mobject.text, thing.box.center
    if token not in view.tokens:
        return
    for grid in view.grids:
        box, cells = view.thing(grid).box, grid.cells
        if not (-0.01 <= box.left - thing.box.right < 0.4 and box.bottom < y < box.top) or not grid.is_upright():
            continue
        row = min(int((box.top - y) / grid.pitch[1]), len(cells.positions[0]) - 1)
        words = _words(view, cells.axes[0], grid)
        wanted = words[cells.positions[0][row]] if words is not None else _token_at(view, grid)
        if wanted not in ("", token):
            yield f"{token!r} stands before a row of {cells.tensor.address}, which is that of {wanted!r}"


# --- names and legends


def _name(view: View, name: StageName) -> Iterator[str]:
    own = whole_box(name)
    bound = [(view.thing(one).box, one) for one in (*view.grids, *view.lone(Number))]
    bound += [(whole_box(bars), bars) for bars in view.all_of(Bars)]
    near = sorted(((apart(own, box), number) for number, (box, _) in enumerate(bound)), key=lambda pair: pair[0])
    best = [bound[number][1] for gap, number in near if gap <= min(NAMED, near[0][0] + 0.15)]
    if not any(_is_named(one, name) for one in best):
        where = f"beside {_address(best[0])}" if best else "beside nothing of that stage"
        yield f"the name {name.stage.symbol}{'ᵀ' * name.is_transposed} of {name.stage.name} stands {where}"


def _is_named(one: Any, name: StageName) -> bool:
    if isinstance(one, Number):
        return one.entry.stage == name.stage and one.entry.record == name.record
    tensor = one.cells.tensor if isinstance(one, Grid) else one.tensor
    if tensor.stage != name.stage or tensor.record != name.record:
        return False
    rows, columns = one.cells.axes if isinstance(one, Grid) else (None, None)
    order = tensor.stage.axes
    is_transposed = bool(rows and columns) and order.index(str(rows)) > order.index(str(columns))
    return is_transposed == name.is_transposed


def _address(one: Any) -> str:
    if isinstance(one, Number):
        return one.entry.address
    return str(one.cells.tensor.address if isinstance(one, Grid) else one.tensor.address)


def _color_bar(view: View, bar: ColorBar) -> Iterator[str]:
    scale = bar.scale_shown
    drawn = [(grid.cells.tensor, grid.cells.scale) for grid in view.grids]
    drawn += [(bars.tensor, bars.scale_used) for bars in view.all_of(Bars)]
    if bar.strip.shows() != scale:
        yield f"the colour bar of {scale.stage} shows other colours than its own scale"
    if not any(tensor.name == scale.stage for tensor, _ in drawn):
        yield f"a colour bar of {scale.stage} stands where no {scale.stage} is shown"
    for tensor, own in drawn:
        if tensor.name == scale.stage and own != scale:
            yield (f"the colour bar of {scale.stage} goes from {scale.low:g} to {scale.high:g}, the colours of "
                   f"{tensor.address} from {own.low:g} to {own.high:g}")
    yield from _ticks(bar)


def _ticks(bar: ColorBar) -> Iterator[str]:
    """The numbers below a colour bar: those of its ends and its middle, where they lie."""
    scale, strip = bar.scale_shown, bar.strip
    wanted, found = ticks_of(scale), [part for part in bar.submobjects if isinstance(part, Typed)]
    if not strip.is_upright():
        yield f"the colour bar of {scale.stage} does not run from left to right"
    if not {wanted[0][0], wanted[-1][0]} <= {part.text for part in found}:
        said = ", ".join(part.text for part in found)
        yield f"the colour bar of {scale.stage} says {said} where its scale has {', '.join(text for text, _ in wanted)}"
        return
    places = dict(wanted)
    for part in found:
        x = float(strip.get_left()[0]) + places.get(part.text, np.inf) * float(strip.width)
        if abs(float(part.get_center()[0]) - x) > OFF * float(strip.width):
            yield f"the number {part.text} below the colour bar of {scale.stage} does not stand where it lies on it"
