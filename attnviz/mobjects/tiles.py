"""The map of tiles that a fused kernel visits or skips: one square for each pair of a query and a key.

A pair that counts is filled, one that the mask hides is hatched; a skipped tile is all hatched and has no frame.
No score is drawn here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.cells import DIM
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.tiling import RAGGED, SKIPPED, SORTS, Tiling
from attnviz.text.owner import own
from attnviz.theme import Theme

Array = NDArray[Any]
BETWEEN = 0.16  # units between two tiles
FRAME, HATCH = 3.0, 2.0  # stroke widths
HATCHED = 0.6  # of a square's side that a hatch goes across
WIDE = 1.5  # times its height that a legend is wide, and has two columns
SAMPLE = 0.7  # units that a tile in the legend is high
STRONG = 6.0  # the frame of the tile that is at work


class Pieces(manim.VMobject):
    """Many equal outlines as one: a copy of `piece` with its middle at every one of `places`."""

    def __init__(self, piece: manim.VMobject, places: Array, **looks: Any) -> None:
        super().__init__(**looks)
        self.corners = len(piece.points)  # points of a piece
        self.set_points((piece.points[None] + places[:, None]).reshape(-1, 3))

    @property
    def boxes(self) -> tuple[Array, Array]:
        """The middle and the size of every piece: x and y, one row a piece."""
        parts = self.points.reshape(-1, self.corners, 3)[..., :2]
        low, high = parts.min(axis=1), parts.max(axis=1)
        return (low + high) / 2, high - low


class Tile(manim.VGroup):
    """One tile: `squares` that count, `masked` ones (either None where there are none), their `hatches`, and a frame
    around what a whole tile would cover.

    `entry` is its `tile_kind`; `queries` and `keys` are the positions it covers, `hidden` says of each pair whether it
    is masked; `lane` is the side of a square.
    """

    def __init__(self, tiling: Tiling, query_tile: int, key_tile: int, lane: float, theme: Theme) -> None:
        super().__init__()
        self.tiling, self.theme = tiling, theme
        self.entry = tiling.kinds.entry(query_tile=query_tile, key_tile=key_tile)
        self.queries, self.keys = tiling.queries(query_tile), tiling.keys(key_tile)
        self.hidden = np.isneginf(tiling.mask.values[np.ix_(self.queries, self.keys)])
        self.squares = self._squares(~self.hidden, lane, pair_color(theme))
        self.masked = self._squares(self.hidden, lane, theme.masked)
        self.hatches = self._hatches(lane)
        self.frame = self._frame(lane)
        self.add(*self.patches, *([] if self.hatches is None else [self.hatches]), self.frame)

    @property
    def patches(self) -> list[Pieces]:
        """Its squares, those that count and those that are masked."""
        return [patch for patch in (self.squares, self.masked) if patch is not None]

    def _squares(self, which: Array, lane: float, color: str) -> Pieces | None:
        square = manim.Rectangle(width=lane, height=lane)
        looks = {"stroke_width": 1, "stroke_color": self.theme.background, "fill_color": color, "fill_opacity": 1}
        return Pieces(square, places_of(which) * lane, **looks) if which.any() else None

    def _hatches(self, lane: float) -> Pieces | None:
        hatch = manim.Line((-lane / 2, -lane / 2, 0), (lane / 2, lane / 2, 0)).scale(HATCHED)
        looks = {"stroke_width": HATCH, "stroke_color": self.theme.muted}
        return Pieces(hatch, places_of(self.hidden) * lane, **looks) if self.hidden.any() else None

    def _frame(self, lane: float) -> manim.VMobject:
        """Around a whole tile: where it is ragged, the frame reaches beyond its squares and is broken."""
        wide, high = self.tiling.key_tile_size * lane, self.tiling.query_tile_size * lane
        frame = manim.Rectangle(width=wide, height=high, stroke_width=FRAME, color=self.theme.ink)
        frame.move_to((-lane / 2, lane / 2, 0), aligned_edge=manim.UL)
        if int(self.entry.value) == SKIPPED:
            return frame.set_stroke(opacity=0)
        if int(self.entry.value) & RAGGED:
            return manim.DashedVMobject(frame, num_dashes=24, dashed_ratio=0.6)
        return frame

    def dimmed(self, to: float) -> Self:
        """Make all of it as faint as `to`; 1 brings it back."""
        for patch in self.patches:
            patch.set_fill(opacity=to)
        if self.hatches is not None:
            self.hatches.set_stroke(opacity=to)
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
        return float(self.patches[0].get_fill_opacity())

    @property
    def corner(self) -> tuple[float, float]:
        """The left and the upper edge of its squares, taken together."""
        points = np.concatenate([patch.points for patch in self.patches])
        return float(points[:, 0].min()), float(points[:, 1].max())

    @property
    def pitch(self) -> tuple[float, float]:
        """Width and height of a square."""
        (rows, columns), points = self.hidden.shape, np.concatenate([patch.points for patch in self.patches])
        width, height = np.ptp(points[:, :2], axis=0)
        return float(width) / columns, float(height) / rows

    def describe(self) -> dict[str, Any]:
        """Which tile it is, what it covers and hides, and where its squares stand, as plain JSON values."""
        colors = {patch is self.masked: str(patch.get_fill_color()).lower() for patch in self.patches}
        return {
            "type": "tile", "record": self.entry.record, "address": self.entry.address, "kind": int(self.entry.value),
            "mask": self.tiling.mask.address, "queries": list(self.queries), "keys": list(self.keys),
            "colors": [[colors[is_hidden] for is_hidden in line] for line in self.hidden.tolist()],
            "origin": list(self.corner), "pitch": list(self.pitch), "opacity": self.opacity,
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


def places_of(which: Array) -> Array:
    """The middles of those squares, counted in squares from the first one, downwards and to the right."""
    rows, columns = np.nonzero(which)
    return np.stack([columns, -rows, 0 * rows], axis=1).astype(float)


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
        room = (region.width - 0.5 * (columns - 1)) / columns - SAMPLE - 0.25
        for sort in SORTS:
            if found := tiles.of_sort(sort):
                said = text.paragraph(words[sort], width=room, size=theme.body_size, color=theme.ink)
                self.lines[sort] = manim.Group(found[0].copy().scale(SAMPLE / found[0].height), said)
                self.lines[sort].arrange(manim.RIGHT, buff=0.25)
        whole = manim.Group(*self.lines.values())
        whole.arrange_in_grid(cols=columns, buff=(0.5, 0.4), cell_alignment=manim.LEFT)
        fit_into(whole, region)
