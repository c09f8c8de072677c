"""The scene about √d_k: its record holds the lesson's figures, and its beats show what they are for."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attnviz import cases
from attnviz.layout import FRAMES, layout_for
from attnviz.mobjects.columns import Columns
from attnviz.mobjects.derivation import Derivation
from attnviz.mobjects.spreads import Nearer, Spreads
from attnviz.scene import LessonScene
from attnviz.theme import DARK
from attnviz.trace import Record
from tests.playing import own

pytestmark = pytest.mark.xdist_group("scaling")  # plays the scene once with those of test_scenes

WORDS = {"table_width": "width", "measured": "measured", "predicted": "predicted", "divisor": "divided by",
         "queries": "queries,", "keys": "keys for each", "deviation": "from −σ to σ",
         "fitted": "heights are scaled to fit"}


@cache
def record() -> Record:
    return cases.load("lesson").bundle(names=("samples",))["samples"]


@cache
def scene() -> LessonScene:
    return own("scaling")


def test_the_record_holds_the_figures_of_the_lesson() -> None:
    arrays = record().arrays
    assert arrays["head_dim"].tolist() == [16, 64, 128, 256, 1024]
    assert arrays["dot_products"].shape == (5, 4000, 8)
    assert arrays["std_raw"] == pytest.approx([4, 8, 11.3, 16, 32], rel=0.01)
    assert arrays["predicted_std"] == pytest.approx([4, 8, 128**0.5, 16, 32])
    assert arrays["std_scaled"] == pytest.approx([1] * 5, rel=0.01)
    lesson = [0, 1, 3, 4]
    assert arrays["mean_largest_raw"][lesson] == pytest.approx([0.745, 0.875, 0.94, 0.97], abs=0.01)
    assert arrays["mean_largest_scaled"] == pytest.approx([0.36] * 5, abs=0.01)
    assert arrays["quartiles_jacobian_scaled"][:, 1] == pytest.approx([0.37] * 5, abs=0.01)
    medians, ranges = arrays["quartiles_jacobian_raw"][:, 1], ((0.25, 0.33), (0.05, 0.07), (0.001, 0.0025), (0, 1e-4))
    assert all(low <= median <= high for median, (low, high) in zip(medians[lesson], ranges, strict=True))


def test_a_few_queries_keep_a_large_gradient() -> None:
    kept = record().arrays["kept_raw"]
    assert record().arrays["kept_scaled"].tolist() == [2000] * 5  # half of all: what the median is
    assert (np.diff(kept) < 0).all() and 100 < kept[-1] < 400
    assert record().arrays["jacobian_raw"][-1].max() > 0.45


def test_the_same_axis_for_every_width() -> None:
    arrays = record().arrays
    assert arrays["counts_raw"].sum(axis=1).tolist() == arrays["counts_scaled"].sum(axis=1).tolist() == [32000] * 5
    assert (np.diff((arrays["counts_raw"] > 0).sum(axis=1)) > 0).all()


def test_every_case_has_the_same_samples_and_its_own_words() -> None:
    cross = cases.load("cross").bundle(names=("samples",))["samples"]
    assert np.array_equal(cross.arrays["dot_products"], record().arrays["dot_products"])
    assert (cross.provenance["case"], record().provenance["case"]) == ("cross", "lesson")


def shown(beat: str) -> list[dict[str, Any]]:
    return next(one.visible for one in scene().beats if one.id == beat)


def addresses(beat: str, kind: str) -> set[str]:
    return {item["address"] for item in shown(beat) if item["type"] == kind}


@pytest.mark.parametrize(("beat", "kind", "stages"), [
    ("one_product", "number", {"dot_products"}), ("spread", "histogram", {"counts_raw"}),
    ("spread", "number", {"query_count", "key_count", "head_dim", "std_raw", "bin_edges"}),
    ("root", "number", {"query_count", "key_count", "head_dim", "std_raw", "predicted_std", "bin_edges"}),
    ("divide", "histogram", {"counts_scaled"}),
    ("divide", "number", {"head_dim", "std_scaled", "predicted_std", "bin_edges"}),
    ("nearer", "histogram", {"fine_counts_scaled"}),
    ("nearer", "number", {"head_dim", "std_scaled", "predicted_std", "fine_edges"}),
    ("saturate", "bars", {"mean_largest_raw", "mean_largest_scaled"}),
    ("gradient", "bars", {"quartiles_jacobian_raw", "quartiles_jacobian_scaled"}),
    ("gradient", "extent", {"quartiles_jacobian_raw", "quartiles_jacobian_scaled"}),
    ("honest", "bars", {"kept_raw", "kept_scaled"}),
    ("honest", "number", {"kept_raw", "kept_scaled", "query_count", "head_dim"})])
def test_a_beat_shows_what_it_is_for(beat: str, kind: str, stages: set[str]) -> None:
    assert {address.partition("[")[0] for address in addresses(beat, kind)} == stages


def test_every_width_is_shown() -> None:
    for beat, kind, name in (("root", "histogram", "counts_raw"), ("divide", "number", "std_scaled"),
                             ("nearer", "histogram", "fine_counts_scaled")):
        assert {f"{name}[width={width}]" for width in range(5)} <= addresses(beat, kind)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_rows_of_the_table_do_not_reach_into_each_other(frame: str) -> None:
    region = layout_for(frame).region("whole")
    rows = Spreads(record(), region, WORDS, DARK).rows
    for above, below in pairwise(rows):
        for one, other in (
                (above.raw, below.raw), (above.scaled, below.scaled), (above.fine, below.fine)):
            assert max(bar.get_top()[1] for bar in other.bars) < min(part.get_bottom()[1] for part in one.submobjects)
    every = (bar for row in rows for shown in (row.raw, row.scaled, row.fine) for bar in shown.bars)
    assert max(bar.get_top()[1] for bar in every) < region.top


@pytest.mark.parametrize("frame", FRAMES)
def test_numbers_of_a_chart_with_whiskers_stand_below_their_bars_and_apart(frame: str) -> None:
    region = layout_for(frame).region("whole")
    quartiles = [record()[f"quartiles_jacobian_{side}"] for side in ("raw", "scaled")]
    medians = [part.sel(quartile=1) for part in quartiles]
    chart = Columns(medians, record()["head_dim"], region, "figure", ("a", "b"), DARK, middle="line")
    lines = [line for bars, part in zip(chart.bars, quartiles, strict=True)
             for line in chart.whiskers(bars, part.sel(quartile=0), part.sel(quartile=2))]
    assert max(line.get_top()[1] for line in lines) < chart.middle.get_bottom()[1]
    numbers = sorted((number for bars in chart.bars for number in bars.numbers), key=lambda number: number.get_x())
    for one, other in pairwise(numbers):
        assert one.get_right()[0] < other.get_left()[0]
    names = chart.axis.get_top()[1]
    for line, number in zip(lines, (number for bars in chart.bars for number in bars.numbers), strict=True):
        assert names < number.get_bottom()[1] < number.get_top()[1] < min(chart.zero, line.get_bottom()[1])
        assert number.get_x() == pytest.approx(line.get_x())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("figure", ["a figure", "a figure with more words than a narrow frame has in one line of it"])
def test_words_over_a_chart_stand_above_its_bars(frame: str, figure: str) -> None:
    region, held = layout_for(frame).region("whole"), record()
    pair = [held[f"kept_{side}"] for side in ("raw", "scaled")]
    for options in ({}, {"of": held["query_count"].entry()}, {"middle": "line"}):
        chart = Columns(pair, held["head_dim"], region, figure, ("a", "b"), DARK, **options)
        words = [part for part in (chart.figure, *chart.legend, chart.middle) if part]
        highest = max(part.get_top()[1] for bars in chart.bars for part in (*bars.numbers, *filter(None, bars.bars)))
        assert highest < min(part.get_bottom()[1] for part in words)
        assert max(part.get_top()[1] for part in words) <= region.top
        assert all(abs(part.get_x() - region.x) + part.width / 2 <= region.width / 2 + 1e-6 for part in words)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_lines_of_the_derivation_and_their_words_stand_apart(frame: str) -> None:
    words = dict.fromkeys(("sum", "mean", "variance", "total"), "more words than stand beside a formula in one line")
    region = layout_for(frame).region("whole")
    lines = Derivation(words, region, DARK).lines
    for line in lines:
        assert line.words.get_right()[0] <= region.right + 1e-6 and line.words.get_bottom()[1] >= region.bottom - 1e-6
    for above, below in pairwise(lines):
        parts = above.formula.formula, above.words
        assert min(part.get_bottom()[1] for part in parts) > max(
            part.get_top()[1] for part in (below.formula.formula, below.words))


@pytest.mark.parametrize("frame", FRAMES)
def test_numbers_over_a_histogram_stand_where_it_is_empty(frame: str) -> None:
    for row in Spreads(record(), layout_for(frame).region("whole"), WORDS, DARK).rows:
        for number in (row.width, row.measured, row.predicted):
            for shown in (row.raw, row.scaled, row.fine):
                inside = (bar for bar in shown.bars if number.get_left()[0] < bar.get_x() < number.get_right()[0])
                assert all(bar.get_top()[1] < number.get_bottom()[1] for bar in inside)


def test_scaled_histograms_have_one_shape_on_an_axis_of_their_own() -> None:
    arrays = record().arrays
    shares = arrays["fine_counts_scaled"].reshape(5, 15, 10).sum(axis=2) / 32000
    assert np.abs(shares - shares.mean(axis=0)).max() < 0.02
    assert (arrays["fine_counts_scaled"] > 0).sum(axis=1).min() > 10 * (arrays["counts_scaled"] > 0).sum(axis=1).max()


def test_a_histogram_comes_nearer_from_as_narrow_as_the_one_before() -> None:
    row = Spreads(record(), layout_for("16:9").region("whole"), WORDS, DARK).rows[0]
    play, width = Nearer(row), row.fine.line.width
    play.begin()
    first, last = (float(row.scaled.edges.values[-1]), float(row.fine.edges.values[-1]))
    assert row.fine.line.width == pytest.approx(width * last / first)
    play.finish()
    assert row.fine.line.width == pytest.approx(width)
