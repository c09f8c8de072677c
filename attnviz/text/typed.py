"""Mobjects made of outlines: a line, a paragraph, a formula. Each keeps the box it was set in.

The box is held in the group's own points as two curves without length: nothing is drawn for it, but it moves
and scales with the glyphs, so that centres and baselines of different words agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import manim
import numpy as np

from attnviz.errors import InputError
from attnviz.text.outline import Mark, Points
from attnviz.text.owner import own
from attnviz.theme import PIXEL

LINE_WIDTH = 0.01  # of a unit: what one step of Manim's stroke width is on screen


class Glyph(manim.VMobject):
    """One glyph or rule of a text."""


class Typed(manim.VGroup):
    """Glyphs in drawing order inside a box.

    `text` is what was set, `source` the page that Typst set (none for numbers), `size` its em in pixels at 1080 lines
    when made, `baseline` the y of the (first) line. `reason` says why digits in it, if any, are bound to no entry.
    """

    reason: str = ""
    glyph: ClassVar[type[Glyph]] = Glyph

    def __init__(
        self, marks: Sequence[Mark], box: Points, color: str, *, text: str, size: float, source: str = ""
    ) -> None:
        super().__init__(stroke_width=0)
        self.text, self.size, self.source = text, size, source
        self._diagonal = float(np.hypot(*(box[1] - box[0]))) * size * PIXEL
        self._descent_share = -box[0, 1] / (box[1, 1] - box[0, 1])
        unit = size * PIXEL
        self.points = np.repeat(spatial(box * unit), 4, axis=0)
        self.add(*(self._outline(mark, unit, color) for mark in marks))
        own(self, self.submobjects)
        self.center()

    def _outline(self, mark: Mark, unit: float, color: str) -> manim.VMobject:
        stroke = mark.stroke * unit / LINE_WIDTH
        mobject = self.glyph(color=color, stroke_width=stroke, fill_opacity=0.0 if stroke else 1.0)
        mobject.points = spatial(mark.points * unit)
        return mobject

    def __iter__(self) -> Iterator[manim.VMobject]:
        """The glyphs; the box is left out, here and in `len` and indices."""
        return iter(self.submobjects)

    def __len__(self) -> int:
        return len(self.submobjects)

    def __getitem__(self, key: Any) -> Any:
        return manim.VGroup(*self.submobjects[key]) if isinstance(key, slice) else self.submobjects[key]

    @property
    def baseline(self) -> float:
        """The y on which the letters stand."""
        bottom, top = self.points[0, 1], self.points[-1, 1]
        return float(bottom + self._descent_share * (top - bottom))

    @property
    def em(self) -> float:
        """The em as the text stands now, in units."""
        return float(self.size * PIXEL * np.linalg.norm(self.points[-1] - self.points[0]) / self._diagonal)

    def on_baseline(self, y: float) -> Self:
        """Move vertically until the letters stand on `y`."""
        self.shift((y - self.baseline) * manim.UP)
        return self

    def describe(self) -> dict[str, Any]:
        """What is written here and where, as plain JSON values."""
        (x, y, _), shades = self.get_center(), [float(glyph.fill_rgbas[0, 3]) for glyph in self.submobjects]
        kind = {"type": "literal", "reason": self.reason} if self.reason else {"type": "text"}
        return {**kind, "text": self.text, "center": [float(x), float(y)], "width": self.width,
                "height": self.height, "em": self.em, "opacity": round(max(shades, default=0.0), 3)}


class Formula(Typed):
    """A formula whose named parts can be coloured, boxed or moved by themselves."""

    def __init__(self, *args: Any, parts: Mapping[str, Sequence[int]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._parts = {name: tuple(places) for name, places in parts.items()}

    def part(self, name: str) -> manim.VGroup:
        """The glyphs and rules of one named part; InputError for a name that the formula has not."""
        if name not in self._parts:
            raise InputError(f"the formula has no part {name!r}: its parts are {', '.join(self._parts) or 'none'}")
        return manim.VGroup(*(self.submobjects[place] for place in self._parts[name]))


def spatial(points: Points) -> Points:
    """(n, 2) points as (n, 3)."""
    return np.concatenate([points, np.zeros((len(points), 1))], axis=1)
