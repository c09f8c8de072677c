"""The plan of a film, and tokens of any length: nothing leaves its room, and too large a case is refused by name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import manim
import numpy as np
import pytest

from attnviz.errors import InputError
from attnviz.layout import FRAMES, layout_for
from attnviz.mobjects import Grid, TokenLabels
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.convention import ConventionCard
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.plan import film_plan
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
    stage, whole = (layout_for(frame).region(name) for name in ("stage", "whole"))
    with pytest.raises(InputError, match=rf"^{axis} is 100, .*no more than (\d+) can be drawn") as caught:
        film_plan(stage, whole, sizes(**{axis: 100}), list("abcd"))
    most = int(str(caught.value).partition("no more than ")[2].split()[0])
    film_plan(stage, whole, sizes(**{axis: most}), list("abcd"))
    with pytest.raises(InputError):
        film_plan(stage, whole, sizes(**{axis: most + 1}), list("abcd"))


@pytest.mark.parametrize("frame", FRAMES)
def test_labels_stay_in_the_room_that_the_plan_leaves_them(frame):
    stage, whole = (layout_for(frame).region(name) for name in ("stage", "whole"))
    plan = film_plan(stage, whole, sizes(query_pos=4), LONG)
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


def test_a_fitted_line_is_made_smaller_before_it_is_shortened():
    whole, smaller, cut = (fitted("because", width=width, size=32) for width in (9.0, 0.7, 0.3))
    assert (whole.size, whole.text) == (32, "because")
    assert 18 < smaller.size < 32 and smaller.text == "because" and smaller.width == pytest.approx(0.7)
    assert cut.size == 18 and cut.text.endswith("…") and cut.width <= 0.3 + 1e-6


@pytest.mark.parametrize(("depth", "is_right"), [(1, True), (4, False)])
def test_the_name_of_the_keys_never_lies_over_that_of_the_queries(depth, is_right):
    stage, whole = (layout_for("16:9").region(name) for name in ("stage", "whole"))
    plan = film_plan(stage, whole, sizes(query_pos=4, head_dim=depth), list("abcd"))
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
