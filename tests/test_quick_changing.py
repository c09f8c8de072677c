"""What no animation touches is not looked at, and nothing that changed is missed by that."""

from __future__ import annotations

import inspect

import manim
import numpy as np
import pytest

from attnviz.mobjects import Grid, Number
from attnviz.mobjects.animations import FillCells, FillRows, Swap, SwapNumber, SwapRows
from attnviz.mobjects.matrix import Transpose
from attnviz.onscreen import in_order
from attnviz.render import order, renderer
from tests.both_ways import quick, stock
from tests.drawn import tensor


class Ours(manim.Scene):
    """Each of this package's animations, alone and beside one another, with things that stand still around them."""

    def construct(self):
        grid = Grid(tensor("scores"), fit=(3.0, 3.0)).shift(3 * manim.LEFT)
        other = Grid(tensor("scores"), fit=(3.0, 3.0)).shift(3 * manim.RIGHT)
        number = Number(tensor("scores").entry(query_pos=2, key_pos=3)).scale(2).shift(3 * manim.UP)
        still = manim.VGroup(*[manim.Dot([k - 3, -3, 0]) for k in range(7)])
        self.add(grid, number, still)
        self.play(FillRows(other), SwapNumber(number, tensor("attn_weights").entry(query_pos=2, key_pos=3)), run_time=1)
        self.play(SwapRows(grid, tensor("attn_weights")), other.animate.focus(rows=[2]), run_time=1)
        self.play(Swap(other, tensor("masked_scores")), FillCells(grid.copy().shift(manim.DOWN)), run_time=0.6)
        turned = Grid(tensor("scores"), rows="key_pos", columns="query_pos", fit=(3.0, 3.0)).shift(3 * manim.RIGHT)
        self.remove(other)
        plain = Grid(tensor("scores"), fit=(3.0, 3.0)).shift(3 * manim.RIGHT)
        self.play(Transpose(plain, turned), still[2].animate.set_color(manim.RED), run_time=0.8)
        self.play(manim.FadeOut(grid, number), manim.Indicate(still[0]), run_time=0.4)


class Growing(manim.Scene):
    """Animations whose mobject gets new parts while it plays."""

    def construct(self):
        group, dot = manim.VGroup(manim.Square()), manim.Dot([3, 0, 0])
        self.add(group, dot)
        self.play(Sprouting(group, run_time=1.0))


class Sprouting(manim.Transform):
    """Adds a circle halfway, and lets it grow from then on."""

    def __init__(self, group: manim.VGroup, **options: object) -> None:
        super().__init__(group, group.copy(), **options)

    def interpolate_mobject(self, alpha: float) -> None:
        if alpha > 0.4 and len(self.mobject) == 1:
            self.mobject.add(manim.Circle(0.2))
        if len(self.mobject) > 1:
            self.mobject[1].set(width=4 * alpha)


Sprouting.__module__ = "attnviz.made_up"  # it keeps to its family: this package's animations are trusted with that


class Exchanged(manim.Scene):
    """A number that becomes another, and nothing else."""

    def construct(self):
        number = Number(tensor("scores").entry(query_pos=2, key_pos=3), size=60)
        self.add(number)
        other = tensor("scores").entry(query_pos=1, key_pos=0)
        self.play(SwapNumber(number, other, rate_func=manim.linear, run_time=1))


@pytest.mark.parametrize("film", [lambda *scene: quick(*scene).frames, stock], ids=["quick", "stock"])
def test_digits_that_go_out_are_not_drawn_under_those_that_come(film, tmp_path):
    ink = [int(frame[..., :3].astype(int).sum()) for frame in film(Exchanged, tmp_path / "film")]
    ground = min(ink)
    assert ground - 1 < 0.2 * ink[0], "half way through neither is seen"
    assert ink.index(ground) == pytest.approx(len(ink) / 2, abs=1)


@pytest.mark.parametrize("scene", [Ours, Growing])
def test_nothing_that_changed_is_missed(scene, tmp_path, monkeypatch):
    some = quick(scene, tmp_path / "some")
    monkeypatch.setattr(renderer, "changing", lambda scene: None)
    everything = quick(scene, tmp_path / "everything")
    assert len(some.frames) == len(everything.frames) >= 10
    assert all(np.array_equal(a, b) for a, b in zip(some.frames, everything.frames, strict=True))
    assert len({frame.tobytes() for frame in some.frames}) > 5


def test_only_animations_that_are_known_are_trusted():
    scene = manim.Scene()
    dot = manim.Dot()
    scene.animations = [manim.FadeIn(dot), manim.AnimationGroup(manim.Rotate(dot))]
    assert order.changing(scene) is not None
    for stranger in (manim.UpdateFromFunc(dot, lambda dot: None), manim.AnimationGroup(manim.ApplyWave(dot))):
        scene.animations = [manim.FadeIn(dot), stranger]
        assert order.changing(scene) is None
    scene.animations = [manim.FadeIn(dot)]
    scene.add(manim.Dot().add_updater(lambda dot: None))
    assert order.changing(scene) is None


def test_the_order_is_manims(monkeypatch):
    rng = np.random.default_rng(0)
    for _ in range(50):
        parts = [manim.Dot().set_z_index(int(rng.integers(0, 3))) for _ in range(8)]
        for _ in range(6):
            group = manim.VGroup()
            group.submobjects = [parts[k] for k in rng.integers(0, len(parts), 3)]
            parts.append(group)
        roots = [parts[k] for k in rng.integers(0, len(parts), 5)]
        theirs = manim.utils.family.extract_mobject_family_members(roots, True, True)
        assert [id(part) for part in in_order(roots)] == [id(part) for part in theirs]


def test_names_of_what_is_trusted_are_classes():
    assert all(inspect.isclass(kind) for kind in order.CONTAINED) and len(order.CONTAINED) > 30
