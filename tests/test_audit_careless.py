"""Lies that a careless author tells with Manim's own means: parts shown alone, things exchanged, shown in passing."""

from __future__ import annotations

import re
from typing import Any

import manim
import numpy as np
import pytest

from attnviz import text
from attnviz.errors import CheckError, InputError
from attnviz.mobjects import Bars, ColorBar, Grid, Literal, Number, Swap, TokenLabels
from attnviz.mobjects.asking import Asking
from attnviz.mobjects.flow import Flow
from attnviz.mobjects.histogram import Histogram
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.relation import Claim, Relation, each, total_of
from attnviz.sdpa import trace_samples
from attnviz.theme import scale_for
from tests.acting import Act, Staged, stage
from tests.test_audit_lies import first_head, tile, tiled, unmasked

CARELESS: dict[str, tuple[Act, str, dict[str, Any]]] = {}
HONEST: list[tuple[Act, dict[str, Any]]] = []


def careless(expected: str, **options: Any):
    def enter(act: Act) -> Act:
        CARELESS[act.__name__] = (act, expected, options)
        return act

    return enter


def honest(**options: Any):
    def enter(act: Act) -> Act:
        HONEST.append((act, options))
        return act

    return enter


def briefly(scene: Staged, *mobjects: manim.Mobject) -> None:
    """Show something inside of one play: it is gone when the play ends."""
    shown = manim.Group(*mobjects)
    steps = manim.FadeIn(shown), manim.Wait(2), manim.FadeOut(shown)
    scene.play(manim.Succession(*steps), run_time=4)


def number(scene: Staged, query_pos: int, key_pos: int, **looks: Any) -> Number:
    return Number(scene.one("attn_weights", query_pos=query_pos, key_pos=key_pos), **looks)


# --- parts without their whole


@careless(r"the bar of attn_weights\[.*key_pos=1\] reaches")
def a_bar_stretched_when_one_number_is_gone(scene: Staged) -> None:
    bars = Bars(scene.row("attn_weights"), theme=scene.theme)
    scene.reveal(bars)
    scene.play(manim.FadeOut(bars.numbers[0]))
    scene.play(bars.bars[1].animate.stretch(0.3, 1, about_edge=manim.DOWN))


@careless(r"the bar of attn_weights\[.*key_pos=0\] reaches")
def bars_that_come_one_by_one(scene: Staged) -> None:
    bars = Bars(scene.row("attn_weights"), has_numbers=False, theme=scene.theme)
    bars.bars[0].stretch(0.4, 1, about_edge=manim.DOWN)
    scene.play(manim.LaggedStart(*[manim.FadeIn(part) for part in (bars.line, *bars.bars)]))


@careless(r"the labels .* stand for query_pos")
def labels_shifted_when_one_is_gone(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    labels = TokenLabels(scene.data.query_tokens, grid)
    scene.reveal(grid, labels)
    scene.play(manim.FadeOut(labels.labels[7]))
    scene.play(manim.VGroup(*labels.labels[:7]).animate.shift(0.7 * manim.DOWN))


@careless(r"the labels .* are not those that were made")
def a_label_exchanged(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    labels = TokenLabels(scene.data.query_tokens, grid)
    labels.submobjects[3] = text.line("dog").move_to(labels.submobjects[3])
    scene.reveal(grid, labels)


@careless(r"'cat' stands before a row of attn_weights\[.*\], which is that of 'on'")
def a_label_by_hand(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    scene.reveal(grid, text.line(scene.data.query_tokens[1]).next_to(grid.row(3), manim.LEFT))


@careless(r"the name O of output stands beside attn_weights")
def a_name_without_its_group(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=0.5)
    scene.reveal(grid, StageName(scene.tensor("output"), scene.theme).next_to(grid, manim.UP)[0])


@careless(r"the colour bar of attn_weights says|colour bar of scores goes from -8 to 8")
def a_strip_without_its_numbers(scene: Staged) -> None:
    strip = ColorBar(scale_for("scores", -8.0, 8.0, scene.theme), theme=scene.theme).strip
    scene.reveal(scene.grid("scores"), strip.to_edge(manim.RIGHT))


# --- shown in passing


@careless(r"of head 2, the film is about head 1")
def another_head_in_passing(scene: Staged) -> None:
    briefly(scene, Grid(scene.bundle["sdpa"]["attn_weights"].sel(batch=0, head=2), theme=scene.theme))


@careless(r"of 'free' is shown after the mask of sdpa", records={"free": unmasked()})
def the_unmasked_map_in_passing(scene: Staged) -> None:
    masked = scene.grid("masked_scores", cell=0.4).to_edge(manim.LEFT)
    scene.reveal(masked)
    briefly(scene, Grid(scene.tensor("attn_weights", "free"), cell=0.4, theme=scene.theme).to_edge(manim.RIGHT))


@careless(r"attn_weights\[.*query_pos=3, key_pos=1\] has the colour")
def a_red_cell_in_passing(scene: Staged) -> None:
    from dataclasses import replace

    grid = scene.grid("attn_weights")
    fill = grid.cells.fill.copy()
    fill[3, 1] = (255, 0, 0)
    grid.cells = replace(grid.cells, fill=fill)
    briefly(scene, grid)


@careless(r"an arrow from scores to output|no arrow")
def an_arrow_in_passing(scene: Staged) -> None:
    scores = scene.grid("scores", cell=0.4).to_edge(manim.LEFT)
    output = scene.grid("output", "query_pos", "value_dim", cell=0.4).to_edge(manim.RIGHT)
    scene.reveal(scores, output)
    briefly(scene, manim.Arrow(scores.get_right(), output.get_left()))


@careless(r"attn_weights\[.*\] is covered by a Square")
def a_digit_covered_in_passing(scene: Staged) -> None:
    shown = number(scene, 7, 1, size=60)
    square = manim.Square(0.4, fill_color="#000000", fill_opacity=1, stroke_width=0).move_to(shown[0])
    scene.reveal(shown)
    briefly(scene, square)


# --- rows, tiles, scales


@careless(r"attn_weights\[.*query_pos=7\] is labelled 'sits', the case says 'it'")
def a_row_swapped_under_its_label(scene: Staged) -> None:
    grid = Grid(scene.row("attn_weights"), None, "key_pos", theme=scene.theme)
    scene.reveal(grid, TokenLabels([scene.data.query_tokens[2]], grid))
    scene.play(Swap(grid, scene.row("attn_weights", 7)))


@careless(r"attn_weights\[.*\]: query_pos=1 stands behind query_pos=2")
def two_rows_exchanged_as_blocks(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    blocks = [grid.block([row], list(range(8))) for row in range(8)]
    scene.reveal(*blocks)
    scene.play(manim.Swap(blocks[1], blocks[2]))


@careless(r"attn_weights\[.*\]: query_pos=\d stands behind query_pos=\d")
def a_copy_of_a_row_in_place_of_a_hidden_one(scene: Staged) -> None:
    grid = scene.grid("attn_weights").dim_cells(rows=[5], to=0)
    scene.reveal(grid)
    copy = grid.row(2).copy()
    scene.play(copy.animate.move_to(grid.row(5)))


@careless(r"attn_weights\[.*\] stands turned")
def a_map_turned_by_ninety_degrees(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights").rotate(manim.PI / 2))


@careless(r"tile_scores\[.*\] is drawn transposed", records={"tiled": tiled()})
@first_head
def a_transposed_tile(scene: Staged) -> None:
    scene.reveal(Grid(tile(scene, 0), "column", "row", theme=scene.theme))


@careless(r"query_tile=0: key_tile=1 is left out before key_tile=2", records={"tiled": tiled()})
@first_head
def a_tile_left_out_between_two_fades(scene: Staged) -> None:
    for key_tile in (0, 2):
        grid = Grid(tile(scene, key_tile), "row", "column", theme=scene.theme)
        scene.reveal(grid)
        scene.play(manim.FadeOut(grid))


@careless(r"query_tile=0: key_tile=0 is left out before key_tile=1", records={"tiled": tiled()})
@first_head
def a_loop_that_starts_in_the_middle(scene: Staged) -> None:
    scene.reveal(Grid(tile(scene, 1), "row", "column", theme=scene.theme))


@careless(r"scores\[.*\] has the colours of .*: one stage has one scale")
def one_stage_in_two_scales(scene: Staged) -> None:
    rows = [Grid(scene.row("scores", row), None, "key_pos", theme=scene.theme) for row in (0, 7)]
    scene.reveal(rows[0].shift(manim.UP), rows[1].shift(manim.DOWN))


@careless(r"a one is .* high here, and .* in other bars of attn_weights")
def bars_of_two_heights(scene: Staged) -> None:
    rows = [Bars(scene.row("attn_weights", row), size=(4, height), theme=scene.theme)
            for row, height in ((2, 2), (7, 0.8))]
    scene.reveal(rows[0].to_edge(manim.UP), rows[1].to_edge(manim.DOWN))


# --- shapes that read as digits


@careless(r"a shape that reads [09] is bound to no entry")
def a_square_that_turns_into_a_number(scene: Staged) -> None:
    square = manim.Square()
    scene.reveal(square)
    scene.play(manim.Transform(square, text.line("0.99")))


@careless(r"a \w+ cannot be audited|a shape that reads")
def letters_of_a_text_of_manims(scene: Staged) -> None:
    scene.play(manim.LaggedStart(*[manim.FadeIn(letter) for letter in manim.Text("0.99")]))


@careless(r"a shape that reads \d is bound to no entry")
def outlines_copied(scene: Staged) -> None:
    copies = [manim.VMobject(fill_opacity=1, stroke_width=0).set_points(glyph.points) for glyph in text.line("42")]
    scene.reveal(*copies)


@careless(r"'½' are bound to no entry")
def a_fraction_that_is_one_letter(scene: Staged) -> None:
    scene.reveal(text.line("½"))


# --- signs


@careless(r"rests on no claim")
def a_relation_without_a_claim(scene: Staged) -> None:
    Relation("ell", [], size=30, color="#ffffff")


@careless(r"attn_weights\[.*\] is 0\.78, but a sign says that it is")
def a_sign_about_another_sum(scene: Staged) -> None:
    row = Grid(scene.row("attn_weights"), None, "key_pos", theme=scene.theme)
    total = number(scene, 7, 1).next_to(row, manim.DOWN)
    sign = Relation("ell", total_of(row, total), size=30, color="#ffffff").next_to(total, manim.LEFT)
    scene.reveal(row, total, sign)


@careless(r"a sign about mask\[.*\] stands before row_sum")
def a_true_relation_at_another_number(scene: Staged) -> None:
    mask = Grid(scene.row("mask", 7), None, "key_pos", theme=scene.theme).to_edge(manim.UP)
    total = Number(scene.one("row_sum", query_pos=7))
    claims = each("sum", mask, mask, mask)
    sign = Relation("m", claims, size=30, color="#ffffff").next_to(total, manim.LEFT, buff=0.1)
    scene.reveal(mask, total, sign)


@careless(r"the = of .* stands before row_sum")
def an_equals_sign_inside_a_formula(scene: Staged) -> None:
    total = Number(scene.one("row_sum", query_pos=7))
    scene.reveal(total, text.math('part("a", A =)').next_to(total, manim.LEFT, buff=0.1))


@careless(r"the = of .* stands before row_sum")
def an_equals_sign_behind_a_number(scene: Staged) -> None:
    total = Number(scene.one("row_sum", query_pos=7))
    scene.reveal(total, text.line("= sum").next_to(total, manim.RIGHT, buff=0.1))


@careless(r"the − is read together with attn_weights")
def a_minus_before_a_number(scene: Staged) -> None:
    shown = number(scene, 7, 1, size=40)
    scene.reveal(shown, text.line("−", size=40).next_to(shown, manim.LEFT, buff=0.05))


# --- arrows, lines, covers


@careless(r"an arrow from scores to output")
def a_curved_arrow(scene: Staged) -> None:
    scores = scene.grid("scores", cell=0.4).to_edge(manim.LEFT)
    output = scene.grid("output", "query_pos", "value_dim", cell=0.4).to_edge(manim.RIGHT)
    scene.reveal(scores, output, manim.CurvedArrow(scores.get_right(), output.get_left()))


@careless(r"an arrow from exp_scores to shifted_scores")
def an_arrow_with_two_heads(scene: Staged) -> None:
    one, two = (scene.grid(name, cell=0.4) for name in ("shifted_scores", "exp_scores"))
    one.to_edge(manim.LEFT)
    two.to_edge(manim.RIGHT)
    scene.reveal(one, two, manim.DoubleArrow(one.get_right(), two.get_left(), buff=0.1))


@careless(r"weights do not come in the order of the words")
def lines_to_other_words(scene: Staged) -> None:
    row = scene.row("attn_weights", 7)
    picture = Asking("it", scene.data.key_tokens, scene.region("whole"), scene.theme)
    picture.answer([row.entry(key_pos=key) for key in reversed(range(8))])


@careless(r"attn_weights\[.*\] is covered by a Rectangle")
def bars_over_a_grid(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights"))
    scene.reveal(Bars(scene.row("scores"), has_numbers=False, theme=scene.theme))


@careless(r"attn_weights\[.*\] is covered by the line of a Line")
def a_thick_line_beside_a_number(scene: Staged) -> None:
    shown = number(scene, 7, 1, size=60)
    line = manim.Line(manim.LEFT, manim.RIGHT, stroke_width=60).next_to(shown, manim.DOWN, buff=0.05)
    scene.reveal(shown, line)


@careless(r"attn_weights\[.*\] is dimmed over a Rectangle of another colour")
def a_dimmed_row_over_red(scene: Staged) -> None:
    grid = scene.grid("attn_weights").focus(rows=[0])
    scene.reveal(manim.Rectangle(width=6, height=6, fill_color="#ff0000", fill_opacity=1), grid)


@careless(r"is drawn with a line around its digits")
def a_number_with_a_thick_outline(scene: Staged) -> None:
    shown = number(scene, 7, 1, size=60)
    for glyph in shown:
        glyph.set_stroke("#ffffff", width=20)
    scene.reveal(shown)


@careless(r"has digits in #")
def a_minus_in_the_background_s_colour(scene: Staged) -> None:
    row = scene.row("shifted_scores", 7)
    place = int(np.flatnonzero(np.asarray(row.values) < -0.1)[0])
    shown = Number(row.entry(key_pos=place))
    shown[0].set_color(scene.theme.background)
    scene.reveal(shown)


@careless(r"give counts and edges of one",
          records={"one": trace_samples(0, 50, 4, (16,), bins=8), "two": trace_samples(1, 50, 4, (64,), bins=8)})
def a_histogram_over_the_edges_of_another(scene: Staged) -> None:
    Histogram(scene.bundle["one"]["counts_raw"].sel(width=0), scene.bundle["two"]["bin_edges"], theme=scene.theme)


@careless(r"an arrow cannot start or end at a Square")
def an_arrow_to_nothing_bound(scene: Staged) -> None:
    Flow(scene.grid("scores"), manim.Square(), scene.theme)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(CARELESS))
def test_it_is_caught(name: str) -> None:
    act, expected, options = CARELESS[name]
    with pytest.raises((CheckError, InputError)) as found:
        stage(act, **options)
    assert re.search(expected, str(found.value)), found.value


# --- and what must pass


@honest()
def a_matrix_with_slanted_labels_fades_in(scene: Staged) -> None:
    matrix = Matrix(scene.grid("attn_weights", cell=0.5), scene.theme, row_tokens=scene.data.query_tokens,
                    column_tokens=scene.data.key_tokens)
    scene.play(manim.FadeIn(matrix, shift=manim.UP))
    scene.play(manim.Indicate(matrix))


@honest()
def words_by_transform_and_copy(scene: Staged) -> None:
    words = text.line("query").shift(manim.UP)
    scene.reveal(words)
    scene.play(manim.TransformFromCopy(words, text.line("weights").shift(manim.DOWN)))
    scene.play(manim.Transform(words, text.line("keys").shift(manim.UP)))


@honest()
def a_cell_s_copy_before_it_flies(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=0.5).to_edge(manim.LEFT)
    copy = grid.cell(7, 1).copy()
    scene.reveal(grid)
    scene.add(copy)
    scene.wait(0.2)
    scene.play(copy.animate.move_to(3 * manim.RIGHT))


@honest()
def a_number_turns_once(scene: Staged) -> None:
    shown = number(scene, 7, 1)
    scene.reveal(shown)
    scene.play(manim.Rotating(shown, angle=manim.TAU, run_time=1))


@honest(case="random")
def a_token_with_a_digit_letter_by_letter(scene: Staged) -> None:
    scene.play(manim.LaggedStart(*[manim.FadeIn(glyph) for glyph in text.line("q2")]))
    scene.play(manim.Create(text.line("the query q2 asks").shift(manim.UP)))
    scene.play(manim.FadeIn(Literal("d = 8", "width").shift(manim.DOWN)))


@honest()
def a_name_and_a_legend_of_bars(scene: Staged) -> None:
    bars = Bars(scene.row("attn_weights"), theme=scene.theme)
    name = StageName(scene.tensor("attn_weights"), scene.theme).next_to(bars, manim.LEFT)
    legend = ColorBar(bars.scale_used, theme=scene.theme).to_edge(manim.DOWN)
    scene.reveal(bars, name, legend)


@honest()
def frames_around_bars_and_signs(scene: Staged) -> None:
    row = Grid(scene.row("exp_scores", 7), None, "key_pos", theme=scene.theme)
    total = Number(scene.one("row_sum", query_pos=7)).next_to(row, manim.DOWN)
    sign = Relation("ell", total_of(row, total), size=30, color="#ffffff").next_to(total, manim.LEFT)
    sign.add_to_back(manim.SurroundingRectangle(sign))
    scene.reveal(row, total, sign)
    scene.reveal(manim.VMobject().start_new_path(total.get_center()))


@honest()
def an_arrow_from_a_map_to_one_of_its_numbers(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=0.4).to_edge(manim.LEFT)
    shown = number(scene, 7, 1, size=60).to_edge(manim.RIGHT, buff=2)
    scene.reveal(grid, shown, Flow(grid, shown, scene.theme))


@pytest.mark.parametrize(("act", "options"), HONEST, ids=lambda part: getattr(part, "__name__", ""))
def test_an_honest_scene_passes(act: Act, options: dict[str, Any]) -> None:
    stage(act, **options)


def test_a_claim_says_what_it_is_about() -> None:
    with pytest.raises(InputError, match="rests on no claim"):
        Relation("m", [], size=30, color="#ffffff")
    assert Claim("sum", ("0.20", "0.30", "0.51"), "1.00").sign == "≈"
