"""The attention formula, lit up part by part in step with the picture.

The parts are nested as the computation is: scores inside scale inside softmax inside output.
"""

from __future__ import annotations

import manim

from attnviz import text
from attnviz.theme import Theme

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
        return manim.AnimationGroup(*changes, manim.Transform(self.cursor, self._frame(part)))

    def _frame(self, part: str) -> manim.VMobject:
        target = self.formula.part(part)
        frame = manim.SurroundingRectangle(target, buff=0.05, corner_radius=0.06)
        return frame.set_style(stroke_width=0, fill_color=self.theme.accent, fill_opacity=0.16)

    def _lit(self, part: str) -> list[tuple[manim.Mobject, str]]:
        glyphs = self.formula.part(part).submobjects
        colors = {id(glyph): self.theme.ink for glyph in glyphs}
        for role in _ROLES:
            colors |= {id(glyph): self.theme.role(role) for glyph in self.formula.part(role).submobjects}
        return [(glyph, colors[id(glyph)]) for glyph in glyphs]
