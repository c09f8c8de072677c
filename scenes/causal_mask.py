"""Why a language model masks, and how: before the softmax, never after it."""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.mobjects.animations import FillRows, Swap, SwapRows
from attnviz.mobjects.booleans import BooleanMask
from attnviz.mobjects.causal import dim_the_past, fade_hidden, frame_itself, frame_last, see_more, without_key
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.new_words import NewWords
from attnviz.mobjects.next_words import NextWords
from attnviz.mobjects.pair import Captioned, Pair
from attnviz.mobjects.places import fit_into, in_a_line
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.row_signs import is_hidden_by_rounding, row_signs
from attnviz.mobjects.stages import stage_scale
from attnviz.mobjects.staircase import Staircase
from attnviz.storyboard import Storyboard

SAID = 1.2  # times the size of captions that words at the side have
SUMS = 2  # columns of room that the row sums take
STEPS = 16  # in which the staircase grows at most: of more words several rows come at once
GROWS = 1.4  # times its size that the map of few words becomes
SCORES = ("scores", "masked_scores")  # of one colour scale
LABELS = (1.05, 1.05, 0.1)  # units for labels to the left of a map and above it, its name in the corner between


class CausalMask(Storyboard):
    """Why a language model masks, and how: before the softmax, never after it."""

    is_causal = True
    poster_beat = "exact_zeros"
    records_used = ("sdpa", "unmasked", "zeroed", "row_sums", "top_left", "bottom_right", "padded", "right_way",
                    "flipped", "shorter")
    records_compared = ("unmasked",)

    def construct(self) -> None:
        self.lay_out()
        self.play_beats(self.next_word, self.all_scores, self.minus_infinity, self.exact_zeros, self.too_late,
                        self.staircase, self.two_corners, self.padding, self.polarity, self.cached)

    def next_word(self) -> None:
        words = NextWords(self.data.query_tokens, self.region("whole"), self.theme)
        for line, question in zip(words.lines, words.questions, strict=True):
            self.play(manim.FadeIn(line, question), run_time=self.theme.quick)
        self.still()
        answers = [manim.AnimationGroup(manim.FadeOut(question[1]), manim.FadeIn(answer))
                   for question, answer in zip(words.questions, words.answers, strict=True)]
        self.play(manim.LaggedStart(*answers, lag_ratio=0.5), run_time=self.theme.slow)
        self.past += [*words.lines, *(question[0] for question in words.questions), *words.answers]

    def all_scores(self) -> None:
        self.play(manim.FadeIn(self.formula, self.map.labels, self.map.symbol), FillRows(self.map.grid))
        self.still(self.theme.step)
        self.future = Staircase(self.map.grid, self.theme)
        self.play(dim_the_past(self.map.grid), manim.FadeIn(self.future), run_time=self.theme.step)
        self.say("future")
        self.still()

    def minus_infinity(self) -> None:
        mask, masked = self.tensor("mask"), self.tensor("masked_scores")
        self.play(self.formula.light("mask"), self.map.grid.animate.focus(), run_time=self.theme.step)
        self.play(Swap(self.map.grid, mask, scale=self.scale(mask.name)), self.map.rename(mask))
        words = self.say("mask", keep=True)
        self.still()
        self.play(manim.FadeOut(words), self.formula.light("masked"), run_time=self.theme.step)
        self.play(SwapRows(self.map.grid, masked, scale=self.scale(masked.name)), self.map.rename(masked),
                  run_time=2 * self.theme.slow)
        self.say("minus")
        self.still(self.theme.step)
        self.play(manim.FadeOut(self.future), run_time=self.theme.quick)

    def exact_zeros(self) -> None:
        weights = self.tensor("attn_weights")
        self.play(self.formula.light("softmax"))
        self.play(SwapRows(self.map.grid, weights), self.map.rename(weights), run_time=2 * self.theme.slow)
        self.say("still_one", self.exponential())
        self.add_up("row_sums")

    def too_late(self) -> None:
        unmasked, zeroed = self.tensor("attn_weights", "unmasked"), self.tensor("zeroed_weights", "zeroed")
        without = self.formula_in_corner(lit="softmax")
        self.play(manim.FadeOut(self.formula), run_time=self.theme.quick)
        self.play(manim.FadeIn(without), Swap(self.map.grid, unmasked), self.map.rename(unmasked))
        words = self.say("all_keys", keep=True)
        self.still()
        self.play(manim.FadeOut(words), run_time=self.theme.quick)
        words = self.say("zeroed", keep=True)
        self.still(self.theme.step)
        self.play(SwapRows(self.map.grid, zeroed), self.map.rename(zeroed), run_time=2 * self.theme.slow)
        self.play(manim.FadeOut(words), run_time=self.theme.quick)
        self.add_up("zeroed")
        self.say("nearly" if is_hidden_by_rounding(self.tensor("zeroed_sum", "zeroed")) else "too_late")
        self.past += [self.map, without]  # the next beat is about the right ones

    def staircase(self) -> None:
        self.map = self.make_map("attn_weights")
        grid = self.map.grid.dim_cells()
        self.play(manim.FadeIn(self.map, self.formula), run_time=self.theme.step)
        self.say("one_more")
        for seen in see_more(grid, STEPS):
            self.play(seen, run_time=self.theme.quick)
        self.past.append(self.map)

    def two_corners(self) -> None:
        self.who_asks("bottom_right")
        names = ("top_left", "bottom_right")
        pair = self.pair(*(("masked_scores", name, name) for name in names))
        both = (pair.left, pair.right)
        self.play(self.formula.light("mask"), *(self.shown(one) for one in both))
        self.still()
        self.play(*(fade_hidden(one.grid) for one in both), run_time=self.theme.quick)
        weights = [self.tensor("attn_weights", name) for name in names]
        self.play(*(Swap(one.grid, tensor) for one, tensor in zip(both, weights, strict=True)),
                  *(one.matrix.rename(tensor) for one, tensor in zip(both, weights, strict=True)))
        self.play(*(frame_itself(one.grid) for one in both), run_time=self.theme.step)

    def padding(self) -> None:
        pair = self.pair(("masked_scores", "padded", "padded"), ("output", "padded", "no_key"))
        self.play(self.shown(pair.left))
        empty = {"rows": without_key(pair.left.grid)}
        self.play(pair.left.grid.animate.highlight(**empty), run_time=self.theme.step)
        self.still(self.theme.step)
        weights = self.tensor("attn_weights", "padded")
        self.play(Swap(pair.left.grid, weights), pair.left.matrix.rename(weights), self.formula.light("softmax"))
        self.play(self.shown(pair.right), self.formula.light("output"))
        self.play(pair.right.grid.animate.highlight(**empty), run_time=self.theme.step)

    def polarity(self) -> None:
        pair = self.pair(("attn_weights", "right_way", "right_way"), ("attn_weights", "flipped", "flipped"))
        masks = []
        for part in (pair.left, pair.right):
            mask = BooleanMask(self.tensor("mask", part.grid.cells.tensor.record), part.matrix, self.theme)
            self.play(manim.FadeIn(part.words, mask), self.formula.light("mask"))
            self.still()
            masks.append(mask)
        self.play(manim.FadeOut(*masks), self.formula.light("softmax"), run_time=self.theme.quick)
        self.play(*(FillRows(part.grid) for part in (pair.left, pair.right)),
                  *(manim.FadeIn(part.matrix.labels, part.matrix.symbol) for part in (pair.left, pair.right)))
        self.play(pair.right.grid.animate.highlight(rows=masks[-1].empty), run_time=self.theme.step)

    def cached(self) -> None:
        outputs = self.pair(("output", "shorter", "before"), ("output", "sdpa", "after"))
        frame_last(outputs.right.grid)
        self.play(self.shown(outputs.left), self.formula.light("output"))
        self.still(self.theme.step)
        self.play(self.shown(outputs.right))
        self.still()
        self.past.remove(outputs)
        self.play(manim.FadeOut(outputs), run_time=self.theme.quick)
        kept = self.pair(("key", "sdpa", "keys"), ("value", "sdpa", "values"))
        for part, lit in ((kept.left, "key"), (kept.right, "value")):
            frame_last(part.grid)
            self.play(self.shown(part), self.formula.light(lit))

    # --- what the beats are made of

    def who_asks(self, record: str) -> None:
        """Why there are fewer queries than keys: only new words ask."""
        tokens, said = self.tokens(record), (self.words.text["known_words"], self.words.text["new_words"])
        words = NewWords(tokens["column_tokens"], len(tokens["row_tokens"]), said, self.region("whole"), self.theme)
        for card in (words.known, words.new):
            self.play(manim.FadeIn(card), run_time=self.theme.step)
            self.still(self.theme.glance)
        self.play(manim.FadeOut(words), run_time=self.theme.quick)

    def say(self, key: str, *above: manim.Mobject, keep: bool = False) -> manim.Mobject:
        """A line of words at the side, below what belongs to it."""
        words = self.paragraph(key, self.region("side"), size=SAID * self.theme.caption_size)
        group = manim.Group(*above, words).arrange(manim.DOWN, buff=0.5)
        self.play(manim.FadeIn(fit_into(group, self.region("side"))), run_time=self.theme.step)
        self.past += [] if keep else [group]
        return group

    def exponential(self) -> manim.Group:
        """That exp of the first hidden score is exactly nothing."""
        size, color, place = self.theme.title_size, self.theme.ink, {"query_pos": 0, "key_pos": 1}
        score, result = (self.number(self.tensor(stage), size=size, color=self.theme.stage_color(stage), **place)
                         for stage in ("shifted_scores", "exp_scores"))
        sign = Relation("", [Claim("exp", (score.bound,), result.bound)], size=size, color=color)
        before, after = (text.math(part, size=size, color=color) for part in (r'op("exp") \(', r"\)"))
        return manim.Group(before, score, after, sign, result).arrange(manim.RIGHT, buff=0.12)

    def add_up(self, record: str) -> None:
        """The sum of each row appears beside it, with a sign that says whether the shown digits add up to it."""
        sums = self.matrix(self.tensor("zeroed_sum", record), "query_pos", None, cell=self.cell)
        sums.scale(self.map.grid.height / sums.grid.height).grid_to(self.map.grid.get_center())
        sums.shift((self.map.grid.width + SUMS * sums.grid.width) / 2 * manim.RIGHT)
        sums.symbol.match_y(self.map.symbol)
        signs = row_signs(self.map.grid, sums.grid, self.theme)
        self.play(FillRows(sums.grid), manim.FadeIn(sums.symbol, signs))
        self.past += [sums, signs]

    def pair(self, *halves: tuple[str, str, str]) -> Pair:
        """Two maps in the whole region: of each the stage, the record, and the key of the words below it."""
        tensors = [self.tensor(stage, record) for stage, record, _ in halves]
        tokens = [self.tokens(record) for _, record, _ in halves]
        said = self.words.text
        words = [[said[key] for key in (word, f"{word}_line", f"{word}_why") if key in said] for *_, word in halves]
        pair = Pair(tensors, tokens, words, self.region("whole"), self.theme)
        self.past.append(pair)
        return pair

    def shown(self, part: Captioned) -> manim.AnimationGroup:
        """One half of a pair appears, its rows one after the other."""
        return manim.AnimationGroup(FillRows(part.grid),
                                    manim.FadeIn(part.matrix.labels, part.matrix.symbol, part.words))

    def scale(self, stage: str) -> Any:
        """The colours of scores, the same before and after the mask."""
        return stage_scale(self.tensor(stage), self.theme, also=[self.tensor(name) for name in SCORES])

    def lay_out(self) -> None:
        """The one map of the first half, and the formula."""
        count = len(self.data.key_tokens)
        self.cell = in_a_line(self.region("stage"), [(count, count + SUMS)], LABELS).cell
        self.map = self.make_map("scores")
        self.formula = self.formula_in_corner(is_masked=True, lit="scale")

    def make_map(self, stage: str) -> Matrix:
        """A map in the stage, with room for the sums of its rows."""
        scale = self.scale(stage) if stage in SCORES else None
        grid = Grid(self.tensor(stage), scale=scale, cell=self.cell, theme=self.theme)
        made = Matrix(grid, self.theme, room=LABELS[0], **self.tokens("sdpa"))
        made.symbol_to_corner(LABELS[0])
        room = manim.Rectangle(width=SUMS * grid.pitch[0], height=grid.height, stroke_width=0).next_to(grid, buff=0)
        fit_into(manim.Group(made, room), self.region("stage"), grow=GROWS)
        return made
