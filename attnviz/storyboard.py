"""What storyboards have in common: words in a region, things that come one after the other, pauses, the formula.

A scene below `scenes/` is a Storyboard: its beats say what comes, and this says how. No number is computed or chosen
here, and nothing is drawn that `attnviz.mobjects` does not draw.
"""

from __future__ import annotations

from typing import Any

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.formula import AttentionFormula, CursorFormula
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.number import Number
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.scene import LessonScene
from attnviz.trace import NamedTensor

FORMULA_GROWS = 1.3  # times its size that the formula may be, where its region has the room


class Storyboard(LessonScene):
    """A scene with the moves that all scenes share. Beats are methods without arguments, in the order of the words."""

    def still(self, seconds: float | None = None) -> None:
        """Nothing moves while there is something to read: for as long as a line of words takes, unless said."""
        self.wait(seconds or self.theme.read)

    def reveal(self, *parts: manim.Mobject, keep: bool = False, still: float | None = None) -> None:
        """Each part fades in in its turn and then stands still; without `keep` all leave when the beat is over."""
        for part in parts:
            self.play(manim.FadeIn(part), run_time=self.theme.step)
            self.still(self.theme.quick if still is None else still)
        self.past += [] if keep else parts

    def paragraph(self, key: str, region: Region, **looks: Any) -> manim.VMobject:
        """A sentence of the words file's [text], set to a region's width and put into its middle."""
        looks = {"size": self.theme.caption_size, "color": self.theme.ink, "align": "center", **looks}
        set_text = text.paragraph(self.words.text[key], width=0.9 * region.width, **looks)
        fit_into(set_text, region)
        return set_text

    def formula_in_corner(self, lit: str | None = None, *, is_masked: bool = False) -> AttentionFormula:
        """The attention formula in its region, with one part lit from the start."""
        formula = AttentionFormula(self.theme, is_masked=is_masked, lit=lit)
        self.to_corner(formula)
        return formula

    def to_corner(self, formula: CursorFormula) -> None:
        """Put a formula into its region, as large as there is room for it and the frame around any part."""
        room = manim.SurroundingRectangle(formula.formula, buff=0.06)
        fit_into(manim.Group(formula, room), self.region("formula"), grow=FORMULA_GROWS)

    def matrix(self, tensor: NamedTensor, rows: str | None, columns: str | None, *, whole: NamedTensor | None = None,
               row_positions: Any = None, column_positions: Any = None, cell: Any = 0.7, **labels: Any) -> Matrix:
        """A grid with its name and labels, in the scale and format of `whole` (its stage as drawn, unless said)."""
        whole = whole or self.tensor(tensor.name, tensor.record)
        grid = Grid(tensor, rows, columns, scale=stage_scale(whole, self.theme), fmt=stage_format(whole), cell=cell,
                    row_positions=row_positions, column_positions=column_positions, theme=self.theme)
        return Matrix(grid, self.theme, **labels)

    def tokens(self, record: str) -> dict[str, tuple[str, ...]]:
        """The words of a record's rows and columns, as a Matrix takes them: some records are of some words only."""
        noted = self.bundle[record].provenance
        return {"row_tokens": tuple(noted["query_tokens"]), "column_tokens": tuple(noted["key_tokens"])}

    def number(self, tensor: NamedTensor, *, size: float | None = None, color: str | None = None,
               **coords: int) -> Number:
        """One number of a tensor, in the format of its stage as drawn."""
        fmt = stage_format(self.tensor(tensor.name, tensor.record))
        return Number(tensor.entry(**coords), fmt, size=size or self.theme.body_size, color=color or self.theme.ink)
