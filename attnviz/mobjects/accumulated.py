"""The values of the block that a pass reads, and below them the accumulator that they are added to.

Every number is an entry of a record. Which block is read, and when, is a scene's: see `running` for the pass itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim

from attnviz.mobjects.animations import Swap
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.places import LARGEST_CELL
from attnviz.mobjects.running import NAME_ROOM, WIDE, OnePass, Tensors
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

AROUND = 2.6  # of cells: the height of a name, a gap and the accumulator, around the rows of values
NAME_GAP = 0.1  # units between the name and the values
FEW, MANY = 2, 4  # rows of values that there is room for at least, and beyond which only their own cells get lower


class Accumulated:
    """The values of a block, row below row, and below them the accumulator, column under column."""

    def __init__(self, one_pass: OnePass, tensor: Tensors, tokens: Sequence[str], theme: Theme) -> None:
        self._pass, self._tensor, self._tokens, self.theme = one_pass, tensor, tokens, theme
        region = one_pass.places.other
        self.whole = tensor("accumulator", one_pass.steps("accumulator").record)
        self._width = min(WIDE * LARGEST_CELL[0], (region.width - 3 * NAME_ROOM) / self.whole.size("value_dim"))
        rows = max(FEW, *map(len, one_pass.reading.blocks))
        self._highest, self._high = (min(LARGEST_CELL[1], region.height / (AROUND + few))
                                     for few in (FEW, min(rows, MANY)))
        self._low = min(self._high, (region.height - AROUND * self._high) / rows)
        self.scale, self.fmt = stage_scale(self.whole, theme), stage_format(self.whole)
        self.grid = self.row(self.after(0), self._high)
        below_middle = (AROUND - 1) * self._high + rows * self._low
        self.grid.move_to((region.x, region.y - below_middle / 2, 0))
        self.name = StageName(self.after(0), theme)
        self.name.scale(min(1.0, 0.9 * NAME_ROOM / self.name.width)).next_to(self.grid, manim.LEFT, buff=0.15)

    def after(self, tile: int) -> NamedTensor:
        """The accumulator after a block."""
        return self._pass.steps("accumulator").sel(key_tile=tile)

    def row(self, tensor: NamedTensor, high: float | None = None) -> Grid:
        """A row of outputs in the accumulator's colours where it is one, in its own stage's where not.

        It is as high as where blocks are small, unless said.
        """
        own = tensor.name == self.whole.name
        scale = self.scale if own else stage_scale(tensor, self.theme)
        cell = self._width, high or self._highest
        return Grid(tensor, None, "value_dim", scale=scale, fmt=self.fmt, cell=cell, theme=self.theme)

    def swap_to(self, tile: int) -> manim.Animation:
        """An animation: the accumulator after a block; after the first it comes, with its name."""
        if not tile:
            return manim.FadeIn(self.grid, self.name)
        return Swap(self.grid, self.after(tile), scale=self.scale, fmt=self.fmt, run_time=self.theme.step)

    def values(self, tile: int) -> manim.Group:
        """The values of a block's keys, above the accumulator, with their words and the stage's name."""
        whole, keys = self._tensor("value", "sdpa"), self._pass.reading.blocks[tile]
        grid = Grid(whole, "key_pos", "value_dim", scale=stage_scale(whole, self.theme), fmt=stage_format(whole),
                    row_positions=sorted(keys), cell=(self._width, self._low), theme=self.theme)
        grid.next_to(self.grid, manim.UP, buff=0.6 * self._high)
        labels = TokenLabels(self._tokens, grid, side="left", color=self.theme.role("value"), room=NAME_ROOM * 1.6)
        name = StageName(whole, self.theme)
        name.scale(min(1.0, (self._high - NAME_GAP) / name.height)).next_to(grid, manim.UP, buff=NAME_GAP)
        return manim.Group(grid, labels, name)

