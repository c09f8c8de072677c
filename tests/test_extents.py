"""Lines on the axes of bars and histograms: where they end, what is false about them, in a scene and in a film."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import manim
import numpy as np
import pytest
from PIL import Image, ImageDraw

from attnviz.errors import CheckError, InputError
from attnviz.mobjects import Bars, Number
from attnviz.mobjects.extent import End, Extent, deviation, whisker
from attnviz.mobjects.histogram import Histogram
from attnviz.sdpa import trace_samples
from attnviz.theme import DARK
from attnviz.trace import Bundle, Entry
from attnviz.verify import items
from attnviz.verify.claims import Claim
from attnviz.verify.picture import still
from attnviz.verify.report import Tally
from attnviz.verify.truth import Truth
from attnviz.verify.view import View
from tests.acting import Act, Staged, stage

FRAME, PIXELS = (8 * 16 / 9, 8.0), (1280, 720)


@cache
def record() -> Any:
    return Bundle({"samples": trace_samples(0, 200, 8, (16, 64), bins=20)})["samples"]


def histogram(width: int = 0, suffix: str = "raw") -> Histogram:
    return Histogram(record()[f"counts_{suffix}"].sel(width=width), record()["bin_edges"], size=(8, 3), theme=DARK)


def quartile(place: int, width: int, suffix: str = "scaled") -> Entry:
    return record()[f"quartiles_jacobian_{suffix}"].entry(width=width, quartile=place)


def bars(suffix: str = "scaled") -> Bars:
    made = Bars(record()[f"quartiles_jacobian_{suffix}"].sel(quartile=1), size=(6, 4), theme=DARK)
    for place in range(2):
        line = whisker(made, place, quartile(0, place, suffix), quartile(2, place, suffix), DARK)
        made.numbers[place].next_to(line, manim.UP, buff=0.1)
    return made


def test_a_deviation_reaches_as_far_on_either_side_also_after_a_move():
    shown = histogram().shift((1, 2, 0)).scale(0.7)
    std = record()["std_raw"].entry(width=0)
    line = deviation(shown, std, DARK)
    assert [line.points[0][0], line.points[-1][0]] == pytest.approx([shown.x_of(-std.value), shown.x_of(std.value)])
    before = shown.x_of(0)
    shown.shift((0.5, 0, 0))
    assert (line.points[0][0] + line.points[-1][0]) / 2 == pytest.approx(before + 0.5)
    assert shown.x_of(record()["bin_edges"].values[3]) == pytest.approx(shown.x_of_edge(3))


def test_whiskers_reach_from_quartile_to_quartile():
    shown = bars()
    for place, line in enumerate(part for part in shown.submobjects if isinstance(part, Extent)):
        ends = [shown.zero + quartile(at, place).value * shown.unit for at in (0, 2)]
        assert [line.points[0][1], line.points[-1][1]] == pytest.approx(ends)
        assert line.get_x() == pytest.approx(shown.bars[place].get_x())


@pytest.mark.parametrize(("make", "said"), [
    (lambda: deviation(histogram(), record()["std_scaled"].entry(width=0), DARK), "is not the spread of counts_raw"),
    (lambda: deviation(histogram(), record()["std_raw"].entry(width=1), DARK), "at the same coordinates"),
    (lambda: whisker(bars(), 0, quartile(0, 1), quartile(2, 0), DARK), "does not belong over the bar 0"),
    (lambda: whisker(bars(), 0, quartile(0, 0, "raw"), quartile(2, 0), DARK), "does not belong"),
    (lambda: Extent(bars(), End(quartile(0, 0)), End(quartile(2, 0)), None, DARK), "no numbers along x")])
def test_lines_of_other_numbers_are_refused(make: Callable[[], Extent], said: str):
    with pytest.raises(InputError, match=said):
        make()


# --- in a scene


LIES: dict[str, tuple[Act, str]] = {}


def lie(expected: str) -> Callable[[Act], Act]:
    def enter(act: Act) -> Act:
        LIES[act.__name__] = (act, expected)
        return act

    return enter


def marked(scene: Staged, width: int = 0) -> tuple[Histogram, Extent]:
    shown = Histogram(scene.bundle["samples"]["counts_raw"].sel(width=width), scene.bundle["samples"]["bin_edges"],
                      theme=scene.theme)
    return shown, deviation(shown, scene.bundle["samples"]["std_raw"].entry(width=width), scene.theme)


@lie(r"the line from −std_raw\[width=0\] to std_raw\[width=0\] on counts_raw\[width=0\] ends beside")
def a_deviation_that_is_too_long(scene: Staged) -> None:
    shown, line = marked(scene)
    line.stretch(1.2, 0)
    scene.reveal(shown)


@lie(r"ends beside −std_raw\[width=0\]")
def a_deviation_that_was_moved_alone(scene: Staged) -> None:
    shown, line = marked(scene)
    scene.reveal(shown)
    scene.play(line.animate.shift(0.1 * manim.RIGHT))


@lie(r"stands on counts_raw\[width=1\], whose numbers those are not")
def a_deviation_of_another_width(scene: Staged) -> None:
    shown, _ = marked(scene, width=1)
    shown.remove(shown.submobjects[-1])
    _, line = marked(scene)
    shown.add(line)
    scene.reveal(shown)


@lie(r"another colour or thickness")
def a_deviation_in_the_colour_of_something_else(scene: Staged) -> None:
    shown, line = marked(scene)
    line.set_color(scene.theme.role("query"))
    scene.reveal(shown)


@lie(r"ends beside quartiles_jacobian_scaled\[width=1, quartile=2\]")
def a_whisker_that_makes_the_middle_half_wider(scene: Staged) -> None:
    shown = bars()
    shown.submobjects[-1].stretch(2, 1, about_edge=manim.DOWN)
    scene.reveal(shown)


@lie(r"in no record with the value")
def a_whisker_to_a_number_of_nobody(scene: Staged) -> None:
    shown = bars()
    low, high = quartile(0, 0), quartile(2, 0)
    shown.remove(*[part for part in shown.submobjects if isinstance(part, Extent)])
    Extent(shown, End(low), End(Entry(high.record, high.stage, high.coords, 0.45)), 0, scene.theme)
    scene.reveal(shown)


@lie(r"is bent or aslant|ends beside")
def a_whisker_that_leans(scene: Staged) -> None:
    shown = bars()
    shown.submobjects[-1].rotate(0.3)
    scene.reveal(shown)


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_caught(name: str):
    act, expected = LIES[name]
    with pytest.raises((CheckError, InputError)) as found:
        stage(act, records={"samples": record()})
    assert re.search(expected, str(found.value)), found.value


def test_what_is_true_passes():
    def act(scene: Staged) -> None:
        shown, _ = marked(scene)
        scene.reveal(shown)
        scene.play(shown.animate.scale(0.7).shift(manim.UP))
        scene.play(manim.FadeOut(shown))
        chart = bars()
        scene.reveal(chart)
        scene.play(chart.animate.shift(0.5 * manim.DOWN))

    assert stage(act, records={"samples": record()}).beats


# --- in a film


def painted(said: list[dict[str, Any]], line_by: float = 0.0) -> View:
    """A picture of what a score says, with every line longer by so many pixels at its upper or right end."""
    image = Image.new("RGB", PIXELS, DARK.background)
    pen, view = ImageDraw.Draw(image), View(still(np.asarray(image)), FRAME, 6)
    for item in said:
        if item["type"] == "bars":
            for bar in item["bars"]:
                x, zero = view.x(bar["x"]), view.y(item["zero"])
                half = bar["width"] * view.unit / 2
                pen.rectangle((x - half, zero - bar["height"] * view.unit, x + half, zero - 1), fill=bar["color"])
    for item in said:
        if item["type"] == "extent":
            (left, bottom), (right, top) = ((view.x(x), view.y(y)) for x, y in (item["start"], item["end"]))
            upright = item["place"] is not None
            box = (left - 3, top - line_by, left + 2, bottom - 1) if upright else (left, top - 3, right + line_by - 1,
                                                                                  top + 2)
            pen.rectangle(tuple(round(at) for at in box), fill=item["color"])
    return View(still(np.asarray(image)), FRAME, 6)


def complaints(said: list[dict[str, Any]], line_by: float = 0.0) -> list[str]:
    """What verify says of a beat that shows these things."""
    tally = Tally("beat")
    claims = [Claim(item, f"score.json: beats[0].visible[{place}]") for place, item in enumerate(said)]
    truth = Truth(Bundle({"samples": record()}))
    items.Scene(claims, [], truth, DARK, painted(said, line_by), tally).check()
    return [wrong.line() for wrong in tally.wrongs]


def said_of(shown: manim.Mobject) -> list[dict[str, Any]]:
    return [part.describe() for part in shown.get_family()
            if hasattr(part, "describe") and not isinstance(part, Number)]


def whiskers() -> list[dict[str, Any]]:
    return said_of(bars())


def lines_only() -> list[dict[str, Any]]:
    shown = histogram()
    deviation(shown, record()["std_raw"].entry(width=0), DARK)
    return said_of(shown)


def test_true_lines_hold():
    assert complaints(whiskers()) == []
    assert not [line for line in complaints(lines_only()) if "line" in line]


@pytest.mark.parametrize("make", [whiskers, lines_only])
def test_a_longer_line_in_the_film_is_found(make: Callable[[], list[dict[str, Any]]]):
    assert any("the film's line reaches" in line for line in complaints(make(), 5.0))


def _further(item: dict[str, Any]) -> None:
    item["end"] = [at + 0.05 for at in item["end"]]


def _of_another(item: dict[str, Any]) -> None:
    item["high"] = {**item["high"], "address": item["high"]["address"].replace("width=0", "width=1")}


def _in_grey(item: dict[str, Any]) -> None:
    item["color"] = DARK.muted


def _on_nothing(item: dict[str, Any]) -> None:
    item["address"] = item["address"].replace("width=0", "width=1").replace("quartile=1", "quartile=0")


@pytest.mark.parametrize("make", [whiskers, lines_only])
@pytest.mark.parametrize(("change", "said"), [
    (_further, "it ends at"), (_of_another, "no number of what it stands on"), (_in_grey, "such lines are"),
    (_on_nothing, "bars or a histogram of the beat")])
def test_a_false_line_in_the_score_is_found(make: Any, change: Callable[[dict[str, Any]], None], said: str):
    things = make()
    change(next(item for item in things if item["type"] == "extent"))
    try:
        found = complaints(things)
    except InputError as refused:
        found = [str(refused)]
    assert any(said in line for line in found), found
