"""Animations that hand a grid over to its parts for a while: rows that swap in turn, cells that transpose."""

from __future__ import annotations

from collections.abc import Iterator

import manim
import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.layout import layout_for
from attnviz.mobjects.animations import FillCells, SwapCells, SwapRows
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Transpose
from attnviz.render.renderer import QuickRenderer
from attnviz.theme import DARK
from tests.drawn import tensor


@pytest.fixture
def scene() -> Iterator[manim.Scene]:
    small = {"pixel_width": 192, "pixel_height": 108, "frame_rate": 10, "dry_run": True, "disable_caching": True}
    with manim.tempconfig({**small, "verbosity": "ERROR", "progress_bar": "none"}):
        yield manim.Scene(renderer=QuickRenderer())


def shown(grids: list[Grid]) -> dict[tuple[int, int], tuple[str, str]]:
    """The stage and the digits of every drawn cell, by its positions; each is drawn once."""
    cells = {}
    for grid in grids:
        for row, query_pos in enumerate(grid.cells.positions[0]):
            for column, key_pos in enumerate(grid.cells.positions[1]):
                assert (query_pos, key_pos) not in cells
                cells[query_pos, key_pos] = (grid.cells.tensor.name, grid.cells.digits(row, column))
    return cells


def on_screen(scene: manim.Scene) -> list[Grid]:
    found = {id(part): part for mobject in scene.mobjects for part in mobject.get_family() if isinstance(part, Grid)}
    return list(found.values())


def test_rows_swap_one_after_the_other_and_no_cell_ever_shows_a_third_number(scene):
    grid = Grid(tensor("scores"))
    old, new = shown([grid]), shown([Grid(tensor("attn_weights"))])
    scene.add(grid)
    seen = []
    watch = manim.Mobject()
    watch.add_updater(lambda mobject, dt: seen.append(shown(on_screen(scene))), call_updater=False)
    scene.add(watch)
    scene.play(SwapRows(grid, tensor("attn_weights"), run_time=2))
    assert len(seen) >= 15
    for cells in seen:
        assert all(cells[place] in (old[place], new[place]) for place in old)
        stages = [cells[row, 0][0] for row in range(8)]
        assert stages == sorted(stages)  # attn_weights above, scores below
    assert any(len({name for name, _ in cells.values()}) == 2 for cells in seen)
    assert on_screen(scene) == [grid]
    assert shown([grid]) == new


def test_cells_swap_one_after_the_other_and_hardly_a_digit_is_away_at_any_moment(scene):
    grid = Grid(tensor("scores"))
    old, new = shown([grid]), shown([Grid(tensor("attn_weights"))])
    scene.add(grid)
    seen: list[tuple[dict[tuple[int, int], tuple[str, str]], float]] = []

    def look(mobject: manim.Mobject, dt: float) -> None:
        parts = on_screen(scene)
        away = sum(float((part.cells.digit_opacity < 0.5).sum()) for part in parts)
        seen.append((shown(parts), away / len(old)))

    watch = manim.Mobject()
    watch.add_updater(look, call_updater=False)
    scene.add(watch)
    scene.play(SwapCells(grid, tensor("attn_weights"), run_time=2))
    assert len(seen) >= 15 and max(away for _, away in seen) < 0.1
    for cells, _ in seen:
        assert all(cells[place] in (old[place], new[place]) for place in old)
        stages = [cells[place][0] for place in sorted(cells)]
        assert stages == sorted(stages)  # attn_weights first, in reading order
    assert on_screen(scene) == [grid] and shown([grid]) == new


def test_cells_without_digits_are_swapped_row_by_row():
    small = SwapCells(Grid(tensor("scores"), cell=0.1), tensor("attn_weights"))
    assert [part.cells.shape for part in small.parts] == [(1, 8)] * 8
    large = SwapCells(Grid(tensor("scores")), tensor("attn_weights"))
    assert [part.cells.shape for part in large.parts] == [(1, 1)] * 64


def test_swapping_rows_keeps_the_look_of_the_grid(scene):
    grid = Grid(tensor("scores")).focus(rows=[1])
    scene.add(grid)
    scene.play(SwapRows(grid, tensor("attn_weights"), run_time=0.5))
    assert grid.cells.opacity[1].min() == 1
    assert grid.cells.opacity[0].max() < 1


def test_a_row_that_is_partly_there_is_completed_and_never_hidden():
    grid = Grid(tensor("scores")).dim_cells(to=0)
    grid.dim_cells(rows=[2], columns=[3], to=1)
    animation = FillCells(grid, rows=[2])
    animation.begin()
    for step in np.linspace(0, 1, 11):
        animation.interpolate(step)
        assert grid.cells.opacity[2, 3] == 1
    assert grid.cells.opacity[2].min() == 1
    assert not grid.cells.opacity[[0, 1, 3]].any()


def test_every_cell_flies_to_its_transposed_place_whole(scene):
    key = Grid(tensor("key"), "key_pos", "head_dim")
    transposed = Grid(tensor("key"), "head_dim", "key_pos").shift(manim.UP)
    scene.add(key)
    animation = Transpose(key, transposed, run_time=0.5)
    starts = {cell.entry(*(side[0] for side in cell.cells.positions)).address for cell in animation.parts}
    assert len(starts) == 8 * 4
    scene.play(animation)
    assert on_screen(scene) == [transposed]
    for cell in animation.parts:
        row, column = (side[0] for side in cell.cells.positions)
        assert cell.get_center() == pytest.approx(transposed.cell(column, row).get_center(), abs=1e-6)


def test_a_strand_is_as_thick_as_its_weight():
    row = tensor("attn_weights").sel(query_pos=7)
    entries = [row.entry(key_pos=place) for place in range(8)]
    picture = Asking("it", [str(place) for place in range(8)], layout_for("16:9").region("whole"), DARK)
    answers = picture.answer(entries)
    widths = [strand.get_stroke_width() for strand, _ in answers]
    values = [entry.value for entry in entries]
    assert np.argsort(widths).tolist() == np.argsort(values).tolist()
    assert np.diff(widths) / np.diff(values) == pytest.approx(np.full(7, 21.0), rel=1e-6)
    assert [number.entry for _, number in answers] == entries
    assert answers[0][0].describe()["address"] == entries[0].address
    with pytest.raises(InputError, match="7 weights for 8 words"):
        picture.answer(entries[:7])
