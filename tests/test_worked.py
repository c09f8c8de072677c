"""Worked examples of a row: all of its keys, or those with the largest weights, and then a line says of how many."""

from __future__ import annotations

import manim
import pytest

from attnviz.layout import Region, layout_for
from attnviz.mobjects import Grid, Literal, TokenLabels
from attnviz.mobjects.relation import Relation
from attnviz.mobjects.worked import Worked
from attnviz.theme import DARK
from tests.drawn import tensor

WORDS = {"add_up": "add up", "add_up_all": "all add up to", "width": "width", "so": "so", "largest": "largest",
         "sum": "sum", "sum_all": "sum of all", "etc": "and so on"}
TOKENS = [f"word{place}" for place in range(8)]
ROW = 7


def worked(most: int | None = None, region: Region | None = None) -> Worked:
    return Worked(tensor, ROW, WORDS, region or layout_for("16:9").region("side"), (0.7, 0.5), DARK, most=most)


def parts(lines: tuple[manim.Group, ...], kind: type) -> list:
    return [part for line in lines for part in line.get_family() if isinstance(part, kind)]


def largest(count: int) -> list[int]:
    weights = tensor("attn_weights").sel(query_pos=ROW).values
    return sorted(sorted(range(8), key=lambda key: -weights[key])[:count])


def test_a_row_is_worked_out_for_its_largest_weights_in_the_order_of_the_keys():
    lines = worked(3).softmax(TOKENS).lines
    rows = parts(lines, Grid)
    assert len(rows) == 4 and all(list(row.cells.positions[1]) == largest(3) for row in rows)
    [words] = parts(lines, TokenLabels)
    assert words.tokens == [TOKENS[key] for key in largest(3)] and words.every == 1
    for place, label in zip(words.positions, words.labels, strict=True):
        assert label.get_x() == pytest.approx(rows[0].column(place).get_x(), abs=0.01)
        assert rows[0].get_top()[1] < label.get_bottom()[1] <= layout_for("16:9").region("side").top


@pytest.mark.parametrize(("most", "said"), [(3, ["3 of 8 words"]), (8, []), (None, [])])
def test_what_is_left_out_is_said_and_no_sign_stands_before_a_sum_of_what_is_not_shown(most, said):
    softmax, blend = worked(most).softmax(TOKENS), worked(most).blend(TOKENS)
    lines = (blend.first, *blend.rest, blend.total)
    for found in (softmax.lines, lines):
        assert [part.text for part in parts(found, Literal)] == said or found is lines
        sums = [part for part in parts(found, Relation) if part.claims[0].operation == "sum"]
        assert len(sums) == (0 if said else 1)


def test_a_blend_begins_with_the_largest_weight_and_tells_of_the_others():
    example, count = worked(3), 3
    blend = example.blend(TOKENS)
    assert [blend.first_key] == largest(1) and blend.product.name == "weighted_values"
    assert blend.first[1].cells.tensor.name == "value" and blend.product.at["key_pos"] == blend.first_key
    others = [line[1].cells.tensor for line in blend.rest if isinstance(line[1], Grid)]
    assert [other.name for other in others] == ["weighted_values"] * (count - 1)
    assert sorted([blend.first_key, *(other.at["key_pos"] for other in others)]) == largest(3)
    assert [part.text for part in parts(blend.rest, Literal)] == ["3 of 8 words"]


def test_lines_fill_their_region_and_stay_in_it():
    for frame in ("16:9", "9:16"):
        region = layout_for(frame).region("side")
        sheet = worked(region=region).dot_product(3, "a", "b").all
        assert region.left - 1e-6 <= sheet.get_left()[0] and sheet.get_right()[0] <= region.right + 1e-6
        assert region.bottom - 1e-6 <= sheet.get_bottom()[1] and sheet.get_top()[1] <= region.top + 1e-6
        assert sheet.width > 0.7 * region.width or sheet.height > 0.6 * region.height


def test_the_width_is_said_before_its_root_and_the_root_is_what_scores_are_divided_by():
    lines = worked().scaling(TOKENS).lines
    width, root = (float(part.text) for part in parts(lines, Literal))
    assert width == tensor("query").size("head_dim") and root == width ** 0.5
    products, scores = (tensor(stage).sel(query_pos=ROW).values for stage in ("dot_products", "scores"))
    assert products / root == pytest.approx(scores, rel=1e-5)
