"""Several programs of a fused kernel at once, each on a processor of its own, in no fixed order.

Each lane has the row of tiles that its program goes through, and what it carries along; no step is computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.bench import Bench
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.memory import MARGIN, Place
from attnviz.mobjects.program import Program
from attnviz.mobjects.tiles import TileMap, map_lane
from attnviz.theme import Theme

STAGES = ("running_sum", "accumulator")
GAP, BESIDE = 0.2, 0.18  # units between lanes, and between the two stages
SIDE = {"running_sum": manim.LEFT, "accumulator": manim.RIGHT}  # of a grid, where its name stands in a low lane
SIDES = 1.1  # units for both names there
SAID = 0.5  # units at the bottom, for what holds for all lanes
LEAST = 0.45  # units that a word of a heading needs
NAMES = 0.5  # units below the grids, for their names


class Lane:
    """One program in its region: `card`, its `track` of tiles, and `grids` once it has begun."""

    def __init__(self, program: Program, words: Mapping[str, str], region: Region, theme: Theme, *,
                 beside: bool) -> None:
        self.place = Place(region, words["processor"], "", theme)
        self.theme, self.beside, self.done, self.is_done = theme, beside, 0, False
        self.grids: dict[str, Matrix] = {}
        upper, lower = _parts(self.place.inside, beside=beside)
        tiling = program.tiling
        lane = map_lane(tiling, 0.95 * upper.width, 0.9 * upper.height, query_tiles=1)
        self.track = TileMap(tiling, min(lane, 0.36), theme, rows=[program.query_tile]).move_to(upper.center)
        self.program = self._at(program, lower)
        self.finished = text.line(words["done"], size=theme.label_size, color=theme.muted)
        self.finished.next_to(self.place.heading, manim.RIGHT, buff=0.15)
        self.card = manim.Group(self.place, self._tokens(), self.track)

    def _tokens(self) -> manim.VGroup:
        """The words of its queries, at the right end of its heading; of many the first and the last."""
        region = self.place.region
        words = [self.program.tokens[0][place] for place in self.program.tiling.queries(self.program.query_tile)]
        whole = region.width - 2 * MARGIN - self.place.heading.width - self.finished.width - 0.4
        if whole / len(words) < LEAST:
            words = [words[0], "…", words[-1]]
        room = whole / len(words) - 0.12
        said = manim.VGroup(*(text.fitted(word, width=room, size=self.theme.label_size,
                                          color=self.theme.role("query")) for word in words))
        said.arrange(manim.RIGHT, buff=0.12)
        return said.move_to((region.right - MARGIN, self.place.heading.get_center()[1], 0), aligned_edge=manim.RIGHT)

    def _at(self, program: Program, region: Region) -> Program:
        """The same program with its grids in this region."""
        rows, width = program.tiling.query_tile_size, program.tensor("value").size("value_dim")
        low, sides = (NAMES, 0.0) if self.beside else (0.0, SIDES)
        cell = (min((region.width - BESIDE - sides) / (width + 1), 0.86), min((region.height - low) / rows, 0.5))
        left = region.x - ((width + 1) * cell[0] + BESIDE) / 2 - 0.15 * sides
        high = region.bottom + low + (region.height - low) / 2
        own = len(program.rows) * cell[1]
        y = high + (rows * cell[1] - own) / 2
        at = {"sum": (left + cell[0] / 2, y, 0.0),
              "accumulator": (left + cell[0] + BESIDE + width * cell[0] / 2, y, 0.0)}
        return program.on(Bench(cell, at, 0.0))

    def advance(self) -> list[Any]:
        """The animations of its next step: the tile at work, and what is carried along after it.

        One that was at its last tile says that it is done.
        """
        if self.done == len(self.program.visited):
            self.is_done = True
            last = self.track.tiles[self.program.query_tile, self.program.visited[-1]]
            return [last.animate.at_work(False), manim.FadeIn(self.finished)]
        key_tile = self.program.visited[self.done]
        tiles = self.track.tiles
        moves: list[Any] = [tiles[self.program.query_tile, key_tile].animate.at_work()]
        if self.done:
            before = self.program.visited[self.done - 1]
            moves.append(tiles[self.program.query_tile, before].animate.at_work(False))
        for stage in STAGES:
            if stage in self.grids:
                moves.append(self.program.swap(self.grids[stage], stage, key_tile))
            else:
                self.grids[stage] = matrix = self.program.state(stage, key_tile)
                if not self.beside:
                    matrix.symbol.next_to(matrix.grid, SIDE[stage], buff=0.12)
                moves.append(manim.FadeIn(self.grids[stage]))
        self.done += 1
        return moves


class Lanes:
    """Side by side, or below each other in a narrow frame: one lane a query tile; `said` is a line about all."""

    def __init__(self, programs: Sequence[Program], words: Mapping[str, str], region: Region, theme: Theme, *,
                 beside: bool) -> None:
        self.said = text.line(words["unordered"], size=theme.body_size, color=theme.ink)
        self.said.move_to((region.x, region.bottom + SAID / 2, 0))
        rest = replace(region, y=region.y + SAID / 2, height=region.height - SAID)
        self.lanes = [Lane(program, words, part, theme, beside=beside)
                      for program, part in zip(programs, _cut(rest, len(programs), beside=beside), strict=True)]

    @property
    def cards(self) -> list[manim.Group]:
        """What stands there before a step is made."""
        return [lane.card for lane in self.lanes]

    @property
    def shown(self) -> list[manim.Mobject]:
        """The grids that stand in the lanes, and the words of those that are done."""
        return [part for lane in self.lanes for part in (*lane.grids.values(), lane.finished)]

    def moments(self) -> Iterator[list[Any]]:
        """One order among many: the last program is ahead of the others, those between come late, and all end."""
        last = len(self.lanes) - 1
        orders = chain(({last, 0}, {last}, set(range(last)) - {0} or {0}), repeat(set(range(last + 1))))
        while not all(lane.is_done for lane in self.lanes):
            if moves := [move for place in sorted(next(orders)) if not self.lanes[place].is_done
                         for move in self.lanes[place].advance()]:
                yield moves


def _parts(region: Region, *, beside: bool) -> tuple[Region, Region]:
    """Where a lane has its tiles, and where its grids: above and below in a wide frame, else side by side."""
    if beside:
        high = 0.42 * region.height
        low = region.height - high
        return (Region(region.x, region.top - high / 2, region.width, high),
                Region(region.x, region.bottom + low / 2, region.width, low))
    left = 0.42 * region.width
    right = region.width - left - GAP
    return (Region(region.left + left / 2, region.y, left, region.height),
            Region(region.right - right / 2, region.y, right, region.height))


def _cut(region: Region, count: int, *, beside: bool) -> list[Region]:
    """Equal regions, side by side or below each other."""
    if beside:
        width = (region.width - (count - 1) * GAP) / count
        return [replace(region, x=region.left + width / 2 + place * (width + GAP), width=width)
                for place in range(count)]
    height = (region.height - (count - 1) * GAP) / count
    return [replace(region, y=region.top - height / 2 - place * (height + GAP), height=height)
            for place in range(count)]


