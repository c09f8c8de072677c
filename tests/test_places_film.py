"""The plan of a film, and tokens of any length: nothing leaves its room, and too large a case is refused by name."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path

import manim
import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.layout import FRAMES, layout_for
from attnviz.mobjects import Grid, Literal, TokenLabels
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.convention import ConventionCard
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.plan import Plan, film_plan
from attnviz.quoting import quotable
from attnviz.text import fitted
from attnviz.theme import DARK, PIXEL
from attnviz.words import LONGEST_CAPTION, fill_in
from tests.drawn import tensor

WORDS = tomllib.loads((Path(__file__).parents[1] / "scenes" / "pipeline.en.toml").read_text(encoding="utf-8"))
LONG = ["it", "internationalization", "x" * 300, "a"]


def sizes(**changed: int) -> dict[str, int]:
    return {"query_pos": 3, "key_pos": 4, "head_dim": 4, "value_dim": 4} | changed


def test_every_caption_can_be_read_with_the_longest_tokens():
    def lookup(name: str, coords: object) -> str:
        return quotable("x" * 300) if name.endswith("_token") else "−1.0e-07"

    lengths = [len(fill_in(beat["caption"], lookup)) for beat in WORDS["beat"]]
    assert max(lengths) <= LONGEST_CAPTION


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("axis", ["head_dim", "value_dim"])
def test_too_wide_a_case_is_refused_by_its_own_size(frame, axis):
    layout = layout_for(frame)
    with pytest.raises(InputError, match=rf"^{axis} is 700, .*no more than (\d+) can be drawn") as caught:
        film_plan(layout, sizes(**{axis: 700}), list("abcd"))
    most = int(str(caught.value).partition("no more than ")[2].split()[0])
    film_plan(layout, sizes(**{axis: most}), list("abcd"))
    with pytest.raises(InputError):
        film_plan(layout, sizes(**{axis: most + 1}), list("abcd"))


def shapes_of(plan: Plan, counts: dict[str, int]) -> dict[str, list[tuple[tuple[float, ...], int, int]]]:
    """Centres of a plan's matrices with their rows and columns, by the region that they must stay in."""
    rows, columns, inner, width = (counts[axis] for axis in ("query_pos", "key_pos", "head_dim", "value_dim"))
    whole = zip(plan.line, ((rows, inner), (columns, inner), (columns, width)), strict=True)
    scores, blend = plan.scores, plan.blend
    return {
        "whole": [(place, *shape) for place, shape in whole],
        "scores": [(scores.left, rows, inner), (scores.top, inner, columns), (scores.result, rows, columns)],
        "blend": [(blend.left, rows, columns), (blend.top, columns, width), (blend.result, rows, width)],
    }


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [1, 3, 6, 8, 9, 20, 40, 64])
def test_as_many_as_64_words_stay_in_their_regions_with_room_for_what_is_worked_out(frame, count):
    layout, counts = layout_for(frame), sizes(query_pos=count, key_pos=count)
    plan = film_plan(layout, counts, ["children"] * count)
    assert min(plan.cell) >= 5 * PIXEL
    for name, matrices in shapes_of(plan, counts).items():
        region = layout.region("whole") if name == "whole" else plan.stages[name]
        boxes = []
        for (x, y, _), rows, columns in matrices:
            across, down = columns * plan.cell[0] / 2, rows * plan.cell[1] / 2
            assert region.left <= x - across - plan.beside + 1e-6 or name != "whole"
            assert region.left - 1e-6 <= x - across and x + across <= region.right + 1e-6, name
            assert region.bottom - 1e-6 <= y - down and y + down <= region.top + 1e-6, name
            boxes.append((x - across, x + across, y - down, y + down))
        for one, two in combinations(boxes, 2):
            assert one[1] < two[0] or two[1] < one[0] or one[3] < two[2] or two[3] < one[2], (name, one, two)
    height = plan.grown * count * plan.cell[1]
    stage, side = plan.stages["alone"], plan.sides["alone"]
    assert abs(plan.alone[1] - stage.y) + height / 2 <= stage.height / 2 + 1e-6
    assert side.height / 6 >= 0.27 - 1e-6 and (side.top <= stage.bottom or stage.right <= side.left)
    assert plan.worked_keys == (count if count <= 8 else 5)


@pytest.mark.parametrize(("frame", "count"), [("16:9", 8), ("9:16", 6), ("1:1", 6)])
def test_so_many_words_have_digits_in_every_matrix(frame, count):
    plan = film_plan(layout_for(frame), sizes(query_pos=count, key_pos=count), ["because"] + ["it"] * (count - 1))
    grid = Grid(tensor("scores", count), cell=plan.cell)
    assert grid.digit_size >= 18


@pytest.mark.parametrize("frame", FRAMES)
def test_labels_stay_in_the_room_that_the_plan_leaves_them(frame):
    layout = layout_for(frame)
    stage, plan = layout.region("stage"), film_plan(layout, sizes(query_pos=4), LONG)
    keys = Grid(tensor("key", 4), "head_dim", "key_pos", cell=plan.cell).move_to(plan.scores.top)
    labels = TokenLabels(LONG, keys, "top", room=plan.above)
    assert labels.labels[2].text.endswith("…")
    for label in labels.labels:
        top, right = (max(glyph.get_corner(manim.UR)[axis] for glyph in label) for axis in (1, 0))
        assert top <= stage.top + 1e-6 and right <= stage.right + 1e-6
    queries = Grid(tensor("query", 4), "query_pos", "head_dim", cell=plan.cell).move_to(plan.line[1])
    left = TokenLabels(LONG, queries, "left", room=plan.beside)
    before = plan.line[0][0] + queries.width / 2
    assert all(label.get_left()[0] > before for label in left.labels) or plan.line[0][0] == plan.line[1][0]
    assert labels.labels[0].size >= 18 and left.labels[2].size >= 18


@pytest.mark.parametrize("frame", FRAMES)
def test_the_cards_can_be_read_with_a_token_of_300_letters(frame):
    region = layout_for(frame).region("whole")
    asking = Asking("x" * 300, ["y" * 300, *"abcdef"], region, DARK)
    assert asking.words[0][1].text.endswith("…") and asking.asker[1].text.endswith("…")
    assert min(card[1].height for card in asking.words) >= 1.2 * 17.9 * PIXEL
    words = {"asks": "a row", "answers": "a column", "along": "a line", "rounded": "digits are rounded"}
    card = ConventionCard(["x" * 300, "a"], ["y" * 300, "b"], words, region, DARK, beside=frame == "16:9")
    assert card.rounded.height >= 1.2 * DARK.body_size * PIXEL
    shown = [label.text for label in card.lattice[1]]
    assert [text.endswith("…") for text in shown] == [True, False, True, False]


@pytest.mark.parametrize("frame", FRAMES)
def test_many_words_are_asked_below_each_other_where_the_frame_is_high(frame):
    region = layout_for(frame).region("whole")
    few, many = (Asking("it", list(words), region, DARK) for words in ("abcd", "abcdefgh"))
    assert not few.is_stacked and many.is_stacked == (frame != "16:9")
    for asking in (few, many):
        assert asking.notice is None and asking.positions == tuple(range(len(asking.words)))
        for card in asking.words:
            end = card.get_left() if asking.is_stacked else card.get_top()
            line = asking.lines[list(asking.words).index(card)]
            assert np.abs(line.points[-1] - end).max() < 1e-6
            assert asking.asker.get_right()[0] < card.get_left()[0] or not asking.is_stacked
    assert min(card[1].height for card in many.words) >= 1.2 * 18 * PIXEL


def test_where_only_some_words_are_asked_a_line_says_how_many():
    region, row = layout_for("16:9").region("whole"), tensor("attn_weights").sel(query_pos=7)
    asking = Asking("it", list("abcdefgh"), region, DARK, positions=(1, 4, 7))
    assert [card[1].text for card in asking.words] == ["b", "e", "h"] and asking.notice.text == "3 of 8 words"
    answers = asking.answer([row.entry(key_pos=place) for place in (1, 4, 7)])
    assert len(answers) == 3 and all(number.get_bottom()[1] > asking.notice.get_top()[1] for _, number in answers)
    with pytest.raises(InputError, match="do not come in the order of the words"):
        asking.answer([row.entry(key_pos=place) for place in (0, 1, 2)])


def test_the_card_of_conventions_says_when_it_shows_only_some_words():
    words = {"asks": "a row", "answers": "a column", "along": "a line", "rounded": "digits are rounded"}
    region = layout_for("16:9").region("whole")
    some, every = (ConventionCard(list(tokens), list(tokens), words, region, DARK, beside=True)
                   for tokens in ("abcdefgh", "abcde"))
    said = [[part.text for part in card.lattice if isinstance(part, Literal)] for card in (some, every)]
    assert said == [["5 of 8 words"], []]


def test_a_fitted_line_is_made_smaller_before_it_is_shortened():
    whole, smaller, cut = (fitted("because", width=width, size=32) for width in (9.0, 0.7, 0.3))
    assert (whole.size, whole.text) == (32, "because")
    assert 18 < smaller.size < 32 and smaller.text == "because" and smaller.width == pytest.approx(0.7)
    assert cut.size == 18 and cut.text.endswith("…") and cut.width <= 0.3 + 1e-6


@pytest.mark.parametrize(("depth", "is_right"), [(1, True), (4, False)])
def test_the_name_of_the_keys_never_lies_over_that_of_the_queries(depth, is_right):
    plan = film_plan(layout_for("16:9"), sizes(query_pos=4, head_dim=depth), list("abcd"))
    q, k = tensor("query", 4), tensor("key", 4)
    chosen = list(range(depth))
    queries = Matrix(Grid(q, "query_pos", "head_dim", cell=plan.cell, column_positions=chosen), DARK)
    keys = Matrix(Grid(k, "head_dim", "key_pos", cell=plan.cell, row_positions=chosen), DARK)
    queries.grid_to(plan.scores.left)
    keys.grid_to(plan.scores.top).name_beside(queries.symbol)
    assert (keys.symbol.get_x() > keys.grid.get_x()) == is_right
    apart = np.abs(keys.symbol.get_center() - queries.symbol.get_center())[:2]
    sizes_of_both = [keys.symbol.width + queries.symbol.width, keys.symbol.height + queries.symbol.height]
    assert (2 * apart >= sizes_of_both).any()
