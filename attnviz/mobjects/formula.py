"""The attention formula, lit up part by part in step with the picture.

The parts are nested as the computation is: scores inside scale inside softmax inside output.
"""

from __future__ import annotations

import manim

from attnviz import text
from attnviz.theme import PIXEL, Theme

_SOURCE = (
    'part("output", O) med = med part("blend", part("softmax", op("softmax") ('
    'part("scale", (part("scores", part("query", Q) thin part("key", K)^(sans(upright(T))))) / sqrt(d_k)) )) '
    'med part("value", V))'
)
_ROLES = ("query", "key", "value", "output")


class AttentionFormula(manim.VGroup):
    """O = softmax(QKᵀ/√d_k) V, dim at first. `light` brings one part forward; what was lit before stays readable."""

    def __init__(self, theme: Theme, *, size: float | None = None) -> None:
        super().__init__()
        self.theme = theme
        self.formula = text.math(_SOURCE, size=size or theme.formula_size, color=theme.muted)
        self.cursor = self._frame("blend").set_opacity(0)
        self.add(self.cursor, self.formula)

    def light(self, part: str) -> manim.AnimationGroup:
        """An animation that colours `part` and moves the frame around it; InputError if there is no such part."""
        changes = [manim.ApplyMethod(glyph.set_color, color) for glyph, color in self._lit(part)]
        move = manim.Transform(self.cursor, self._frame(part))
        return manim.AnimationGroup(*changes, move, group=self)  # Manim takes apart what it is not told is one

    def _frame(self, part: str) -> manim.VMobject:
        target = self.formula.part(part)
        grown = self.formula.em / (self.formula.size * PIXEL)  # since it was made: the frame is as much larger
        frame = manim.SurroundingRectangle(target, buff=0.05 * grown, corner_radius=0.06)
        accent = self.theme.accent
        return frame.set_style(stroke_color=accent, stroke_width=2, fill_color=accent, fill_opacity=0.05)

    def _lit(self, part: str) -> list[tuple[manim.Mobject, str]]:
        glyphs = self.formula.part(part).submobjects
        colors = {id(glyph): self.theme.ink for glyph in glyphs}
        for role in _ROLES:
            colors |= {id(glyph): self.theme.role(role) for glyph in self.formula.part(role).submobjects}
        return [(glyph, colors[id(glyph)]) for glyph in glyphs]
