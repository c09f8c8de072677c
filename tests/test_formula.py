"""The formula lights up part by part, nested as the computation is, and Q, K, V keep their colours."""

from __future__ import annotations

import itertools

import pytest

from attnviz.errors import InputError
from attnviz.mobjects.formula import AttentionFormula
from attnviz.theme import DARK

ORDER = ("scores", "scale", "softmax", "blend")


def after(formula, *parts):
    for part in parts:
        animation = formula.light(part)
        animation.begin()
        animation.interpolate(1)
        animation.finish()
    return formula


def colors(group):
    return {glyph.get_color().to_hex().lower() for glyph in group}


def test_it_starts_dim_and_each_part_holds_the_one_before():
    formula = AttentionFormula(DARK)
    assert colors(formula.formula.submobjects) == {DARK.muted}
    for inner, outer in itertools.pairwise(ORDER):
        held = {id(glyph) for glyph in formula.formula.part(outer)}
        assert {id(glyph) for glyph in formula.formula.part(inner)} < held


def test_lighting_colours_the_part_and_leaves_the_rest_dim():
    formula = after(AttentionFormula(DARK), "scores")
    assert colors(formula.formula.part("query")) == {DARK.role("query")}
    assert colors(formula.formula.part("key")) == {DARK.role("key")}
    assert colors(formula.formula.part("value")) == {DARK.muted}
    after(formula, "scale", "softmax", "blend", "output")
    assert colors(formula.formula.part("value")) == {DARK.role("value")}
    assert DARK.muted not in colors(formula.formula.part("blend"))


def test_the_frame_moves_to_what_is_lit():
    formula = after(AttentionFormula(DARK), "blend", "scores")
    target = formula.formula.part("scores")
    assert formula.cursor.get_center() == pytest.approx(target.get_center(), abs=1e-6)
    assert target.width < formula.cursor.width < target.width + 0.3
    with pytest.raises(InputError, match="no part 'mask'"):
        formula.light("mask")


def test_a_part_can_be_lit_from_the_start_and_the_mask_stands_inside_the_softmax():
    formula = AttentionFormula(DARK, is_masked=True, lit="mask")
    mask, softmax = formula.formula.part("mask"), formula.formula.part("softmax")
    assert {id(glyph) for glyph in mask} < {id(glyph) for glyph in softmax}
    assert colors(mask) == {DARK.ink.lower()}
    assert colors(formula.formula.part("output")) == {DARK.muted.lower()}
    assert formula.cursor.get_center() == pytest.approx(mask.get_center(), abs=1e-6)
    with pytest.raises(InputError, match="no part 'mask'"):
        AttentionFormula(DARK).light("mask")
