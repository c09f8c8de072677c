"""`check` as a command, on a scene that does everything wrong and on one that does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from attnviz.commands import Folders, main
from attnviz.looks import Complaint, LookOptions, check_scene
from attnviz.registry import find_scene

SCENE = '''"""Lies."""
import manim
from attnviz import text
from attnviz.mobjects.grid import Grid
from attnviz.scene import LessonScene


class Lying(LessonScene):
    """Everything that a viewer trips over."""

    case = "lesson"

    def construct(self):
        self.play_beats(*(getattr(self, beat.id) for beat in self.words.beats))

    def show(self, *mobjects):
        self.play(*map(manim.FadeIn, mobjects))
        self.past += mobjects

    def honest(self):
        self.show(text.line("honest", color=self.theme.ink))

    def overlapping(self):
        self.show(text.line("one word"), text.line("another"))

    def small(self):
        self.show(text.line("small").scale(0.3))

    def faint(self):
        self.show(text.line("faint", color="#4a5160"))

    def dimmed(self):
        self.add(text.line("dimmed").set_opacity(0.3))
        self.past.append(self.mobjects[-1])

    def outside(self):
        self.show(text.line("outside").set_x(7))

    def margin(self):
        self.show(text.line("margin").set_x(6.5))

    def card(self):
        self.show(manim.RoundedRectangle(width=0.5, height=0.5), text.line("out of its card"))

    def nameless(self):
        self.show(Grid(self.tensor("query"), "query_pos", "head_dim"))

    def hasty(self):
        self.show(text.line("hasty"))
        self.settle_short = True

    def crossing(self):
        left, right = text.line("left").set_x(-2), text.line("right").set_x(2)
        self.add(left, right)
        self.play(left.animate.set_x(2), right.animate.set_x(-2))
        self.past += [left, right]

    def flashing(self):
        light = manim.Square(8, fill_color="#ffffff", fill_opacity=1, stroke_width=0)
        for _ in range(8):
            self.add(light)
            self.wait(0.1)
            self.remove(light)
            self.wait(0.1)

    def _settle(self, start, letters):
        if not getattr(self, "settle_short", False):
            super()._settle(start, letters)
        self.settle_short = False
'''
WANTED = {
    "overlapping": {"overlap"}, "small": {"size"}, "faint": {"contrast"}, "dimmed": {"dimming", "dimmed contrast"},
    "outside": {"frame", "safe area"}, "margin": {"safe area"}, "card": {"overflow"}, "nameless": {"colour alone"},
    "hasty": {"caption"}, "crossing": {"overlap"}, "flashing": {"flashes"},
}  # fmt: skip
BEATS = ("honest", *WANTED)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lying")
    (folder / "lying.py").write_text(SCENE, encoding="utf-8")
    beats = [f'[[beat]]\nid = "{beat}"\ntitle = "B"\ncaption = "Long enough a caption to be too short a time."\n'
             for beat in BEATS]
    (folder / "lying.en.toml").write_text('title = "Lies"\n' + "\n".join(beats), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def complaints(folder: Path) -> list[Complaint]:
    options = LookOptions(themes=("dark",), frames=("16:9",), pictures=folder / "pictures")
    return check_scene(find_scene("lying", folder), options)


def test_each_lie_is_found_where_it_is_told(complaints: list[Complaint]) -> None:
    found: dict[str, set[str]] = {}
    for complaint in complaints:
        found.setdefault(complaint.beat, set()).add(complaint.check)
    assert {beat: checks & WANTED.get(beat, set()) for beat, checks in found.items()} == WANTED
    assert {beat: checks - WANTED[beat] for beat, checks in found.items() if checks - WANTED[beat]} == {}


def test_a_complaint_says_what_where_how_far_and_what_to_do(complaints: list[Complaint]) -> None:
    line = next(complaint.line() for complaint in complaints if complaint.check == "size")
    assert line.startswith('lying, small, dark 16:9, at its end: size of the text "small" at x -0.')
    assert ": 9.6 px, at least 18 px is needed; " in line
    crossing = next(complaint for complaint in complaints if complaint.beat == "crossing")
    assert "50% into a play" in crossing.when


def test_the_frame_is_written_with_the_places_marked(complaints: list[Complaint], folder: Path) -> None:
    names = {path.name for path in (folder / "pictures").iterdir()}
    ends = {f"lying-{beat}-dark-16x9.png" for beat in WANTED if beat not in ("crossing", "flashing")}
    assert names == ends | {"lying-crossing-dark-16x9-midway.png", "lying-flashing-dark-16x9-flash.png",
                            "lying-outside-dark-16x9-midway.png"}  # the frame: on its way
    picture = Image.open(folder / "pictures" / "lying-small-dark-16x9.png")
    assert picture.width == 1920 and picture.height > 1080  # the words below it
    assert (255, 32, 32) in {picture.getpixel((x, 540)) for x in range(900, 1020)}


def run(folder: Path, renders: Path, *arguments: str) -> int:
    try:
        main(["check", *arguments], Folders(folder, renders))
    except SystemExit as end:
        return int(end.code or 0)


def test_the_command_fails_with_4_and_one_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, tmp_path, "lying", "--theme", "dark", "--frame", "16:9") == 4
    out, err = capsys.readouterr()
    assert err.startswith("error: the layout fails in ") and err.endswith("lying in dark 16:9\n")
    assert out.startswith("FAIL  lying  dark 16:9: ") and "overlap of the text" in out
    assert f"picture: {tmp_path}/layout-check/lying-card-dark-16x9.png" in out


def test_what_is_right_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fine.py").write_text(SCENE.replace("Lying", "Fine"), encoding="utf-8")
    (tmp_path / "fine.en.toml").write_text(
        'title = "Fine"\n[[beat]]\nid = "honest"\ntitle = "B"\ncaption = "Short."\n', encoding="utf-8")
    (tmp_path / "renders").mkdir()
    assert run(tmp_path, tmp_path / "renders", "all", "--theme", "light", "--frame", "1:1", "--json") == 0
    [look] = json.loads(capsys.readouterr().out)
    assert (look["scene"], look["theme"], look["frame"], look["complaints"]) == ("fine", "light", "1:1", [])
    assert look["figures"]["contrast"] > 4.5 and look["figures"]["flashes"] == 0
    assert list((tmp_path / "renders").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "file").touch()
    assert run(folder, tmp_path, "lying", "--theme", "dark", "--frame", "1:1", "-o", str(tmp_path / "file")) == 1
    assert capsys.readouterr().err.endswith("name another folder with -o\n")
