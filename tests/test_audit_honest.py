"""Honest scenes, which the audit must let pass: whatever a lecturer would do to draw attention to true numbers."""

from __future__ import annotations

from collections.abc import Callable

import manim
import pytest

from attnviz import text
from attnviz.mobjects import (
    Bars,
    ColorBar,
    FillCells,
    FillRows,
    Grid,
    Literal,
    Number,
    ShapeLabel,
    Swap,
    SwapNumber,
    TokenLabels,
)  # fmt: skip
from attnviz.mobjects.animations import SwapRows
from attnviz.mobjects.flow import Flow
from attnviz.mobjects.histogram import Histogram
from attnviz.mobjects.matrix import Matrix, Transpose
from attnviz.sdpa import trace_samples
from attnviz.theme import PIXEL
from tests.acting import Staged, stage
from tests.test_audit_lies import first_head, part_of_the_sentence, tile, tiled

Scene = Callable[[Staged], None]
HONEST: list[tuple[Scene, dict]] = []


def honest(**options):
    def enter(act: Scene) -> Scene:
        HONEST.append((act, options))
        return act

    return enter


@honest()
def fades_and_moves(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    scene.reveal(grid)
    scene.play(grid.animate.shift(manim.LEFT))
    scene.play(grid.animate.scale(0.7))
    scene.play(manim.FadeOut(grid, shift=manim.DOWN))
    scene.play(manim.GrowFromCenter(grid))
    scene.play(manim.Rotate(grid, manim.TAU))


@honest()
def dims_and_highlights(scene: Staged) -> None:
    grid = scene.grid("masked_scores")
    scene.play(FillRows(grid))
    scene.play(grid.animate.focus(rows=[2]))
    scene.play(grid.animate.highlight(rows=[2], columns=[0, 1]))
    scene.play(grid.animate.focus())
    scene.play(manim.Indicate(grid))
    scene.play(manim.Create(manim.SurroundingRectangle(grid.row(2))))


@honest()
def swaps_by_cell_and_by_row(scene: Staged) -> None:
    grid = scene.grid("dot_products")
    scene.play(FillCells(grid, rows=[0, 1]))
    scene.play(FillRows(grid))
    scene.play(Swap(grid, scene.tensor("scores")))
    scene.play(SwapRows(grid, scene.tensor("masked_scores")))
    scene.play(Swap(grid, scene.tensor("attn_weights"), rate_func=manim.there_and_back))


@honest()
def a_number_swapped_moved_and_framed(scene: Staged) -> None:
    number = Number(scene.one("attn_weights", query_pos=2, key_pos=0), size=60)
    scene.reveal(number)
    scene.play(SwapNumber(number, scene.one("attn_weights", query_pos=2, key_pos=1)))
    scene.play(number.animate.shift(manim.UP).scale(1.5))
    scene.play(manim.Circumscribe(number))
    scene.play(manim.Flash(number))
    scene.play(manim.TransformFromCopy(number, number.copy().shift(2 * manim.DOWN)))


@honest()
def a_cell_flies_out_of_its_grid(scene: Staged) -> None:
    grid = scene.grid("attn_weights").to_edge(manim.LEFT)
    copy = grid.cell(7, 1).copy()
    scene.reveal(grid)
    scene.play(copy.animate.move_to(3 * manim.RIGHT).scale(2))


@honest(case="cross")
def labels_names_legend_and_shape(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=0.6)
    labels = [TokenLabels(scene.data.query_tokens, grid), TokenLabels(scene.data.key_tokens, grid, side="top")]
    bar = ColorBar(grid.scale_used, theme=scene.theme).next_to(grid, manim.DOWN)
    scene.reveal(grid, *labels, bar, ShapeLabel(grid).next_to(bar, manim.DOWN))
    everything = manim.Group(grid, *labels, bar)
    scene.play(everything.animate.shift(manim.RIGHT))


@honest(records={"part": part_of_the_sentence()})
def words_of_a_record_about_some_positions(scene: Staged) -> None:
    grid = Grid(scene.tensor("masked_scores", "part"), theme=scene.theme)
    noted = scene.bundle["part"].provenance
    scene.reveal(Matrix(grid, scene.theme, row_tokens=noted["query_tokens"], column_tokens=noted["key_tokens"]))


@honest()
def labels_of_every_second_row_and_every_third_column(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=13 * PIXEL)
    labels = [TokenLabels(scene.data.query_tokens, grid), TokenLabels(scene.data.key_tokens, grid, side="top")]
    assert [one.every for one in labels] == [2, 3]
    scene.reveal(grid, *labels)
    scene.play(manim.Group(grid, *labels).animate.shift(manim.RIGHT))
    scene.play(manim.Group(grid, *labels).animate.scale(1.5))


@honest()
def a_matrix_transposed_and_renamed(scene: Staged) -> None:
    keys = Matrix(scene.grid("key", "key_pos", "head_dim", cell=0.4), scene.theme, row_tokens=scene.data.key_tokens)
    transposed = Matrix(scene.grid("key", "head_dim", "key_pos", cell=0.4), scene.theme, symbol_side=manim.LEFT)
    scene.reveal(keys)
    scene.play(manim.FadeOut(keys.symbol, keys.labels))
    scene.play(Transpose(keys.grid, transposed.grid))
    scene.play(manim.FadeIn(transposed.symbol))
    result = Matrix(scene.grid("dot_products", cell=0.4).shift(4 * manim.RIGHT), scene.theme)
    scene.reveal(result)
    scene.play(Swap(result.grid, scene.tensor("scores")), result.rename(scene.tensor("scores")))


@honest()
def arrows_that_the_computation_has(scene: Staged) -> None:
    scores, weights = (scene.grid(name, cell=0.4) for name in ("shifted_scores", "exp_scores"))
    scores.to_edge(manim.LEFT)
    weights.to_edge(manim.RIGHT)
    scene.reveal(scores, weights)
    scene.play(manim.GrowArrow(Flow(scores, weights, scene.theme)))


@honest(records={"samples": trace_samples(0, 50, 4, (16,), bins=8)})
def bars_that_grow_and_a_histogram(scene: Staged) -> None:
    bars = Bars(scene.row("masked_scores"), theme=scene.theme).scale(0.8).to_edge(manim.UP)
    scene.reveal(bars.numbers[0])
    scene.remove(bars.numbers[0])
    scene.play(manim.GrowFromEdge(bars, manim.DOWN))
    record = scene.bundle["samples"]
    histogram = Histogram(record["counts_raw"].sel(width=0), record["bin_edges"], theme=scene.theme)
    scene.reveal(histogram.shift(2 * manim.DOWN))


@honest(records={"tiled": tiled()})
@first_head
def tiles_in_their_order(scene: Staged) -> None:
    grid = Grid(tile(scene, 0), "row", "column", theme=scene.theme)
    scene.reveal(grid)
    for key_tile in (1, 2):
        scene.play(Swap(grid, tile(scene, key_tile)))
    scene.play(manim.FadeOut(grid))
    scene.reveal(Grid(tile(scene, 0), "row", "column", theme=scene.theme))


@honest()
def words_that_turn_into_words(scene: Staged) -> None:
    words = text.line("softmax")
    scene.play(manim.Write(words))
    new = text.line("weights")
    scene.play(manim.ReplacementTransform(words, new))
    scene.play(manim.FadeTransform(new, text.line("shares")))
    scene.play(manim.Write(Literal("d = 8", "width of the model").shift(manim.UP)))


@honest(heads_shown=frozenset({0, 2}))
def other_heads_where_the_scene_says_so(scene: Staged) -> None:
    scene.reveal(Grid(scene.bundle["sdpa"]["attn_weights"].sel(batch=0, head=2), theme=scene.theme))


@honest()
def something_behind_a_value(scene: Staged) -> None:
    card = manim.RoundedRectangle(width=3, height=1.5, fill_color=scene.theme.panel, fill_opacity=1)
    scene.reveal(card, Number(scene.one("attn_weights", query_pos=2, key_pos=0)))


@pytest.mark.parametrize(("act", "options"), HONEST, ids=lambda part: getattr(part, "__name__", ""))
def test_an_honest_scene_passes(act: Scene, options: dict) -> None:
    stage(act, **options)
