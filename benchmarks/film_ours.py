"""The film with this project's mobjects: grids of cells bound to a record, numbers that are swapped, the formula.

    python -m benchmarks.film_ours -q h -o film.mp4 [--exact]

The beats and the numbers are those of `benchmarks.film_plain`; sections are encoded apart, as beats of a scene are.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import manim

from attnviz.mobjects.animations import FillRows, Swap, SwapRows
from attnviz.mobjects.formula import AttentionFormula
from attnviz.mobjects.grid import Grid
from attnviz.theme import DARK
from attnviz.trace import NamedTensor, Record
from benchmarks.film_numbers import CELL, DEPTH, LOW, OUTPUT_X, SECONDS, TOP, VALUE_X, WEIGHTS_X, stages
from benchmarks.render.options import parsed
from benchmarks.render.ours import ours


class AttentionFilm(manim.Scene):
    """Scores, scaling, softmax, and the weighted sum of the values, row by row."""

    @cached_property
    def record(self) -> Record:
        """The numbers of the film, checked against each other."""
        params = {"scale": DEPTH**-0.5, "is_causal": False, "causal": "top-left", "enable_gqa": False}
        return Record.build("sdpa", stages(), dtype="float64", params=params, provenance={"backend": "numpy"})

    def tensor(self, name: str) -> NamedTensor:
        """A stage, batch and head selected away."""
        whole = self.record[name]
        return whole.sel(**{axis: 0 for axis in ("batch", "head", "kv_head") if axis in whole.axes})

    def construct(self) -> None:
        """Play the beats; the names in SECONDS are theirs."""
        self.camera.background_color = manim.ManimColor(DARK.background)
        self.camera.init_background()
        self.next_section("scores")
        self.scores()
        self.change("scale", Swap(self.grid, self.tensor("scores"), run_time=SECONDS["change"]))
        self.change("softmax", SwapRows(self.grid, self.tensor("attn_weights"), run_time=SECONDS["change"]))
        self.blend()

    def scores(self) -> None:
        """The formula is written; the rows of scores come in."""
        self.formula = AttentionFormula(DARK).move_to((0, TOP, 0))
        self.grid = Grid(self.tensor("dot_products"), cell=CELL).move_to((0, LOW, 0))
        self.play(manim.Write(self.formula), run_time=SECONDS["formula"])
        self.wait(SECONDS["look"])
        self.play(FillRows(self.grid, run_time=SECONDS["scores"]), self.formula.light("scores"),
                  run_time=SECONDS["scores"])  # fmt: skip
        self.wait(SECONDS["look"])

    def change(self, part: str, swap: manim.Animation) -> None:
        """A part of the formula lights up, and the numbers become those of the next step."""
        self.next_section(part)
        self.play(self.formula.light(part), run_time=SECONDS["light"])
        self.play(swap)
        self.wait(SECONDS["read"])

    def blend(self) -> None:
        """The weights make room for the values, and each framed row of them gives a row of the output."""
        value = Grid(self.tensor("value"), "key_pos", "value_dim", cell=CELL).move_to((VALUE_X, LOW, 0))
        output = Grid(self.tensor("output"), "query_pos", "value_dim", cell=CELL).move_to((OUTPUT_X, LOW, 0))
        output.dim_cells(to=0)
        self.next_section("values")
        self.play(self.grid.animate.move_to((WEIGHTS_X, LOW, 0)), run_time=SECONDS["move"])
        self.play(FillRows(value, run_time=SECONDS["move"]))
        self.wait(SECONDS["look"])
        self.next_section("blend")
        self.play(self.formula.light("output"), run_time=SECONDS["light"])
        for row in range(output.cells.shape[0]):
            framed = self.grid.animate.highlight(strength=0).highlight(rows=[row])
            self.play(framed, FillRows(output, rows=[row], run_time=SECONDS["row"]), run_time=SECONDS["row"])
        self.play(self.grid.animate.highlight(strength=0), run_time=SECONDS["light"])
        self.wait(SECONDS["end"])


if __name__ == "__main__":
    chosen = parsed(__doc__, exact="keep every pixel as drawn")
    ours(AttentionFilm, chosen["quality"], Path(chosen["output"]), exact=chosen["exact"])
