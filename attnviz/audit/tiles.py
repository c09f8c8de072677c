"""Tiles of a fused kernel's map: the squares that are drawn, compared with the record's mask, kinds and sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.tiles import Tile, TileMap, pair_color
from attnviz.mobjects.tiling import SKIPPED
from attnviz.onscreen import HIDDEN, Box, box_of, opacity_of
from attnviz.theme import Theme

OFF = 0.05  # of a square: how far one may stand from its place
UNEVEN = 0.02  # opacity: squares of one tile may differ by this


def complaints(view: View) -> Iterator[str]:
    """What is false about tiles; at rest, as they come and go in plays."""
    for tile in view.all_of(Tile):
        yield from _kind(view, tile)
        yield from _squares(view, tile)
    for tiles in view.all_of(TileMap):
        yield from _out_of_order(tiles)


def _kind(view: View, tile: Tile) -> Iterator[str]:
    value, entry, params = view.value(tile.entry), tile.entry, view.bundle[tile.entry.record].params
    if value is None or value != entry.value:
        says = "no such entry" if value is None else f"{value:g}"
        yield f"{entry.address} is drawn as a tile of kind {entry.value:g}, the records say {says}"
    for axis, covered in (("query", tile.queries), ("key", tile.keys)):
        size, first = params[f"{axis}_tile_size"], entry.coords[f"{axis}_tile"]
        count = view.bundle[entry.record].arrays["mask"].shape[-2 if axis == "query" else -1]
        wanted = list(range(first * size, min((first + 1) * size, count)))
        if list(covered) != wanted:
            yield f"{entry.address} covers {axis}_pos {list(covered)}, the records say {wanted}"


def _squares(view: View, tile: Tile) -> Iterator[str]:
    """Each square has the place, the colour and the hatch of its pair, and all are as opaque."""
    address, at = tile.entry.address, {axis: tile.entry.coords[axis] for axis in ("batch", "head")}
    mask = view.bundle[tile.entry.record].arrays["mask"][at["batch"], at["head"]]
    parts = {id(part) for part in tile.get_family()}
    lines = [square for row in tile.squares for square in row]
    if any(id(part) not in parts for part in (*lines, *tile.hatches)) or len(tile.submobjects) != len(parts_of(tile)):
        yield f"{address}: a square of its tile was exchanged or removed"
        return
    first = tile.squares[0][0]
    for row, (query, squares) in enumerate(zip(tile.queries, tile.squares, strict=True)):
        for column, (key, square) in enumerate(zip(tile.keys, squares, strict=True)):
            off = square.get_center() - first.get_center() - (column * first.width, -row * first.height, 0)
            if np.abs(off).max() > OFF * first.width:
                yield f"{address}: the square of query_pos={query}, key_pos={key} does not stand in its place"
            yield from _pair(tile, square, f"{address}: query_pos={query}, key_pos={key}", mask[query, key], view.theme)
    is_framed = any(opacity_of(leaf) >= HIDDEN for leaf in tile.frame.family_members_with_points())
    if is_framed == (tile.entry.value == SKIPPED):
        yield f"{address} has {'a' if is_framed else 'no'} frame, as if it were {'' if is_framed else 'not '}visited"
    opacities = [float(square.get_fill_opacity()) for square in lines]
    if max(opacities) - min(opacities) > UNEVEN:
        yield f"{address}: its squares have several opacities, which look like numbers"


def parts_of(tile: Tile) -> list[Any]:
    """What a tile is made of."""
    return [*(square for row in tile.squares for square in row), *tile.hatches, tile.frame]


def _pair(tile: Tile, square: Any, where: str, mask: float, theme: Theme) -> Iterator[str]:
    is_hidden = bool(np.isneginf(mask))
    color, wanted = str(square.get_fill_color()).lower(), theme.masked if is_hidden else pair_color(theme)
    if color != wanted:
        yield f"{where} is drawn {color}, the records say {'masked' if is_hidden else 'allowed'}: {wanted}"
    around = box_of([square])
    hatches = [hatch for hatch in tile.hatches if _is_within(around, hatch)]
    if bool(hatches) != is_hidden:
        yield f"{where} is {'hatched' if hatches else 'not hatched'}, the records say otherwise"


def _is_within(box: Box, hatch: Any) -> bool:
    x, y = hatch.get_center()[:2]
    return bool(box.left < x < box.right and box.bottom < y < box.top)


def _out_of_order(tiles: TileMap) -> Iterator[str]:
    """Tiles further to the right have later keys, those further down later queries."""
    for one, other in permutations(tiles.tiles.values(), 2):
        (x, y), (u, v) = one.squares[0][0].get_center()[:2], other.squares[0][0].get_center()[:2]
        keys, queries = (one.entry.coords[axis] < other.entry.coords[axis] for axis in ("key_tile", "query_tile"))
        if keys != (x < u - OFF) or queries != (v < y - OFF):
            yield f"{other.entry.address} stands on the wrong side of {one.entry.address}: a map is as the matrix"
            return
