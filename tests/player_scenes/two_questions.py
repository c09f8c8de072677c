"""Two questions on one attention map, and their answers: for tests of the player."""

from __future__ import annotations

import manim

from attnviz.mobjects.bars import Bars
from attnviz.storyboard import Storyboard


class TwoQuestions(Storyboard):
    """Which key has the largest score, and how much does its value count?"""

    case = "lesson"
    is_causal = False
    poster_beat = "first_answer"

    def construct(self) -> None:
        self.words_of = {"row_tokens": self.data.query_tokens, "column_tokens": self.data.key_tokens}
        self.play_beats(self.first_question, self.first_answer, self.second_question, self.second_answer)

    def first_question(self) -> None:
        query, key = (self.matrix(self.tensor(name), f"{name}_pos", "head_dim", cell=0.62) for name in ("query", "key"))
        query.move_to((-4.0, 0.4, 0)), key.move_to((2.0, 0.4, 0))
        self.play(manim.FadeIn(query, key), run_time=0.4)
        self.past += [query, key]

    def first_answer(self) -> None:
        scores = self.matrix(self.tensor("scores"), "query_pos", "key_pos", **self.words_of)
        total = self.number(self.tensor("dot_products"), query_pos=1, key_pos=0)
        total.move_to((4.0, 0.4, 0))
        self.play(manim.FadeIn(scores.move_to((-1.0, 0.0, 0))), run_time=0.4)
        self.play(manim.FadeIn(total), run_time=0.4)
        self.past += [scores, total]

    def second_question(self) -> None:
        self.weights = self.matrix(self.tensor("attn_weights"), "query_pos", "key_pos", **self.words_of)
        self.play(manim.FadeIn(self.weights.move_to((-3.5, 0.0, 0))), run_time=0.4)

    def second_answer(self) -> None:
        bars = Bars(self.tensor("attn_weights").sel(query_pos=1), theme=self.theme).move_to((3.0, 0.0, 0))
        self.play(manim.FadeIn(bars), run_time=0.4)
