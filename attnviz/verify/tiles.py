"""Tiles of a map as a score has them: kind, cover and mask held against the records, squares against the picture."""

from __future__ import annotations

import math

import numpy as np

from attnviz.colors import rgb
from attnviz.theme import Theme
from attnviz.verify.claims import Claim
from attnviz.verify.report import Tally
from attnviz.verify.truth import Truth
from attnviz.verify.view import View

ROUGH = 10.0  # levels that the colour of a square may be off at least
SMALLEST = 12.0  # pixels of a square's side from which its colour is looked at
CORNER = 0.25  # of a side: where a square has no hatch


def look_at_tile(item: Claim, truth: Truth, view: View, theme: Theme, tally: Tally) -> None:
    """Check one tile: what it claims, and the colour of each of its squares."""
    value, record, place = truth.value(item), truth.record(item["record"]), truth.tensor(item).at
    entry = f"{item['record'].value}.{item['address'].value}"
    if item["kind"].whole() != value:
        tally.complain(entry, f"the score has a tile of kind {item['kind'].value}", f"the record says {value:g}")
    mask = record.arrays["mask"][place["batch"], place["head"]]
    sides = []
    for side, count in (("query", mask.shape[0]), ("key", mask.shape[1])):
        size, tile = int(record.params[f"{side}_tile_size"]), place[f"{side}_tile"]
        wanted = list(range(tile * size, min((tile + 1) * size, count)))
        claimed = item["queries" if side == "query" else "keys"]
        if claimed.value != wanted:
            claimed.refuse(f"the positions of its tile, {wanted}")
        sides.append(wanted)
    hidden = np.isneginf(mask[np.ix_(*sides)])
    stated = [[color.text() for color in row.parts(len(sides[1]))] for row in item["colors"].parts(len(sides[0]))]
    for row, column in np.ndindex(hidden.shape):
        wanted_color = theme.masked if hidden[row, column] else theme.role("scores")
        where = f"{entry}: query_pos={sides[0][row]}, key_pos={sides[1][column]}"
        if stated[row][column] != wanted_color:
            tally.complain(where, f"the score draws it {stated[row][column]}", f"the mask gives {wanted_color}")
        _look(item, view, theme, (row, column), wanted_color, where, tally)


def _look(item: Claim, view: View, theme: Theme, at: tuple[int, int], color: str, where: str, tally: Tally) -> None:
    """Compare the colour of a square, beside its hatch, with what its opacity makes of the wanted one."""
    (x, y), (width, height) = item["origin"].numbers(2, -1000, 1000), item["pitch"].numbers(2, 1e-6, 1000)
    if min(width, height) * view.unit < SMALLEST:
        tally.skipped["squares that are too small"] += 1
        return
    left, top = view.x(x + (at[1] + CORNER) * width), view.y(y - (at[0] + CORNER) * height)
    box = math.floor(left) - 1, math.floor(top) - 1, math.floor(left) + 2, math.floor(top) + 2
    if view.picture.inside(box) != box:
        tally.complain(where, "it lies outside of the picture", "it should be seen")
        return
    ground, full, share = (np.array(rgb(theme.background), float), np.array(rgb(color), float),
                           item["opacity"].number(0, 1))
    seen, wanted = np.median(view.picture.crop(box).reshape(-1, 3), axis=0), ground + (full - ground) * share
    off = float(np.abs(seen - wanted).max())
    if off > max(view.levels, ROUGH):
        tally.is_wrong(where, f"the film's square is {off:.0f} levels off", f"{color} is right (± {ROUGH:g})")
        return
    tally.colour += 1
    tally.levels = max(tally.levels, off)
