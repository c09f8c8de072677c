"""Frame by frame, our renderer shows what Manim's does: to within 2 levels for everything that is Manim's own."""

from __future__ import annotations

import manim
import numpy as np
import pytest
from manim import DOWN, LEFT, ORIGIN, PI, RIGHT, UP

from tests.both_ways import largest_gap, quick, stock

LEVELS = 2


class Shapes(manim.Scene):
    """Fills, strokes, gradients, opacities, and shapes that overlap where only one of them moves."""

    def construct(self):
        back = manim.Rectangle(width=9, height=5, fill_opacity=0.5, color=manim.TEAL, stroke_width=12)
        ring = manim.Annulus(1, 2, fill_opacity=0.7, color=manim.GOLD).shift(LEFT)
        fan = manim.Star(7, outer_radius=2, fill_opacity=1).set_color([manim.RED, manim.BLUE]).shift(2 * RIGHT)
        fan.set_stroke(manim.WHITE, 6).set_sheen(0.4, UP)
        star = manim.Star(5, color=manim.GREEN, joint_type=manim.LineJointType.MITER, stroke_width=10).shift(UP)
        self.add(back, ring)
        self.play(manim.Create(fan), manim.FadeIn(star, shift=DOWN), run_time=0.6)
        self.play(ring.animate.shift(3 * RIGHT), manim.Rotate(star, PI / 3), run_time=0.5)
        self.play(manim.Transform(ring, manim.Square(3, fill_opacity=0.3)), manim.Indicate(fan), run_time=0.5)
        self.play(manim.Uncreate(back), manim.FadeOut(fan, scale=0.2), run_time=0.5)
        self.wait(0.3)


class Heights(manim.Scene):
    """z_index, foreground, bring_to_front and back, between plays and in the middle of one."""

    def construct(self):
        squares = [manim.Square(2, color=c, fill_opacity=0.8).shift(0.6 * k * RIGHT)
                   for k, c in enumerate((manim.RED, manim.GREEN, manim.BLUE))]  # fmt: skip
        squares[0].set_z_index(2)
        self.add(*squares)
        self.play(squares[1].animate.shift(UP), run_time=0.3)
        self.bring_to_front(squares[1])
        self.wait(0.2)
        self.bring_to_back(squares[1])
        dot = manim.Dot(radius=0.8, fill_opacity=0.6)
        self.add_foreground_mobjects(dot)
        self.play(squares[2].animate.set_z_index(5), squares[0].animate.set_opacity(0.2), run_time=0.4)
        self.play(dot.animate.shift(DOWN), run_time=0.3)


class Updaters(manim.Scene):
    """Updaters on time and on others, always_redraw, value trackers, a traced path, a scene updater."""

    def construct(self):
        turning = manim.Square(1.5).shift(3 * LEFT)
        turning.add_updater(lambda square, dt: square.rotate(2 * dt))
        way = manim.ValueTracker(-2.0)
        dot = manim.Dot().add_updater(lambda dot: dot.move_to([way.get_value(), np.sin(way.get_value()), 0]))
        line = manim.always_redraw(lambda: manim.Line(ORIGIN, dot.get_center(), color=manim.YELLOW))
        far = manim.Circle(0.4, fill_opacity=1).shift(3 * RIGHT)
        self.add(turning, dot, line, manim.TracedPath(dot.get_center, stroke_color=manim.RED), far)
        self.wait(0.4)
        self.play(way.animate.set_value(2.0), run_time=0.8)
        self.add_updater(lambda dt: far.shift(dt * UP))
        self.wait(0.4)
        turning.clear_updaters()
        self.wait(0.2, frozen_frame=True)


class Pictures(manim.Scene):
    """Images, point clouds, and a shape coloured by an image, with shapes over and under them."""

    def construct(self):
        pixels = np.zeros((40, 60, 4), np.uint8)
        pixels[..., 0], pixels[..., 3] = np.arange(60) * 4, np.linspace(60, 255, 40).astype(np.uint8)[:, None]
        image = manim.ImageMobject(pixels).scale(3).shift(LEFT)
        under = manim.Circle(1.5, fill_opacity=1, color=manim.BLUE).shift(2 * LEFT)
        over = manim.Triangle(fill_opacity=0.5, color=manim.GREEN).shift(0.5 * LEFT)
        cloud = manim.PMobject(stroke_width=3).add_points([[x / 9, x * x / 90 - 2, 0] for x in range(30)])
        self.add(under, image, over, cloud)
        self.play(under.animate.shift(RIGHT), run_time=0.4)
        self.play(image.animate.rotate(0.4).set_opacity(0.5), over.animate.shift(UP), run_time=0.4)
        self.play(manim.FadeOut(image), cloud.animate.shift(UP), run_time=0.4)
        self.wait(0.2)


class Compositions(manim.Scene):
    """Lagged starts, successions, groups that change while they play, letters that come one by one, submobjects."""

    def construct(self):
        dots = manim.VGroup(*[manim.Dot([k - 3, 0, 0], radius=0.3) for k in range(7)])
        self.play(manim.LaggedStart(*[manim.GrowFromCenter(dot) for dot in dots], lag_ratio=0.4), run_time=0.8)
        square = manim.Square().shift(2 * UP)
        self.play(manim.Succession(manim.FadeIn(square), square.animate.shift(RIGHT), manim.FadeOut(dots[2])),
                  run_time=0.9)  # fmt: skip
        self.play(manim.ShowIncreasingSubsets(manim.VGroup(*[manim.Circle(k / 3) for k in (1, 2, 3)])), run_time=0.6)
        dots[0].add(manim.Line(dots[0].get_center(), 2 * DOWN))
        self.play(manim.AnimationGroup(dots[0].animate.set_color(manim.RED), manim.Wiggle(dots[5])), run_time=0.5)
        self.remove(dots[6])
        self.wait(0.2)
        self.play(manim.FadeTransform(dots[1], square), manim.ReplacementTransform(dots[3], manim.Star()), run_time=0.5)


class Surroundings(manim.Scene):
    """A background that changes between plays, a stroke behind, what stands outside of the frame or nowhere."""

    def construct(self):
        blob = manim.Ellipse(4, 2, fill_opacity=1, color=manim.PURPLE).set_stroke(manim.WHITE, 14, background=True)
        outside = manim.Square(3, fill_opacity=0.5).shift(8 * RIGHT)
        lost = manim.Square(2)
        lost.points[3] = np.nan
        self.add(blob, outside, lost, manim.VMobject(), manim.Line(20 * LEFT, 20 * RIGHT, stroke_width=30))
        self.play(outside.animate.shift(2 * LEFT), run_time=0.4)
        self.camera.background_color = manim.ManimColor("#204060")
        self.play(blob.animate.set_stroke(manim.RED, 30, background=True), run_time=0.4)
        self.clear()
        self.wait(0.2)
        self.play(manim.FadeIn(blob), run_time=0.2)


class Gradients(manim.Scene):
    """Gradients and sheen span a family: they change when only another part of it moves."""

    def construct(self):
        square = manim.Square(2, fill_opacity=1).set_color([manim.RED, manim.BLUE]).set_sheen_direction(RIGHT)
        dot, label = manim.Dot(), manim.Dot(UP)
        square.add(dot)
        card = manim.RoundedRectangle(width=2, height=1, fill_opacity=0.5, sheen_factor=0.5).shift(2 * DOWN).add(label)
        self.add(square, card.set_sheen_direction(UP))
        self.play(dot.animate.shift(4 * RIGHT), run_time=0.5)
        self.play(label.animate.shift(UP), run_time=0.3)
        self.wait(0.2)


class Restless(manim.Square):
    """Moves by a method of its own in place of updaters."""

    def update(self, dt=0, recursive=True):
        return super().update(dt, recursive).rotate(dt)


class Overridden(manim.Scene):
    """What moves without an updater that Manim knows of."""

    def construct(self):
        square = manim.Square(1).shift(2 * LEFT)
        self.add(square, Restless(2))
        self.play(square.animate.shift(UP), run_time=1)


class MovingCamera(manim.MovingCameraScene):
    """A camera that moves."""

    def construct(self):
        self.add(manim.NumberPlane(), manim.Square(fill_opacity=0.4))
        self.play(self.camera.frame.animate.scale(0.6).shift(RIGHT), run_time=0.5)
        self.wait(0.2)


SCENES = [Shapes, Heights, Updaters, Pictures, Compositions, Surroundings, Gradients, Overridden]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_every_frame_is_as_manim_draws_it(scene, tmp_path):
    theirs = stock(scene, tmp_path / "stock")
    ours = quick(scene, tmp_path / "quick")
    assert len(theirs) > 8 and max(np.abs(a.astype(int) - theirs[0]).max() for a in theirs) > 50
    assert largest_gap(ours.frames, theirs) <= LEVELS


def test_another_camera_draws_for_itself(tmp_path):
    theirs = stock(MovingCamera, tmp_path / "stock", camera=manim.MovingCamera)
    ours = quick(MovingCamera, tmp_path / "quick", camera=manim.MovingCamera)
    assert largest_gap(ours.frames, theirs) == 0
    assert [bool(boxes) for boxes in ours.boxes][-2:] == [True, False]
