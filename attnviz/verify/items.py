"""What a score says of one beat, thing by thing: held against the records here, and then looked for in the picture.

A thing of a type that is not known here is refused: nothing is passed over in silence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from attnviz.errors import InputError
from attnviz.theme import Theme
from attnviz.verify import cells, extents, labels, marks
from attnviz.verify.claims import Claim
from attnviz.verify.contents import Content, rebuilt
from attnviz.verify.grids import Shown, shown
from attnviz.verify.report import Tally
from attnviz.verify.shown import agrees, decimal_of, holds
from attnviz.verify.tiles import look_at_tile
from attnviz.verify.truth import Truth
from attnviz.verify.view import LARGE, View

THINNEST, THICKEST = 1.0, 22.0  # strokes of a weight of 0 and of 1: those of mobjects/asking.py, as a test compares
MUST = 16  # rows and columns up to which every cell must be checked in a large picture
HAIR = 1e-6  # of a number of the score: what arithmetic may add
OPERATIONS = ("sum", "product", "difference", "quotient", "exp", "largest", "rescaled")


@dataclass(frozen=True, eq=False)
class Scene:
    """One beat: its things, the records, its picture, and where to count."""

    items: list[Claim]
    contents: list[Content]
    truth: Truth
    theme: Theme
    view: View
    tally: Tally
    said: tuple[str, ...] = ()  # title and caption, which are checked by themselves and may be drawn

    def check(self) -> None:
        """Check all things of the beat."""
        for item in self.items:
            kind = item["type"].text()
            if kind not in CHECKS:
                raise InputError(f"{item.place} has the unknown type {kind!r:.60}; this version checks "
                                 f"{', '.join(CHECKS)}; update attnviz")
            CHECKS[kind](self, item)

    @cached_property
    def grids(self) -> list[Shown]:
        """The grids of the beat."""
        return [shown(item, self.contents, self.view) for item in self.items if item["type"].value == "grid"]

    def shows(self, text: str) -> bool:
        """Whether a number is drawn in the beat: as a text, or as the colour of a cell that is too small for digits."""
        return text in self.texts or any(
            agrees(text, value) for grid in self.grids if not grid.content.strings
            for value in grid.content.values.ravel().tolist())

    @cached_property
    def texts(self) -> set[str]:
        """Every number and every other text of the beat, in pieces as they stand between spaces."""
        drawn = {text for grid in self.grids for row in grid.content.strings for text in row}
        words = (item["text"].text() for item in self.items if item["type"].value in ("number", "literal"))
        return drawn | {piece.lstrip("√") for text in words for piece in (text, *text.split())}


def _grid(scene: Scene, item: Claim) -> None:
    grid = shown(item, scene.contents, scene.view)
    if grid.is_hidden:
        return
    before = scene.tally.skipped.total()
    cells.look_at(grid, scene.view, scene.theme, scene.tally)
    if scene.tally.skipped.total() > before and scene.view.is_large and max(grid.content.shape) <= MUST:
        scene.tally.complain(f"the grid {grid.content.tensor.address}", "not all of its cells could be looked at",
                             f"every grid up to {MUST} x {MUST} must be, at {LARGE} lines and more")


def _number(scene: Scene, item: Claim) -> None:
    value, text, entry = scene.truth.value(item), item["text"].text(), _entry(item)
    if not agrees(text, value):
        scene.tally.complain(entry, f"the score shows {text}", f"the record says {value:.9g}")
    elif math.isnan(value) and not scene.truth.tensor(item).stage.overflows:
        scene.tally.complain(entry, f"the score shows {text}", "NaN is no result of this stage")
    marks.look_at_number(item, scene.view, scene.theme, entry, scene.tally)


def _strand(scene: Scene, item: Claim) -> None:
    value, width, color = scene.truth.value(item), item["stroke_width"].number(0, 1000), item["color"].text()
    wanted = THINNEST + (THICKEST - THINNEST) * value
    if abs(width - wanted) > HAIR * THICKEST:
        scene.tally.complain(_entry(item), f"the score's line is {width:.4g} strokes thick",
                             f"{value:.6g} gives {wanted:.4g}")
    if color != scene.theme.role("weights"):
        scene.tally.complain(_entry(item), f"the score's line is {color}", f"weights are {scene.theme.role('weights')}")
    marks.look_at_strand(item, scene.view, scene.theme, _entry(item), scene.tally)


def _bars(scene: Scene, item: Claim) -> None:
    tensor, bars, unit = scene.truth.tensor(item), item["bars"].parts(), item["unit"].number(1e-9, 1e9)
    if len(tensor.axes) != 1 or len(bars) != tensor.values.size:
        item["bars"].refuse(f"a bar for each number of {tensor.address}, which must have one axis")
    finite = [float(value) for value in tensor.values.tolist() if math.isfinite(value)]
    low, high = item["scale"].numbers(2)
    scale = rebuilt(tensor.name, min([low, *finite]), max([high, *finite]), scene.theme)
    if scale.ends != (low, high):
        scene.tally.complain(f"the scale of {_entry(item)}", f"it runs from {low:g} to {high:g}",
                             f"its numbers and its stage give {scale.low:g} to {scale.high:g}")
    for place, (bar, value) in enumerate(zip(bars, tensor.values.tolist(), strict=True)):
        entry = f"{tensor.record}.{tensor.entry(**{tensor.axes[0]: place}).address}"
        if (bar.value is None) != (value == -math.inf):
            scene.tally.complain(entry, "no bar" if bar.value is None else "a bar", f"the record says {value:.6g}")
        elif bar.value is not None:
            _bar(scene, item, bar, entry, (place, value, unit, scale.table[-1]))


def _histogram(scene: Scene, item: Claim) -> None:
    """Bars whose places, heights and colours (one where all are alike) are said in lists."""
    xs, heights = item["x"].numbers(None, -1000, 1000), item["heights"].numbers(len(item["x"].parts()))
    colors = [color.text() for color in item["colors"].parts()]
    if len(colors) not in (1, len(xs)):
        item["colors"].refuse("one colour, or one a bar")
    bars = [{"at": place, "x": x, "height": height, "color": colors[place % len(colors)]}
            for place, (x, height) in enumerate(zip(xs, heights, strict=True))]
    _bars(scene, Claim({**item.value, "bars": bars}, item.place))


def _extent(scene: Scene, item: Claim) -> None:
    extents.check(item, scene.items, scene.truth, scene.view, scene.theme, scene.tally)


def _bar(scene: Scene, item: Claim, bar: Claim, entry: str, says: tuple[int, float, float, str]) -> None:
    place, value, unit, color = says
    if bar["at"].whole() != place:
        bar["at"].refuse(str(place))
    height = bar["height"].number(-1000, 1000)
    if abs(height - value * unit) > HAIR * max(1.0, abs(height)):
        scene.tally.complain(entry, f"the score's bar is {height:.4g} high", f"{value:.6g} gives {value * unit:.4g}")
    if bar["color"].text() != color:
        scene.tally.complain(entry, f"the score's bar is {bar['color'].value}", f"{value:.6g} is {color}")
    aside = extents.aside(item, bar, scene.items)
    marks.look_at_bar(item, bar, scene.view, scene.theme, entry, scene.tally, aside)


def _color_bar(scene: Scene, item: Claim) -> None:
    stage, (low, high) = item["stage"].text(), item["ends"].numbers(2)
    scale = rebuilt(stage, low, high, scene.theme)
    if item["kind"].one_of("sequential", "diverging") != scale.kind or scale.ends != (low, high):
        scene.tally.complain(f"the colour bar of {stage}", f"it is {item['kind'].value} from {low:g} to {high:g}",
                             f"the stage's scale is {scale.kind} from {scale.low:g} to {scale.high:g}")
    for grid in scene.grids:
        ends = grid.content.scale.ends
        if grid.content.tensor.name == stage and not grid.is_hidden and ends != (low, high):
            scene.tally.complain(f"the colour bar of {stage}", f"it runs from {low:g} to {high:g}",
                                 f"the cells beside it run from {ends[0]:g} to {ends[1]:g}")
    marks.look_at_color_bar(item, scale, scene.view, scene.theme, scene.tally)


def _labels(scene: Scene, item: Claim) -> None:
    labels.check(item, scene.grids, scene.texts, scene.truth, scene.tally)


def _arrow(scene: Scene, item: Claim) -> None:
    source, target = item["source"], item["target"]
    kind = scene.truth.record(target["record"]).kind
    known = {stage.name for stage in scene.truth.record(source["record"]).kind.stages}
    if source["stage"].text() not in known:
        source["stage"].refuse("a stage of its record")
    feeds = next((stage.inputs for stage in kind.stages if stage.name == target["stage"].text()), None)
    if feeds is None:
        target["stage"].refuse("a stage of its record")
    if source["stage"].value not in feeds:
        scene.tally.complain(f"an arrow to {target['stage'].value}", f"it comes from {source['stage'].value}",
                             f"that is computed from {', '.join(feeds) or 'nothing'}")


def _relation(scene: Scene, item: Claim) -> None:
    sign, operation = item["sign"].one_of("=", "≈"), item["operation"].one_of(*OPERATIONS)
    for line in item["lines"].parts():
        terms, total = [term.text() for term in line["terms"].parts()], line["total"].text()
        if sign == "=" and not holds(operation, terms, total):
            scene.tally.complain(f"a {operation}", f"an equals sign before {total}",
                                 f"{', '.join(terms) or 'nothing'} do not give it exactly")
        if strange := [text for text in (*terms, total) if not scene.shows(text)]:
            scene.tally.complain(f"a {operation}", f"it speaks of {strange[0]}", "no such number is shown in the beat")


def _name(scene: Scene, item: Claim) -> None:
    record = scene.truth.record(item["record"])
    if item["stage"].text() not in {stage.name for stage in record.kind.stages}:
        item["stage"].refuse(f"a stage of {record.name}")
    named = [scene.truth.tensor(part) for part in scene.items if part["type"].value in ("number", "bars", "histogram")]
    named += [grid.content.tensor for grid in scene.grids if not grid.is_hidden]
    if not any((tensor.record, tensor.name) == (record.name, item["stage"].value) for tensor in named):
        stage = item["stage"].value
        scene.tally.complain(f"the name of {stage}", "the score shows it", "nothing of that stage is shown")


def _literal(scene: Scene, item: Claim) -> None:
    """Digits that no record holds, such as the ends of a colour bar: read where they are a plain number."""
    text = item["text"].text()
    item["reason"].text()
    if decimal_of(text) is not None:
        marks.look_at_literal(item, scene.view, scene.tally)


def _text(scene: Scene, item: Claim) -> None:
    """Words; a digit in them is one of the beat's title or caption, or of a token."""
    text = item["text"].text()
    if text in scene.said or not any(letter.isdigit() for letter in text):
        return
    tokens = scene.truth.every_token()
    is_cut = text.endswith("…") and any(token.startswith(text[:-1]) for token in tokens)
    if text not in tokens and not is_cut:
        scene.tally.complain(f"the text “{text[:40]}”", "it holds digits", "it is neither a number nor a literal")


def _entry(item: Claim) -> str:
    return f"{item['record'].value}.{item['address'].value}"


def _tile(scene: Scene, item: Claim) -> None:
    look_at_tile(item, scene.truth, scene.view, scene.theme, scene.tally)


CHECKS: Mapping[str, Callable[[Scene, Claim], None]] = {
    "grid": _grid, "number": _number, "strand": _strand, "bars": _bars, "histogram": _histogram, "extent": _extent,
    "color_bar": _color_bar,
    "labels": _labels, "arrow": _arrow, "relation": _relation, "name": _name, "literal": _literal, "text": _text,
    "tile": _tile,
}  # fmt: skip
