import json
import math

import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.mobjects import stage_scale
from attnviz.mobjects.bars import Bars
from tests.drawn import tensor

ROW = 5


def test_heights_are_the_values_and_signs_are_kept() -> None:
    scores = tensor("masked_scores")
    bars = Bars(scores.sel(query_pos=ROW), scale=stage_scale(scores), size=(6, 3)).shift((1, 2, 0))
    zero = bars.describe()["zero"]
    for place, (bar, number) in enumerate(zip(bars.bars, bars.numbers, strict=True)):
        value = scores.values[ROW, place]
        assert number.entry.coords["key_pos"] == place and number.entry.value == value
        if value == -math.inf:
            assert bar is None and number.text == "−∞"
            continue
        edges = sorted((zero, zero + value * bars.unit))
        assert [bar.get_bottom()[1], bar.get_top()[1]] == pytest.approx(edges)
        assert (number.get_center()[1] - zero) * value > 0
        assert bar.get_center()[0] == pytest.approx(number.get_center()[0])
    assert sum(bar is None for bar in bars.bars) == 2


def test_bars_on_both_sides_of_the_line_have_the_colour_of_their_stage() -> None:
    """So that two stages side by side are told apart below the line too: the side says the sign."""
    scores = tensor("scores")
    first, second = (scores.sel(query_pos=row) for row in (ROW, 0))
    assert first.values.min() < 0 < first.values.max() and (np.sign(first.values) != np.sign(second.values)).any()
    bars = Bars(first, scale=stage_scale(scores))
    for drawn in (bars.describe()["bars"], bars.show_as(second).describe()["bars"]):
        assert {bar["color"] for bar in drawn} == {bars.scale_used.table[-1]}


def test_rows_with_one_scale_can_be_compared() -> None:
    weights = tensor("attn_weights")
    first, second = (Bars(weights.sel(query_pos=row), size=(4, 2)) for row in (0, 7))
    assert first.unit == second.unit == 2
    assert max(bar.height for bar in first.bars) == pytest.approx(2)
    assert json.loads(json.dumps(first.describe()))["address"] == "attn_weights[batch=0, head=0, query_pos=0]"


def test_two_axes_are_refused() -> None:
    with pytest.raises(InputError, match="bars show one"):
        Bars(tensor("scores"))
