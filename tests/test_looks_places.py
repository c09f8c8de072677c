"""Where things stand: for each check something that breaks it, and the same put right."""

from __future__ import annotations

import manim
import numpy as np
import pytest

from attnviz import text
from attnviz.looks.places import depth, frame_edges, overflows, overlaps, passing, safe_area
from attnviz.looks.play import look_into
from attnviz.looks.view import view_of
from attnviz.mobjects import Grid, TokenLabels
from attnviz.mobjects.formula import AttentionFormula
from attnviz.mobjects.matrix import Transpose
from attnviz.theme import DARK, PIXEL
from tests.drawn import tensor
from tests.looking import bare_scene, seen, wrong


@pytest.mark.parametrize(("frame", "across"), [("16:9", 7.1), ("9:16", 4.0), ("1:1", 4.0)])
def test_nothing_leaves_the_frame_or_its_safe_area(frame, across):
    square = manim.Square(0.4)
    outside, margin, inside = (seen(square.copy().set_x(across + by), frame=frame) for by in (0, -0.4, -1.0))
    assert wrong(frame_edges(outside)) and wrong(safe_area(outside))
    assert not wrong(frame_edges(margin)) and wrong(safe_area(margin)) == ["a Square"]
    assert not wrong(safe_area(inside))


def test_a_thick_line_reaches_further_than_its_outline():
    square = manim.Square(0.4).set_x(6.4 - 0.2)
    assert not wrong(safe_area(seen(square.copy().set_stroke(width=1))))
    assert wrong(safe_area(seen(square.copy().set_stroke(width=20))))


def test_what_covers_the_whole_frame_is_a_ground_and_what_is_hidden_is_not_there():
    assert not wrong(safe_area(seen(manim.Rectangle(width=20, height=9, fill_opacity=1))))
    assert not wrong(safe_area(seen(text.line("away").set_x(9).set_opacity(0.01))))


def test_no_two_texts_overlap():
    one, other = text.line("one word"), text.line("another")
    assert wrong(overlaps(seen(one, other))) == ['the text "one word" and the text "another"']
    assert not wrong(overlaps(seen(one, other.copy().next_to(one, manim.DOWN, buff=0.02))))
    assert not wrong(overlaps(seen(one, other.copy().set_opacity(0.01))))


def test_a_text_over_the_digits_of_a_cell_and_two_grids_over_each_other():
    grid = Grid(tensor("query", 3), "query_pos", "head_dim")
    assert "the text" in wrong(overlaps(seen(grid, text.line("the").move_to(grid.cell(1, 1)))))[0]
    assert not wrong(overlaps(seen(grid, text.line("the").next_to(grid, manim.UP, buff=0.05))))
    assert wrong(overlaps(seen(grid, Grid(tensor("key", 3), "key_pos", "head_dim"))))


def test_slanted_labels_side_by_side_are_apart():
    grid = Grid(tensor("key", 4), "head_dim", "key_pos", cell=0.5)
    labels = TokenLabels(["internationalization"] * 4, grid, "top")
    assert labels.slanted and not wrong(overlaps(seen(grid, labels)))
    labels.labels[1].shift(0.3 * manim.RIGHT)
    assert wrong(overlaps(seen(grid, labels)))


def test_depth_is_that_of_the_side_that_shows_least():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    assert depth(square, square + np.array([0.9, 0.2])) == pytest.approx(0.1)
    assert depth(square, square + np.array([1.5, 0])) == pytest.approx(-0.5)
    diamond = np.array([[1.2, 0.6], [1.8, 1.2], [1.2, 1.8], [0.6, 1.2]])
    assert depth(square, diamond) == pytest.approx((2 - 1.8) / 2**0.5)  # their upright boxes meet in 0.4 x 0.4
    assert depth(square, diamond + 0.2) < 0


def test_a_text_stays_in_its_card():
    words = text.line("a longer text than fits")
    card = manim.RoundedRectangle(width=1.5, height=0.7, fill_opacity=1, fill_color=DARK.panel)
    assert wrong(overflows(seen(card, words))) == ['the text "a longer text than fits", in its card']
    assert not wrong(overflows(seen(card.copy().stretch_to_fit_width(5), words)))
    assert not wrong(overflows(seen(card.copy().set_opacity(0.2), words)))  # a tint, no card


def test_a_frame_around_a_part_of_a_formula_is_no_card():
    formula = AttentionFormula(DARK)
    formula.cursor.become(formula._frame("softmax"))
    assert not wrong(overflows(seen(formula)))


def test_a_label_is_no_wider_than_its_column_and_no_higher_than_its_row():
    grid = Grid(tensor("key", 4), "head_dim", "key_pos", cell=0.9)
    labels = TokenLabels(["the", "cat", "sat", "on"], grid, "top")
    assert not labels.slanted and not wrong(overflows(seen(grid, labels)))
    labels.labels[1].scale(4)
    assert wrong(overflows(seen(grid, labels))) == ['the label "cat", in its column']
    side = TokenLabels(["w"] * 4, grid, "left")
    assert not wrong(overflows(seen(grid, side)))
    side.labels[2].scale(9)
    assert wrong(overflows(seen(grid, side))) == ['the label "w", in its row']


def test_a_label_that_stands_for_n_rows_is_no_higher_than_these():
    grid = Grid(tensor("key", 4), "key_pos", "head_dim", cell=(0.9, 13 * PIXEL))
    labels = TokenLabels(["w"] * 4, grid, "left")
    assert labels.every == 2 and not wrong(overflows(seen(grid, labels)))
    labels.labels[1].scale(2.5)
    assert wrong(overflows(seen(grid, labels))) == ['the label "w", in its row']


def test_digits_are_no_wider_than_their_cell(monkeypatch):
    grid = Grid(tensor("query", 3), "query_pos", "head_dim")
    assert not wrong(overflows(seen(grid)))
    monkeypatch.setattr(Grid, "digit_size", 60.0)
    assert wrong(overflows(seen(grid)))


# --- in the midst of plays


def on_the_way(*animations: manim.Animation, standing: tuple[manim.Mobject, ...] = ()) -> list[str]:
    found: list[str] = []
    with bare_scene() as scene:
        def look(share: float) -> None:
            view = view_of(scene, DARK, "16:9")
            found.extend(wrong([*frame_edges(view), *passing(view)]))

        scene.add(*standing)
        look_into(scene, look)
        scene.play(*animations)
    return found


def test_texts_that_pass_through_each_other_above_half_opacity():
    left, right = text.line("left"), text.line("right")
    left.shift(2 * manim.LEFT)
    right.shift(2 * manim.RIGHT)
    cross = [left.animate.move_to(right), right.animate.move_to(left)]
    assert on_the_way(*cross) == ['the text "left" and the text "right"']
    left.set_opacity(0.4)
    assert on_the_way(*[left.animate.move_to((2, 0, 0)), right.animate.move_to((-2, 0, 0))]) == []


def test_a_swap_crosses_over_and_a_copy_leaves_its_original():
    old, new = text.line("old"), text.line("new")
    assert on_the_way(manim.FadeOut(old), manim.FadeIn(new)) == []
    assert on_the_way(manim.TransformFromCopy(new, new.copy().shift(manim.UP)), standing=(new,)) == []


def test_the_cells_of_a_matrix_may_pass_each_other_but_no_other_text():
    keys = tensor("key", 3)
    source = Grid(keys, "key_pos", "head_dim")
    target = Grid(keys, "head_dim", "key_pos").shift(0.5 * manim.RIGHT)
    assert on_the_way(Transpose(source, target)) == []
    assert on_the_way(Transpose(source, target), standing=(text.line("here"),)) != []


def test_what_leaves_the_frame_on_its_way():
    word = text.line("word")
    arc = [word.animate(path_arc=manim.PI).shift(3 * manim.LEFT)]
    assert on_the_way(*arc) == []
    far = text.line("far").shift(3 * manim.UP)
    assert set(on_the_way(far.animate(path_arc=-manim.PI).shift(6 * manim.RIGHT))) == {'the text "far"'}
