"""What can be read: sizes, contrast on painted pixels, dims, and signs besides colour, each broken and put right."""

from __future__ import annotations

import manim
import numpy as np
import pytest

from attnviz import text
from attnviz.colors import contrast
from attnviz.looks.contrast import cell_contrast, cells_of, contrasts, masked_cells
from attnviz.looks.names import names
from attnviz.looks.sizes import dims, sizes
from attnviz.looks.view import view_of
from attnviz.mobjects import Grid, TokenLabels
from attnviz.mobjects.formula import AttentionFormula
from attnviz.mobjects.matrix import Matrix
from attnviz.theme import DARK, THEMES
from tests.drawn import tensor
from tests.looking import bare_scene, seen, wrong

EACH_THEME = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)


def test_no_text_is_smaller_than_18_pixels():
    assert wrong(sizes(seen(text.line("small", size=20).scale(0.85)))) == ['the text "small"']
    assert not wrong(sizes(seen(text.line("small", size=20).scale(0.9), text.line("just", size=18))))
    assert wrong(sizes(seen(text.line("shrunk", size=36).scale(0.4)))) == ['the text "shrunk"']


def test_exponents_and_digits_of_cells_count_too():
    assert wrong(sizes(seen(text.math("x^2", size=25, reason="a power")))) and not wrong(
        sizes(seen(text.math("x^2", size=26, reason="a power"))))
    grid = Grid(tensor("query", 3), "query_pos", "head_dim")
    assert not wrong(sizes(seen(grid)))
    assert wrong(sizes(seen(grid.scale(0.6)))) == ["the grid query[batch=0, head=0]"]


@EACH_THEME
def test_contrast_is_that_of_the_colours_that_were_painted(theme):
    line = text.line("Measured: il−·", size=24, color=theme.muted)
    [found] = contrasts(seen(line, theme=theme))
    assert found.value == pytest.approx(contrast(theme.muted, theme.background), rel=0.03) and not found.fails


def test_low_contrast_is_seen_also_on_a_card_and_of_one_glyph_only():
    faint = text.line("faint", color="#666c78")
    assert wrong(contrasts(seen(faint))) == ['the text "faint"']
    good = text.line("good", color="#98a3b5")
    assert not wrong(contrasts(seen(good)))
    card = manim.Rectangle(width=3, height=1, fill_color="#5a6270", fill_opacity=1)
    assert wrong(contrasts(seen(card, good))) == ['the text "good"']
    one = text.line("one of all", color=DARK.ink)
    one[4].set_color("#333333")
    assert wrong(contrasts(seen(one)))


def test_a_text_below_something_else_cannot_be_read():
    line = text.line("hidden")
    cover = manim.Rectangle(width=4, height=1, fill_color=DARK.panel, fill_opacity=1)
    assert wrong(contrasts(seen(line, cover))) and not wrong(contrasts(seen(cover, line)))


def test_dimmed_text_needs_less_contrast_and_no_dim_lies_below_045():
    dimmed = text.line("dimmed", color=DARK.ink).set_opacity(0.5)
    [found] = contrasts(seen(dimmed))
    assert (found.check, found.limit, found.fails) == ("dimmed contrast", 3, False) and found.value < 6
    assert wrong(contrasts(seen(text.line("dimmed", color=DARK.muted).set_opacity(0.5))))
    assert not wrong(dims(seen(dimmed))) and wrong(dims(seen(dimmed.set_opacity(0.3)))) == ['the text "dimmed"']


def test_dims_of_cells_lines_and_tints():
    grid = Grid(tensor("query", 3), "query_pos", "head_dim")
    assert not wrong(dims(seen(grid.copy().focus(rows=[0])))) and wrong(dims(seen(grid.copy().focus(rows=[0], to=0.3))))
    assert not wrong(dims(seen(grid.copy().dim_cells(rows=[0], to=0))))  # hidden
    assert wrong(dims(seen(manim.Line().set_stroke(opacity=0.3))))
    assert not wrong(dims(seen(manim.Square(stroke_width=0, fill_opacity=0.1))))


@EACH_THEME
def test_the_digits_of_every_cell_are_measured(theme):
    grid = Grid(tensor("attn_weights", 4), theme=theme)
    found = contrasts(seen(grid, theme=theme))
    assert len(found) == 1 and not found[0].fails
    dimmed = contrasts(seen(grid.focus(rows=[0]), theme=theme))
    assert [one.check for one in dimmed] == ["contrast", "dimmed contrast"] and not wrong(dimmed)


def test_digits_without_contrast_are_seen(monkeypatch):
    from attnviz.mobjects.cells import Cells

    grid = Grid(tensor("attn_weights", 4))
    monkeypatch.setattr(Cells, "inks", lambda self, part: self.fill[part])
    [found] = contrasts(seen(grid))
    assert found.fails and found.value == pytest.approx(1)


def test_a_text_that_a_play_took_apart_is_still_one_text():
    with bare_scene() as scene:
        line = text.line("whole")
        scene.add(line)
        scene.play(manim.AnimationGroup(*(manim.ApplyMethod(glyph.set_color, "#ff0000") for glyph in line[:2])))
        assert line not in scene.mobjects  # Manim takes a group apart when an animation of a part begins
        assert [one.what for one in sizes(view_of(scene, DARK, "16:9"))] == ['the text "whole"']
        formula = AttentionFormula(DARK)
        scene.add(formula)
        scene.play(formula.light("scores"))
        assert formula in scene.mobjects


def test_matrices_of_queries_keys_and_values_have_names_or_labels():
    grid = Grid(tensor("query", 3), "query_pos", "head_dim")
    assert wrong(names(seen(grid, text.line("far away").shift(3 * manim.UP)))) == ["the grid query[batch=0, head=0]"]
    assert not wrong(names(seen(Matrix(grid, DARK))))
    assert not wrong(names(seen(grid, TokenLabels(["a", "b", "c"], grid))))
    other = Matrix(Grid(tensor("key", 3), "key_pos", "head_dim").next_to(grid, manim.DOWN, buff=0.3), DARK)
    other.symbol_to(manim.UP)
    assert wrong(names(seen(grid, other))) == ["the grid query[batch=0, head=0]"]  # K beside Q names no Q
    assert not wrong(names(seen(Grid(tensor("scores", 3)))))


@EACH_THEME
def test_masked_cells_have_their_hatch_or_digits(theme):
    small = Grid(tensor("masked_scores", 4), cell=0.25, theme=theme)
    assert small.cells.masked.any() and not small.digit_size
    found = masked_cells(seen(small, theme=theme))
    assert len(found) == 1 and not wrong(found)


@EACH_THEME
def test_masked_cells_between_the_lines_of_their_hatch_are_seen_as_one_area(theme):
    low = Grid(tensor("masked_scores", 64), cell=(0.1, 0.08), theme=theme)
    view = seen(low, theme=theme)
    marked = [cell_contrast(pixels) for place, pixels in cells_of(view, low) if low.cells.masked[place] and pixels.size]
    assert min(marked) == 1 and not wrong(masked_cells(view))
    view.picture[:] = 40
    assert wrong(masked_cells(view))


def test_a_plain_cell_has_no_mark():
    plain = np.full((20, 3), 40, np.uint8)
    assert cell_contrast(plain) == 1
    plain[3:6] = 90
    assert cell_contrast(plain) > 1.2
