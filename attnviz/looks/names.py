"""Whether Q, K and V can be told apart without colour: each matrix of theirs has a name or labels beside it.

Masked cells are looked at where contrast is measured. What the names say is no matter here: a table gives them.
"""

from __future__ import annotations

import math

from attnviz.looks.finding import Measured
from attnviz.looks.view import View, named
from attnviz.mobjects.naming import StageName
from attnviz.onscreen import Box, Thing
from attnviz.theme import stage_role

NEAR = 0.6  # units from a matrix: beyond labels there may still be its name
COLOURED = ("query", "key", "value")
NAME_BEYOND = 2.0  # units: a name may stand on the far side of long labels


def names(view: View) -> list[Measured]:
    """For each matrix of queries, keys or values how far from it the nearest words are that are not another's name."""
    return [Measured("colour alone", named(thing), _nearest(view, thing), NEAR, " units to words beside it", thing.box,
                     "show its name or labels", at_most=True)
            for thing in view.grids if _needs_name(thing)]


def _needs_name(thing: Thing) -> bool:
    cells = thing.mobject.cells
    return all(cells.axes) and stage_role(cells.tensor.name) in COLOURED


def _nearest(view: View, grid: Thing) -> float:
    distances = [_distance(grid, text) for text in view.texts if _speaks_of(text, grid)]
    return min(distances, default=math.inf)


def _distance(grid: Thing, text: Thing) -> float:
    apart = gap(grid.box, text.box)
    is_its_name = any(isinstance(kin, StageName) for kin in text.kin)
    return 0.0 if is_its_name and apart <= NAME_BEYOND else apart


def _speaks_of(text: Thing, grid: Thing) -> bool:
    """Whether a text may be about a grid: not if it is the name of another stage."""
    name = next((kin for kin in text.kin if isinstance(kin, StageName)), None)
    return name is None or name.stage.name == grid.mobject.cells.tensor.name


def gap(one: Box, other: Box) -> float:
    """How far two boxes are apart; 0 where they meet."""
    across = max(one.left - other.right, other.left - one.right, 0.0)
    down = max(one.bottom - other.top, other.bottom - one.top, 0.0)
    return math.hypot(across, down)
