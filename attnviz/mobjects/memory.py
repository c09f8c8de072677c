"""The two memories of a GPU as places on screen: what lies in the large one, and where the small one keeps its tiles.

Places, headings and sizes only: what moves between them is played by a scene, and no byte is counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.places import Point
from attnviz.mobjects.stages import stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

MARGIN = 0.14  # units between the rim of a place and what lies in it
HEADING = 0.42  # units for the heading of a place
NAMES = 0.36  # units above matrices, for names
SHARE = 0.26  # of the width that the large memory takes, where it stands beside the small one
HIGH = 0.22  # of the height, where it stands above
FOOT = 0.6  # units at the bottom of a place, for the rule at work
STRIP = 0.54  # units for what is counted, below or between both
NEAR = 0.06  # units between a matrix and its name
SMALL = 0.6  # of a name's usual size


class Place(manim.VGroup):
    """A memory: a rim, its name, and in what it differs from the other, in words."""

    def __init__(self, region: Region, name: str, words: str, theme: Theme) -> None:
        self.region = region
        self.rim = manim.RoundedRectangle(width=region.width - 0.05, height=region.height - 0.05, corner_radius=0.14,
                                          stroke_width=3, color=theme.muted).move_to(region.center)
        room = region.width - 2 * MARGIN
        self.heading = text.line(name, size=theme.label_size, weight="semibold", color=theme.ink)
        self.words = text.fitted(words, width=max(room - self.heading.width - 0.25, 0.5), size=theme.small_size,
                                 color=theme.muted) if words else manim.VGroup()
        self.heading.move_to((region.left + MARGIN, region.top - HEADING / 2 - 0.05, 0), aligned_edge=manim.LEFT)
        self.words.next_to(self.heading, manim.RIGHT, buff=0.2)
        super().__init__(self.rim, self.heading, self.words)

    @property
    def inside(self) -> Region:
        """The room below the heading."""
        region = self.region
        height = region.height - HEADING - MARGIN
        return Region(region.x, region.bottom + MARGIN + height / 2, region.width - 2 * MARGIN, height)


    @property
    def foot(self) -> Region:
        """The room at the bottom, for the rule at work."""
        inside = self.inside
        return Region(inside.x, inside.bottom + FOOT / 2, inside.width, FOOT)

    @property
    def above_foot(self) -> Region:
        """The room between heading and foot."""
        inside = self.inside
        return Region(inside.x, inside.y + FOOT / 2, inside.width, inside.height - FOOT)


def split(whole: Region, *, beside: bool) -> tuple[Region, Region, Region]:
    """The regions of the large memory, of the small one, and of the strip where bytes are counted."""
    if beside:
        strip = Region(whole.x, whole.bottom + STRIP / 2, whole.width, STRIP)
        rest = Region(whole.x, whole.y + STRIP / 2, whole.width, whole.height - STRIP)
        left = SHARE * rest.width
        return (Region(rest.left + left / 2, rest.y, left, rest.height),
                Region(rest.right - (rest.width - left - 0.15) / 2, rest.y, rest.width - left - 0.15, rest.height),
                strip)
    high = HIGH * whole.height
    low = whole.height - high - STRIP
    return (Region(whole.x, whole.top - high / 2, whole.width, high),
            Region(whole.x, whole.bottom + low / 2, whole.width, low),
            Region(whole.x, whole.top - high - STRIP / 2, whole.width, STRIP))


def in_columns(region: Region, rows: int, widths: Sequence[int]) -> tuple[tuple[float, float], list[Point]]:
    """The cell and the centres of matrices side by side, `rows` at most, their names above them."""
    gap, room = 0.3, region.height - NAMES
    cell = (min((region.width - gap * (len(widths) - 1)) / sum(widths), 0.5), min(room / rows, 0.42))
    x, points = region.x - (sum(widths) * cell[0] + gap * (len(widths) - 1)) / 2, []
    for width in widths:
        points.append((x + width * cell[0] / 2, region.bottom + room / 2, 0.0))
        x += width * cell[0] + gap
    return cell, points


class LargeMemory:
    """Q, K, V and O of a record in the large memory, in shades: `query`, `key`, `value`, `output`, each a matrix.

    O is hidden at first; `empty` marks its place, and says so in words. `tensor` gives a stage as drawn.
    """

    def __init__(self, tensor: Callable[[str], NamedTensor], place: Place, empty: str, theme: Theme) -> None:
        tensors = [tensor(stage) for stage in ("query", "key", "value", "output")]
        cell, points = in_columns(place.inside, max(t.values.shape[0] for t in tensors),
                                  [t.values.shape[1] for t in tensors])
        matrices = []
        for one, point in zip(tensors, points, strict=True):
            grid = Grid(one, one.axes[0], one.axes[1], scale=stage_scale(one, theme), cell=cell, theme=theme)
            matrix = Matrix(grid, theme)
            matrix.symbol.scale(SMALL)
            matrix.symbol.next_to(grid, manim.UP, buff=NEAR)
            matrix.grid_to(point)
            matrices.append(matrix)
        self.query, self.key, self.value, self.output = matrices
        self.empty = self._empty(self.output.grid, empty, theme)
        self.output.grid.dim_cells(to=0)
        self.inputs = manim.Group(self.query, self.key, self.value)

    def _empty(self, grid: Grid, words: str, theme: Theme) -> manim.VGroup:
        rim = manim.DashedVMobject(manim.Rectangle(width=grid.width, height=grid.height, stroke_width=2,
                                                   color=theme.muted), num_dashes=36).move_to(grid)
        said = text.fitted(words, width=grid.width + 0.25, size=theme.small_size, color=theme.muted)
        return manim.VGroup(rim, said.next_to(grid, manim.UP, buff=0.12))
