"""A film is made of parts: whoever draws a beat, and whatever was drawn before it, its frames are the same bytes."""

from __future__ import annotations

import io
import wave
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import manim
import numpy as np
import pytest

from attnviz.registry import SCENES, find_scene
from attnviz.render.config import configured
from attnviz.render.encode import ENCODERS, LONGEST_HOLD
from attnviz.render.job import RenderOptions
from attnviz.render.movie import Chapter, Film, join
from attnviz.render.part import draw_part
from attnviz.render.reading import inspect
from attnviz.render.renderer import QuickRenderer
from tests.both_ways import SMALL, QuickCatch
from tests.running import TESTS, run_here

TINY = find_scene("tiny_scene", TESTS)
LOW = RenderOptions(quality="l")


def test_a_beat_drawn_alone_has_the_same_bytes(tmp_path: Path) -> None:
    whole = draw_part(TINY, LOW, tmp_path / "a", None, None)
    last = draw_part(TINY, LOW, tmp_path / "b", [1], None)
    first = draw_part(TINY, LOW, tmp_path / "c", [0], None)
    assert {**first.beats, **last.beats}.keys() == {0, 1}
    for part in (first, last):
        for index, drawn in part.beats.items():
            assert drawn.segment == whole.beats[index].segment
            assert drawn.beat == whole.beats[index].beat
            assert drawn.picture.tobytes() == whole.beats[index].picture.tobytes()
    assert (last.frames, last.sound, first.frames) == (whole.frames, whole.sound, 9)


@pytest.mark.slow
def test_a_beat_of_the_pipeline_drawn_alone_has_the_same_bytes(tmp_path: Path) -> None:
    scene = find_scene("pipeline", SCENES)
    whole = draw_part(scene, LOW, tmp_path / "whole", None, None)
    some = draw_part(scene, LOW, tmp_path / "some", [3, 7, 11], None)
    assert some.beats.keys() == {3, 7, 11} and some.frames == whole.frames
    for index, drawn in some.beats.items():
        assert drawn.segment == whole.beats[index].segment
        assert drawn.beat == whole.beats[index].beat


class Swinging(manim.Scene):
    """Updaters that add up small steps: passed through in one leap they would end elsewhere."""

    skipped = False

    def construct(self) -> None:
        dot = manim.Dot(radius=0.5).shift(2 * manim.LEFT)
        dot.speed = 0.0
        dot.add_updater(self.fall)
        self.add(dot)
        self.next_section("first", skip_animations=self.skipped)
        self.play(manim.FadeIn(manim.Square()), run_time=0.7)
        self.wait(0.55)
        self.wait(3, stop_condition=lambda: dot.get_y() < -1.0)
        self.next_section("second")
        self.wait(0.3)

    @staticmethod
    def fall(dot: manim.Dot, dt: float) -> None:
        dot.speed -= dt
        dot.shift(dot.speed * dt * manim.UP)


def test_updaters_see_every_frame_of_what_is_passed_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    for skipped in (False, True):
        monkeypatch.setattr(Swinging, "skipped", skipped)
        with configured(RenderOptions(), tmp_path), manim.tempconfig(SMALL):
            scene = Swinging(renderer=QuickRenderer(QuickCatch))
            scene.render()
        ends.append((scene.time, scene.renderer.file_writer.frames[-1]))
    assert ends[0][0] == ends[1][0] > 1.8
    assert np.array_equal(ends[0][1], ends[1][1])


class Adding(manim.Animation):
    """Turns by a little more in every frame."""

    def interpolate_mobject(self, alpha: float) -> None:
        self.mobject.rotate(0.1)


def _falling() -> manim.Mobject:
    return manim.Square(0.5).add_updater(lambda square, dt: square.shift(dt * manim.RIGHT))


ADDING_UP = {
    "an animation of one's own": lambda s: Adding(s, run_time=0.6),
    "a function of the mobject": lambda s: manim.UpdateFromFunc(s, lambda m: m.shift(0.1 * manim.RIGHT), run_time=0.6),
    "a function of alpha": lambda s: manim.UpdateFromAlphaFunc(s, lambda m, a: m.rotate(a * 0.1), run_time=0.6),
    "a flow": lambda s: manim.PhaseFlow(lambda p: np.array([-p[1], p[0], 0]), s, run_time=0.6),
    "what comes in midway": lambda s: manim.Succession(
        manim.FadeIn(manim.Circle(), run_time=0.4), manim.FadeIn(_falling(), run_time=0.2), manim.Wait(1)
    ),
}


@pytest.mark.parametrize("adding", ADDING_UP.values(), ids=ADDING_UP)
def test_what_adds_up_frames_ends_the_same_when_it_is_passed_through(adding: Any, tmp_path: Path) -> None:
    class Film(manim.Scene):
        skipped = False

        def construct(self) -> None:
            square = manim.Square(0.5, fill_opacity=1).shift(manim.RIGHT)
            self.add(square)
            self.next_section("first", skip_animations=self.skipped)
            self.play(adding(square))
            self.next_section("second")
            self.wait(0.1, frozen_frame=True)

    ends = []
    for Film.skipped in (False, True):
        with configured(RenderOptions(), tmp_path), manim.tempconfig(SMALL):
            scene = Film(renderer=QuickRenderer(QuickCatch))
            scene.render()
        ends.append((scene.time, scene.renderer.file_writer.frames[-1]))
    assert ends[0][0] == ends[1][0]
    assert np.array_equal(ends[0][1], ends[1][1])


@pytest.mark.parametrize("vfr", [False, True])
@pytest.mark.parametrize("profile", list(ENCODERS))
def test_every_way_to_encode_keeps_the_clock(tmp_path: Path, profile: str, vfr: bool) -> None:
    options = ["--encode", profile, *(["--vfr"] if vfr else [])]
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", *options) == 0
    with av.open(tmp_path / "tiny_scene" / "tiny_scene.mp4") as film:
        packets = [packet for packet in film.demux(video=0) if packet.dts is not None]
        stream = film.streams.video[0]
        assert stream.duration * stream.time_base == Fraction(18, 15)
        times = sorted((p.pts * p.time_base, p.duration * p.time_base) for p in packets)
        assert all(start + length == after for (start, length), (after, _) in pairwise(times))
        assert sum(length for _, length in times) == Fraction(18, 15)
        longest = max(length for _, length in times)
        assert longest <= Fraction(1, 2) if vfr else longest == Fraction(1, 15)
        assert {Fraction(0), Fraction(9, 15)} <= {p.pts * p.time_base for p in packets if p.is_keyframe}


@pytest.mark.parametrize("start", [0, 9])
def test_a_seek_to_a_beat_shows_its_first_frame(tmp_path: Path, start: int) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--encode", "archive") == 0
    with av.open(tmp_path / "tiny_scene" / "tiny_scene.mp4") as film:
        stream = film.streams.video[0]
        film.seek(round(Fraction(start, 15) / stream.time_base), stream=stream)
        frame = next(film.decode(stream))
        assert frame.pts * frame.time_base == Fraction(start, 15)


def test_held_pictures_are_not_longer_than_they_may_be(tmp_path: Path) -> None:
    class Long(manim.Scene):
        def construct(self) -> None:
            self.add(manim.Square())
            self.wait(1.75)

    from functools import partial

    from attnviz.render.writer import SegmentWriter

    with configured(RenderOptions(), tmp_path), manim.tempconfig({**SMALL, "frame_rate": 24}):
        scene = Long(renderer=QuickRenderer(partial(SegmentWriter, vfr=True)))
        scene.render()
        path = scene.renderer.file_writer.movie_file_path
    with av.open(io.BytesIO(Path(path).read_bytes())) as film:
        lengths = [p.duration * p.time_base for p in film.demux(video=0) if p.dts is not None]
    assert lengths == [Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)] and LONGEST_HOLD == 0.5


@pytest.mark.parametrize("seconds", [0.5, 3.0])
def test_a_sound_is_in_the_film_no_longer_than_it_goes(tmp_path: Path, seconds: float) -> None:
    drawn = draw_part(TINY, LOW, tmp_path / "media", None, None)
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes((np.sin(np.arange(int(8000 * seconds)) / 3) * 20000).astype("<i2").tobytes())
    film = Film(tmp_path / "x.mp4", 854, 480, 15, drawn.frames)
    segments = [drawn.beats[index].segment for index in (0, 1)]
    chapters = [Chapter(0, 9, "one"), Chapter(9, 18, "two")]
    join(segments, film, chapters, title="x", comment="", sound=sound.getvalue())
    inspect(film, segments)
    with av.open(film.path) as made:
        samples = np.concatenate([frame.to_ndarray()[0] for frame in made.decode(audio=0)])
        heard = len(samples) / made.streams.audio[0].rate
    assert abs(heard - min(seconds, 1.2)) < 0.3 and np.abs(samples).max() > 0.3
