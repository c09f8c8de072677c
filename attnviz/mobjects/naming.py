"""The names of stages as they stand beside a picture: taken from the tables, never from a scene.

Here a table's symbol becomes mathematics. Where a name stands is no matter here.
"""

from __future__ import annotations

import re
from typing import Any

import manim

from attnviz import text
from attnviz.text.owner import own
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

TRANSPOSED = "^(sans(upright(T)))"
_SIGNS = {"ᵀ": TRANSPOSED, "·": " dot ", "−": " - ", "′": "'", "‖": " bar.v.double ", "Δ": " Delta ", "α": "alpha",
          "σ": "sigma"}  # fmt: skip
_PIECE = re.compile(r"[A-Z]{2,}(?=ᵀ)|[A-Za-z]\u0303|[A-Za-z]+|.")


def maths(symbol: str) -> str:
    """A table's symbol (`QKᵀ`, `W^Q`, `max |O − O′|`) in Typst's notation."""
    return re.sub(" +", " ", "".join(map(_piece, _PIECE.findall(symbol)))).strip()


def _piece(piece: str) -> str:
    if piece.endswith("\u0303"):
        return f"tilde({piece[0]})"
    if len(piece) == 1:
        return _SIGNS.get(piece, piece)
    return " ".join(piece) if piece.isupper() else f' op("{piece}") '


class StageName(manim.VGroup):
    """The symbol of the stage that `tensor` is of, in its colour; `is_transposed` where its two axes are exchanged."""

    def __init__(self, tensor: NamedTensor, theme: Theme, *, is_transposed: bool = False) -> None:
        self.record, self.stage, self.is_transposed = tensor.record, tensor.stage, is_transposed
        source = maths(tensor.symbol) + TRANSPOSED * is_transposed
        self.formula = text.math(source, size=theme.formula_size, color=theme.stage_color(tensor.name))
        super().__init__(self.formula)
        own(self, self.submobjects)

    @property
    def em(self) -> float:
        """The em of the name as it stands now, in units."""
        return float(self.formula.em)

    def describe(self) -> dict[str, Any]:
        """Which stage it names, as plain JSON values."""
        return {"type": "name", "record": self.record, "stage": self.stage.name, "transposed": self.is_transposed}
