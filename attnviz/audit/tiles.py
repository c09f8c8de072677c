"""Tiles of a fused kernel's map: the squares that are drawn, compared with the record's mask, kinds and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from attnviz.audit.view import View
from attnviz.mobjects.tiles import HATCHED, Pieces, Tile, TileMap, pair_color
from attnviz.mobjects.tiling import SKIPPED
from attnviz.onscreen import HIDDEN, opacity_of
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
    hidden = np.isneginf(mask[np.ix_(tile.queries, tile.keys)])
    if _is_broken(tile):
        yield f"{address}: a square of its tile was exchanged or removed"
        return
    for patch in tile.patches:
        for pair in _misplaced(tile, patch, tile.hidden if patch is tile.masked else ~tile.hidden):
            yield f"{_named(tile, 'the square of ', pair)} does not stand in its place"
        yield from _colored(tile, patch, hidden, view.theme)
    yield from _hatched(tile, hidden)
    is_framed = any(opacity_of(leaf) >= HIDDEN for leaf in tile.frame.family_members_with_points())
    if is_framed == (tile.entry.value == SKIPPED):
        yield f"{address} has {'a' if is_framed else 'no'} frame, as if it were {'' if is_framed else 'not '}visited"
    opacities = np.concatenate([patch.fill_rgbas[:, 3] for patch in tile.patches])
    if opacities.max() - opacities.min() > UNEVEN:
        yield f"{address}: its squares have several opacities, which look like numbers"


def _is_broken(tile: Tile) -> bool:
    """Whether it is made of other parts than it says, or of more or fewer pieces than it has pairs."""
    parts = [*tile.patches, *([] if tile.hatches is None else [tile.hatches]), tile.frame]
    if len(tile.submobjects) != len(parts) or any(one is not part for one, part in zip(tile, parts, strict=True)):
        return True
    count = {id(tile.masked): tile.hidden.sum(), id(tile.hatches): tile.hidden.sum(),
             id(tile.squares): (~tile.hidden).sum()}
    return any(len(part.points) != count[id(part)] * part.corners for part in parts[:-1])


def _misplaced(tile: Tile, pieces: Pieces, which: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Row and column of the pieces, one for each of `which` in reading order, that are not in their squares."""
    pairs, pitch, (middles, sizes) = np.argwhere(which), np.array(tile.pitch), pieces.boxes
    wanted = tile.corner + (pairs[:, ::-1] + 0.5) * (1, -1) * pitch
    share = HATCHED if pieces is tile.hatches else 1.0
    is_off = (np.maximum(np.abs(middles - wanted), np.abs(sizes - share * pitch)) > OFF * pitch).any(axis=1)
    yield from ((int(row), int(column)) for row, column in pairs[is_off])


def _pairs(which: NDArray[np.bool_]) -> list[tuple[int, int]]:
    return [(int(row), int(column)) for row, column in np.argwhere(which)]


def _colored(tile: Tile, patch: Pieces, hidden: NDArray[np.bool_], theme: Theme) -> Iterator[str]:
    color, is_masked = str(patch.get_fill_color()).lower(), patch is tile.masked
    if len(np.unique(patch.fill_rgbas[:, :3], axis=0)) > 1:
        yield f"{tile.entry.address}: squares of one kind have several colours, which look like numbers"
    for is_hidden, says in ((False, "allowed"), (True, "masked")):
        wanted = theme.masked if is_hidden else pair_color(theme)
        if color != wanted:
            for pair in _pairs((tile.hidden == is_masked) & (hidden == is_hidden)):
                yield f"{_named(tile, '', pair)} is drawn {color}, the records say {says}: {wanted}"


def _hatched(tile: Tile, hidden: NDArray[np.bool_]) -> Iterator[str]:
    """Every masked pair has a hatch in its square, and no other has."""
    hatched = tile.hidden.copy()
    if tile.hatches is not None:
        for pair in _misplaced(tile, tile.hatches, tile.hidden):
            hatched[pair] = False
    for pair in _pairs(hatched != hidden):
        is_hatched = "hatched" if hatched[pair] else "not hatched"
        yield f"{_named(tile, '', pair)} is {is_hatched}, the records say otherwise"


def _named(tile: Tile, what: str, pair: Sequence[int]) -> str:
    return f"{tile.entry.address}: {what}query_pos={tile.queries[pair[0]]}, key_pos={tile.keys[pair[1]]}"


def _out_of_order(tiles: TileMap) -> Iterator[str]:
    """Tiles further to the right have later keys, those further down later queries."""
    for one, other in permutations(tiles.tiles.values(), 2):
        (x, y), (u, v) = (tile.corner for tile in (one, other))
        keys, queries = (one.entry.coords[axis] < other.entry.coords[axis] for axis in ("key_tile", "query_tile"))
        if keys != (x < u - OFF) or queries != (v < y - OFF):
            yield f"{other.entry.address} stands on the wrong side of {one.entry.address}: a map is as the matrix"
            return
