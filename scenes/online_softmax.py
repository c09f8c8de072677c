"""The trick inside: a softmax that cannot overflow, in one pass over a row of any length."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.accumulated import Accumulated
from attnviz.mobjects.animations import FillCells, shade
from attnviz.mobjects.cards import SoftmaxSheet, above_and_foot, halves, headline
from attnviz.mobjects.formula import CursorFormula
from attnviz.mobjects.number import Literal
from attnviz.mobjects.places import Sheet, fit_into
from attnviz.mobjects.recipe import OUTPUT, SOFTMAX, recipe
from attnviz.mobjects.relation import Relation, each
from attnviz.mobjects.rescaled import PARTS, Rescaled
from attnviz.mobjects.running import OnePass, Places
from attnviz.storyboard import Storyboard

NAIVE = (("s", "scores"), ("e^s", "naive_exp"), ("l = sum e^s", "naive_sum"), ("e^s \\/ l", "naive_weights"))
SAFE = (("s - {row_max}", "shifted_scores"), ("e^(s - m)", "exp_scores"), ("l = sum e^(s - m)", "row_sum"),
        ("e^(s - m) \\/ l", "attn_weights"))
SAME = ('e^(s - m) / (sum e^(s - m)) med = med (e^s part("lost", e^(- m))) / (sum e^s part("gone", e^(- m))) '
        'med = med part("same", e^s / (sum e^s))')
PASSES = (("first_pass", "row_max", "m"), ("second_pass", "row_sum", "l"))
DIMMED = 0.6  # the opacity of a rule while it is not used
HEADING = 0.14  # of the height of a column of numbers, for the words above it


class OnlineSoftmax(Storyboard):
    """Overflow, the safe softmax in two passes, then in one: maximum, sum and output rescaled block by block."""

    is_causal = False
    records_used = ("sdpa", "online", "passes", "overflow")
    poster_beat = "larger"

    def construct(self) -> None:
        self.one, self.read_now = self.make_pass(), manim.Group()
        self.play_beats(self.overflow, self.subtract, self.two_passes, self.one_pass, self.blocks, self.larger,
                        self.exact, self.values, self.same)

    def overflow(self) -> None:
        whole = self.region("whole")
        rest, self.foot = above_and_foot(whole, whole.height / 4)
        self.left, self.right = halves(rest, beside=self.layout.flow == "beside")
        self.heading, room = above_and_foot(self.left, (1 - HEADING) * self.left.height)
        self.naive = manim.Group(*SoftmaxSheet(self.of_overflow, NAIVE, room, self.theme).lines)
        self.naive.shift(self.foot.height / 2 * manim.DOWN)  # in the middle, as long as there is nothing below
        self.tell(*self.naive, keep=True)
        limit = self.number(self.of_overflow("largest_score"), size=2 * self.theme.title_size)
        dtype = Literal(self.bundle["overflow"].dtype, "what the numbers are computed in", size=self.theme.body_size,
                        color=self.theme.muted)
        said = manim.Group(self.paragraph("limit", self.right), limit, dtype).arrange(manim.DOWN, buff=0.35)
        self.tell(fit_into(said, self.right).shift(self.foot.height / 2 * manim.DOWN))

    def subtract(self) -> None:
        self.play(self.naive.animate.shift(self.foot.height / 2 * manim.UP), run_time=self.theme.step)
        heading, room = above_and_foot(self.right, (1 - HEADING) * self.right.height)
        self.tell(manim.Group(*(headline(self.words.text[key], above, self.theme)
                                for key, above in (("plain", self.heading), ("safe", heading)))))
        self.tell(*SoftmaxSheet(self.of_overflow, SAFE, room, self.theme).lines)
        formula = CursorFormula(SAME, self.theme)
        fit_into(formula, above_and_foot(self.foot, 0.88 * self.foot.height)[1])
        self.tell(formula)
        for part in ("lost", "gone"):
            glyphs = formula.formula.part(part)
            strike = manim.Line(glyphs.get_corner(manim.DL), glyphs.get_corner(manim.UR),
                                color=self.theme.role("scores"))
            self.play(formula.light(part), run_time=self.theme.step)
            self.play(manim.Create(strike), run_time=self.theme.quick)
            self.past.append(strike)
        self.play(formula.light("same"), run_time=self.theme.step)
        self.past.append(self.naive)

    def two_passes(self) -> None:
        one, exps = self.one, self.one.over_keys("exp_scores", 1)
        self.formula = self.formula_in_corner()
        self.play(manim.FadeIn(one.scores, one.labels, one.name, self.formula))
        self.play(self.formula.light("softmax"), run_time=self.theme.quick)
        first, second = self.pass_lines()
        for keys in one.reading.strides:
            self.play(one.scores.animate.focus(columns=keys), run_time=self.theme.quick / 2)
        self.play(one.window(None), run_time=self.theme.quick)
        self.tell(first)
        name = one.named(exps)
        self.play(manim.FadeIn(name), FillCells(exps.dim_cells(to=0), run_time=2 * self.theme.glance))
        self.tell(second)
        self.past += [name, exps]

    def one_pass(self) -> None:
        one, words, size = self.one, self.words.text, self.theme.caption_size
        block = Literal(f"{words['at_a_time']} {len(one.reading.blocks[0])}", "how many keys a block has", size=size,
                        color=self.theme.ink)
        direction = words["from_start" if one.reading.is_forward else "from_end"]
        said = manim.Group(block, text.line(direction, size=size, color=self.theme.ink)).arrange(manim.DOWN, buff=0.3)
        self.tell(fit_into(said, one.places.below))
        for tile in range(len(one.reading.blocks)):
            self.play(one.window(tile), run_time=self.theme.quick)
        self.play(one.window(None), run_time=self.theme.quick)
        self.rules = recipe(SOFTMAX, words, one.places.other, self.theme)
        self.tell(*self.rules, keep=True)

    def blocks(self) -> None:
        for tile in range(self.one.reading.rise):
            self.read(tile)
            self.explain(tile)

    def larger(self) -> None:
        one, rise = self.one, self.one.reading.rise
        self.play(manim.FadeOut(*self.rules), run_time=self.theme.quick)
        self.read(rise)
        lines = manim.Group(*one.update(rise))
        self.tell(*lines)
        self.explain(rise, aside=True)
        for tile in range(rise + 1, len(one.reading.blocks)):
            self.read(tile, also=shade(lines, DIMMED))  # they are of the block before
            self.explain(tile, aside=True)

    def exact(self) -> None:
        one, theme, whole = self.one, self.theme, self.region("whole")
        largest, *others = one.cards  # the largest stays: it is the new one
        rest, foot = above_and_foot(whole, 1.2 * largest.height)
        self.play(manim.FadeOut(one.scores, one.labels, one.name, *others, self.read_now), run_time=theme.quick)
        self.play(largest.animate.move_to(foot.center), run_time=theme.step)
        room = Region(rest.x, rest.y, rest.width, min(0.75 * rest.height, rest.width / 2))
        rescaled = Rescaled(one, self.data.key_tokens, room, theme)
        self.tell(rescaled.formula)
        for part, shown in zip(PARTS, rescaled.shown, strict=True):
            self.play(rescaled.formula.light(part), run_time=theme.step)
            self.tell(shown)
        self.past.append(largest)

    def values(self) -> None:
        self.one, self.read_now = self.make_pass(), manim.Group()
        self.total = Accumulated(self.one, self.tensor, self.data.key_tokens, self.theme)
        self.play(manim.FadeIn(self.one.scores, self.one.labels, self.one.name), self.formula.light("blend"))
        start, self.rule = recipe(OUTPUT, self.words.text, self.one.places.below, self.theme)
        self.tell(start, self.rule, keep=True)
        self.read_now, shift = manim.Group(start), self.rule.animate.move_to(self.one.places.said.center)
        for tile in range(len(self.one.reading.blocks)):
            self.read(tile, self.total.values(tile), also=shade(self.rule, DIMMED) if tile else shift)
            self.keep(tile, self.total.swap_to(tile), shade(self.rule, 1))

    def same(self) -> None:
        one, total = self.one, self.total
        shown = one.scores, one.labels, one.name, self.read_now, self.rule, one.cards, total.grid, total.name
        self.play(manim.FadeOut(*shown), self.formula.light("output"), run_time=self.theme.step)
        self.tell(*self.result_lines())

    # --- what beats share

    def tell(self, *parts: manim.Mobject, keep: bool = False) -> None:
        """Each part comes, and stands long enough for a number to be read before the next."""
        self.reveal(*parts, keep=keep, still=self.theme.step)

    def read(self, tile: int, *more: manim.Mobject, also: manim.Animation | None = None) -> None:
        """The window moves to a block; what belongs to the last one goes, the block's exponentials come."""
        leaving = [manim.FadeOut(self.read_now)] if len(self.read_now) else []
        moving = [also] if also else []
        self.play(*leaving, *moving, self.one.window(tile), run_time=self.one.pace(self.theme.step))
        self.read_now = manim.Group(self.one.exps(tile), *more)
        self.play(manim.FadeIn(self.read_now), run_time=self.theme.quick)

    def keep(self, tile: int, *more: manim.Animation, still: float | None = None) -> None:
        """What is kept becomes what it is after a block, all in one play; then it stands still."""
        changes = [card.swap_to(tile) for card in self.one.cards] if tile else [manim.FadeIn(self.one.cards)]
        self.play(*changes, *more, run_time=self.theme.step)
        self.still(still or self.one.pace(self.theme.glance))

    def explain(self, tile: int, *, aside: bool = False) -> None:
        """What is kept after a block, and why the factor is what it is; those words leave as the next is read."""
        remark = self.one.remark(tile, aside=aside)
        self.keep(tile, manim.FadeIn(remark), still=None if tile else self.theme.read)
        self.read_now = manim.Group(self.read_now, remark)

    def make_pass(self) -> OnePass:
        """The pass before its first block."""
        query = self.data.worked_query
        return OnePass(self.tensor, self.bundle["online"], query, self.data.query_tokens[query], self.data.key_tokens,
                       self.words.text, Places.of(self.layout), self.theme)

    def of_overflow(self, stage: str) -> Any:
        """A stage of the row that overflows."""
        return self.tensor(stage, "overflow")

    def pass_lines(self) -> list[manim.Group]:
        """What each of two passes finds: the largest score, and the sum of the exponentials."""
        places, lines = self.one.places, []
        for spot, (words, stage, symbol) in zip((places.below, places.other), PASSES, strict=True):
            number = self.number(self.tensor(stage), query_pos=self.data.worked_query, size=self.theme.title_size)
            line = manim.Group(self.symbol(words, symbol, stage), number)
            lines.append(fit_into(line.arrange(manim.RIGHT, buff=0.3), spot))
        return lines

    def result_lines(self) -> tuple[manim.Group, ...]:
        """The accumulator over the sum, the same output in two passes, and how far they are apart."""
        query, last = self.data.worked_query, len(self.one.reading.blocks) - 1
        acc = self.total.row(self.total.after(last))
        total = self.one.kept["running_sum"].after(last)
        ours, theirs = (self.total.row(self.tensor("output", record).sel(query_pos=query))
                        for record in ("online", "sdpa"))
        gap = self.number(self.tensor("max_abs_difference", "passes"), size=self.theme.title_size)
        quotient = Relation("o = op(\"acc\") \\/ l", each("quotient", ours, acc, total), size=self.theme.caption_size,
                            color=self.theme.role("output"))
        pairs = [(self.symbol("acc", 'op("acc")', "accumulator"), acc), (self.symbol("l", "l", "running_sum"), total),
                 (quotient, ours), (self.label_words("two_passes"), theirs), (self.label_words("difference"), gap)]
        return Sheet.place(pairs, self.region("whole"), pitch=1.25).lines

    def label_words(self, key: str) -> manim.VMobject:
        """A short line of the words file's [text]."""
        return text.line(self.words.text[key], size=self.theme.body_size, color=self.theme.muted)

    def symbol(self, key: str, source: str, stage: str) -> manim.Group:
        """What a number is, and its stage's letter in its colour, before it."""
        letter = text.math(source, size=self.theme.formula_size, color=self.theme.stage_color(stage))
        return manim.Group(self.label_words(key), letter).arrange(manim.RIGHT, buff=0.3)
