"""What one program of a fused kernel has at hand: its tiles as grids, each bound to a step of the record.

A program computes one query tile; K and V stream past it. Where its grids stand is said by a `Bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import manim

from attnviz.colors import ColorScale
from attnviz.mobjects.animations import Swap
from attnviz.mobjects.bench import Bench
from attnviz.mobjects.cells import DIM
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.mobjects.tiling import Tiling
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

NEAR, NAME = 0.06, 0.68  # units between a grid and its name; of a name's usual size
ROWS = {"running_max": "max", "rescale": "alpha", "running_sum": "sum"}  # stages of one number a row, and their places


class Program:
    """The grids of one query tile. `tensor` gives a stage of the record as drawn, `tokens` are those of both sides."""

    def __init__(self, tensor: Callable[[str], NamedTensor], tiling: Tiling, query_tile: int, bench: Bench,
                 tokens: tuple[Sequence[str], Sequence[str]], theme: Theme) -> None:
        self.tensor, self.tiling, self.query_tile = tensor, tiling, query_tile
        self.bench, self.tokens, self.theme = bench, tokens, theme
        self.visited = tiling.visited(query_tile)
        self.rows = tuple(range(len(tiling.queries(query_tile))))

    def on(self, bench: Bench) -> Program:
        """The same program with its grids elsewhere."""
        return Program(self.tensor, self.tiling, self.query_tile, bench, self.tokens, self.theme)

    def scale_of(self, stage: str) -> ColorScale:
        """The colour scale of a stage all through the film."""
        return stage_scale(self.tensor(stage), self.theme)

    def step(self, stage: str, key_tile: int) -> NamedTensor:
        """What a stage holds after the step of one key tile."""
        return self.tensor(stage).sel(query_tile=self.query_tile, key_tile=key_tile)

    def query(self) -> Matrix:
        """The tile of Q, with its tokens."""
        return self._matrix("query", self.tensor("query"), "query_pos", "head_dim", row_tokens=self.tokens[0],
                            row_positions=self.tiling.queries(self.query_tile))

    def key(self, key_tile: int) -> Matrix:
        """A tile of K, transposed, with its tokens."""
        matrix = self._matrix("key", self.tensor("key"), "head_dim", "key_pos", column_tokens=self.tokens[1],
                              column_positions=self.tiling.keys(key_tile))
        return self._named(matrix, "key")

    def value(self, key_tile: int) -> Matrix:
        """A tile of V, with its tokens."""
        matrix = self._matrix("value", self.tensor("value"), "key_pos", "value_dim", row_tokens=self.tokens[1],
                              label_role="value", row_positions=self.tiling.keys(key_tile))
        return self._named(matrix, "value")

    def scores(self, key_tile: int) -> Matrix:
        """The scores of one tile against the other."""
        columns = tuple(range(len(self.tiling.keys(key_tile))))
        return self._matrix("scores", self.step("tile_scores", key_tile), "row", "column", row_positions=self.rows,
                            column_positions=columns)

    def state(self, stage: str, key_tile: int) -> Matrix:
        """What is carried along for every row, after the step of one key tile: a number each, or the accumulator."""
        columns = "value_dim" if stage == "accumulator" else None
        return self._matrix(ROWS.get(stage, stage), self.step(stage, key_tile), "row", columns,
                            row_positions=self.rows)

    def swap(self, matrix: Matrix, stage: str, key_tile: int) -> Swap:
        """The numbers of a grid become those of a stage after the step of a key tile."""
        return Swap(matrix.grid, self.step(stage, key_tile), scale=self.scale_of(stage),
                    fmt=stage_format(self.tensor(stage)), run_time=self.theme.step)

    def rename(self, matrix: Matrix, stage: str) -> manim.AnimationGroup:
        """The name of another stage instead of the old one, as its numbers are swapped."""
        return matrix.rename(self.tensor(stage))

    def output(self) -> Matrix:
        """The tile of O, where V was."""
        matrix = self._matrix("value", self.tensor("output"), "query_pos", "value_dim",
                              row_positions=self.tiling.queries(self.query_tile))
        low = self.bench.at["accumulator"][1] + len(self.rows) * self.bench.cell[1]
        matrix.grid_to((self.bench.at["accumulator"][0], low + matrix.symbol.height + 0.1, 0))
        matrix.symbol_to(manim.UP)
        return matrix

    def _named(self, matrix: Matrix, block: str) -> Matrix:
        """The matrix with its name at the side that the bench keeps for it."""
        side = self.bench.sides[block]
        way = {"left": manim.LEFT, "right": manim.RIGHT, "up": manim.UP, "corner": manim.UP}[side]
        matrix.symbol.next_to(matrix.grid, way, buff=2 * NEAR)
        if side == "corner":
            matrix.symbol.align_to(matrix.grid, manim.RIGHT)
        return matrix

    def _matrix(self, place: str, tensor: NamedTensor, rows: str | None, columns: str | None, *,
                row_positions: Sequence[int] | None = None, column_positions: Sequence[int] | None = None,
                **labels: Any) -> Matrix:
        grid = Grid(tensor, rows, columns, scale=self.scale_of(tensor.name), fmt=stage_format(self.tensor(tensor.name)),
                    cell=self.bench.cell, row_positions=row_positions, column_positions=column_positions,
                    theme=self.theme)
        matrix = Matrix(grid, self.theme, symbol_side=manim.DOWN, room=self.bench.label_room, **labels)
        matrix.symbol.scale(NAME)
        matrix.symbol.next_to(grid, manim.DOWN, buff=NEAR)
        matrix.grid_to(self.bench.at[place])
        return matrix


def faint(*matrices: Matrix | None) -> list[Any]:
    """Animations that take back what is not spoken of at the moment; what is not there yet is passed over."""
    return [matrix.grid.animate.dim_cells(to=DIM) for matrix in matrices if matrix]


def bright(*matrices: Matrix | None) -> list[Any]:
    """Animations that bring forward what is spoken of; what is not there yet is passed over."""
    return [matrix.grid.animate.dim_cells(to=1) for matrix in matrices if matrix]


def ran_as(provenance: Mapping[str, Any]) -> str:
    """How the kernel of a record ran: `stand_in` (the torch path, without Triton), `interpreted` or `compiled`."""
    return "stand_in" if provenance["stand_in"] else "interpreted" if provenance["interpreted"] else "compiled"
