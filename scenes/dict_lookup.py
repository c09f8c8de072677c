"""Attention is a dictionary lookup made soft: an exact key, then every key, a temperature, and a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim

from attnviz import text
from attnviz.mobjects.animations import FillCells
from attnviz.mobjects.aside import Aside, Knob, headed
from attnviz.mobjects.compared import Compared, are_close, picture_and_words
from attnviz.mobjects.distribution import Distribution
from attnviz.mobjects.formula import AttentionFormula, SlopeFormula, TemperedFormula
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.places import fit_into, fitting_cell, halves
from attnviz.mobjects.prompt import PromptLines, Shelf
from attnviz.mobjects.reading import strides
from attnviz.mobjects.room import Room
from attnviz.mobjects.scored import Scored
from attnviz.mobjects.sweeping import Sweeping, Swept
from attnviz.storyboard import FORMULA_GROWS, Storyboard


class DictLookup(Storyboard):
    """Attention is a dictionary lookup made soft: an exact key, then every key, a temperature, and a gradient."""

    case = "trained"
    is_causal = False
    poster_beat = "blend"
    records_used = ("sdpa", "temperature", "limits", "gradient", "nudge")

    @property
    def situations(self) -> frozenset[str]:
        """Whether the gradient's prediction is only a rough one."""
        pair = (self.tensor(stage, "gradient") for stage in ("predicted", "moved"))
        return super().situations | (frozenset() if are_close(*pair) else {"rough"})

    def construct(self) -> None:
        keys = {"holds": self.data.worked_key, "push": self.bundle["gradient"].params["towards"]}
        tokens = {words: self.data.key_tokens[place] for words, place in keys.items()}
        whole, lines = self.region("side"), headed(self.region("side"))[1]
        self.aside, self.below = (Aside(self.tensor, self.words.text, tokens, region, self.theme)
                                  for region in (whole, lines))
        self.play_beats(self.hit, self.near_miss, self.compare, self.weights, self.blend, self.cold, self.hot,
                        self.nudge, self.gradient, self.both)

    def hit(self) -> None:
        dictionary = self.bundle["limits"].provenance["dictionary"]
        self.asked = [word for word, _, _ in dictionary["answers"]]
        upper, lower = halves(self.region("whole"))
        self.prompt = PromptLines(dictionary, upper, self.theme).align_to((upper.left, 0, 0), manim.LEFT)
        self.shelf = Shelf(dictionary["holds"], self.asked, lower, self.theme, across=self.layout.flow == "beside")
        self.play(manim.FadeIn(self.prompt.made), manim.FadeIn(self.shelf.boxes), run_time=self.theme.step)
        self.still()
        self.play(manim.FadeIn(self.shelf.card, self.shelf.frame), run_time=self.theme.quick)
        self.look_up(self.asked[0])

    def near_miss(self) -> None:
        first, second = self.asked
        self.play(manim.FadeOut(self.prompt.lines[0], self.prompt.answers[0], self.shelf.askers[first]),
                  *self.shelf.bright(), *self.shelf.back(), run_time=self.theme.step)
        self.look_up(second)
        self.past += [self.prompt.made, self.prompt.lines[1], self.prompt.answers[1], *self.shelf.left(second)]

    def compare(self) -> None:
        case = self.data
        self.room = Room(self.tensor, case.worked_query, case.query_tokens[case.worked_query], case.key_tokens,
                         self.region("whole"), self.theme, beside=self.layout.flow == "beside",
                         sum_word=self.words.text["sum"])
        room, self.formula = self.room, self.formula_in_corner()
        for parts, run_time in zip(room.arrivals, (self.theme.step, self.theme.quick), strict=False):
            self.play(manim.FadeIn(*parts), run_time=run_time)
        self.tell_twins()
        self.play(manim.FadeIn(room.query, self.formula), run_time=self.theme.step)
        self.still(self.theme.step)
        self.play(manim.FadeIn(room.frame), self.formula.light("scale"), run_time=self.theme.step)
        for stride in strides(len(room.tokens)):
            name = () if stride[0] else (manim.FadeIn(room.scores_name),)
            self.play(room.compare(stride), FillCells(room.scores, rows=stride), *name,
                      run_time=1.5 * self.theme.quick)
        self.play(*room.compared(), run_time=self.theme.quick)
        self.explain("match", room.scores, self.scored())

    def weights(self) -> None:
        room = self.room
        self.play(self.formula.light("softmax"), *(key.animate.focus(columns=()) for key in room.keys),
                  room.query[1].animate.focus(columns=()))
        self.play(manim.FadeIn(room.weights_name), FillCells(room.weights, run_time=self.theme.slow))
        self.still(self.theme.step)
        self.play(manim.FadeIn(room.total), run_time=self.theme.step)
        self.explain("shares", room.weights)

    def blend(self) -> None:
        room = self.room
        self.play(manim.FadeOut(*room.departures), self.formula.light("blend"), run_time=self.theme.step)
        self.play(room.opens(), run_time=self.theme.step)
        self.play(room.shows_values())
        self.still(self.theme.step)
        self.play(manim.LaggedStart(*map(manim.Create, room.strands), lag_ratio=0.3), run_time=self.theme.slow)
        self.still(self.theme.step)
        self.play(manim.FadeIn(room.blend), run_time=self.theme.step)
        self.still()
        self.past += [*room.boxes, *room.values, room.weights, room.weights_name, room.blend, *room.strands]

    def cold(self) -> None:
        blend = self.below.cells(self.start_of("output", "temperature"))
        best = self.below.cells(self.tensor("target", "limits").sel(limit=0))
        gap = self.number(self.tensor("largest_gap", "limits").sel(limit=0))
        sheet = self.below.sheet(("blend", blend), ("holds", best), ("apart", gap))
        bars, self.tempered = self.distribution("temperature"), TemperedFormula(self.theme, lit="temperature")
        fit_into(self.tempered, self.region("formula"), grow=FORMULA_GROWS)
        knob = self.knob()
        self.swept: tuple[Swept, ...] = (knob.number, blend, bars.bars, bars.grid)
        self.compared = sheet.lines[1:]
        self.kept = [bars, knob, sheet.lines[0], self.tempered]
        self.play(manim.FadeOut(self.formula), run_time=self.theme.quick)
        self.play(manim.FadeIn(*self.kept), run_time=self.theme.step)
        self.still(self.theme.slow)
        self.sweep("temperature", 0, 2 * self.theme.slow)
        self.still(self.theme.step)
        self.reveal(*self.compared, still=self.theme.step)

    def hot(self) -> None:
        mean = self.below.cells(self.tensor("target", "limits").sel(limit=1))
        gap = self.number(self.tensor("largest_gap", "limits").sel(limit=1))
        lines = [self.below.instead(line, words, content)
                 for line, words, content in zip(self.compared, ("mean", "apart"), (mean, gap), strict=True)]
        self.sweep("temperature", self.last_of("temperature"), 3 * self.theme.slow)
        self.still(self.theme.step)
        self.reveal(*lines, still=self.theme.step)
        self.past += self.kept

    def nudge(self) -> None:
        query = self.aside.cells(self.start_of("query", "nudge"))
        push = self.aside.cells(self.tensor("nudge", "gradient"))
        blend = self.aside.cells(self.start_of("output", "nudge"))
        sheet, bars = self.aside.sheet(("query", query), ("push", push), ("blend", blend)), self.distribution("nudge")
        self.swept, self.formula = (query, blend, bars.bars, bars.grid), self.formula_in_corner("query")
        self.play(manim.FadeIn(bars, sheet.lines[0], sheet.lines[2], self.formula), run_time=self.theme.step)
        self.reveal(sheet.lines[1])
        for step in (self.last_of("nudge"), 0, self.last_of("nudge")):
            self.sweep("nudge", step, self.theme.slow)
            self.still(self.theme.step)
        self.past += [bars, *sheet.lines, self.formula]

    def gradient(self) -> None:
        slope, push = self.tensor("jacobian", "gradient"), self.tensor("nudge", "gradient")
        shown, said = picture_and_words(self.region("side"))
        cell = fitting_cell(shown.width, shown.height, slope.size("head_dim") + 2, max(slope.values.shape) + 2)
        rates = self.matrix(slope, "value_dim", "head_dim", cell=cell)
        change = self.matrix(push, "head_dim", None, cell=cell)
        fit_into(manim.Group(rates.times(change, gap=0.5 * cell[0]), change), shown)
        pair = [self.tensor(stage, "gradient") for stage in ("predicted", "moved")]
        called = [self.words.text[words] for words in ("predicted", "moved")]
        changed = self.tensor("output", "gradient"), self.words.text["entries"]
        compared = Compared(pair, called, changed, self.region("stage"), self.theme)
        formula = SlopeFormula(self.theme, lit="slope")
        self.play(manim.FadeIn(fit_into(formula, self.region("formula")), change), run_time=self.theme.step)
        self.reveal(manim.Group(rates, self.paragraph("slope", said)), still=self.theme.read + self.theme.step)
        self.reveal(compared.entries)
        for bars, name in zip(compared.bars, compared.legend, strict=True):
            self.reveal(manim.Group(name, bars), still=self.theme.step)
        self.past += [formula, change]

    def both(self) -> None:
        self.formula = AttentionFormula(self.theme, lit="blend")
        line = self.prompt.lines[0].copy()
        upper, lower = halves(self.region("whole"))
        for part, words, region in ((line, "hard", upper), (self.formula, "soft", lower)):
            said = text.line(self.words.text[words], size=self.theme.body_size, color=self.theme.muted)
            group = manim.Group(part, said).arrange(manim.DOWN, buff=0.4)
            self.reveal(fit_into(group, region, grow=1.5), keep=True, still=self.theme.read)

    def sweep(self, record: str, step: int, run_time: float) -> None:
        """What is on screen of a sweep goes to another of its steps, by way of all between."""
        self.play(Sweeping(self.bundle[record], *self.swept, to=step, run_time=run_time))

    def start_of(self, stage: str, record: str) -> Any:
        """A stage of a sweep at the step that its film starts from, for the worked query."""
        first = {"step": self.bundle[record].provenance["first_shown"], "query_pos": 0}
        whole = self.tensor(stage, record)
        return whole.sel(**{axis: place for axis, place in first.items() if axis in whole.axes})

    def last_of(self, record: str) -> int:
        """The last step of a sweep."""
        return self.tensor("parameter", record).size("step") - 1

    def knob(self) -> Knob:
        """The temperature that the film starts from, large, with room for its last one."""
        size, whole = 2 * self.theme.title_size, self.tensor("parameter", "temperature")
        ends = self.start_of("parameter", "temperature"), whole.sel(step=self.last_of("temperature"))
        number, widest = (self.number(tensor, size=size) for tensor in ends)
        return Knob(self.words.text["temperature"], number, widest, headed(self.region("side"))[0], self.theme)

    def distribution(self, record: str) -> Distribution:
        """The weights of a sweep's first step, as bars over the words."""
        return Distribution(self.start_of("attn_weights", record), self.tensor("attn_weights", record),
                            self.data.key_tokens, self.region("stage"), self.theme)

    def look_up(self, word: str) -> None:
        """The line is typed, the card goes along the shelf, and Python's answer comes."""
        place = self.asked.index(word)
        self.play(manim.FadeIn(self.prompt.lines[place], self.shelf.askers[word]), run_time=self.theme.step)
        for plays in self.shelf.walk(word):
            self.play(*plays, run_time=self.theme.quick)
        self.still(self.theme.step)
        self.play(manim.FadeIn(self.prompt.answers[place]), run_time=self.theme.step)
        self.still(self.theme.slow)

    def tell_twins(self) -> None:
        """Where a word comes twice: why its keys differ."""
        free, tokens = self.room.free, self.data.key_tokens
        if free is None or len({*tokens}) == len(tokens):
            return
        words = self.paragraph("twins", free)
        self.play(manim.FadeIn(words), run_time=self.theme.step)
        self.still()
        self.play(manim.FadeOut(words), run_time=self.theme.quick)

    def scored(self) -> list[manim.Mobject]:
        """How the score of the best key comes about, in numbers, where there is a place for it."""
        case, free = self.data, self.room.free
        return [] if free is None else [
            Scored(self.tensor, case.worked_query, case.worked_key, case.key_tokens[case.worked_key], free, self.theme)]

    def explain(self, words: str, grid: Grid, before: Sequence[manim.Mobject] = ()) -> None:
        """A line of words beside the room, and what the colours of a grid mean, where there is a place for them.

        What comes `before` stands above, and is read first.
        """
        if (free := self.room.free) is None:
            return
        bar = ColorBar(grid.scale_used, width=2.2, height=0.22, size=self.theme.label_size, theme=self.theme)
        told = manim.Group(self.paragraph(words, free), bar).arrange(manim.DOWN, buff=0.5)
        fit_into(manim.Group(*before, told).arrange(manim.DOWN, buff=0.9), free)
        self.reveal(*before, still=self.theme.read)
        self.reveal(told)
