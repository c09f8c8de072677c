"""What reaches the screen: the cells' colours to the bit, and the same picture by Manim's own camera."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import manim
import numpy as np
import pytest
from numpy.typing import NDArray

from attnviz.mobjects import Grid, Number
from attnviz.mobjects.labels import ColorBar
from attnviz.mobjects.raster import Raster
from attnviz.mobjects.sprites import fill, sprite
from attnviz.onscreen import in_order
from attnviz.render.canvas import Canvas
from attnviz.text import compose
from attnviz.theme import DARK, PIXEL
from tests.drawn import tensor

Pixels = NDArray[np.uint8]


@pytest.fixture(params=[(1920, 1080), (1280, 720), (854, 480)], ids=["1080", "720", "480"])
def screen(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    width, height = request.param
    with manim.tempconfig({"pixel_width": width, "pixel_height": height, "background_color": DARK.background}):
        yield request.param


def stock(*mobjects: manim.Mobject) -> Pixels:
    """The frame as Manim's own camera draws it."""
    camera = manim.Camera()
    camera.reset()
    camera.capture_mobjects(mobjects)
    return np.array(camera.pixel_array[..., :3])


def quick(*mobjects: manim.Mobject) -> Pixels:
    """The frame as ours is painted."""
    camera = manim.Camera()
    Canvas(camera).show(in_order(mobjects))
    return np.array(camera.pixel_array[..., :3])


FRAMES = pytest.mark.parametrize("frame", [stock, quick])


def pixel_of(point: NDArray[np.float64]) -> tuple[int, int]:
    height, width = manim.config["pixel_height"], manim.config["pixel_width"]
    return int(height / 2 - point[1] * height / 8), int(width / 2 + point[0] * height / 8)


@FRAMES
@pytest.mark.parametrize("shift", [(0, 0, 0), (0.3217, -0.1234, 0), (-2.0041, 0.777, 0)])
def test_cells_have_their_colours_to_the_bit(
    frame: Callable[..., Pixels], screen: tuple[int, int], shift: tuple[float, float, float]
) -> None:
    grid = Grid(tensor("scores"), fit=(5.6, 5.6)).shift(shift)
    picture = frame(grid)
    for row, column in np.ndindex(8, 8):
        place = grid.cell(row, column)
        for corner in (manim.UL, manim.DR):
            point = place.get_center() + 0.36 * corner * place.width
            assert np.array_equal(picture[pixel_of(point)], grid.cells.fill[row, column])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("still", lambda grid: grid),
        ("dimmed", lambda grid: grid.focus(rows=[3]).highlight(rows=[3], columns=[1])),
        ("faint", lambda grid: grid.set_opacity(0.4)),
        ("cut", lambda grid: grid.shift((6.5, 3.1, 0))),
        ("small", lambda grid: grid.scale(0.37).shift((0.111, 0.222, 0))),
        ("turned", lambda grid: grid.rotate(0.3)),
        ("outside", lambda grid: grid.shift((30, 0, 0))),
    ],
)
def test_both_cameras_see_the_same(name: str, change: Callable[[Grid], Grid]) -> None:
    with manim.tempconfig({"pixel_width": 1920, "pixel_height": 1080, "background_color": DARK.background}):
        grid = change(Grid(tensor("masked_scores"), fit=(5.6, 5.6)))
        off = np.abs(stock(grid).astype(int) - quick(grid))
        # Manim rounds towards zero, so a grid cut by the frame's edge may lie a pixel off; a small one is resampled;
        # the corners of a turned one lie at whole pixels there.
        assert (off > 24).mean() < {"small": 0.02, "cut": 1e-3, "turned": 2e-3}.get(name, 1e-9)
        assert np.median(off) == 0


@FRAMES
def test_order_is_kept(frame: Callable[..., Pixels]) -> None:
    with manim.tempconfig({"pixel_width": 480, "pixel_height": 270}):
        grid = Grid(tensor("scores"), fit=(5.6, 5.6))
        below, above = (manim.Square(1, fill_opacity=1, stroke_width=0, color=c) for c in ("#ff0000", "#00ff00"))
        below.move_to(grid.cell(0, 0)), above.move_to(grid.cell(7, 7))
        picture = frame(below, grid, above)
        assert np.array_equal(picture[pixel_of(grid.cell(0, 0).get_center() + 0.25 * manim.UR)], grid.cells.fill[0, 0])
        assert tuple(picture[pixel_of(grid.cell(7, 7).get_center())]) == (0, 255, 0)


def test_sprites_are_the_outlines_of_the_numbers() -> None:
    shown, em = "−3.14", 26.0
    marks, width = compose(shown)
    mask = sprite(shown, em)
    again = fill([mark.points * (em, -em) + ((mask.shape[1] - width * em) / 2, _baseline(mask)) for mark in marks],
                 mask.shape)  # fmt: skip
    assert np.array_equal(mask, again) and mask.max() == 255
    assert abs(float(np.average(np.arange(mask.shape[0]), weights=mask.sum(1))) - (mask.shape[0] - 1) / 2) < 1.0


def _baseline(mask: Pixels) -> int:
    return round(mask.shape[0] / 2 + 0.698 * 26 / 2)


def test_a_cell_and_a_number_are_drawn_alike() -> None:
    with manim.tempconfig({"pixel_width": 960, "pixel_height": 540, "background_color": DARK.panel}):
        shown = tensor("scores")
        grid = Grid(shown, cell=0.7, row_positions=[2], column_positions=[3])
        number = Number(shown.entry(query_pos=2, key_pos=3), size=grid.digit_size, color="#eef1f6")
        grid.cells = replace(grid.cells, fill=np.full_like(grid.cells.fill, (0x1E, 0x25, 0x34)))
        one, other = (quick(mobject).astype(int).sum(axis=2) for mobject in (grid, number))
        ink = [picture - picture[0, 0] for picture in (one, other)]
        digits = [np.where(picture > 60, picture, 0) for picture in ink]
        assert digits[0].sum() == pytest.approx(digits[1].sum(), rel=0.05)
        spread = [np.argwhere(picture > 200) for picture in digits]
        assert np.allclose(spread[0].min(0), spread[1].min(0), atol=1.01)
        assert np.allclose(spread[0].max(0), spread[1].max(0), atol=1.01)


def test_masked_cells_are_hatched_around_their_digits() -> None:
    grid = Grid(tensor("masked_scores"), cell=0.7)
    cell = grid.painted(135).picture[2:88, 92:178, :3]
    colors = {tuple(color) for color in cell.reshape(-1, 3).tolist()}
    assert {(0x16, 0x1B, 0x26), (0x33, 0x3C, 0x4E)} <= colors and grid.cells.digits(0, 1) == "−∞"
    plain = grid.painted(135).picture[2:88, 2:88, :3]
    assert (0x33, 0x3C, 0x4E) not in {tuple(color) for color in plain.reshape(-1, 3).tolist()}


def test_a_large_grid_is_one_picture_of_its_colours() -> None:
    grid = Grid(tensor("scores", 64), fit=(2.0, 2.0))
    picture = grid.painted(135).picture
    assert grid.digit_size == 0 and picture.shape[:2] == (256, 256)
    assert np.array_equal(picture[2::4, 2::4, :3], grid.cells.fill)


def test_a_colour_bar_is_the_scale_itself() -> None:
    scale = Grid(tensor("scores")).scale_used
    bar = ColorBar(scale)
    strip = next(part for part in bar if isinstance(part, Raster))
    picture = strip.painted(135).picture
    assert "#{:02x}{:02x}{:02x}".format(*picture[3, 0, :3]) == scale.table[0]
    assert "#{:02x}{:02x}{:02x}".format(*picture[3, -1, :3]) == scale.table[-1]
    assert [part.text for part in bar if not isinstance(part, Raster)] == ["−6.00", "0.00", "6.00"]
    assert strip.width == pytest.approx(round(2.4 / PIXEL) * PIXEL)
