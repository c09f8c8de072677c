"""The room of labelled boxes: one query compared with every label, and a share taken from every box.

A box has a label (a word and its key) and holds a value; its outline has the colour of what is seen of it. First the
labels are seen and scored, then the boxes are opened and their values are blended, each by its weight. Every number is
a cell of a grid or bound to an entry; here are outlines and words, and `attnviz.mobjects.room_plan` has the measures.
Where boxes would be too low for that, they are the rows of one grid, named beside it, and only the query has a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim
import numpy as np

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.asking import Strand
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import GAP, TokenLabels
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.number import Literal
from attnviz.mobjects.relation import Claim, Relation, shown_row
from attnviz.mobjects.room_plan import BETWEEN, NAME_SIZE, PAD, Tensors, room_plan, word_size
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import PIXEL, Theme
from attnviz.trace import NamedTensor

FILLED, CELL = 0.92, 0.74  # of the pitch: a box's outline, and its cells
THICKEST = 16.0  # strokes an outline may have for a unit of the pitch: its half must lie between it and its cells
FREE_GAP, WORDS = 0.6, 4.0  # units between the columns and the words beside them; that these may take
LEVEL, SPREAD = 0.38, 0.35  # of a line's width that its ends are level for; of the boxes' height, where lines end
APART = 8 * PIXEL  # between the ends of lines at least: nearer, one would be lost in the next
SUM_GAP = 0.2, 0.05  # between the weights and their sum: of the pitch, and in units where boxes are one grid
NAME_GAP = 0.3, 0.08  # between names of columns and these, likewise


class Room:
    """The parts of the room, for a scene to bring in one after the other; where they stand first, labels are compared.

    `query` (card), `frame` (around it), `boxes[i]` (outline and word), `keys[i]`, `values[i]`, `scores`, `weights`,
    their names, `total`, `strands[i]`, `blend`. Where all boxes are one grid, `keys` and `values` hold this alone, and
    `boxes` the words beside it. Where `free` is a region, words may stand there while labels are
    compared; where not, all stands in the middle then. `opens` makes place for the blend.
    """

    def __init__(self, tensor: Tensors, query_pos: int, query_token: str, key_tokens: Sequence[str], region: Region,
                 theme: Theme, *, beside: bool, sum_word: str) -> None:
        self.tensor, self.theme, self.tokens, self.query_pos = tensor, theme, key_tokens, query_pos
        self.sum_word, self.plan = sum_word, room_plan(tensor, key_tokens, region, theme)
        self.keys, self.values = self._rows("key", "head_dim"), self._rows("value", "value_dim")
        self.boxes = self._boxes()
        asks = self._row("query", "head_dim", None, query_pos=query_pos)
        self.query = manim.Group(self._card(query_token, "query", self._y(None)), asks)
        self.frame = self.query[0][0].copy().set_stroke(width=self._stroke(6))
        self._columns()
        self._blend()
        right = float(self.weights.get_right()[0])
        words = min(WORDS, region.right - right - FREE_GAP) + FREE_GAP if beside else 0.0
        self.aside = region.x - (self.plan.first + right + words) / 2
        edge = right + self.aside
        self.free = Region(edge + (FREE_GAP + words) / 2, region.y, words - FREE_GAP, region.height) if beside else None
        for part in self._parts():
            part.shift(self.aside * manim.RIGHT)

    @property
    def arrivals(self) -> list[list[manim.Mobject]]:
        """What comes first, in turns: boxes, then their keys; words and their grid at once where boxes are one."""
        return [[*self.boxes, *self.keys]] if self.plan.is_low else [[*self.boxes], [*self.keys]]

    @property
    def departures(self) -> list[manim.Mobject]:
        """What leaves before the boxes are opened: keys do where each box has its own outline, which stays."""
        keys = [] if self.plan.is_low else self.keys
        return [self.query, self.scores, self.scores_name, self.total, *keys]

    # --- moves

    def compare(self, stride: Sequence[int]) -> manim.Animation:
        """The query's frame goes to the last box of a stride; rows of one grid are lit, which it would hide."""
        if self.plan.is_low:
            return self._lit(stride)
        move: manim.Animation = self.frame.animate.move_to(self.boxes[stride[-1]][0])
        return move

    def compared(self) -> list[manim.Animation]:
        """The frame goes, and no box is less bright than others."""
        return [manim.FadeOut(self.frame), *([self._lit(None)] if self.plan.is_low else [])]

    def _lit(self, rows: Sequence[int] | None) -> manim.Animation:
        light: Any = self.keys[0].animate.focus(rows=rows)
        lit: manim.Animation = light
        return lit

    def opens(self) -> manim.Animation:
        """What stays when the boxes are opened goes aside, and the weights come to them."""
        step = self.aside * manim.LEFT
        for part in (*self.values, self.blend, *self.strands):
            part.shift(step)
        moves: list[manim.Animation] = (
            [manim.ApplyMethod(part.shift, step) for part in (*self.boxes, *self.keys)] if self.plan.is_low else
            [manim.ApplyFunction(self._opened(step), box) for box in self.boxes])
        nearer = step + self._column_step() * manim.LEFT
        moves += [manim.ApplyMethod(part.shift, nearer) for part in (self.weights, self.weights_name)]
        return manim.AnimationGroup(*moves)

    def shows_values(self) -> manim.Animation:
        """The values come into the open boxes; where these are one grid, its keys go first."""
        come, quick = manim.FadeIn(*self.values, run_time=self.theme.quick), self.theme.quick
        return manim.Succession(manim.FadeOut(*self.keys, run_time=quick), come) if self.plan.is_low else come

    def _opened(self, step: np.ndarray) -> Any:  # Manim asks for a method where any function will do
        """Moves a box, and gives its outline the colour of what it holds: the word alone is its label then."""

        def change(box: manim.VGroup) -> manim.VGroup:
            box[0].set_stroke(self.theme.role("value"))
            return box.shift(step)

        return change

    # --- how it is made

    def _columns(self) -> None:
        """Scores and weights, one beside the other, one cell for each box, with their names and the sum."""
        plan, at = self.plan, {"query_pos": self.query_pos}
        self.scores, self.weights = (self._column(self.tensor(stage).sel(**at)) for stage in ("scores", "attn_weights"))
        middle = self._y(0) - (len(self.tokens) - 1) * plan.pitch / 2
        self.scores.move_to((plan.weights + plan.cell / 2, middle, 0))
        self.weights.move_to(self.scores).shift(self._column_step() * manim.RIGHT)
        self.scores_name, self.weights_name = (
            StageName(grid.cells.tensor, self.theme).next_to(grid, manim.UP, buff=self._gap(NAME_GAP))
            for grid in (self.scores, self.weights))
        self.total = self._total()
        for column in (self.scores, self.weights):
            column.dim_cells(to=0)

    def _total(self) -> manim.Group:
        """That the weights add up to one, as far as their digits say so."""
        cells = self.weights.cells
        flat = Grid(cells.tensor, None, "key_pos", scale=cells.scale, fmt=cells.format, theme=self.theme)
        one = Literal("1", "what weights add up to", size=self.theme.body_size, color=self.theme.ink)
        sign = Relation("", [Claim("sum", tuple(shown_row(flat)), "1")], size=self.theme.body_size,
                        color=self.theme.role("weights"))
        word = text.line(self.sum_word, size=self.theme.label_size, color=self.theme.muted)
        pair = manim.Group(word, sign, one).arrange(manim.RIGHT, buff=0.12)
        return pair.next_to(self.weights, manim.DOWN, buff=self._gap(SUM_GAP))

    def _blend(self) -> None:
        plan = self.plan
        tensor = self.tensor("output").sel(query_pos=self.query_pos)
        grid = self._grid(tensor, "value_dim", (plan.cell, CELL * plan.blend_pitch))
        grid.move_to((plan.blend + grid.width / 2, self.scores.get_y(), 0))
        name = StageName(tensor, self.theme).next_to(grid, manim.UP, buff=0.25)
        top, bottom = (self._end(place, grid) for place in (0, len(self.tokens) - 1))
        gathers = manim.Line(top, bottom, color=self.theme.role("output"), stroke_width=5)
        self.blend = manim.Group(gathers, grid, name)
        weights = self.tensor("attn_weights").sel(query_pos=self.query_pos)
        self.strands = [Strand(weights.entry(key_pos=place), self._way(place, grid), self.theme)
                        for place in range(len(self.tokens))]

    def _way(self, place: int, blend: Grid) -> manim.VMobject:
        """From beside a box's weight to the line before the blend."""
        start = manim.RIGHT * (self.plan.weights + self.plan.cell + PAD) + manim.UP * self._y(place)
        end = self._end(place, blend)
        level = manim.RIGHT * LEVEL * (end - start)[0]
        return manim.CubicBezier(start, start + level, end - level, end)

    def _end(self, place: int, blend: Grid) -> np.ndarray:
        """Where the line from a box ends: in one point all of them would lie over each other in a narrow frame."""
        away = self._y(place) - blend.get_y()
        spread = min(max(SPREAD, APART / self.plan.pitch), 1.0)
        return blend.get_left() + PAD * manim.LEFT + spread * away * manim.UP

    def _boxes(self) -> list[manim.VGroup]:
        """A card for each word; where all boxes are one grid, the words beside that, as many as can be read."""
        if self.plan.is_low:
            return [TokenLabels(self.tokens, self.keys[0], color=self.theme.role("key"), size=NAME_SIZE,
                                room=self.plan.word + BETWEEN)]
        return [self._card(token, "key", self._y(place)) for place, token in enumerate(self.tokens)]

    def _rows(self, stage: str, axis: str) -> list[Grid]:
        """A row of cells for each box, or one grid of all of them."""
        if not self.plan.is_low:
            return [self._row(stage, axis, place, key_pos=place) for place in range(len(self.tokens))]
        grid = self._grid(self.tensor(stage), axis, (self.plan.cell, self.plan.pitch), rows="key_pos")
        return [self._beside_words(grid, (self._y(0) + self._y(len(self.tokens) - 1)) / 2)]

    def _row(self, stage: str, axis: str, place: int | None, **at: int) -> Grid:
        grid = self._grid(self.tensor(stage).sel(**at), axis, (self.plan.cell, CELL * self.plan.card))
        return self._beside_words(grid, self._y(place))

    def _beside_words(self, grid: Grid, y: float) -> Grid:
        left = self.plan.first + PAD + self.plan.word + BETWEEN
        return grid.move_to((left + grid.width / 2, y, 0))

    def _column(self, tensor: NamedTensor) -> Grid:
        return self._grid(tensor, None, (self.plan.cell, self.plan.pitch), rows="key_pos")

    def _grid(self, tensor: NamedTensor, axis: str | None, cell: tuple[float, float], rows: str | None = None) -> Grid:
        whole = self.tensor(tensor.name)
        return Grid(tensor, rows, axis, scale=stage_scale(whole, self.theme), fmt=stage_format(whole), cell=cell,
                    theme=self.theme)

    def _card(self, token: str, role: str, y: float) -> manim.VGroup:
        plan = self.plan
        outline = manim.RoundedRectangle(width=plan.box, height=FILLED * plan.card, corner_radius=0.1,
                                         stroke_color=self.theme.role(role), stroke_width=self._stroke(3))
        outline.move_to((plan.first + plan.box / 2, y, 0))
        word = text.fitted(token, width=plan.word, size=word_size(plan.card, self.theme),
                           color=self.theme.role(role))
        word.move_to(outline).align_to((plan.first + 1.5 * PAD, 0, 0), manim.LEFT)
        if plan.is_low:  # in line with the words below
            word.align_to((plan.first + PAD + plan.word + BETWEEN - GAP, 0, 0), manim.RIGHT)
        return manim.VGroup(outline, word)

    def _stroke(self, width: float) -> float:
        """An outline's stroke, thinner where boxes are so low that it would cover their cells."""
        return min(width, THICKEST * self.plan.card)

    def _gap(self, gaps: tuple[float, float]) -> float:
        in_pitches, in_units = gaps
        return in_units if self.plan.is_low else in_pitches * self.plan.pitch

    def _y(self, place: int | None) -> float:
        """The middle of a box; of the query's card where `place` is None."""
        plan = self.plan
        return plan.top - (plan.card / 2 if place is None else plan.head + (0.5 + place) * plan.pitch)

    def _column_step(self) -> float:
        return 1.35 * self.plan.cell

    def _parts(self) -> tuple[manim.Mobject, ...]:
        return (self.query, self.frame, *self.boxes, *self.keys, *self.values, self.scores, self.scores_name,
                self.weights, self.weights_name, self.total, self.blend, *self.strands)
