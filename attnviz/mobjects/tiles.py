"""The map of tiles that a fused kernel visits or skips: one square for each pair of a query and a key.

A pair that counts is filled, one that the mask hides is hatched; a skipped tile is all hatched and has no frame.
No score is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import manim
import numpy as np

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.cells import DIM
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.tiling import RAGGED, SKIPPED, SORTS, Tiling
from attnviz.text.owner import own
from attnviz.theme import Theme

BETWEEN = 0.16  # units between two tiles
FRAME, HATCH = 3.0, 2.0  # stroke widths
WIDE = 1.5  # times its height that a legend is wide, and has two columns
SAMPLE = 0.7  # units that a tile in the legend is high
STRONG = 6.0  # the frame of the tile that is at work


class Tile(manim.VGroup):
    """One tile: `squares` (rows of rectangles), `hatches`, and a frame around what a whole tile would cover.

    `entry` is its `tile_kind`; `queries` and `keys` are the positions it covers; `lane` is the side of a square.
    """

    def __init__(self, tiling: Tiling, query_tile: int, key_tile: int, lane: float, theme: Theme) -> None:
        super().__init__()
        self.tiling, self.theme = tiling, theme
        self.entry = tiling.kinds.entry(query_tile=query_tile, key_tile=key_tile)
        self.queries, self.keys = tiling.queries(query_tile), tiling.keys(key_tile)
        hidden = np.isneginf(tiling.mask.values[np.ix_(self.queries, self.keys)])
        self.squares = [[self._square(is_hidden, lane).move_to((column * lane, -row * lane, 0))
                         for column, is_hidden in enumerate(line)] for row, line in enumerate(hidden.tolist())]
        self.hatches = [self._hatch(square) for squares, line in zip(self.squares, hidden.tolist(), strict=True)
                        for square, is_hidden in zip(squares, line, strict=True) if is_hidden]
        self.frame = self._frame(lane)
        self.add(*(square for squares in self.squares for square in squares), *self.hatches, self.frame)

    def _square(self, is_hidden: bool, lane: float) -> manim.Rectangle:
        color = self.theme.masked if is_hidden else pair_color(self.theme)
        return manim.Rectangle(width=lane, height=lane, stroke_width=1, stroke_color=self.theme.background,
                               fill_color=color, fill_opacity=1)

    def _hatch(self, square: manim.Rectangle) -> manim.Line:
        corners = square.get_corner(manim.DL), square.get_corner(manim.UR)
        return manim.Line(*corners, stroke_width=HATCH, color=self.theme.muted).scale(0.6)

    def _frame(self, lane: float) -> manim.VMobject:
        """Around a whole tile: where it is ragged, the frame reaches beyond its squares and is broken."""
        wide, high = self.tiling.key_tile_size * lane, self.tiling.query_tile_size * lane
        frame = manim.Rectangle(width=wide, height=high, stroke_width=FRAME, color=self.theme.ink)
        frame.move_to(self.squares[0][0].get_corner(manim.UL), aligned_edge=manim.UL)
        if int(self.entry.value) == SKIPPED:
            return frame.set_stroke(opacity=0)
        if int(self.entry.value) & RAGGED:
            return manim.DashedVMobject(frame, num_dashes=24, dashed_ratio=0.6)
        return frame

    def dimmed(self, to: float) -> Self:
        """Make all of it as faint as `to`; 1 brings it back."""
        for squares in self.squares:
            for square in squares:
                square.set_fill(opacity=to)
        for hatch in self.hatches:
            hatch.set_stroke(opacity=to)
        if int(self.entry.value) != SKIPPED:
            self.frame.set_stroke(opacity=to)
        return self

    def at_work(self, is_at_work: bool = True) -> Self:
        """Frame it strongly, as the one that is at work, or as usual."""
        color = self.theme.accent if is_at_work else self.theme.ink
        self.frame.set_stroke(color=color, width=STRONG if is_at_work else FRAME)
        return self

    def shown_as(self, sort: str) -> float:
        """How opaque it is while its map shows the tiles of a sort."""
        at = self.entry.coords
        return 1.0 if self.tiling.is_of(sort, at["query_tile"], at["key_tile"]) else DIM

    @property
    def opacity(self) -> float:
        """How opaque its squares are."""
        return float(self.squares[0][0].get_fill_opacity())

    def describe(self) -> dict[str, Any]:
        """Which tile it is, what it covers and hides, and where its squares stand, as plain JSON values."""
        first = self.squares[0][0]
        x, y = first.get_corner(manim.UL)[:2]
        return {
            "type": "tile", "record": self.entry.record, "address": self.entry.address, "kind": int(self.entry.value),
            "mask": self.tiling.mask.address, "queries": list(self.queries), "keys": list(self.keys),
            "colors": [[str(square.get_fill_color()).lower() for square in line] for line in self.squares],
            "origin": [float(x), float(y)], "pitch": [float(first.width), float(first.height)], "opacity": self.opacity,
        }  # fmt: skip


class TileMap(manim.VGroup):
    """All tiles, or those of some query tiles, laid out as the matrix is; `tiles[i, j]` is one of them."""

    def __init__(self, tiling: Tiling, lane: float, theme: Theme, *, rows: Sequence[int] | None = None) -> None:
        super().__init__()
        chosen = range(tiling.counts[0]) if rows is None else rows
        self.tiles = {(i, j): Tile(tiling, i, j, lane, theme) for i in chosen for j in range(tiling.counts[1])}
        for (i, j), tile in self.tiles.items():
            x = j * (tiling.key_tile_size * lane + BETWEEN)
            y = -(i - chosen[0]) * (tiling.query_tile_size * lane + BETWEEN)
            tile.shift((x, y, 0))
        self.add(*self.tiles.values())
        own(self, list(self.tiles.values()))

    def named(self, words: Mapping[str, str], theme: Theme) -> manim.VGroup:
        """What its rows and its columns stand for, in words at its left and above it."""
        rows, columns = (text.line(words[key], size=theme.label_size, color=theme.role(role))
                         for key, role in (("rows", "query"), ("columns", "key")))
        first = next(iter(self.tiles.values()))
        rows.rotate(manim.PI / 2).next_to(self, manim.LEFT, buff=0.2)
        columns.next_to(self, manim.UP, buff=0.15)
        rows.align_to(first, manim.UP)
        return manim.VGroup(rows, columns.align_to(first, manim.LEFT))

    def of_sort(self, sort: str) -> list[Tile]:
        """The tiles of a sort (`tiling.SORTS`), in reading order."""
        return [tile for (i, j), tile in self.tiles.items() if tile.tiling.is_of(sort, i, j)]


def pair_color(theme: Theme) -> str:
    """The colour of a pair that counts."""
    return theme.role("scores")


def map_lane(tiling: Tiling, width: float, height: float, *, query_tiles: int | None = None) -> float:
    """The side of a square with which a map of so many query tiles (all, unless said) fits into a room, in units."""
    rows = query_tiles or tiling.counts[0]
    across = (width - (tiling.counts[1] - 1) * BETWEEN) / (tiling.counts[1] * tiling.key_tile_size)
    return min(across, (height - (rows - 1) * BETWEEN) / (rows * tiling.query_tile_size))


class Legend:
    """What the sorts of tiles in a map are called: `lines`, by sort, each with one of its tiles, where it has any."""

    def __init__(self, tiles: TileMap, words: Mapping[str, str], region: Region, theme: Theme) -> None:
        self.lines: dict[str, manim.Group] = {}
        columns = 2 if region.width > WIDE * region.height else 1
        room = region.width / columns - SAMPLE - 0.8
        for sort in SORTS:
            if found := tiles.of_sort(sort):
                said = text.paragraph(words[sort], width=room, size=theme.body_size, color=theme.ink)
                self.lines[sort] = manim.Group(found[0].copy().scale(SAMPLE / found[0].height), said)
                self.lines[sort].arrange(manim.RIGHT, buff=0.25)
        whole = manim.Group(*self.lines.values())
        whole.arrange_in_grid(cols=columns, buff=(0.5, 0.4), cell_alignment=manim.LEFT)
        fit_into(whole, region)
