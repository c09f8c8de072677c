"""Sweeps on screen: at every moment one recorded step, whole; and the lies that the audit must find in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import manim
import numpy as np
import pytest

from attnviz.errors import CheckError, InputError
from attnviz.mobjects import Bars, Grid, Number, SwapNumber
from attnviz.mobjects.stages import stage_scale
from attnviz.mobjects.sweeping import StepTo, Sweeping, step_of
from attnviz.numbers import NumberFormat
from attnviz.trace import Entry
from tests.acting import Act, Staged, stage
from tests.both_ways import quick

RECORDS = ("sdpa", "temperature", "limits", "gradient", "nudge")
FIRST, LAST = 240, 600  # the steps of temperature 1 and 64


def parts(scene: Staged, step: int = FIRST, record: str = "temperature") -> tuple[Number, Bars, Grid, Grid]:
    """Everything a sweep can take along, placed apart, at one step."""
    held = scene.bundle[record]
    weights, output = (held[stage].sel(step=step, query_pos=0) for stage in ("attn_weights", "output"))
    number = Number(held["parameter"].entry(step=step), size=40).shift(3 * manim.UP)
    bars = Bars(weights, size=(6.0, 2.0), theme=scene.theme, has_numbers=False).shift(manim.UP)
    grid = Grid(weights, None, "key_pos", theme=scene.theme).next_to(bars, manim.DOWN)
    whole = held["output"]
    blend = Grid(output, None, "value_dim", scale=scale_of(whole, scene), theme=scene.theme)
    return number, bars, grid, blend.next_to(grid, manim.DOWN)


def scale_of(whole: Any, scene: Staged) -> Any:
    return stage_scale(whole, scene.theme)


def played(act: Act) -> Staged:
    return stage(act, records_used=RECORDS)


# --- what is true


def test_every_moment_of_a_sweep_is_one_recorded_step() -> None:
    def act(scene: Staged) -> None:
        shown = parts(scene)
        number, bars, grid, blend = shown
        sweep = Sweeping(scene.bundle["temperature"], *shown, to=LAST)
        sweep.begin()
        seen = []
        for alpha in np.linspace(0, 1, 121):
            sweep.interpolate(float(alpha))
            [step] = {step_of(part) for part in shown}
            held = scene.bundle["temperature"].arrays
            weights = held["attn_weights"][step, 0]
            assert [bar.height for bar in bars.bars] == pytest.approx(weights * bars.unit, abs=1e-6)
            assert [grid.entry(0, key).value for key in range(len(weights))] == pytest.approx(weights)
            assert [blend.entry(0, dim).value for dim in range(4)] == pytest.approx(held["output"][step, 0])
            assert number.text == f"{held['parameter'][step]:.2f}"
            seen.append(step)
        sweep.finish()
        assert (seen[0], seen[-1]) == (FIRST, LAST) and seen == sorted(seen)
        assert len(set(seen)) > 100  # of 121 moments: a step of its own for most of them
        scene.reveal(*shown)

    played(act)


def test_a_sweep_passes_the_audit_there_and_back() -> None:
    def act(scene: Staged) -> None:
        shown = parts(scene)
        scene.reveal(*shown)
        for step in (0, LAST, FIRST):
            scene.play(Sweeping(scene.bundle["temperature"], *shown, to=step, run_time=1.0))
            assert {step_of(part) for part in shown} == {step}

    played(act)


def test_bars_with_numbers_carry_them_along() -> None:
    def act(scene: Staged) -> None:
        weights = scene.bundle["temperature"]["attn_weights"].sel(step=FIRST, query_pos=0)
        bars = Bars(weights, size=(8.0, 3.0), theme=scene.theme)
        scene.reveal(bars)
        scene.play(Sweeping(scene.bundle["temperature"], bars, to=0))
        assert [number.text for number in bars.numbers] == ["0.00", "1.00", *["0.00"] * 6]
        assert all(number.get_bottom()[1] >= bar.get_top()[1]
                   for number, bar in zip(bars.numbers, bars.bars, strict=True) if bar)

    played(act)


class Moving(manim.Scene):
    """A number whose digits are exchanged in a play, and the same digits that were there from the start."""

    before = after = None

    def construct(self) -> None:
        number = Number(self.before, NumberFormat(), size=200)
        self.add(number)
        self.play(SwapNumber(number, self.after), run_time=1.0)
        self.wait(0.5)


def test_digits_that_were_exchanged_leave_nothing_behind(tmp_path: Any) -> None:
    def act(scene: Staged) -> None:
        held = scene.bundle["temperature"]["parameter"]
        Moving.before, Moving.after = held.entry(step=FIRST), held.entry(step=0)
        scene.reveal(Number(Moving.before))

    played(act)
    inked = [int((frame[..., :3].max(axis=-1) > 80).sum()) for frame in quick(Moving, tmp_path).frames]
    assert inked[0] > 500
    assert inked[5] < 0.2 * inked[0]  # halfway the old digits are gone, and the new ones are not there yet


# --- what is refused


@pytest.mark.parametrize(("how", "said"), [
    (lambda scene: Sweeping(scene.bundle["temperature"], to=0), "nothing was given to sweep"),
    (lambda scene: Sweeping(scene.bundle["nudge"], *parts(scene), to=0), "is at no step of the sweep 'nudge'"),
    (lambda scene: Sweeping(scene.bundle["temperature"], *parts(scene), to=601), "step=601 is outside"),
    (lambda scene: Sweeping(scene.bundle["temperature"], Number(scene.one("attn_weights", query_pos=2, key_pos=0)),
                            to=0), "is at no step"),
    (lambda scene: Sweeping(scene.bundle["temperature"], parts(scene)[0], *parts(scene, 3)[1:], to=0).begin(),
     "would begin at steps 3, 240"),
    (lambda scene: parts(scene)[1].show_as(scene.row("scores")), "cannot take the place of the bars"),
    (lambda scene: Bars(scene.tensor("masked_scores").sel(query_pos=0)).show_as(
        scene.tensor("masked_scores").sel(query_pos=0)), "minus infinity"),
])
def test_what_cannot_be_swept_is_refused(how: Callable[[Staged], Any], said: str) -> None:
    def act(scene: Staged) -> None:
        with pytest.raises(InputError, match=said):
            how(scene)
        scene.reveal(Number(scene.one("attn_weights", query_pos=2, key_pos=0)))

    played(act)


# --- lies


LIES: dict[str, tuple[Callable[[Staged], None], str]] = {}


def lie(expected: str) -> Callable[[Callable[[Staged], None]], Callable[[Staged], None]]:
    def enter(act: Callable[[Staged], None]) -> Callable[[Staged], None]:
        LIES[act.__name__] = (act, expected)
        return act

    return enter


class Smoothing(StepTo):
    """Shows what lies between two steps: what this package never does."""

    def show(self, step: int) -> None:
        super().show(step)
        if step not in (self.start, self.to):
            self.part.bars[1].stretch_to_fit_height(0.9 * self.part.bars[1].height, about_edge=manim.DOWN)


@lie(r"33% into play 3 .*the bar of attn_weights\[step=\d+, query_pos=0, key_pos=1\] reaches")
def a_bar_between_two_steps(scene: Staged) -> None:
    bars = parts(scene)[1]
    scene.reveal(bars)
    scene.play(Smoothing(bars, scene.bundle["temperature"], LAST))


class Fading(StepTo):
    """Has colours between those of two steps until it is there."""

    def show(self, step: int) -> None:
        before = self.part.cells.fill
        super().show(step)
        if step != self.to:
            self.part.cells = replace(self.part.cells, fill=self.part.cells.fill // 2 + before // 2)


@lie(r"33% into play 3 .*attn_weights\[step=\d+, query_pos=0, key_pos=\d\] has the colour")
def a_grid_with_colours_between_two_steps(scene: Staged) -> None:
    grid = parts(scene)[2]
    scene.reveal(grid)
    scene.play(Fading(grid, scene.bundle["temperature"], LAST))


@lie(r"33% into play 3 .*is shown beside .*one sweep has one step at a time")
def parts_that_run_apart(scene: Staged) -> None:
    _, bars, grid, _ = parts(scene)
    scene.reveal(bars, grid)
    record = scene.bundle["temperature"]
    scene.play(StepTo(bars, record, LAST), StepTo(grid, record, 0))


@lie(r"attn_weights\[step=240, query_pos=0\] of 'temperature' is shown beside parameter\[step=3\]: one sweep")
def a_number_of_another_step(scene: Staged) -> None:
    scene.reveal(parts(scene, 3)[0], parts(scene)[1])


class Counting(StepTo):
    """Counts a number up between two steps."""

    def show(self, step: int) -> None:
        entry: Entry = self.record["parameter"].entry(step=step)
        self.part.show_as(self.part.other(replace(entry, value=entry.value + 0.5)), 1.0)


@lie(r"parameter\[step=\d+\] of 'temperature' is bound to")
def a_number_that_is_counted(scene: Staged) -> None:
    number = parts(scene)[0]
    scene.reveal(number)
    scene.play(Counting(number, scene.bundle["temperature"], LAST))


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_caught(name: str) -> None:
    act, expected = LIES[name]
    with pytest.raises(CheckError, match=expected):
        played(act)
