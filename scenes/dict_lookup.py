"""Attention is a dictionary lookup made soft: an exact key, then every key, a temperature, and a gradient."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.mobjects.animations import FillCells
from attnviz.mobjects.distribution import Distribution
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import LABEL_GAP, Sheet, fit_into, product_places
from attnviz.mobjects.prompt import PromptLines, Shelf
from attnviz.mobjects.room import Room
from attnviz.mobjects.stages import stage_scale
from attnviz.mobjects.sweeping import Sweeping
from attnviz.storyboard import Storyboard


class DictLookup(Storyboard):
    """Attention is a dictionary lookup made soft: an exact key, then every key, a temperature, and a gradient."""

    case = "trained"
    is_causal = False
    poster_beat = "blend"
    records_used = ("sdpa", "temperature", "limits", "gradient", "nudge")

    def construct(self) -> None:
        self.play_beats(self.hit, self.near_miss, self.compare, self.weights, self.blend, self.cold, self.hot,
                        self.nudge, self.gradient, self.both)

    def hit(self) -> None:
        dictionary = self.bundle["limits"].provenance["dictionary"]
        self.asked = [word for word, _, _ in dictionary["answers"]]
        self.prompt = PromptLines(dictionary, self.region("stage"), self.theme)
        self.shelf = Shelf(dictionary["holds"], self.asked, self.region("side"), self.theme)
        self.play(manim.FadeIn(self.prompt.made), manim.FadeIn(self.shelf.boxes), run_time=self.theme.step)
        self.still()
        self.look_up(*self.asked[:1])

    def near_miss(self) -> None:
        first, second = self.asked
        self.play(manim.FadeOut(self.prompt.lines[0], self.prompt.answers[0], self.shelf.askers[first]),
                  *self.shelf.reset(second), run_time=self.theme.step)
        self.look_up(second)
        self.past += [self.prompt.made, self.prompt.lines[1], self.prompt.answers[1], self.shelf]

    def compare(self) -> None:
        case = self.data
        self.room = Room(self.tensor, case.worked_query, case.query_tokens[case.worked_query], case.key_tokens,
                         self.region("whole"), self.theme, beside=self.layout.flow == "beside")
        room, self.formula = self.room, self.formula_in_corner("scale")
        self.play(manim.FadeIn(*room.boxes), run_time=self.theme.step)
        self.play(manim.FadeIn(*room.keys), run_time=self.theme.step)
        self.play(manim.FadeIn(room.query, self.formula), run_time=self.theme.step)
        self.still()
        self.play(manim.FadeIn(room.frame), run_time=self.theme.quick)
        for place in range(len(room.boxes)):
            self.play(room.compare(place), run_time=self.theme.quick)
            name = () if place else (manim.FadeIn(room.scores_name),)
            self.play(FillCells(room.scores, rows=[place]), *name, run_time=self.theme.quick)
        self.play(manim.FadeOut(room.frame), run_time=self.theme.quick)
        self.explain("match", room.scores)

    def weights(self) -> None:
        room = self.room
        self.play(self.formula.light("softmax"), *(key.animate.focus(columns=()) for key in room.keys),
                  room.query[1].animate.focus(columns=()))
        self.play(manim.FadeIn(room.weights_name), FillCells(room.weights, run_time=2 * self.theme.slow))
        self.play(manim.FadeIn(room.total), run_time=self.theme.step)
        self.explain("shares", room.weights)

    def blend(self) -> None:
        room = self.room
        self.play(manim.FadeOut(room.query, room.scores, room.scores_name, room.total, *room.keys),
                  self.formula.light("blend"), run_time=self.theme.step)
        self.play(room.opens(), run_time=self.theme.step)
        self.play(manim.FadeIn(*room.values), run_time=self.theme.step)
        self.still()
        self.play(manim.LaggedStart(*map(manim.Create, room.strands), lag_ratio=0.3), run_time=2 * self.theme.slow)
        self.play(manim.FadeIn(room.blend), run_time=self.theme.step)
        self.past += [*room.boxes, *room.values, room.weights, room.weights_name, room.blend, *room.strands]

    def cold(self) -> None:
        record = self.bundle["temperature"]
        self.softness = Distribution(*self.row_of("attn_weights", "temperature"), self.data.key_tokens,
                                     self.region("stage"), self.theme)
        self.play(manim.FadeIn(self.softness), self.formula.light("scale"), run_time=self.theme.step)

    def hot(self) -> None:
        self.still()

    def nudge(self) -> None:
        self.still()

    def gradient(self) -> None:
        self.still()

    def both(self) -> None:
        self.still()

    def look_up(self, word: str) -> None:
        """The line is typed, the card goes along the shelf, and Python's answer comes."""
        place = self.asked.index(word)
        self.play(manim.FadeIn(self.prompt.lines[place]), manim.FadeIn(self.shelf.askers[word], self.shelf.frame),
                  run_time=self.theme.step)
        for went, became in self.shelf.walk(word):
            self.play(went, run_time=self.theme.step)
            self.play(became, run_time=self.theme.quick)
        self.play(manim.FadeIn(self.prompt.answers[place]), run_time=self.theme.step)

    def explain(self, words: str, grid: Grid) -> None:
        """A line of words beside the room, and what the colours of a grid mean, where there is a place for them."""
        if (free := self.room.free) is None:
            return
        bar = ColorBar(grid.scale_used, width=2.2, height=0.22, size=self.theme.label_size, theme=self.theme)
        words = self.paragraph(words, free)
        self.reveal(fit_into(manim.Group(words, bar).arrange(manim.DOWN, buff=0.5), free))

    def row_of(self, stage: str, record: str) -> tuple[Any, Any]:
        """The worked row of a sweep's stage at the step that its film starts from, and the whole stage."""
        whole = self.tensor(stage, record)
        return whole.sel(step=self.bundle[record].provenance["first_shown"], query_pos=0), whole
