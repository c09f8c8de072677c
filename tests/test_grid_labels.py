import json
from itertools import combinations

import manim
import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.mobjects import Grid, Literal, Number
from attnviz.mobjects.labels import LINE, ColorBar, ShapeLabel, TokenLabels
from attnviz.mobjects.notices import every_word
from attnviz.theme import PIXEL
from tests.drawn import tensor

REPEATED = ["the", "cat", "saw", "the", "cat", "and", "the", "dog"]
LONG = ["a", "Rindfleischetikettierungsüberwachung", "b", "x" * 300, "<script>", "مرحبا", "中文", "it"]


def overlap(one: manim.Mobject, other: manim.Mobject) -> bool:
    return all(
        abs(one.get_center()[axis] - other.get_center()[axis]) < (size(one) + size(other)) / 2 - 1e-6
        for axis, size in ((0, lambda m: m.width), (1, lambda m: m.height))
    )


@pytest.mark.parametrize("tokens", [REPEATED, LONG])
@pytest.mark.parametrize("cell", [0.45, 0.7, 1.4])
def test_row_labels_stand_beside_their_rows(tokens: list[str], cell: float) -> None:
    grid = Grid(tensor("scores"), cell=cell).shift((1.1, 0.3, 0))
    labels = TokenLabels(tokens, grid, "left")
    for row, label in enumerate(labels.labels):
        assert label.get_center()[1] == pytest.approx(grid.row(row).get_center()[1])
        assert label.get_right()[0] < grid.get_left()[0]
        assert label.width <= 2.4 + 1e-6 and label.size >= 18
    assert not any(overlap(*pair) for pair in combinations(labels.labels, 2))


@pytest.mark.parametrize("cell", [0.7, 1.4])
def test_column_labels_stand_over_their_columns(cell: float) -> None:
    grid = Grid(tensor("scores"), cell=cell, column_positions=[4, 1, 0])
    labels = TokenLabels(REPEATED, grid, "top")
    assert labels.tokens == ["cat", "cat", "the"]
    for position, label in zip([4, 1, 0], labels.labels, strict=True):
        assert label.get_center()[0] == pytest.approx(grid.column(position).get_center()[0])
        assert label.get_bottom()[1] > grid.get_top()[1]
    assert not any(overlap(*pair) for pair in combinations(labels.labels, 2))


def test_long_column_labels_are_slanted_and_marked() -> None:
    grid = Grid(tensor("scores"), cell=0.6)
    labels = TokenLabels(LONG, grid, "top")
    said = json.loads(json.dumps(labels.describe()))["labels"]
    assert [label["token"] for label in said] == LONG
    assert said[3]["shown"].endswith("…") and said[3]["shown"][:-1] == "x" * (len(said[3]["shown"]) - 1)
    assert said[1]["shown"] == LONG[1] and said[4]["shown"] == "<script>"
    assert all(label.height <= 2.4 + 0.3 for label in labels.labels)
    feet = [label.get_corner(manim.DL)[0] for label in labels.labels]
    assert np.diff(feet) == pytest.approx(grid.pitch[0], abs=0.12)


def test_a_wrong_number_of_tokens_is_refused() -> None:
    with pytest.raises(InputError, match="query_pos has 8 positions, but 2 labels"):
        TokenLabels(["a", "b"], Grid(tensor("scores")), "left")


@pytest.mark.parametrize("side", ["left", "top"])
@pytest.mark.parametrize("pixels", [1, 6, 8, 13, 21, 22, 60])
def test_where_cells_are_small_every_nth_is_named_and_no_fewer_than_can_be_read(side, pixels) -> None:
    words = [f"word{place}" for place in range(8)]
    grid = Grid(tensor("scores"), cell=pixels * PIXEL)
    labels = TokenLabels(words, grid, side)
    wanted = next(every for every in range(1, 99) if every * grid.pitch[0] * (1 if side == "left" else 0.5**0.5)
                  >= LINE * 18 * PIXEL)
    assert (labels.every, labels.positions, labels.drawn) == (wanted, tuple(range(8))[::wanted], tuple(range(8)))
    assert labels.tokens == words[::wanted] and labels.tokens[0] == words[0]
    assert all(label.size >= 18 for label in labels.labels)
    assert not any(overlap(*pair) for pair in combinations(labels.labels, 2)) or labels.slanted
    for place, label in zip(labels.positions, labels.labels, strict=True):
        middle = grid.cell(place, place).get_center()
        stands = label.get_corner(manim.DL) if labels.slanted else label.get_center()
        assert abs((stands - middle)[0 if side == "top" else 1]) < (0.12 if labels.slanted else 1e-6)


def test_a_line_says_that_not_every_word_is_named_and_where_all_are_there_is_none() -> None:
    words = [f"word{place}" for place in range(8)]
    tiny, roomy = Grid(tensor("scores"), cell=8 * PIXEL), Grid(tensor("scores"), cell=0.7)
    rows, columns = (TokenLabels(words, tiny, side) for side in ("left", "top"))
    assert (rows.notice.text, columns.notice.text) == ("every 3rd word", "every 4th word")
    assert not overlap(rows.notice, columns.notice)
    for labels in (rows, columns):
        assert labels.notice.size >= 18 and labels.notice.get_right()[0] < tiny.get_left()[0]
        assert not any(overlap(labels.notice, label) for label in (*rows.labels, *columns.labels))
        assert labels.describe()["every"] == labels.every
    assert [TokenLabels(words, roomy, side).notice for side in ("left", "top")] == [None, None]


@pytest.mark.parametrize("pixels", [6, 8, 13, 21])
def test_labels_of_columns_that_are_spared_leave_air_between_them(pixels: int) -> None:
    labels = TokenLabels([f"w{place}" for place in range(8)], Grid(tensor("scores"), cell=(pixels * PIXEL, 0.4)), "top")
    assert labels.every > 1
    for one, two in zip(labels.labels, labels.labels[1:], strict=False):
        assert labels.slanted or two.get_left()[0] - one.get_right()[0] > 0.25 * one.size * PIXEL


@pytest.mark.parametrize(("every", "said"), [(2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (13, "13th"),
                                             (21, "21st"), (112, "112th")])
def test_a_notice_counts_as_one_counts(every: int, said: str) -> None:
    assert every_word(every) == f"every {said} word"


def test_shape_and_bar_say_what_they_are_of() -> None:
    grid = Grid(tensor("query"), "query_pos", "head_dim")
    assert ShapeLabel(grid).describe()["text"] == "8 × 4"
    bar = ColorBar(grid.scale_used)
    assert bar.scale_shown is grid.scale_used and bar.describe()["ends"] == list(grid.scale_used.ends)
    ticks = [part for part in bar if isinstance(part, Literal)]
    assert ticks[-1].get_center()[0] == pytest.approx(bar[0].get_right()[0], abs=0.01)


def test_a_number_knows_its_entry() -> None:
    entry = tensor("attn_weights").entry(query_pos=4, key_pos=1)
    number = Number(entry, size=40, color="#ff0000").shift((1, 1, 0))
    said = json.loads(json.dumps(number.describe()))
    assert said["address"] == "attn_weights[batch=0, head=0, query_pos=4, key_pos=1]"
    assert said["text"] == f"{entry.value:.2f}" and said["color"] == "#ff0000"
    assert said["center"] == pytest.approx([1, 1]) and said["height"] == pytest.approx(1.2 * 40 * PIXEL)
    assert number.copy().entry is entry and len(number) == 4


def test_digits_without_an_entry_need_a_reason() -> None:
    assert Literal("3 × 4", "shape").describe()["reason"] == "shape"
    with pytest.raises(InputError, match="no reason"):
        Literal("0.62", " ")
