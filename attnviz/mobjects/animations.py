"""The animations that are ours: cells that appear in order, and numbers that are swapped, never counted up.

At every moment a shown number is whole, and either the old one or the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import manim
import numpy as np

from attnviz.colors import ColorScale
from attnviz.mobjects.cells import Array, between
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number
from attnviz.numbers import NumberFormat
from attnviz.text import Typed
from attnviz.theme import DARK
from attnviz.trace import Entry, NamedTensor

OVERLAP = 2.5  # how many cells, or rows, are on their way at one time


class Swap(manim.Animation):
    """The grid's numbers go out and those of another tensor come in, cell by cell in place; colours cross over.

    Afterwards the grid is bound to `tensor`. InputError when built, if the tensor has other axes or sizes.
    """

    def __init__(
        self,
        grid: Grid,
        tensor: NamedTensor,
        *,
        scale: ColorScale | None = None,
        fmt: NumberFormat | None = None,
        run_time: float = DARK.slow,
        **options: Any,
    ) -> None:
        self.grid, self.end = grid, grid.bound_to(tensor, scale, fmt)
        super().__init__(grid, run_time=run_time, **options)

    def begin(self) -> None:
        """Take the look that the grid has when the play begins."""
        self.start = self.grid.cells
        self.end = self.end.looking_like(self.start)
        super().begin()

    def interpolate_mobject(self, alpha: float) -> None:
        """Old digits fade in the first half, new ones appear in the second."""
        share = _within(self.rate_func(alpha))
        digits = self.start if share < 0.5 else self.end
        mixed = between(replace(digits, fill=self.start.fill), replace(digits, fill=self.end.fill), share)
        clear = np.float32(abs(1 - 2 * share))
        self.grid.cells = self.end if share >= 1 else replace(mixed, digit_opacity=digits.digit_opacity * clear)


class Handover(manim.LaggedStart):
    """A grid (None: no grid) leaves the scene while `parts` are animated, and `successor` stands there afterwards.

    `passed` are mobjects that the parts may be seen over on their way: the matrix that they come from.
    """

    passed: Sequence[manim.Mobject] = ()

    def __init__(
        self, grid: Grid | None, parts: manim.Group, successor: Grid, steps: Sequence[manim.Animation], **options: Any
    ) -> None:
        self.leaving, self.parts, self.successor = grid, parts, successor
        super().__init__(*steps, **options)

    def _setup_scene(self, scene: manim.Scene) -> None:
        if self.leaving is not None:
            scene.remove(self.leaving)
        super()._setup_scene(scene)

    def clean_up_from_scene(self, scene: manim.Scene) -> None:
        """Put the successor in the place of the parts."""
        super().clean_up_from_scene(scene)
        scene.remove(*self.parts, self.parts)
        scene.add(self.successor)


class _SwapBlocks(Handover):
    """`Swap`, block after block of a grid: each keeps its old numbers until its turn, and has the new ones after it."""

    def __init__(self, grid: Grid, tensor: NamedTensor, scale: ColorScale | None, blocks: Sequence[Grid],
                 **options: Any) -> None:
        self.end = grid.bound_to(tensor, scale)
        swaps = [Swap(block, tensor, scale=self.end.scale, fmt=self.end.format) for block in blocks]
        super().__init__(grid, manim.Group(*blocks), grid, swaps, **options)

    def clean_up_from_scene(self, scene: manim.Scene) -> None:
        """The whole grid comes back, now bound to the new tensor."""
        self.successor.cells = self.end.looking_like(self.successor.cells)
        super().clean_up_from_scene(scene)


class SwapRows(_SwapBlocks):
    """`Swap`, row after row."""

    def __init__(
        self, grid: Grid, tensor: NamedTensor, *, scale: ColorScale | None = None, run_time: float = 2 * DARK.slow
    ) -> None:
        rows, columns = grid.cells.shape
        blocks = [grid.block([row], list(range(columns))) for row in range(rows)]
        super().__init__(grid, tensor, scale, blocks, lag_ratio=0.6, run_time=run_time)


class SwapCells(_SwapBlocks):
    """`Swap`, cell after cell in reading order, so that hardly a digit is away at any moment.

    Cells without digits are swapped in as many steps as there are rows.
    """

    def __init__(
        self, grid: Grid, tensor: NamedTensor, *, scale: ColorScale | None = None, run_time: float = DARK.slow
    ) -> None:
        rows, columns = grid.cells.shape
        together = [[column] for column in range(columns)] if grid.digit_size else [list(range(columns))]
        blocks = [grid.block([row], part) for row in range(rows) for part in together]
        super().__init__(grid, tensor, scale, blocks, lag_ratio=1 / OVERLAP, run_time=run_time)


class _Fill(manim.Animation):
    """Cells appear in the order of `ranks` (one for each cell; -1 for cells that stay as they are).

    Where some cells of the order are hidden and others are there already, only the hidden ones come.
    """

    def __init__(self, grid: Grid, ranks: Array, run_time: float, **options: Any) -> None:
        self.grid, self.ranks = grid, ranks
        super().__init__(grid, run_time=run_time, introducer=True, rate_func=manim.linear, **options)

    def begin(self) -> None:
        """Hidden cells of the order will be bright, others as they are."""
        cells = self.grid.cells
        hidden = (self.ranks >= 0) & (cells.opacity == 0)
        if hidden.any():
            self.ranks = np.where(hidden, self.ranks, -1)
        self.end = cells.with_opacity(hidden, 1.0)
        super().begin()

    def interpolate_mobject(self, alpha: float) -> None:
        """Each cell is hidden before its turn, and complete after it."""
        if self.rate_func(alpha) >= 1:
            self.grid.cells = self.end
            return
        last = max(int(self.ranks.max(initial=0)), 0)
        turn = np.clip((self.rate_func(alpha) * (last + OVERLAP) - self.ranks) / OVERLAP, 0, 1)
        shown = np.where(self.ranks < 0, 1, turn * turn * (3 - 2 * turn)).astype(np.float32)
        looks = {name: getattr(self.end, name) * shown for name in ("opacity", "digit_opacity", "highlight")}
        self.grid.cells = replace(self.end, **looks)


class FillRows(_Fill):
    """The rows at these positions (None: all) appear from the top down."""

    def __init__(
        self, grid: Grid, rows: Iterable[int] | None = None, run_time: float = DARK.slow, **options: Any
    ) -> None:
        chosen = grid.cells.where(rows, None)
        ranks = np.cumsum(chosen.any(axis=1)) - 1
        super().__init__(grid, np.where(chosen, ranks[:, None], -1), run_time, **options)


class FillCells(_Fill):
    """The cells at these positions (None: all) appear one after another, in reading order."""

    def __init__(
        self,
        grid: Grid,
        rows: Iterable[int] | None = None,
        columns: Iterable[int] | None = None,
        run_time: float = DARK.slow,
        **options: Any,
    ) -> None:
        chosen = grid.cells.where(rows, columns)
        ranks = np.cumsum(chosen).reshape(chosen.shape) - 1
        super().__init__(grid, np.where(chosen, ranks, -1), run_time, **options)


class SwapNumber(manim.Animation):
    """A number's digits go out and those of another entry come in, in the same place; it is then bound to `entry`."""

    def __init__(self, number: Number, entry: Entry, run_time: float = DARK.step, **options: Any) -> None:
        self.number, self.old, self.new = number, number.copy(), number.other(entry)
        super().__init__(number, run_time=run_time, **options)

    def begin(self) -> None:
        """Take the place that the number has when the play begins."""
        self.old, self.new = self.number.copy(), self.number.other(self.new.entry)
        super().begin()

    def interpolate_mobject(self, alpha: float) -> None:
        """Old digits fade in the first half, new ones appear in the second."""
        share = _within(self.rate_func(alpha))
        self.number.show_as(self.old if share < 0.5 else self.new, abs(1 - 2 * share))


def _within(rate: float) -> float:
    """How far a play is, 0 to 1, whatever its rate function makes of it: no opacity lies beyond."""
    return min(max(float(rate), 0.0), 1.0)


def shade(parts: manim.Group, opacity: float) -> manim.AnimationGroup:
    """An animation: all texts in `parts` become as opaque as said; a plain group of Manim's would not pass it on."""
    texts = [part for part in parts.get_family() if isinstance(part, Typed)]
    changes = [manim.ApplyMethod(typed.set_opacity, opacity) for typed in texts]
    return manim.AnimationGroup(*changes, group=parts)  # Manim takes apart what it is not told is one
