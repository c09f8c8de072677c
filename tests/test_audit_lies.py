"""Lies: small scenes that each show something false, and what the audit must say of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import manim
import numpy as np
import pytest
import torch

from attnviz import cases, text
from attnviz.audit import sheets
from attnviz.colors import ColorScale
from attnviz.errors import CheckError, InputError
from attnviz.mobjects import Bars, ColorBar, Grid, Literal, Number, Swap, TokenLabels
from attnviz.mobjects import cells as cells_module
from attnviz.mobjects import relation as relation_module
from attnviz.mobjects.asking import Strand
from attnviz.mobjects.flow import Flow
from attnviz.mobjects.histogram import Histogram
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.naming import StageName
from attnviz.mobjects.number import Bound
from attnviz.mobjects.relation import Claim, Relation, shown_row
from attnviz.mobjects.stages import stage_scale
from attnviz.numbers import NumberFormat
from attnviz.sdpa import trace_attention, trace_samples
from attnviz.theme import PIXEL, scale_for
from attnviz.trace import Entry, Record
from tests.acting import Act, Staged, stage

Lie = Callable[[Act], Act]
LIES: dict[str, tuple[Act, str, dict[str, Any]]] = {}


def lie(expected: str, **options: Any) -> Lie:
    """Enter a scene whose complaint must match `expected`."""

    def enter(act: Act) -> Act:
        LIES[act.__name__] = (act, expected, options)
        return act

    return enter


def caught(act: Act, **options: Any) -> str:
    """What is said of a scene that must not pass."""
    with pytest.raises((CheckError, InputError)) as found:
        stage(act, **options)
    return str(found.value)


def changed(grid: Grid, **arrays: Any) -> None:
    """Write other arrays into a grid's cells, which its own methods never do."""
    grid.cells = replace(grid.cells, **arrays)


def forged(entry: Entry, value: float) -> Entry:
    return replace(entry, value=value)


# --- numbers and digits


@lie(r"digits of '0\.62' are bound to no entry")
def a_stray_number(scene: Staged) -> None:
    scene.reveal(text.line("0.62"))


@lie(r"attn_weights\[.*query_pos=2, key_pos=0\] to attn_weights\[.*query_pos=2, key_pos=1\] would show wrong digits")
def a_number_morphed_into_another(scene: Staged) -> None:
    old, new = (Number(scene.one("attn_weights", query_pos=2, key_pos=key)) for key in (0, 1))
    scene.reveal(old)
    scene.play(manim.Transform(old, new))


@lie(r"attn_weights\[.*query_pos=2, key_pos=0\] says .* other outlines are drawn")
def a_number_with_the_outlines_of_another(scene: Staged) -> None:
    old, new = (Number(scene.one("attn_weights", query_pos=2, key_pos=key)) for key in (0, 1))
    for glyph, other in zip(old, new.move_to(old), strict=True):
        glyph.points = other.points.copy()
    scene.reveal(old)


@lie(r"digits of '0\.\d\d' are bound to no entry")
def a_number_counted_up(scene: Staged) -> None:
    tracker = manim.ValueTracker(0.0)
    shown = manim.always_redraw(lambda: text.line(f"{tracker.get_value():.2f}"))
    scene.add(shown)
    scene.play(tracker.animate.set_value(0.62), run_time=0.6)


@lie(r"play 3 \(acting.py:\d+\): attn_weights\[.*key_pos=0\] .*is bound to")
def a_bound_number_counted_up(scene: Staged) -> None:
    entry = scene.one("attn_weights", query_pos=2, key_pos=0)
    number = Number(entry)

    def count(shown: Any, alpha: float) -> None:
        shown.show_as(Number(forged(entry, entry.value * alpha)), 1.0)

    scene.reveal(number)
    scene.play(manim.UpdateFromAlphaFunc(number, count))


@lie(r"attn_weights\[.*query_pos=2, key_pos=0\] .*is bound to 0\.5, the records say")
def a_number_of_no_record(scene: Staged) -> None:
    scene.reveal(Number(forged(scene.one("attn_weights", query_pos=2, key_pos=0), 0.5)))


@lie(r"shifted_scores\[.*\] shows only part of −\d\.\d\d")
def a_minus_sign_made_invisible(scene: Staged) -> None:
    row = scene.row("shifted_scores", 7)
    entry = next(row.entry(key_pos=key) for key in range(8) if row.values[key] < -0.1)
    number = Number(entry)
    scene.reveal(number)
    number[0].set_opacity(0)
    scene.wait(0.2)


@lie(r"DecimalNumber cannot be audited")
def a_number_of_manims(scene: Staged) -> None:
    scene.reveal(manim.DecimalNumber(0.62, mob_class=manim.Text))


@lie(r"'sum = 1' are bound to no entry")
def a_fixed_tick_that_the_sum_is_one(scene: Staged) -> None:
    scene.reveal(text.line("sum = 1"))


@lie(r"formula|\^2'? are bound to no entry")
def digits_in_a_formula(scene: Staged) -> None:
    scene.reveal(text.math("d_k^2"))


@lie(r"the text 'shares' is drawn with other outlines")
def a_text_morphed_into_a_number(scene: Staged) -> None:
    words = text.line("shares")
    scene.reveal(words)
    scene.play(manim.Transform(words, text.line("0.62")))


@lie(r"digits of '0\.62' are bound to no entry")
def a_stray_number_that_is_only_added(scene: Staged) -> None:
    scene.add(text.line("0.62"))
    scene.wait(0.2)


@lie(r"attn_weights\[.*\] shows only part of 0\.\d\d: show, fade and remove the whole Number")
def the_first_digits_of_a_number(scene: Staged) -> None:
    scene.reveal(Number(scene.one("attn_weights", query_pos=2, key_pos=0))[:3])


@lie(r"digits of '6' are bound to no entry")
def loose_glyphs_that_read_as_a_number(scene: Staged) -> None:
    scene.reveal(manim.VGroup(*text.line("6", weight="semibold").submobjects))


@lie(r"attn_weights\[.*\] says .*, but other outlines are drawn")
def a_number_upside_down(scene: Staged) -> None:
    scene.reveal(Number(scene.one("attn_weights", query_pos=2, key_pos=0)).rotate(manim.PI))


@lie(r"digits of '\d\.\d\d' are bound to no entry")
def a_number_counted_up_while_nothing_plays(scene: Staged) -> None:
    shown = text.line("0.00")
    shown.add_updater(lambda mobject, dt: mobject.become(text.line(f"{scene.time % 1:.2f}")))
    scene.add(shown)
    scene.wait(0.6)


# --- cells


class Painting(Grid):
    """Paints what it likes."""


@lie(r"a Painting paints itself and cannot be audited")
def a_grid_that_paints_itself(scene: Staged) -> None:
    scene.reveal(Painting(scene.tensor("attn_weights"), theme=scene.theme))


@lie(r"attn_weights\[.*\] has cells of 8 opacities")
def opacities_that_look_like_numbers(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    scene.reveal(grid)
    for row in range(8):
        grid.dim_cells(rows=[row], to=0.2 + 0.1 * row)
    scene.wait(0.2)


@lie(r"attn_weights\[.*query_pos=3, key_pos=1\] has the colour #ff0000, its value")
def a_recoloured_cell(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    fill = grid.cells.fill.copy()
    fill[3, 1] = (255, 0, 0)
    changed(grid, fill=fill)
    scene.reveal(grid)


@lie(r"attn_weights\[.*query_pos=[12], key_pos=\d\] shows .* the record says")
def two_rows_swapped(scene: Staged) -> None:
    grid, order = scene.grid("attn_weights"), [0, 2, 1, 3, 4, 5, 6, 7]
    changed(grid, **{name: getattr(grid.cells, name)[order] for name in cells_module.ARRAYS})
    scene.reveal(grid)


@lie(r"attn_weights\[.*\]: query_pos is drawn in the order 0, 2, 1")
def rows_in_another_order(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights", row_positions=[0, 2, 1]))


@lie(r"attn_weights\[.*\] is drawn transposed")
def a_transposed_map(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights", "key_pos", "query_pos"))


@lie(r"scores\[.*query_pos=\d, key_pos=\d\] shows .* the record says")
def the_numbers_of_the_transpose(scene: Staged) -> None:
    grid = scene.grid("scores")
    swapped = {name: np.swapaxes(getattr(grid.cells, name), 0, 1) for name in cells_module.ARRAYS}
    changed(grid, **swapped)
    scene.reveal(grid)


@lie(r"attn_weights\[.*\] is drawn mirrored")
def a_mirrored_map(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights").flip())


@lie(r"masked_scores\[.*query_pos=0, key_pos=1\] shows 0\.00, the record says -inf")
def minus_infinity_drawn_as_zero(scene: Staged) -> None:
    grid = scene.grid("masked_scores")
    cells = grid.cells
    strings = tuple("0.00" if shown == "−∞" else shown for shown in cells.strings)
    changed(grid, strings=strings)
    scene.reveal(grid)


@lie(r"masked_scores\[.*query_pos=0, key_pos=1\] is not hatched")
def minus_infinity_without_its_hatch(scene: Staged) -> None:
    grid = scene.grid("masked_scores")
    changed(grid, masked=np.zeros_like(grid.cells.masked))
    scene.reveal(grid)


@lie(r"masked_scores\[.*query_pos=0, key_pos=1\] has the colour")
def a_masked_cell_left_at_its_old_shade(scene: Staged) -> None:
    scores = scene.grid("scores")
    masked = Grid(scene.tensor("masked_scores"), scale=stage_scale(scene.tensor("masked_scores")), theme=scene.theme)
    changed(masked, fill=scores.cells.fill)
    scene.reveal(masked)


@lie(r"attn_weights\[.*head=1\] of 'sdpa' holds other numbers than the records")
def numbers_of_another_head_under_this_ones_name(scene: Staged) -> None:
    wrong = scene.bundle["sdpa"]["attn_weights"].sel(batch=0, head=2)
    scene.reveal(Grid(replace(wrong, at=MappingProxyType({"batch": 0, "head": 1})), theme=scene.theme))


@lie(r"attn_weights\[batch=0, head=2\] of 'sdpa' is of head 2, the film is about head 1")
def a_value_from_the_wrong_head(scene: Staged) -> None:
    scene.reveal(Grid(scene.bundle["sdpa"]["attn_weights"].sel(batch=0, head=2), theme=scene.theme))


@lie(r"attn_weights.*Transform.*|Transform from scores\[.*\] to attn_weights\[.*\] would show wrong numbers")
def a_grids_content_left_behind_by_transform(scene: Staged) -> None:
    scores, weights = scene.grid("scores"), scene.grid("attn_weights")
    scene.reveal(scores)
    scene.play(manim.Transform(scores, weights))


@lie(r"name A of attn_weights stands beside scores\[")
def content_left_behind_under_a_new_name(scene: Staged) -> None:
    """What Transform does without a refusal: points and colours go, what is shown stays, its name says otherwise."""
    matrix = Matrix(scene.grid("scores"), scene.theme)
    scene.reveal(matrix.grid, matrix.symbol)
    scene.play(matrix.rename(scene.tensor("attn_weights")))


@lie(r"scores\[.*\] had a colour inside the play that is on no way")
def a_colour_that_is_on_no_way(scene: Staged) -> None:
    grid = scene.grid("scores")
    start = grid.cells

    def flash(shown: Any, alpha: float) -> None:
        fill = start.fill if alpha in (0, 1) else np.full_like(start.fill, 200)
        shown.cells = replace(start, fill=fill)

    scene.reveal(grid)
    scene.play(manim.UpdateFromAlphaFunc(grid, flash))


# --- scales and legends


def clipped(scene: Staged) -> ColorScale:
    """A scale for a quarter of the numbers, which shows all others as its end."""

    class Clipped(ColorScale):
        def step(self, value: float) -> int:
            return super().step(min(max(value, self.low), self.high))

    own = scale_for("scores", -0.5, 0.5, scene.theme)
    return Clipped(own.stage, own.kind, own.low, own.high, own.table, own.minus_infinity)


@lie(r"scores\[.*\] is .*, beyond its colour scale -0\.5\.\.0\.5: it would be clipped")
def a_clipped_colour_scale(scene: Staged) -> None:
    values = scene.tensor("scores").values
    real = cells_module._colored
    cells_module._colored = lambda numbers, scale: real(np.clip(numbers, scale.low, scale.high), scale)
    try:
        grid = Grid(scene.tensor("scores"), scale=clipped(scene), theme=scene.theme)
    finally:
        cells_module._colored = real
    assert np.abs(values).max() > 0.5
    scene.reveal(grid)


@lie(r"attn_weights\[.*\]: its colour scale is not that of attn_weights")
def a_scale_of_other_colours(scene: Staged) -> None:
    own = stage_scale(scene.tensor("attn_weights"), scene.theme)
    scene.reveal(scene.grid("attn_weights", scale=replace(own, table=own.table[::-1])))


@lie(r"colour bar of scores goes from -8 to 8, the colours of scores\[.*\] from")
def a_colour_bar_with_the_wrong_ends(scene: Staged) -> None:
    bar = ColorBar(scale_for("scores", -8.0, 8.0, scene.theme), theme=scene.theme)
    scene.reveal(scene.grid("scores"), bar.to_edge(manim.RIGHT))


@lie(r"colour bar of attn_weights says 0.00, 0.50")
def a_colour_bar_with_other_words(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    bar = ColorBar(grid.scale_used, theme=scene.theme)
    last = bar.submobjects[-1]
    bar.remove(last)
    bar.add(Literal("0.50", "end of the colour scale").move_to(last))
    scene.reveal(grid, bar.to_edge(manim.RIGHT))


@lie(r"'1' are bound to no entry")
def a_legend_by_hand(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    squares = [manim.Square(0.2, fill_color=color, fill_opacity=1) for color in grid.scale_used.table[::64]]
    legend = manim.Group(text.line("0"), *squares, text.line("1")).arrange(manim.RIGHT)
    legend.submobjects[0].become(text.line("none").move_to(legend.submobjects[0]))
    scene.reveal(grid, manim.Group(*squares, legend.submobjects[-1]).to_edge(manim.RIGHT))


@lie(r"'1\.00' is called the end of a colour scale, but stands in no ColorBar")
def a_legend_by_hand_with_a_reason(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights"), Literal("1.00", "end of the colour scale").to_edge(manim.RIGHT))


# --- bars and lines


@lie(r"the bar of attn_weights\[.*query_pos=2, key_pos=0\] reaches .*, the record says")
def a_bar_scaled(scene: Staged) -> None:
    bars = Bars(scene.row("attn_weights"), theme=scene.theme)
    bars.bars[0].stretch(0.5, 1, about_edge=manim.DOWN)
    scene.reveal(bars)


@lie(r"the bar of shifted_scores\[.*\] reaches .*, the record says -")
def a_negative_bar_drawn_upwards(scene: Staged) -> None:
    bars = Bars(scene.row("shifted_scores", 7), theme=scene.theme)
    place = int(np.argmin(scene.row("shifted_scores", 7).values))
    bars.bars[place].flip(manim.RIGHT, about_point=bars.line.get_center())
    scene.reveal(bars)


@lie(r"the bar of attn_weights\[.*query_pos=7, key_pos=0\] has the number of attn_weights\[.*query_pos=2, key_pos=0\]")
def a_stale_number_beside_a_changed_bar(scene: Staged) -> None:
    old, new = (Bars(scene.row("attn_weights", row), theme=scene.theme) for row in (2, 7))
    scene.reveal(old)
    for stale, number in zip(old.numbers, new.numbers, strict=True):
        stale.move_to(number)
    new.remove(*new.numbers)
    new.numbers = old.numbers
    new.add(*old.numbers)
    scene.remove(old)
    scene.reveal(new)


@lie(r"masked_scores\[.*key_pos=7\] is -inf, but a bar is drawn")
def a_bar_for_minus_infinity(scene: Staged) -> None:
    bars = Bars(scene.row("masked_scores"), theme=scene.theme)
    bars.bars[7] = bars.bars[0].copy().set_x(bars.numbers[7].get_x())
    bars.add(bars.bars[7])
    scene.reveal(bars)


@lie(r"the bar of counts_raw\[width=0, bin=\d+\] reaches", records={"samples": trace_samples(0, 50, 4, (16,), bins=8)})
def a_histogram_with_a_bin_too_high(scene: Staged) -> None:
    record = scene.bundle["samples"]
    histogram = Histogram(record["counts_raw"].sel(width=0), record["bin_edges"], theme=scene.theme)
    histogram.bars[3].stretch(1.3, 1, about_edge=manim.DOWN)
    scene.reveal(histogram)


@lie(r"the line of attn_weights\[.*key_pos=1\] is \d+\.\d\d thick")
def a_line_that_is_too_thick(scene: Staged) -> None:
    strand = Strand(scene.one("attn_weights", query_pos=7, key_pos=1), manim.Line(manim.LEFT, manim.RIGHT), scene.theme)
    scene.reveal(strand)
    scene.play(strand.animate.set_stroke(width=30))


# --- labels, names, arrows


def part_of_the_sentence() -> Record:
    """The last three of the first five words as queries, noted as such: position 0 is another word than the case's."""
    case = cases.load("trained")
    q, k, v = (part[:, :, :5] for part in (case.query, case.key, case.value))
    notes = {"query_tokens": list(case.query_tokens[2:5]), "key_tokens": list(case.key_tokens[:5])}
    return trace_attention(q[:, :, 2:], k, v, is_causal=True, causal="bottom-right", notes=notes)


@lie(r"query_pos=0 is labelled 'wir'|query_pos=0 is labelled .*, the case says 'we'", case="cross")
def labels_of_rows_and_columns_exchanged(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    labels = TokenLabels(scene.data.key_tokens[:4], grid, side="left")
    scene.reveal(grid, labels)


@lie(r"query_pos=0 is labelled 'the', the record 'part' notes 'sits'", records={"part": part_of_the_sentence()})
def words_of_the_case_beside_a_record_of_other_positions(scene: Staged) -> None:
    grid = Grid(scene.tensor("masked_scores", "part"), theme=scene.theme)
    scene.reveal(grid, TokenLabels(scene.data.query_tokens[:3], grid))


@lie(r"query_pos=0 is labelled 'sits', the case says 'the'", records={"part": part_of_the_sentence()})
def words_of_a_record_beside_the_case_s_own(scene: Staged) -> None:
    grid = scene.grid("attn_weights", row_positions=range(3))
    tokens = (*scene.bundle["part"].provenance["query_tokens"], *scene.data.query_tokens[3:])
    scene.reveal(grid, TokenLabels(tokens, grid))


@lie(r"'the' stands before a row of masked_scores\[.*\], which is that of 'sits'",
     records={"part": part_of_the_sentence()})
def a_word_of_the_case_typed_before_a_row_of_other_positions(scene: Staged) -> None:
    grid = Grid(scene.tensor("masked_scores", "part"), theme=scene.theme)
    scene.reveal(grid, text.line("the").next_to(grid.row(0), manim.LEFT, buff=0.1))


@lie(r"the labels .* stand for query_pos on the rows, but beside no grid")
def labels_one_row_too_low(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    labels = TokenLabels(scene.data.query_tokens, grid).shift(0.7 * manim.DOWN)
    scene.reveal(grid, labels)


def spared(scene: Staged, **changes: Any) -> tuple[Grid, TokenLabels]:
    """A map of the case's 8 words whose rows are so low that every 2nd is named."""
    grid = scene.grid("attn_weights", cell=(0.7, 13 * PIXEL))
    return grid, TokenLabels(scene.data.query_tokens, grid)


@lie(r"the labels .* stand for query_pos on the rows, but beside no grid")
def every_second_row_is_named_one_row_too_low(scene: Staged) -> None:
    grid, labels = spared(scene)
    for label in labels.labels:
        label.shift(grid.pitch[1] * manim.DOWN)
    scene.reveal(grid, labels)


@lie(r"query_pos=2 is labelled 'on', the case says 'sits'")
def every_second_row_is_named_from_the_second_on(scene: Staged) -> None:
    grid, labels = spared(scene)
    tokens = scene.data.query_tokens
    labels.tokens = [tokens[0], *tokens[3::2]]
    scene.reveal(grid, labels)


@lie(r"of every 2 query_pos one should have a label: \[4\] has not")
def one_of_every_second_is_missing(scene: Staged) -> None:
    grid, labels = spared(scene)
    gone = labels.labels.pop(2)
    labels.remove(gone)
    labels.positions, labels.tokens = (0, 2, 6), [labels.tokens[place] for place in (0, 1, 3)]
    scene.reveal(grid, labels)


@lie(r"only every 2 query_pos has a label, and 'nothing' is what the viewer is told")
def nobody_is_told_that_words_are_left_out(scene: Staged) -> None:
    grid, labels = spared(scene)
    labels.remove(labels.notice)
    labels.notice = None
    scene.reveal(grid, labels)


@lie(r"only every 2 query_pos has a label, and 'every 2nd word' is what the viewer is told")
def what_is_left_out_is_told_invisibly(scene: Staged) -> None:
    grid, labels = spared(scene)
    labels.notice.set_opacity(0)
    scene.reveal(grid, labels)
    labels.notice.set_opacity(0)
    scene.wait(0.2)


@lie(r"only every 2 query_pos has a label, and 'every 3rd word' is what the viewer is told")
def another_count_is_told(scene: Staged) -> None:
    grid, labels = spared(scene)
    other = Literal("every 3rd word", "a lie").move_to(labels.notice)
    labels.submobjects[-1] = labels.notice = other
    scene.reveal(grid, labels)


@lie(r"the labels .* beside no grid")
def two_labels_exchanged(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    labels = TokenLabels(scene.data.query_tokens, grid)
    one, two = labels.labels[1].get_center(), labels.labels[2].get_center()
    labels.labels[1].move_to(two)
    labels.labels[2].move_to(one)
    scene.reveal(grid, labels)


@lie(r"no arrow from sdpa\.scores to sdpa\.output: output is not computed from scores")
def an_arrow_from_scores_to_output(scene: Staged) -> None:
    scores = scene.grid("scores", cell=0.4).to_edge(manim.LEFT)
    output = scene.grid("output", "query_pos", "value_dim", cell=0.4).to_edge(manim.RIGHT)
    scene.reveal(scores, output, Flow(scores, output, scene.theme))


@lie(r"an arrow from scores to output: output\[.*\] is not computed from scores\[")
def an_arrow_of_manims_from_scores_to_output(scene: Staged) -> None:
    scores = scene.grid("scores", cell=0.4).to_edge(manim.LEFT)
    output = scene.grid("output", "query_pos", "value_dim", cell=0.4).to_edge(manim.RIGHT)
    scene.reveal(scores, output, manim.Arrow(scores.get_right(), output.get_left(), buff=0.1))


@lie(r"the name O of output stands beside attn_weights")
def a_map_with_the_name_of_another(scene: Staged) -> None:
    grid = scene.grid("attn_weights", cell=0.5)
    scene.reveal(grid, StageName(scene.tensor("output"), scene.theme).next_to(grid, manim.UP))


# --- signs


@lie(r"row_sum\[.*\]: .* is not .*, but an equals sign says so")
def weights_that_sum_to_1_01_with_an_equals_sign(scene: Staged) -> None:
    """Shown digits that give another total, and an equals sign, as if nothing checked the sum."""
    for query_pos in range(1, 8):
        line = Grid(scene.row("exp_scores", query_pos), None, "key_pos", theme=scene.theme)
        number = Number(scene.one("row_sum", query_pos=query_pos)).next_to(line, manim.DOWN)
        claim = Claim("sum", tuple(shown_row(line)), number.bound)
        if claim.sign == "≈":
            break
    real = relation_module.relation
    relation_module.relation = lambda *parts: "="
    try:
        sign = Relation("ell", [claim], size=30, color="#ffffff")
    finally:
        relation_module.relation = real
    assert claim.sign == "≈"
    scene.reveal(line, number, sign.next_to(number, manim.LEFT))


@lie(r"the = of 'sum =' stands before row_sum\[.*\] and was checked by nobody")
def an_equals_sign_that_nothing_checks(scene: Staged) -> None:
    number = Number(scene.one("row_sum", query_pos=7))
    scene.reveal(number, text.line("sum =").next_to(number, manim.LEFT, buff=0.1))


@lie(r"an equals sign speaks of mask\[.*\] = 0, which is not on screen")
def an_equals_sign_about_what_is_gone(scene: Staged) -> None:
    terms = [Bound(scene.one("mask", query_pos=2, key_pos=0), NumberFormat("trimmed", 2))] * 2
    sign = Relation("m", [Claim("sum", tuple(terms), terms[0])], size=30, color="#ffffff")
    assert sign.sign == "="
    scene.reveal(sign)


# --- covered and cut off


@lie(r"attn_weights\[.*query_pos=0, key_pos=0\] is covered by a Square")
def a_cell_under_a_tinted_square(scene: Staged) -> None:
    grid = scene.grid("attn_weights")
    square = manim.Square(0.6, stroke_width=0, fill_color="#ff0000", fill_opacity=0.3).move_to(grid.cell(0, 0))
    scene.reveal(grid, square)


@lie(r"row_sum\[.*\] is covered by the line of a Line")
def a_number_crossed_out(scene: Staged) -> None:
    number = Number(scene.one("row_sum", query_pos=7), size=60)
    scene.reveal(number, manim.Line(number.get_left(), number.get_right()))


@lie(r"attn_weights\[.*\] is covered by the grid scores\[")
def a_grid_half_under_another(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights"), scene.grid("scores").shift(2 * manim.RIGHT))


@lie(r"attn_weights\[.*\] is covered by the text 'words'")
def a_number_below_words(scene: Staged) -> None:
    number = Number(scene.one("attn_weights", query_pos=7, key_pos=1))
    scene.reveal(number, text.line("words"))


@lie(r"attn_weights\[.*\] is cut off by the edge of the frame")
def a_grid_half_outside(scene: Staged) -> None:
    scene.reveal(scene.grid("attn_weights").to_edge(manim.RIGHT, buff=-1))


# --- what was shown before


def unmasked() -> Any:
    from attnviz import cases

    case = cases.load("trained")
    return case.bundle(is_causal=False)["sdpa"]


@lie(r"attn_weights\[.*\] of 'free' is shown after the mask of sdpa", records={"free": unmasked()})
def the_unmasked_map_shown_after_the_mask(scene: Staged) -> None:
    grid = scene.grid("masked_scores")
    scene.reveal(grid)
    scene.play(Swap(grid, scene.tensor("attn_weights", "free")))


def tiled() -> Any:
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 1, 6, 4) for _ in range(3))
    return trace_attention(query, key, value, backend="tiled", tile=(2, 2))


def tile(scene: Staged, key_tile: int) -> Any:
    return scene.bundle["tiled"]["tile_scores"].sel(batch=0, head=0, query_tile=0, key_tile=key_tile)


def first_head(act: Act) -> Act:
    def played(scene: Staged) -> None:
        scene.data = replace(scene.data, drawn_head=0)
        act(scene)

    played.__name__ = act.__name__
    return played


@lie(r"tiled query_tile=0: key_tile=1 is shown after key_tile=2: the loop goes", records={"tiled": tiled()})
@first_head
def a_step_of_the_tile_loop_out_of_order(scene: Staged) -> None:
    grid = Grid(tile(scene, 0), "row", "column", theme=scene.theme)
    scene.reveal(grid)
    for key_tile in (1, 2, 1):
        scene.play(Swap(grid, tile(scene, key_tile)))


@lie(r"tiled query_tile=0: key_tile=1 is left out before key_tile=2", records={"tiled": tiled()})
@first_head
def a_step_of_the_tile_loop_left_out(scene: Staged) -> None:
    grid = Grid(tile(scene, 0), "row", "column", theme=scene.theme)
    scene.reveal(grid)
    scene.play(Swap(grid, tile(scene, 2)))


# --- words


@lie(r"the caption of shown quotes 0\.63 for attn_weights\[.*query_pos=2, key_pos=0\]")
def a_caption_quoting_another_number(scene: Staged) -> None:
    beat = scene.words.beats[0]
    forged_beat = replace(beat, caption="The largest weight of this row is 0.63.")
    scene.words = replace(scene.words, beats=(forged_beat,))
    scene.audit.words(0)


@lie(r"the caption of shown is not that of the words file and quotes 0\.63")
def another_caption(scene: Staged) -> None:
    beat = replace(scene.words.beats[0], caption="It is 0.63.")
    scene.words = replace(scene.words, beats=(beat,))
    scene.audit.words(0)


@pytest.mark.parametrize("name", sorted(LIES))
def test_a_lie_is_caught_and_the_entry_named(name: str) -> None:
    act, expected, options = LIES[name]
    said = caught(act, **options)
    assert re.search(expected, said), said


def test_a_sprite_sheet_with_two_digits_exchanged_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is written and all that is drawn agree with each other; only their looks are those of other digits."""
    from attnviz.mobjects import sprites

    right = sprites.compose
    exchange = str.maketrans("38", "83")
    monkeypatch.setattr(sprites, "compose", lambda shown, *rest: right(shown.translate(exchange), *rest))
    sprites.sprite.cache_clear()
    try:
        said = caught(lambda scene: scene.reveal(scene.grid("attn_weights")))
    finally:
        sprites.sprite.cache_clear()
        sheets._read.cache_clear()
    assert re.search(r"attn_weights\[.*\] is drawn so that it reads 0\.\d*[38]\d*, not 0\.", said), said


def test_there_are_more_than_25_lies() -> None:
    assert len(LIES) >= 40
