"""The film as anyone would write it in plain Manim: a square and a text for each cell, and Manim's own animations.

    python -m benchmarks.film_plain -q h -o film.mp4 [--caching] [--exact]

Nothing of attnviz is imported. The beats and the numbers are those of `benchmarks.film_ours`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import manim
from manim import DOWN, RIGHT, LaggedStart, MathTypst, ReplacementTransform, Square, SurroundingRectangle, Text, VGroup

from benchmarks.film_numbers import CELL, LOW, OUTPUT_X, SECONDS, TOP, VALUE_X, WEIGHTS_X, Array, stages
from benchmarks.render.options import parsed
from benchmarks.render.plain import plain

GROUND, PANEL, INK, MUTED, GREY = "#10141d", "#1e2534", "#eef1f6", "#98a3b5", "#7e838d"
RED, YELLOW, GREEN, PURPLE = "#f4795b", "#f5e050", "#58e2b0", "#d173ae"
FORMULA = """{{ O : output }} = {{ "softmax" ( {{ {{ (Q K^T) : scores }} / sqrt(d_k) : scale }} ) : softmax }} V"""


def matrix(values: Array, color: str, top: float) -> VGroup:
    """Rows of cells; each cell is a square with its number, coloured by the number as far as `top`."""
    return VGroup(*(VGroup(*(cell(value, color, top) for value in row)).arrange(RIGHT, buff=0) for row in values)
                  ).arrange(DOWN, buff=0)  # fmt: skip


def cell(value: float, color: str, top: float) -> VGroup:
    """One square with its number to two decimals."""
    end = color if value >= 0 else GREY
    fill = manim.interpolate_color(manim.ManimColor(PANEL), manim.ManimColor(end), min(abs(value) / top, 1))
    square = Square(CELL, stroke_width=1, stroke_color=GROUND, fill_color=fill, fill_opacity=1)
    ink = GROUND if fill.to_hsl()[2] > 0.45 else INK
    return VGroup(square, Text(f"{value:.2f}".replace("-", "−"), font_size=12, color=ink).move_to(square))


class AttentionFilm(manim.Scene):
    """Scores, scaling, softmax, and the weighted sum of the values, row by row."""

    def construct(self) -> None:
        """Play the beats; the names in SECONDS are theirs."""
        self.camera.background_color = manim.ManimColor(GROUND)
        self.stages = {name: array[0, 0] for name, array in stages().items()}
        self.scores()
        self.change("scale", matrix(self.stages["scores"], RED, 6), by_rows=False)
        self.change("softmax", matrix(self.stages["attn_weights"], YELLOW, 1), by_rows=True)
        self.blend()

    def scores(self) -> None:
        """The formula is written; the rows of scores come in."""
        self.formula = MathTypst(FORMULA, font_size=40, color=MUTED).move_to((0, TOP, 0))
        self.frame = SurroundingRectangle(self.formula.select("scores"), buff=0.05, stroke_width=0).set_fill(INK, 0)
        self.grid = matrix(self.stages["dot_products"], RED, 15).move_to((0, LOW, 0))
        self.play(manim.Write(self.formula), run_time=SECONDS["formula"])
        self.wait(SECONDS["look"])
        rows = LaggedStart(*map(manim.FadeIn, self.grid), lag_ratio=0.6)
        self.play(rows, *self.light("scores"), run_time=SECONDS["scores"])
        self.wait(SECONDS["look"])

    def change(self, part: str, result: VGroup, *, by_rows: bool) -> None:
        """A part of the formula lights up, and the numbers become those of the next step, at once or row after row."""
        self.play(*self.light(part), run_time=SECONDS["light"])
        result.move_to(self.grid)
        if by_rows:
            rows = [ReplacementTransform(old, new) for old, new in zip(self.grid, result, strict=True)]
            self.play(LaggedStart(*rows, lag_ratio=0.6), run_time=SECONDS["change"])
        else:
            self.play(ReplacementTransform(self.grid, result), run_time=SECONDS["change"])
        self.grid = result
        self.wait(SECONDS["read"])

    def blend(self) -> None:
        """The weights make room for the values, and each framed row of them gives a row of the output."""
        value = matrix(self.stages["value"], GREEN, 2).move_to((VALUE_X, LOW, 0))
        output = matrix(self.stages["output"], PURPLE, 1).move_to((OUTPUT_X, LOW, 0))
        self.play(self.grid.animate.move_to((WEIGHTS_X, LOW, 0)), run_time=SECONDS["move"])
        self.play(LaggedStart(*map(manim.FadeIn, value), lag_ratio=0.6), run_time=SECONDS["move"])
        self.wait(SECONDS["look"])
        self.play(*self.light("output"), run_time=SECONDS["light"])
        before: list[Any] = []
        for row, result in zip(self.grid, output, strict=True):
            framed = [cell[0].animate.set_stroke(INK, 3) for cell in row]
            self.play(*before, *framed, manim.FadeIn(result), run_time=SECONDS["row"])
            before = [cell[0].animate.set_stroke(GROUND, 1) for cell in row]
        self.play(*before, run_time=SECONDS["light"])
        self.wait(SECONDS["end"])

    def light(self, part: str) -> list[Any]:
        """Animations that colour a part of the formula and move the faint frame around it."""
        chosen = self.formula.select(part)
        frame = SurroundingRectangle(chosen, buff=0.05, corner_radius=0.06, stroke_width=0).set_fill(INK, 0.16)
        return [chosen.animate.set_color(INK), manim.Transform(self.frame, frame)]


if __name__ == "__main__":
    chosen = parsed(__doc__, caching="keep Manim's cache on", exact="keep every pixel as drawn")
    target = Path(chosen.pop("output"))
    plain(AttentionFilm, chosen.pop("quality"), target, **chosen)
