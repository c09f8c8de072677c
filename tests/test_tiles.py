"""Tiles on screen: honest ones pass, and every way to draw one that is false is found, by the audit and by verify."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import manim
import numpy as np
import pytest

from attnviz.cases import load
from attnviz.colors import rgb
from attnviz.errors import CheckError, InputError
from attnviz.mobjects.tiles import TileMap
from attnviz.mobjects.tiling import SORTS, Tiling
from attnviz.theme import DARK, LIGHT
from attnviz.trace import Bundle
from attnviz.verify.claims import Claim
from attnviz.verify.picture import still
from attnviz.verify.report import Tally
from attnviz.verify.tiles import look_at_tile
from attnviz.verify.truth import Truth
from attnviz.verify.view import View
from tests.acting import Staged, stage

UNIT = 90


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return load("trained").bundle(names=("tiled",))


def tiling(bundle: Bundle, head: int = 1) -> Tiling:
    record = bundle["tiled"]
    return Tiling.of(lambda name: record[name].sel(batch=0, head=head), record.params)


def shown(bundle: Bundle, change: Callable[[TileMap, Staged], Any] = lambda tiles, scene: None, **looks: Any) -> None:
    def act(scene: Staged) -> None:
        tiles = TileMap(tiling(bundle), 0.5, looks.get("theme", DARK)).center()
        change(tiles, scene)
        scene.play(manim.FadeIn(tiles), run_time=0.4)

    stage(act, records={"tiled": bundle["tiled"]})


def test_honest_tiles_pass_dimmed_moved_and_at_work(bundle):
    def look(tiles: TileMap, scene: Staged) -> None:
        tiles.tiles[1, 0].at_work().dimmed(0.45)
        tiles.scale(0.8).shift(manim.UP)

    shown(bundle, look)


def test_what_the_tiling_says_is_what_the_record_says(bundle):
    tiles = tiling(bundle)
    assert tiles.counts == (3, 3)
    assert [tiles.queries(place) for place in range(3)] == [(0, 1, 2), (3, 4, 5), (6, 7)]
    assert [tiles.visited(place) for place in range(3)] == [[0], [0, 1], [0, 1, 2]]
    found = {sort: [(i, j) for i in range(3) for j in range(3) if tiles.is_of(sort, i, j)] for sort in SORTS}
    assert found == {"full": [(1, 0)], "diagonal": [(0, 0), (1, 1), (2, 2)], "ragged": [(2, 0), (2, 1), (2, 2)],
                     "skipped": [(0, 1), (0, 2), (1, 2)]}
    assert tiles.worked == 1
    assert tiles.rescale.values[1, 1].min() < 0.9


def exchanged(tiles: TileMap, scene: Staged) -> None:
    one, other = tiles.tiles[1, 0], tiles.tiles[1, 1]
    places = one.get_center(), other.get_center()
    one.move_to(places[1]), other.move_to(places[0])


def allowed(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[0, 0].masked.set_fill(DARK.role("scores"))


def hidden(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[1, 0].squares.set_fill(DARK.masked)


def taken_for_allowed(tiles: TileMap, scene: Staged) -> None:
    tile = tiles.tiles[1, 1]
    tile.hidden = np.roll(tile.hidden, 1, axis=0)


def unhatched(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[0, 0].hatches.points[:4] += 0.5 * manim.DOWN


def removed(tiles: TileMap, scene: Staged) -> None:
    squares = tiles.tiles[1, 0].squares
    squares.points = squares.points[squares.corners:]


def left_out(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[0, 0].remove(tiles.tiles[0, 0].masked)


def shifted(tiles: TileMap, scene: Staged) -> None:
    squares = tiles.tiles[1, 0].squares
    squares.points[4 * squares.corners:5 * squares.corners] += 0.3 * manim.RIGHT


def shrunk(tiles: TileMap, scene: Staged) -> None:
    squares = tiles.tiles[1, 0].squares
    piece = squares.points[4 * squares.corners:5 * squares.corners]
    piece += 0.5 * (piece.mean(axis=0) - piece)


def uneven(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[0, 0].squares.set_fill(opacity=0.6)


def shaded(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[1, 0].squares.set_fill([DARK.role("scores"), DARK.role("query")])


def framed(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[0, 2].frame.set_stroke(opacity=1)


def unframed(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[1, 0].frame.set_stroke(opacity=0)


def of_another_kind(tiles: TileMap, scene: Staged) -> None:
    tile = tiles.tiles[1, 0]
    tile.entry = replace(tile.entry, value=2.0)


def covering_others(tiles: TileMap, scene: Staged) -> None:
    tiles.tiles[1, 0].keys = (3, 4, 5)


@pytest.mark.parametrize(("lie", "said"), [
    (exchanged, r"stands on the wrong side of"),
    (allowed, r"query_pos=0, key_pos=1 is drawn #f4795b, the records say masked"),
    (hidden, r"query_pos=3, key_pos=0 is drawn #161b26, the records say allowed"),
    (unhatched, r"query_pos=0, key_pos=1 is not hatched"),
    (removed, r"tile_kind\[batch=0, head=1, query_tile=1, key_tile=0\]: a square of its tile was exchanged or removed"),
    (shifted, r"query_pos=4, key_pos=1 does not stand in its place"),
    (left_out, r"query_tile=0, key_tile=0\]: a square of its tile was exchanged or removed"),
    (taken_for_allowed, r"does not stand in its place"),
    (shrunk, r"does not stand in its place"),
    (shaded, r"several colours"),
    (uneven, r"several opacities"),
    (framed, r"query_tile=0, key_tile=2\] has a frame, as if it were visited"),
    (unframed, r"query_tile=1, key_tile=0\] has no frame, as if it were not visited"),
    (of_another_kind, r"drawn as a tile of kind 2, the records say 0"),
    (covering_others, r"covers key_pos \[3, 4, 5\], the records say \[0, 1, 2\]"),
], ids=lambda part: getattr(part, "__name__", ""))
def test_a_tile_that_lies_is_caught(bundle, lie, said):
    with pytest.raises(CheckError) as found:
        shown(bundle, lie)
    assert re.search(said, str(found.value)), str(found.value)


def test_a_tile_of_another_theme_is_caught(bundle):
    with pytest.raises(CheckError, match="is drawn #ad193e"):
        shown(bundle, theme=LIGHT)


# --- verify


def described(bundle: Bundle, at: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    return TileMap(tiling(bundle), 0.5, DARK).center().tiles[at].describe()


def painted(item: dict[str, Any]) -> Any:
    """The picture of a tile as a render would draw it, without hatches and frame."""
    pixels = np.empty((720, 1280, 3), np.uint8)
    pixels[:] = rgb(DARK.background)
    (x, y), (width, height) = item["origin"], item["pitch"]
    for row, line in enumerate(item["colors"]):
        for column, color in enumerate(line):
            left, top = 640 + (x + column * width) * UNIT, 360 - (y - row * height) * UNIT
            pixels[round(top):round(top + height * UNIT), round(left):round(left + width * UNIT)] = rgb(color)
    return pixels


def looked_at(bundle: Bundle, item: dict[str, Any], pixels: Any) -> Tally:
    tally, view = Tally("tiles"), View(still(pixels), (1280 / UNIT, 8.0), 6.0)
    look_at_tile(Claim(item, "score.json: tile"), Truth(bundle), view, DARK, tally)
    return tally


def test_an_honest_tile_is_confirmed_square_by_square(bundle):
    item = described(bundle)
    tally = looked_at(bundle, item, painted(item))
    assert (tally.colour, tally.wrong, tally.wrongs) == (9, 0, [])


def test_a_tile_of_another_kind_or_colour_in_the_score_is_found(bundle):
    item = described(bundle)
    assert "a tile of kind 0" in looked_at(bundle, {**item, "kind": 0}, painted(item)).wrongs[0].line()
    colors = [[DARK.role("scores")] * 3] * 3
    said = looked_at(bundle, {**item, "colors": colors}, painted({**item, "colors": colors}))
    assert len(said.wrongs) == 6 and said.wrong == 3  # of three pairs both the score and the picture
    for wrong in ({"keys": [0, 1, 2]}, {"queries": [3, 4]}):
        with pytest.raises(InputError, match="the positions of its tile"):
            looked_at(bundle, {**item, **wrong}, painted(item))


def test_a_square_that_the_picture_shows_otherwise_is_found(bundle):
    item = described(bundle)
    colors = [list(line) for line in item["colors"]]
    colors[2][0] = DARK.masked
    said = looked_at(bundle, item, painted({**item, "colors": colors})).wrongs
    assert len(said) == 1 and "query_pos=5, key_pos=3" in said[0].line()
    dimmed = looked_at(bundle, {**item, "opacity": 0.45}, painted(item))
    assert (dimmed.wrong, dimmed.colour) == (6, 3)  # masked squares are nearly as the ground, dimmed or not
    assert looked_at(bundle, {**item, "origin": [9.0, 0.0]}, painted(item)).wrongs


def test_squares_too_small_to_be_told_are_counted_as_skipped(bundle):
    item = {**described(bundle), "pitch": [0.05, 0.05]}
    assert looked_at(bundle, item, painted(item)).skipped.total() == 9
