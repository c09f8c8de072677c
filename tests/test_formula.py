"""The formula lights up part by part, nested as the computation is, and Q, K, V keep their colours."""

from __future__ import annotations

import itertools

import pytest
from manim import DL, UR

from attnviz.errors import InputError
from attnviz.mobjects.formula import AttentionFormula, SlopeFormula, TemperedFormula
from attnviz.text.typed import LINE_WIDTH
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


LIT = {
    "attention": (AttentionFormula(DARK), (*ORDER, "query", "value", "output")),
    "masked": (AttentionFormula(DARK, is_masked=True), (*ORDER, "mask", "masked", "output")),
    "tempered": (TemperedFormula(DARK), ("temperature",)),
    "slope": (SlopeFormula(DARK), ("slope", "output", "query")),
}


@pytest.mark.parametrize("name", LIT)
@pytest.mark.parametrize("grown", [0.65, 1.0, 1.5])
def test_the_frame_holds_its_part_and_keeps_clear_of_what_stands_beside_it(name, grown):
    formula, parts = LIT[name][0].copy().scale(grown), LIT[name][1]
    for part in parts:
        frame, held = after(formula, part).cursor, formula.formula.part(part)
        line, names = LINE_WIDTH * frame.stroke_width / 2, {id(glyph) for glyph in held}
        assert gap(frame, held, inside=True) > line + 0.05 * formula.formula.em, part
        for glyph in formula.formula.submobjects:
            assert id(glyph) in names or gap(frame, glyph) > line + 0.05 * formula.formula.em, (part, grown)


@pytest.mark.parametrize(("part", "is_masked", "air"), [
    ("output", False, 0.13), ("value", False, 0.13), ("mask", True, 0.08), ("value", True, 0.13)])
def test_the_frame_around_a_single_letter_leaves_it_to_be_read(part, is_masked, air):
    formula = after(AttentionFormula(DARK, is_masked=is_masked), part)
    line = LINE_WIDTH * formula.cursor.stroke_width / 2
    assert gap(formula.cursor, formula.formula.part(part), inside=True) > line + air * formula.formula.em


def gap(frame, other, *, inside=False):
    """The room between a frame and what lies outside of it, or inside."""
    (left, bottom, _), (right, top, _) = frame.get_corner(DL), frame.get_corner(UR)
    (x, y, _), (beyond, above, _) = other.get_corner(DL), other.get_corner(UR)
    if inside:
        return min(x - left, right - beyond, y - bottom, top - above)
    return max(x - right, left - beyond, y - top, bottom - above)
