import json
import math
from dataclasses import replace

import manim
import numpy as np
import pytest

from attnviz.colors import contrast, hex_color, rgb
from attnviz.errors import InputError
from attnviz.mobjects import Grid, stage_scale
from attnviz.mobjects.cells import DIM
from attnviz.mobjects.painter import spans
from attnviz.numbers import NumberFormat, format_for
from attnviz.theme import DARK, PIXEL, THEMES, Theme
from attnviz.trace import NamedTensor
from tests.drawn import record, tensor


def with_values(original: NamedTensor, **changed: float) -> NamedTensor:
    values = np.array(original.values)
    values[2, 1] = changed["at_2_1"]
    return replace(original, values=values)


@pytest.mark.parametrize("name", ["query", "scores", "masked_scores", "attn_weights", "output", "row_max"])
def test_every_cell_shows_its_own_entry(name: str) -> None:
    shown = tensor(name)
    rows, columns = (*shown.axes, None)[:2] if len(shown.axes) == 2 else (None, shown.axes[0])
    cells = Grid(shown, rows, columns).cells
    fmt = format_for(name)
    for row, column in np.ndindex(cells.shape):
        entry = cells.entry(row, column)
        value = shown.values[row, column] if rows else shown.values[column]
        assert entry.value == value
        assert cells.digits(row, column) == fmt.text(value)
        assert hex_color(*cells.fill[row, column]) == cells.scale.color(value)
        assert cells.masked[row, column] == (value == -math.inf)


def test_transposed_and_chosen_positions_keep_their_addresses() -> None:
    grid = Grid(tensor("key"), "head_dim", "key_pos", column_positions=[5, 2])
    assert grid.cells.shape == (4, 2)
    assert grid.entry(3, 5).address == "key[batch=0, kv_head=0, key_pos=5, head_dim=3]"
    assert grid.cells.entry(3, 0) == grid.entry(3, 5)
    for row, column in np.ndindex(4, 2):
        assert grid.cells.digits(row, column) == format_for("key").text(grid.cells.entry(row, column).value)
    with pytest.raises(InputError, match="key_pos=1 is not drawn"):
        grid.cell(0, 1)


def test_what_cannot_be_drawn_is_refused_by_address() -> None:
    with pytest.raises(InputError, match=r"scores\[batch=0, head=0, query_pos=2, key_pos=1\] is NaN"):
        Grid(with_values(tensor("scores"), at_2_1=math.nan), scale=stage_scale(tensor("scores")))
    with pytest.raises(InputError, match="outside its colour scale"):
        Grid(with_values(tensor("scores"), at_2_1=99.0), scale=stage_scale(tensor("scores")))
    with pytest.raises(InputError, match="name each of its axes once"):
        Grid(tensor("query"), "query_pos", None)
    with pytest.raises(InputError, match=r"query_pos=8 is outside 0\.\.7"):
        Grid(tensor("scores"), row_positions=[8])


def test_one_scale_for_a_whole_stage() -> None:
    scale = stage_scale(record()["scores"])
    assert Grid(tensor("scores"), scale=scale).scale_used is scale
    assert stage_scale(tensor("masked_scores")).ends == (-5, 5) and stage_scale(tensor("scores")).ends == (-6, 6)


@pytest.mark.parametrize("lines", [1080, 720, 540, 360, 2160])
def test_cells_are_whole_pixels(lines: int) -> None:
    grid = Grid(tensor("scores"), fit=(5.63, 5.91))
    pixels = grid.pitch[0] / PIXEL
    assert pixels == pytest.approx(round(pixels)) and grid.width <= 5.63
    height = round(grid.height * lines / 8)
    widths = {end - start for start, end in spans(height, 8, lines / 1080)}
    assert len(widths) == 1


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "masked_scores", "attn_weights", "output"])
@pytest.mark.parametrize("opacity", [1.0, DIM])
def test_digits_can_be_read_on_every_colour(theme: Theme, name: str, opacity: float) -> None:
    shown = tensor(name)
    grid = Grid(shown, *shown.axes, theme=theme).dim_cells(to=opacity)
    cells, ground = grid.cells, np.array(rgb(theme.background))
    ramp = np.array([rgb(color) for color in cells.scale.table])[None, ::16]
    width = ramp.shape[1]
    many = replace(cells, fill=np.concatenate([ramp, np.full_like(ramp, 0) + rgb(theme.masked)]),
                   masked=np.repeat([[False], [True]], width, axis=1), opacity=np.full((2, width), opacity),
                   digit_opacity=np.full((2, width), cells.digit_opacity[0, 0]))  # fmt: skip
    seen = ground + (many.fill - ground) * opacity
    drawn = seen + (many.ink - seen) * many.digit_opacity[..., None]
    for row, column in np.ndindex(2, width):
        ratio = contrast(*(hex_color(*np.rint(side[row, column]).astype(int)) for side in (seen, drawn)))
        assert ratio >= (4.5 if opacity == 1 and row == 0 else 3)


def test_digits_are_of_one_size_and_never_too_small() -> None:
    assert Grid(tensor("scores"), cell=1.2).digit_size == pytest.approx(DARK.digit_size)
    assert Grid(tensor("scores"), cell=0.7).digit_size == Grid(tensor("attn_weights"), cell=0.7).digit_size
    assert Grid(tensor("scores"), cell=0.5).digit_size >= 18
    small = Grid(tensor("scores"), cell=0.3)
    assert small.digit_size == 0 and small.describe()["em"] == 0
    wide = Grid(tensor("scores"), fmt=NumberFormat("scientific", 1), cell=(1.2, 0.6))
    assert wide.digit_size > 18 and wide.pitch == pytest.approx((1.2, 0.6), abs=0.05)


def test_anchors_follow_their_grid() -> None:
    grid = Grid(tensor("scores"), cell=0.6)
    cell, row, block = grid.cell(2, 5), grid.row(3), grid.region(rows=[0, 1], columns=[6, 7])
    before = cell.get_center()
    grid.scale(1.5).shift((1, 2, 0))
    assert np.allclose(cell.get_center(), before * 1.5 + (1, 2, 0))
    assert row.width == pytest.approx(grid.width) and row.height == pytest.approx(grid.height / 8)
    assert np.allclose(block.get_corner(manim.UR), grid.get_corner(manim.UR))
    box = manim.SurroundingRectangle(cell, buff=0)
    assert np.allclose(box.get_center(), cell.get_center()) and box.width == pytest.approx(grid.pitch[0])
    with pytest.raises(InputError, match="follows its grid"):
        cell.shift(manim.UP)


def test_a_copied_cell_is_a_grid_of_the_same_entry() -> None:
    grid = Grid(tensor("attn_weights"), cell=0.6).shift((1, 1, 0)).focus(rows=[4])
    one, row = grid.cell(4, 1).copy(), grid.row(4).copy()
    assert one.cells.entry(0, 0) == grid.entry(4, 1) and np.allclose(one.get_center(), grid.cell(4, 1).get_center())
    assert one.is_upright() and row.is_upright()
    assert row.cells.shape == (1, 8) and row.entry(4, 7) == grid.entry(4, 7)
    assert np.array_equal(row.painted(135).picture, grid.painted(135).picture[4 * 78 : 5 * 78])
    row.shift(manim.UP)
    assert not np.allclose(row.get_center(), grid.row(4).get_center())


def test_looks_change_no_number() -> None:
    grid = Grid(tensor("attn_weights"))
    before = grid.cells
    grid.focus(rows=[2]).highlight(columns=[1]).dim_cells(columns=[0], to=0)
    assert grid.cells.shows_same_as(before) and grid.cells.fill is before.fill
    assert grid.cells.opacity[2, 1] == 1 and grid.cells.opacity[3, 1] == np.float32(DIM)
    assert (grid.cells.opacity[:, 0] == 0).all() and (grid.cells.highlight[:, 1] == 1).all()
    assert (before.opacity == 1).all()


def test_a_still_grid_is_painted_once() -> None:
    grid = Grid(tensor("scores"))
    first = grid.painted(135)
    assert grid.shift(manim.RIGHT).set_opacity(0.5).painted(135) is first
    assert grid.copy().painted(135) is first
    assert grid.highlight(rows=[0]).painted(135) is not first
    assert first.picture.shape == grid.painted(135).picture.shape != grid.painted(90).picture.shape


def test_description_is_plain_and_complete() -> None:
    grid = Grid(tensor("attn_weights"), cell=0.6).shift((1, 0, 0)).focus(rows=[1])
    said = json.loads(json.dumps(grid.describe()))
    said |= said["content"]
    assert said["strings"][0] == [*["1.00"], *["0.00"] * 7] and said["fill"][0][1] == DARK.panel[1:]
    assert said["address"] == "attn_weights[batch=0, head=0]" and said["axes"] == ["query_pos", "key_pos"]
    assert said["shape"] == [8, 8] and said["scale"] == [0, 1] and said["format"] == ["fixed", 2]
    assert said["origin"] == pytest.approx([1 - 4 * grid.pitch[0], 4 * grid.pitch[1]])
    assert said["opacity"][1] == 1 and said["opacity"][0] == DIM
    assert Grid(tensor("scores")).describe()["opacity"] == 1


def test_another_tensor_of_the_same_axes_can_take_the_place() -> None:
    grid = Grid(tensor("scores")).focus(rows=[2])
    new = grid.bound_to(tensor("attn_weights"))
    assert new.entry(2, 1) == tensor("attn_weights").entry(query_pos=2, key_pos=1)
    assert np.array_equal(new.opacity, grid.cells.opacity)
    with pytest.raises(InputError, match=r"query.*has not the axes"):
        grid.bound_to(tensor("query"))
