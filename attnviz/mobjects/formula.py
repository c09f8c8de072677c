"""Formulas with a cursor: lit up part by part in step with the picture, so that a viewer knows where we are.

`CursorFormula` is any formula with named parts, `AttentionFormula` the one of this project. Its parts are nested as the
computation is: scores inside scale inside mask inside softmax inside output.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz import text
from attnviz.theme import Theme

_SCORES = 'part("scale", (part("scores", part("query", Q) thin part("key", K)^(sans(upright(T))))) / sqrt(d_k))'
_SOURCE = (
    'part("output", O) thick = thick part("blend", part("softmax", op("softmax") (thin {inside} med) ) '
    'thick part("value", V))'
)
FRAME = 0.2  # em between a part and its frame, where beside, above and below it there is twice as much
ROUND = 0.2  # em: the radius of its corners, which would cut into a single letter if they did not get smaller with it


class CursorFormula(manim.VGroup):
    """A formula in Typst's notation with `part("name", ...)`, dim at first; `light` brings one part forward.

    What was lit before stays readable. Parts named in `roles` have the colour of their role once lit; `lit` is a part
    that is lit from the start; `reason` says why digits in it are bound to no entry.
    """

    def __init__(self, source: str, theme: Theme, *, roles: Sequence[str] = (), size: float | None = None,
                 lit: str | None = None, reason: str = "") -> None:
        super().__init__()
        self.theme, self.roles = theme, tuple(roles)
        self.formula = text.math(source, size=size or theme.formula_size, color=theme.muted, reason=reason)
        unlit = manim.SurroundingRectangle(self.formula, color=theme.accent, buff=0).set_opacity(0)  # takes no room
        self.cursor = self._frame(lit) if lit else unlit
        for glyph, color in self._lit(lit) if lit else ():
            glyph.set_color(color)
        self.add(self.cursor, self.formula)

    def light(self, part: str) -> manim.AnimationGroup:
        """An animation that colours `part` and moves the frame around it; InputError if there is no such part."""
        changes = [manim.ApplyMethod(glyph.set_color, color) for glyph, color in self._lit(part)]
        move = manim.Transform(self.cursor, self._frame(part))
        return manim.AnimationGroup(*changes, move, group=self)  # Manim takes apart what it is not told is one

    def rest(self) -> manim.Animation:
        """An animation that takes the frame away: the formula is read, and stays lit."""
        return manim.ApplyMethod(self.cursor.set_opacity, 0)

    def _frame(self, part: str) -> manim.VMobject:
        target = self.formula.part(part)
        em = self.formula.em
        frame = manim.SurroundingRectangle(target, buff=self._air(target), corner_radius=ROUND * em)
        accent = self.theme.accent
        return frame.set_style(stroke_color=accent, stroke_width=2, fill_color=accent, fill_opacity=0.05)

    def _air(self, target: manim.VMobject) -> tuple[float, float]:
        """The room that a frame leaves to both sides and up and down: half of what there is to the nearest glyph."""
        names, gaps = {id(glyph) for glyph in target}, [2 * FRAME * self.formula.em] * 2
        for glyph in self.formula.submobjects:
            if id(glyph) not in names:
                apart = [float(abs(glyph.get_center()[axis] - target.get_center()[axis])
                               - (glyph.length_over_dim(axis) + target.length_over_dim(axis)) / 2) for axis in (0, 1)]
                for axis, other in ((0, 1), (1, 0)):
                    if apart[other] <= 0:
                        gaps[axis] = min(gaps[axis], apart[axis])
        return gaps[0] / 2, gaps[1] / 2

    def _lit(self, part: str) -> list[tuple[manim.Mobject, str]]:
        glyphs = self.formula.part(part).submobjects
        colors = {id(glyph): self.theme.ink for glyph in glyphs}
        for role in self.roles:
            colors |= {id(glyph): self.theme.role(role) for glyph in self.formula.part(role).submobjects}
        return [(glyph, colors[id(glyph)]) for glyph in glyphs]


class AttentionFormula(CursorFormula):
    """O = softmax(QKᵀ/√d_k) V, or with + M inside the softmax where `is_masked`.

    Parts: query, key, scores, scale, (mask, masked,) softmax, value, blend, output.
    """

    def __init__(self, theme: Theme, *, is_masked: bool = False, size: float | None = None,
                 lit: str | None = None) -> None:
        inside = f'part("masked", {_SCORES} thick + thick part("mask", M))' if is_masked else _SCORES
        super().__init__(_SOURCE.format(inside=inside), theme, roles=("query", "key", "value", "output"), size=size,
                         lit=lit)


class TemperedFormula(CursorFormula):
    """O = softmax(QKᵀ/(τ √d_k)) V, with its temperature as a part of its own. Parts: query, key, value, temperature."""

    def __init__(self, theme: Theme, *, lit: str | None = None) -> None:
        scores = 'part("query", Q) thin part("key", K)^(sans(upright(T)))'
        inside = f'({scores}) / (part("temperature", tau) thick sqrt(d_k))'
        super().__init__(f'O med = med op("softmax") (thin {inside} thin) med part("value", V)', theme,
                         roles=("query", "key", "value"), lit=lit)


class SlopeFormula(CursorFormula):
    """Δo ≈ J Δq: what a small push of the query does to the blend. Parts: output, slope, query."""

    def __init__(self, theme: Theme, *, lit: str | None = None) -> None:
        source = 'part("output", Delta o) thick approx thick part("slope", J thick part("query", Delta q))'
        super().__init__(source, theme, roles=("output", "query"), lit=lit)
