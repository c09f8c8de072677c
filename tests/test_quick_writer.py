"""What Manim's file writer does besides frames still works with ours: sections, subcaptions, sound, other formats."""

from __future__ import annotations

import json
import wave
from fractions import Fraction
from pathlib import Path

import av
import manim
import numpy as np
import pytest
from PIL import Image

from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.render.renderer import QuickRenderer
from tests.both_ways import SMALL


class Sounding(manim.Scene):
    """Three sections, the second passed over; a sound, and two subcaptions."""

    sound = Path("beep.wav")

    def construct(self):
        square = manim.Square(fill_opacity=1)
        self.next_section("first")
        self.play(manim.FadeIn(square), run_time=0.5, subcaption="It comes.")
        self.next_section("unseen", skip_animations=True)
        self.play(square.animate.shift(manim.RIGHT), run_time=3)
        self.next_section("last")
        self.add_sound(str(self.sound))
        self.play(square.animate.set_color(manim.RED), run_time=0.5)
        self.add_subcaption("It is red.", duration=0.4)
        self.wait(0.5)


@pytest.fixture(autouse=True)
def beep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "beep.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
        file.writeframes((np.sin(np.arange(8000) / 3) * 20000).astype("<i2").tobytes())
    monkeypatch.setattr(Sounding, "sound", path)


def rendered(scene: type[manim.Scene], media: Path, **settings: object) -> list[Path]:
    """Every file that Manim and our renderer make of a scene."""
    with configured(RenderOptions(), media), manim.tempconfig({**SMALL, **settings}):
        scene(renderer=QuickRenderer()).render()
    return sorted(path for path in media.rglob("*") if path.is_file() and "partial" not in str(path))


def named(paths: list[Path], end: str) -> Path:
    [path] = [path for path in paths if path.name.endswith(end)]
    return path


def test_sections_sound_and_subcaptions(tmp_path: Path) -> None:
    paths = rendered(Sounding, tmp_path / "media", save_sections=True)
    with av.open(named(paths, "Sounding.mp4")) as film:
        assert sum(1 for _ in film.decode(video=0)) == 15
        assert film.streams.audio[0].codec_context.name == "aac"
    sections = json.loads(named(paths, ".json").read_text())
    assert [(section["name"], section["nb_frames"]) for section in sections] == [("first", "5"), ("last", "10")]
    assert "It comes." in named(paths, ".srt").read_text() and "It is red." in named(paths, ".srt").read_text()


def test_transparent_film(tmp_path: Path) -> None:
    paths = rendered(Sounding, tmp_path / "media", transparent=True, format="mov")
    with av.open(named(paths, ".mov")) as film:
        frames = [frame.to_ndarray(format="rgba") for frame in film.decode(video=0)]
    assert len(frames) == 15 and frames[-1][5, 5, 3] == 0 and frames[-1][135, 240, 3] == 255


@pytest.mark.parametrize(("form", "ending"), [("gif", ".gif"), ("webm", ".webm")])
def test_other_films(tmp_path: Path, form: str, ending: str) -> None:
    with av.open(named(rendered(Sounding, tmp_path / "media", format=form), ending)) as film:
        assert sum(1 for _ in film.decode(video=0)) >= 14


def test_a_still_is_the_last_picture(tmp_path: Path) -> None:
    picture = Image.open(named(rendered(Sounding, tmp_path / "media", format="png"), ".png")).convert("RGB")
    assert [picture.getpixel((x, 135)) for x in (210, 240, 273)] == [(0, 0, 0), (252, 98, 85), (252, 98, 85)]


def test_a_scene_without_plays_is_a_picture(tmp_path: Path) -> None:
    class Still(manim.Scene):
        def construct(self):
            self.add(manim.Square(fill_opacity=1, color=manim.BLUE))

    path = named(rendered(Still, tmp_path / "media", format="png"), ".png")
    assert Image.open(path).convert("RGB").getpixel((240, 135)) == (88, 196, 221)


def test_time_is_the_number_of_frames(tmp_path: Path) -> None:
    with configured(RenderOptions(), tmp_path), manim.tempconfig(SMALL):
        scene = Sounding(renderer=QuickRenderer())
        scene.play(manim.FadeIn(manim.Square()), run_time=0.31)
        scene.wait(0.29)
        assert scene.time == float(Fraction(6, 10)) == scene.renderer.frames / 10
