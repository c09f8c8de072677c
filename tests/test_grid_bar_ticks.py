"""The numbers below a colour bar: exact, never over one another; and formats that a whole stage shares."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from attnviz.mobjects import Bars, ColorBar, Grid, Literal, Number
from attnviz.mobjects.matrix import Matrix
from attnviz.numbers import shown_decimal
from attnviz.theme import DARK, scale_for
from tests.drawn import tensor


def ticks(bar: ColorBar) -> list[Literal]:
    return [part for part in bar if isinstance(part, Literal)]


@pytest.mark.parametrize("bound", [0.015, 0.002, 1.5e-30, 0.8, 2.0, 2500.0, 99_999.0, 1e12, 3e300])
@pytest.mark.parametrize("width", [0.9, 2.4])
def test_ends_are_exact_and_apart(bound: float, width: float) -> None:
    scale = scale_for("query", -bound, bound, DARK)
    shown = ticks(ColorBar(scale, width=width))
    assert [float(shown_decimal(tick.text)) for tick in (shown[0], shown[-1])] == list(scale.ends)
    assert all(one.get_right()[0] < other.get_left()[0] for one, other in pairwise(shown))
    assert len({tick.text for tick in shown}) == len(shown)


def test_a_bar_below_a_narrow_matrix_and_its_words_keep_to_their_room() -> None:
    grid = Grid(tensor("query"), "query_pos", "head_dim", column_positions=[0])
    line, bar = Matrix(grid, DARK).explained("what it is matched by", 1.0)
    assert line.width <= grid.width + 1.0 + 1e-6 and line.text == "what it is matched by"
    assert all(one.get_right()[0] < other.get_left()[0] for one, other in pairwise(ticks(bar)))


@pytest.mark.parametrize(("factor", "style"), [(1e-4, "scientific"), (1.0, "fixed"), (1e3, "scientific")])
def test_the_numbers_of_a_grid_can_be_read_however_large_they_are(factor: float, style: str) -> None:
    shown = replace(tensor("query"), values=tensor("query").values * factor)
    grid = Grid(shown, "query_pos", "head_dim", cell=(0.76, 0.62))
    assert grid.cells.format.style == style and grid.digit_size >= 18
    assert np.mean([float(shown_decimal(text)) != 0 for text in grid.cells.strings]) > 0.9
    bars = Bars(shown.sel(query_pos=0))
    assert all(number.bound.fmt.style == style for number in bars.numbers)


def test_a_number_without_a_digit_is_refused() -> None:
    number = Number(tensor("scores").entry(query_pos=2, key_pos=1))
    with pytest.raises(Exception, match="would be another number"):
        number.remove(number[0])
    assert len(number) == len(number.text)
