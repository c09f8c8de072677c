"""The online softmax of one row: its scores with a window that moves over them, and the few numbers that are kept.

Every number is an entry of a `tiled` record with query tiles of one row. Which keys a block holds is read from that
record; when a block is read, and what is said of it, is a scene's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import manim

from attnviz import text
from attnviz.layout import Layout, Region
from attnviz.mobjects.cards import above_and_foot, halves
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.kept import Kept
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.places import LARGEST_CELL, fit_into
from attnviz.mobjects.reading import Reading
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.mobjects.updates import Updates
from attnviz.numbers import NumberFormat
from attnviz.theme import Theme
from attnviz.trace import Entry, NamedTensor, Record

NAME_ROOM = 0.7  # units to the left of a row, for its name, and as much for its word
LABELS, ROW = 0.3, 0.31  # of the height of the room for rows: labels above them, and each of two
CARD, CARD_GAP = 1.1, 0.25  # units: a card's height at most, and between cards
CARDS_ABOVE = 0.2  # units of room above cards, and between them and the lines of an update
CARDS, CARDS_SHARE = 1.3, 0.6  # units of height for the cards, and of the height that there is below the rows, at most
RIM = 0.04  # units: room for the lines of cards at the edge of a region
NEAR = 0.12  # units between a row and its word
WIDE, APART = 1.25, 1.2  # a cell's width at most, of that of a grid's; from row to row, of a cell's height
UPPER = 0.46  # of the height that rows and cards share, for the rows

KEPT = {"running_max": "m", "rescale": "alpha", "running_sum": "l"}  # from left to right, with the keys of their words
NOTHING_KEPT = "alpha = e^(-infinity) = 0"  # the factor of the first block, as the rules have it
Tensors = Callable[[str, str], NamedTensor]


@dataclass(frozen=True)
class Places:
    """Where the rows stand, and two places `below` them; one of these holds the cards and what is `said` of them.

    `sums` is as wide as can be, for the lines of an update, and `aside` what is said while they stand.
    """

    rows: Region
    below: Region
    other: Region
    cards: Region
    said: Region
    sums: Region
    aside: Region

    @classmethod
    def of(cls, layout: Layout) -> Places:
        """The places in a frame."""
        is_beside = layout.flow == "beside"
        whole = layout.region("whole" if is_beside else "stage")
        rows, lower = above_and_foot(whole, (1 - UPPER) * whole.height)
        below, other = halves(lower, beside=True) if is_beside else (lower, layout.region("side"))
        cards, said = above_and_foot(below, below.height - min(CARDS, CARDS_SHARE * below.height))
        if not is_beside:
            return cls(rows, below, other, cards, said, other, said)
        sums = above_and_foot(Region(whole.x, said.y, whole.width, said.height), said.height - CARDS_ABOVE)[1]
        return cls(rows, below, other, cards, said, sums, Region(other.x, cards.y, other.width, cards.height))


class OnePass:
    """The parts of the picture, each in its place: `scores`, `labels`, `name`, and `cards`, which `kept` has by stage.

    `tensor(stage, record)` gives a stage as it is drawn; `record` is the one pass, `query_pos` the row that is shown,
    `asker` its word, which is part of `name`; `words` are those on screen.
    """

    def __init__(self, tensor: Tensors, record: Record, query_pos: int, asker: str, tokens: Sequence[str],
                 words: Mapping[str, str], places: Places, theme: Theme) -> None:
        self._tensor, self._record, self._query, self._words = tensor, record, query_pos, words
        self.places, self.theme, region = places, theme, places.rows
        self.reading = Reading.of(record, self.steps("rescale"))
        self._width = min((region.width - 2 * NAME_ROOM) / len(tokens), WIDE * LARGEST_CELL[0])
        self._height = min(ROW * region.height, LARGEST_CELL[1])
        self.scores, self.labels = self._scores_and_words(tokens)
        while (beyond := self.labels.get_right()[0] - region.right) > 0:  # the last slanted word
            self._width -= 2 * beyond / len(tokens)
            self.scores, self.labels = self._scores_and_words(tokens)
        self.name = manim.Group(self._asker(asker), self.named(self.scores))
        self.name[1].next_to(self.name[0], manim.LEFT, buff=NEAR)
        self.kept = {name: self._card(name, place) for place, name in enumerate(KEPT)}
        self.cards = manim.Group(*self.kept.values())

    def steps(self, stage: str) -> NamedTensor:
        """A stage of the pass for the row that is shown, block by block."""
        return self._whole(stage).sel(query_tile=self._query, row=0)

    def over_keys(self, stage: str, line: int) -> Grid:
        """A row of the full computation, in the first or the next line (0 or 1)."""
        whole = self._tensor(stage, "sdpa")
        grid = Grid(whole.sel(query_pos=self._query), None, "key_pos", scale=stage_scale(whole, self.theme),
                    fmt=stage_format(whole), cell=(self._width, self._height), theme=self.theme)
        return grid.move_to((self.places.rows.x + NAME_ROOM - RIM, self._y(line), 0))

    def exps(self, tile: int) -> manim.Group:
        """The exponentials of a block, below its scores, and their name."""
        whole, keys = self._tensor("tile_exp", self._record.name), self.reading.blocks[tile]
        row = self.steps("tile_exp").sel(key_tile=tile)
        grid = Grid(row, None, "column", scale=stage_scale(whole, self.theme), fmt=stage_format(whole),
                    column_positions=range(len(keys)), cell=(self._width, self._height), theme=self.theme)
        grid.move_to((self.scores.region(columns=keys).get_center()[0], self._y(1), 0))
        return manim.Group(grid, self.named(grid))

    def named(self, grid: Grid) -> StageName:
        """The name of a row, to its left."""
        name = StageName(grid.cells.tensor, self.theme)
        name.scale(min(1.0, 0.9 * NAME_ROOM / name.width, 0.9 * self._height / name.height))
        return name.next_to(grid, manim.LEFT, buff=0.15)

    def _scores_and_words(self, tokens: Sequence[str]) -> tuple[Grid, TokenLabels]:
        """The row of scores in the cells there are now, and its keys' words above it."""
        scores = self.over_keys("scores", 0)
        return scores, TokenLabels(tokens, scores, side="top", color=self.theme.role("key"),
                                   room=LABELS * self.places.rows.height)

    def _asker(self, token: str) -> manim.VMobject:
        """The word whose row it is, before it."""
        word = text.fitted(token, width=NAME_ROOM, size=self.theme.label_size, color=self.theme.role("query"))
        return word.next_to(self.scores, manim.LEFT, buff=NEAR)

    def example(self) -> tuple[Entry, Entry, Entry]:
        """An exponential for the old maximum, the factor where the maximum last rose, and what it is for the new one.

        It is the largest below one among the blocks that had this old maximum.
        """
        tile, maxima, exps = self.reading.rise, self.steps("running_max").values, self.steps("tile_exp")
        same = [at for at in range(tile) if maxima[at] == maxima[tile - 1]]
        places = [(at, column) for at in same for column in range(len(self.reading.blocks[at]))]
        block, column = max(places, key=lambda place: _below_one(float(exps.values[place])))
        full = self._tensor("exp_scores", "sdpa").sel(query_pos=self._query)
        return (exps.entry(key_tile=block, column=column), self.steps("rescale").entry(key_tile=tile),
                full.entry(key_pos=self.reading.blocks[block][column]))

    def format_of(self, entry: Entry) -> NumberFormat:
        """The format that the stage of an entry has all through the film."""
        return stage_format(self._tensor(entry.name, entry.record))

    def update(self, tile: int) -> tuple[manim.Group, ...]:
        """What a block (not the first) does to maximum, factor and sum: a line each, as large as there is room for."""
        updates = Updates(self.steps, self._whole, self.theme)
        return updates.lines(tile, range(len(self.reading.blocks[tile])), self.places.sums)

    def remark(self, tile: int, *, aside: bool = False) -> manim.Group:
        """Why the factor is what it is, below the cards, or `aside` where the lines of an update stand there."""
        change, ink = self.change(tile), self.theme.ink
        said = manim.Group(text.line(self._words[change], size=self.theme.caption_size, color=ink))
        if change == "first":
            said.add_to_back(text.math(NOTHING_KEPT, size=self.theme.formula_size, color=ink,
                                       reason="where a computation begins"))
        said.arrange(manim.RIGHT, buff=2 * NEAR)
        if aside and self.places.aside != self.places.said:
            fit_into(said, self.places.aside)
        else:
            fit_into(said, self.places.said).next_to(self.cards, manim.DOWN, buff=NEAR)
        return said

    def change(self, tile: int) -> str:
        """What a block finds: `first` scores of all, a `larger` one than all before it, or `none`."""
        if not tile:
            return "first"
        return "larger" if self.steps("rescale").values[tile] < 1 else "none"

    def _whole(self, stage: str) -> NamedTensor:
        return self._tensor(stage, self._record.name)

    def pace(self, seconds: float) -> float:
        """How long a step from block to block takes: of many blocks, each is shown for a shorter time."""
        return self.theme.quick if self.reading.is_long else seconds

    def window(self, tile: int | None) -> manim.Animation:
        """An animation: the block's scores are bright, all others dim; None: all bright."""
        keys = None if tile is None else self.reading.blocks[tile]
        focus: Any = self.scores.animate
        return cast(manim.Animation, focus.focus(columns=keys))

    def _y(self, line: int) -> float:
        used = LABELS * self.places.rows.height + (1 + APART) * self._height
        middle = self.places.rows.y + used / 2 - LABELS * self.places.rows.height
        return float(middle - (0.5 + line * APART) * self._height)

    def _card(self, stage: str, place: int) -> Kept:
        region = self.places.cards
        width, height = (region.width - 2 * CARD_GAP - RIM) / 3, min(CARD, region.height - CARDS_ABOVE)
        card = Kept(self.steps(stage), self._whole(stage), self._words[KEPT[stage]], (width, height), self.theme,
                    is_kept=stage != "rescale")
        x = region.left + RIM / 2 + (place + 0.5) * width + place * CARD_GAP
        card.move_to((x, region.bottom + (RIM + height) / 2, 0))
        return card


def _below_one(exp: float) -> float:
    return exp if exp < 1 else 0.0
