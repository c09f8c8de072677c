"""What stands beside a matrix product: its shapes, one entry term by term, its places in a film, and its sources."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from attnviz import cases
from attnviz.errors import InputError
from attnviz.layout import FRAMES, Region, layout_for
from attnviz.mobjects.shapes import ShapeProduct
from attnviz.mobjects.sources import Sources
from attnviz.mobjects.terms import Terms
from attnviz.mobjects.views import view_plan
from attnviz.theme import DARK
from tests.test_product import VIEW, product

pytestmark = pytest.mark.xdist_group("projections")

SIZES = {"query_pos": 8, "key_pos": 8, "model_dim": 8, "head_dim": 4, "value_dim": 4}


@pytest.mark.parametrize("frame", FRAMES)
def test_the_shapes_below_a_product_are_those_of_its_grids(frame):
    made = product(("query_input", "weight_query", "query"), VIEW, "projection")
    region = layout_for(frame).region("side")
    shapes = ShapeProduct((made.left, made.top, made.result), ("X", "W^Q", "Q"),
                          ("s times d", "d times d_k", "s times d_k"), region, DARK)
    assert [one.text for one in shapes.counted] == ["8\u2003×\u20038", "8\u2003×\u20034", "8\u2003×\u20034"]
    assert shapes.width <= region.width + 1e-6 and shapes.height <= region.height + 1e-6
    signs, columns = ([shapes.named.part(part).get_x() for part in parts]
                      for parts in (("times", "equals"), ("left", "top", "product")))
    assert signs == pytest.approx([sum(pair) / 2 for pair in pairwise(columns)])
    for part, letters, count in zip(("left", "top", "product"), shapes.lettered, shapes.counted, strict=True):
        x = shapes.named.part(part).get_x()
        assert (letters.get_x(), count.get_x()) == pytest.approx((x, x), abs=1e-6)
        assert letters.get_top()[1] < shapes.named.get_bottom()[1] and count.get_top()[1] < letters.get_bottom()[1]


@pytest.mark.parametrize("columns", [3, 8])
def test_the_frame_holds_the_inner_sizes_of_a_product_and_nothing_else(columns):
    made = product(("query_input", "weight_query", "query"), VIEW, "projection")
    grids = made.left, made.top, made.result
    shapes = ShapeProduct(grids, ("X", "W^Q", "Q"), ("s times d", "d times d_k", "s times d_k"),
                          Region(0, 0, columns, 3), DARK)
    left, right = shapes.inner.get_left()[0], shapes.inner.get_right()[0]
    for line in (shapes.lettered, shapes.counted):
        inside = [[left < glyph.get_center()[0] < right for glyph in shape] for shape in line]
        across = [left < glyph.get_left()[0] and glyph.get_right()[0] < right for shape in line for glyph in shape]
        assert [one for shape in inside for one in shape] == across
        assert inside[0][:3] == [False, False, True] and inside[1][:3] == [True, False, False] and not any(inside[2])
        gap = line[0].height / 4
        assert line[0][1].get_right()[0] + gap < left and right + gap < line[1][1].get_left()[0]  # clear of the ×
        bottom, top = shapes.inner.get_bottom()[1], shapes.inner.get_top()[1]
        assert all(bottom < glyph.get_bottom()[1] and glyph.get_top()[1] < top for glyph in line[0])


def worked(region: Region) -> Terms:
    bundle = cases.load("trained").bundle(is_causal=True, names=("projection",))["projection"]
    x, weight, terms, query = (bundle[name].sel(**at) for name, at in (
        ("query_input", {"batch": 0}), ("weight_query", {"head": 1}), ("query_terms", {"batch": 0, "head": 1}),
        ("query", {"batch": 0, "head": 1})))
    lines = x.sel(query_pos=7), weight.sel(head_dim=0), terms.sel(query_pos=7, head_dim=0)
    return Terms(lines, query.entry(query_pos=7, head_dim=0), (x, weight, terms, query), ("x", "w", "x w"), "add up",
                 region, DARK)


@pytest.mark.parametrize(("frame", "name"), [("16:9", "whole"), ("9:16", "side"), ("1:1", "side")])
def test_the_terms_of_an_entry_add_up_to_it_and_stay_in_their_region(frame, name):
    region = layout_for(frame).region(name)
    terms = worked(region)
    row, column, products = (grid.cells.tensor.values.astype(float) for grid in
                             (terms.row, terms.column, terms.products))
    np.testing.assert_allclose(row * column, products, rtol=1e-5, atol=1e-6)
    assert products.sum() == pytest.approx(terms.total.entry.value, rel=1e-5)
    assert terms.total.text == f"{products.sum():.2f}".replace("-", "−")
    assert terms.is_upright == (frame == "16:9")
    assert terms.width <= region.width + 1e-6 and terms.height <= region.height + 1e-6


@pytest.mark.parametrize("frame", FRAMES)
def test_the_plan_puts_each_view_below_its_weight_and_beside_x(frame):
    plan = view_plan(layout_for(frame), SIZES, is_self=True)
    for x, weight, made in zip(plan.inputs, plan.weights, plan.made, strict=True):
        assert made[0] == pytest.approx(weight[0]) and made[1] == pytest.approx(x[1]) and weight[1] > made[1]
    if plan.beside:
        assert plan.kept == plan.made and plan.weights[0][0] < plan.weights[1][0] < plan.weights[2][0]
    else:
        assert len(set(plan.made)) == 1 and plan.kept[0][0] < plan.kept[1][0] < plan.kept[2][0]
    with pytest.raises(InputError, match=r"300 words.*choose fewer tokens, or another frame"):
        view_plan(layout_for(frame), SIZES | {"query_pos": 300, "key_pos": 300}, is_self=True)


@pytest.mark.parametrize("frame", FRAMES)
def test_arrows_go_from_a_sentence_to_what_is_made_of_it(frame):
    region, words = layout_for(frame).region("whole"), {"query": "asks", "key": "is matched", "value": "passes on"}
    case = cases.load("cross")
    picture = Sources(case.query_tokens, case.key_tokens, words, region, DARK)
    assert picture.width <= region.width + 1e-6 and picture.height <= region.height + 1e-6
    upper, lower = picture.asking, picture.answering
    assert [card[1].text for card in (upper, lower)] == [" ".join(case.query_tokens), " ".join(case.key_tokens)]
    for arrow, box in zip(picture.arrows, picture.boxes, strict=True):
        assert upper.get_bottom()[1] >= arrow.get_start()[1] > arrow.get_end()[1] >= box.get_top()[1]
    for arrow, box in zip(picture.others, picture.boxes[1:], strict=True):
        assert lower.get_top()[1] <= arrow.get_start()[1] < arrow.get_end()[1] <= box.get_bottom()[1]
