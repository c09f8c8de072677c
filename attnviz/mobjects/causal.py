"""What a causal mask makes of a map's cells: the past dim, the hidden ones faint, each word's own one framed.

A grid's looks only; no number is shown or changed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attnviz.mobjects.grid import Grid


def dim_the_past(grid: Grid) -> Any:
    """The words up to each row's own become faint, and those that come later stay bright."""
    dimmed = grid.animate
    for row in grid.cells.positions[0]:
        dimmed = dimmed.dim_cells(rows=[row], columns=range(row + 1))
    return dimmed


def see_more(grid: Grid, most: int) -> Iterator[Any]:
    """To be played one by one: each row's words up to its own become bright and its own framed, a row at a time.

    Of more than `most` rows several come at once.
    """
    rows = grid.cells.positions[0]
    at_once = -(-len(rows) // most)
    for first in rows[::at_once]:
        seen = grid.animate
        for row in rows[first:first + at_once]:
            seen = seen.dim_cells(rows=[row], columns=range(row + 1), to=1).highlight(rows=[row], columns=[row])
        yield seen


def fade_hidden(grid: Grid) -> Any:
    """Cells of minus infinity become faint, and stay so when they are swapped for weights of zero."""
    fading = grid.animate
    for row, hidden in enumerate(grid.cells.masked):
        fading = fading.dim_cells(rows=[row], columns=[place for place, is_one in enumerate(hidden) if is_one])
    return fading


def frame_itself(grid: Grid) -> Any:
    """A frame around what each of the last words gives to itself."""
    framed, (rows, columns) = grid.animate, grid.cells.shape
    for row in range(rows):
        framed = framed.highlight(rows=[row], columns=[columns - rows + row])
    return framed


def frame_last(grid: Grid) -> Grid:
    """The grid, with a frame around its last row: one that is yet to appear appears with it."""
    return grid.highlight(rows=grid.cells.positions[0][-1:])


def without_key(grid: Grid) -> list[int]:
    """The rows of masked scores in which nothing is allowed."""
    return [row for row, is_empty in enumerate(grid.cells.masked) if is_empty.all()]
