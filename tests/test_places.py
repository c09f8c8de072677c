"""Places: products line up with their factors and stay in their region; worked lines never overlap."""

from __future__ import annotations

import math
from itertools import pairwise

import manim
import pytest

from attnviz.layout import FRAMES, Region, layout_for
from attnviz.mobjects.places import GAP, Sheet, fit_into, in_a_line, keep_within, product_places


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("shape", [(3, 4, 3), (8, 4, 8), (1, 4, 7), (2, 16, 2), (4, 4, 7)])
def test_an_entry_of_the_product_lies_in_its_row_and_its_column_inside_the_region(frame, shape):
    rows, inner, columns = shape
    region, labels = layout_for(frame).region("stage"), (1.2, 0.6, 0.5)
    places = product_places(region, shape, labels=labels)
    width, height = places.cell
    assert places.left[1] == places.result[1]
    assert places.top[0] == places.result[0]
    assert places.result[0] - places.left[0] == pytest.approx((inner + columns) * width / 2 + GAP)
    assert places.top[1] - places.result[1] == pytest.approx((inner + rows) * height / 2 + GAP)
    assert places.left[0] - inner * width / 2 - labels[0] >= region.left - 1e-9
    assert places.result[0] + columns * width / 2 + labels[2] <= region.right + 1e-9
    assert places.top[1] + inner * height / 2 + labels[1] <= region.top + 1e-9
    assert places.result[1] - rows * height / 2 >= region.bottom - 1e-9


@pytest.mark.parametrize("count", [1, 5, 12])
def test_worked_lines_stay_in_their_region_and_apart(count):
    region = layout_for("16:9").region("side")
    pairs = [(manim.Square(0.3), manim.Rectangle(width=2.0, height=0.3)) for _ in range(count)]
    sheet = Sheet.place(pairs, region)
    for line in sheet.lines:
        assert line.get_left()[0] >= region.left - 1e-9
        assert line.get_right()[0] <= region.right + 1e-9
        assert region.bottom - 1e-9 <= line.get_bottom()[1] <= line.get_top()[1] <= region.top + 1e-9
        assert line[0].get_right()[0] < line[1].get_left()[0]
    assert all(upper.get_bottom()[1] > lower.get_top()[1] for upper, lower in pairwise(sheet.lines))
    assert len(sheet.all) == count


def test_what_is_too_large_is_made_smaller_and_what_fits_is_left_alone():
    region = layout_for("16:9").region("title")
    large, small = manim.Rectangle(width=40, height=1), manim.Rectangle(width=1, height=0.1)
    assert fit_into(large, region).width <= region.width + 1e-9
    assert fit_into(small, region).width == pytest.approx(1)
    assert tuple(small.get_center()) == pytest.approx(region.center)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4), (3, 4)), ((4, 4), (7, 4), (7, 6))])
@pytest.mark.parametrize("beside", [None, True, False])
def test_matrices_in_a_line_keep_room_for_labels_and_stay_in_their_region(frame, shapes, beside):
    region, (left, above, below) = layout_for(frame).region("whole"), (1.1, 0.3, 0.6)
    line = in_a_line(region, shapes, (left, above, below), beside=beside)
    assert beside in (None, line.beside)
    width, height = line.cell
    boxes = []
    for (rows, columns), (x, y, _) in zip(shapes, line.at(line.cell), strict=True):
        across, down = columns * width / 2, rows * height / 2
        boxes.append((x - across - left, x + across, y - down - below, y + down + above))
    for box in boxes:
        assert region.left - 1e-9 <= box[0] <= box[1] <= region.right + 1e-9
        assert region.bottom - 1e-9 <= box[2] <= box[3] <= region.top + 1e-9
    for one, two in pairwise(boxes):
        assert one[1] <= two[0] + 1e-9 or two[3] <= one[2] + 1e-9


@pytest.mark.parametrize("high", [0.4, math.inf])
def test_what_would_stand_out_is_moved_back_and_what_is_too_high_made_lower(high: float) -> None:
    region = Region(0.0, 0.0, 6.0, 4.0)
    said = manim.Group(manim.Rectangle(width=2.0, height=1.0)).shift(2.5 * manim.RIGHT)
    kept = keep_within(said, region, high)
    assert kept.get_right()[0] <= region.right + 1e-9 and kept.height <= min(high, 1.0) + 1e-9
    inside = manim.Group(manim.Rectangle(width=2.0, height=0.1)).shift(manim.LEFT)
    assert keep_within(inside, region, math.inf).get_center()[0] == -1.0
