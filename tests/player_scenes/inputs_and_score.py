"""One dot product beside the row and the column that it is made of: for tests of the inspector."""

from __future__ import annotations

import manim

from attnviz.storyboard import Storyboard


class InputsAndScore(Storyboard):
    """A query, a key, and their dot product."""

    case = "lesson"
    is_causal = False

    def construct(self) -> None:
        self.play_beats(self.together)

    def together(self) -> None:
        query, key = (self.matrix(self.tensor(name), f"{name}_pos", "head_dim", cell=0.62) for name in ("query", "key"))
        total = self.number(self.tensor("dot_products"), query_pos=1, key_pos=0)
        query.move_to((-4.0, 0.4, 0)), key.move_to((1.0, 0.4, 0)), total.move_to((5.0, 0.0, 0))
        self.play(manim.FadeIn(query, key, total), run_time=0.4)
