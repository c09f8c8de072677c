"""The sign between each row of a map and its sum: that the shown digits add up to it, or do so but for rounding.

Signs and their places only; neither grid is changed.
"""

from __future__ import annotations

import manim

from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Bound
from attnviz.mobjects.relation import Claim, Relation
from attnviz.mobjects.stages import stage_format
from attnviz.theme import Theme
from attnviz.trace import NamedTensor


def row_signs(rows: Grid, sums: Grid, theme: Theme) -> manim.Group:
    """A sign before each of the `sums`, a column to the right of `rows`; none where either shows no digits."""
    if not rows.digit_size or not sums.digit_size:
        return manim.Group()
    between = (rows.get_right()[0] + sums.get_left()[0]) / 2
    signs = []
    for position in sums.cells.positions[0]:
        terms = tuple(Bound(rows.entry(position, column), rows.cells.format) for column in rows.cells.positions[1])
        claim = Claim("sum", terms, Bound(sums.entry(position, 0), sums.cells.format))
        sign = Relation("", [claim], size=theme.caption_size, color=theme.muted)
        signs.append(sign.move_to((between, sums.row(position).get_y(), 0)))
    return manim.Group(*signs)


def is_hidden_by_rounding(sums: NamedTensor) -> bool:
    """Whether some sum before the last falls short of one, but not of what is written for one."""
    fmt = stage_format(sums)
    return any(fmt.text(float(value)) == fmt.text(1.0) for value in sums.values[:-1])
