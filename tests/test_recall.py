"""Beats that were drawn before are not drawn again, and never in place of what they are not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from attnviz.recall.store import VARIABLE
from attnviz.registry import SceneEntry, find_scene
from attnviz.render.job import RenderOptions
from attnviz.render.part import Part, draw_part
from attnviz.render.renderer import QuickRenderer

SCENE = '''
"""Two beats for tests of the cache."""
import manim
from attnviz.scene import LessonScene

WIDE = 1


class Twice(LessonScene):
    """Two beats."""

    case = "lesson"

    def construct(self):
        self.square = manim.Square(WIDE, color=manim.BLUE, fill_opacity=1)
        self.play_beats(self.comes, self.turns)

    def comes(self):
        self.play(manim.FadeIn(self.square), run_time=0.2)

    def turns(self):
        self.play(self.square.animate.set_color(manim.GREEN), run_time=0.2)
'''
WORDS = """
title = "Twice"
[[beat]]
id = "comes"
title = "It comes"
caption = "The square comes."
[[beat]]
id = "turns"
title = "It turns"
caption = "The square turns."
"""


class Course:
    """A scenes' folder, and which beats were drawn at each render of its scene."""

    def __init__(self, folder: Path, drawn: list[str]) -> None:
        self.folder, self._drawn = folder, drawn
        self.write()

    def write(self, scene: str = SCENE, words: str = WORDS) -> None:
        (self.folder / "twice.py").write_text(scene)
        (self.folder / "twice.en.toml").write_text(words)

    def entry(self) -> SceneEntry:
        return find_scene("twice", self.folder)

    def render(self, **options: Any) -> tuple[list[str], Part]:
        self._drawn.clear()
        part = draw_part(self.entry(), RenderOptions(quality="l", **options), self.folder.parent / "media", None, None)
        return list(dict.fromkeys(self._drawn)), part


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    drawn: list[str] = []
    plain = QuickRenderer.render

    def heard(self: QuickRenderer, scene: Any, *rest: Any) -> None:
        if self.drawing:
            drawn.append(self.file_writer.sections[-1].name)
        plain(self, scene, *rest)

    monkeypatch.setattr(QuickRenderer, "render", heard)
    folder = tmp_path / "scenes"
    folder.mkdir()
    return Course(folder, drawn)


def test_a_second_render_draws_nothing_and_gives_the_same(course: Course) -> None:
    first, cold = course.render()
    second, warm = course.render()
    assert (first, second) == (["comes", "turns"], [])
    assert warm.beats[0].segment == cold.beats[0].segment and warm.beats[1].segment == cold.beats[1].segment
    assert [drawn.picture.tobytes() for drawn in warm.beats.values()] == [
        drawn.picture.tobytes() for drawn in cold.beats.values()
    ]
    assert warm.frames == cold.frames


LONGER = SCENE.replace("FadeIn(self.square), run_time=0.2", "FadeIn(self.square)")
ELSEWHERE = SCENE.replace("FadeIn(self.square)", "FadeIn(self.square.shift([1, 0, 0]))")
EDITS = {
    "the second beat's code": (SCENE.replace("GREEN", "RED"), WORDS, ["turns"]),
    "the first beat's code, to another length": (LONGER, WORDS, ["comes"]),
    "the first beat's code, to another state": (ELSEWHERE, WORDS, ["comes", "turns"]),
    "what both stand on": (SCENE.replace("WIDE = 1", "WIDE = 2"), WORDS, ["comes", "turns"]),
    "a comment": (SCENE.replace("WIDE = 1", "WIDE = 1  # unit"), WORDS, []),
    "a caption": (SCENE, WORDS.replace("The square turns.", "The square is green."), ["turns"]),
    "a title": (SCENE, WORDS.replace("It comes", "A square"), ["comes", "turns"]),
    "a speaker's note": (SCENE, WORDS + 'note = "Slowly."\n', []),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_costs_the_beats_that_it_changes(course: Course, edit: str) -> None:
    course.render()
    scene, words, expected = EDITS[edit]
    course.write(scene, words)
    drawn, part = course.render()
    assert drawn == expected
    fresh, whole = course.render(cache=False)
    assert fresh == ["comes", "turns"]
    assert [part.beats[k].segment for k in (0, 1)] == [whole.beats[k].segment for k in (0, 1)]
    assert [part.beats[k].beat for k in (0, 1)] == [whole.beats[k].beat for k in (0, 1)]


@pytest.mark.parametrize("option", [{"theme": "light"}, {"vfr": True}, {"encode": "draft"}, {"case": "trained"}])
def test_another_option_is_another_beat(course: Course, option: dict[str, Any]) -> None:
    course.render()
    assert course.render(**option)[0] == ["comes", "turns"]


def test_a_damaged_file_is_drawn_again(course: Course, tmp_path: Path) -> None:
    _, whole = course.render()
    kept = sorted((tmp_path / "cache").iterdir())
    assert len(kept) == 2
    kept[0].write_bytes(kept[0].read_bytes()[:-100])
    drawn, part = course.render()
    assert len(drawn) == 1
    assert [part.beats[k].segment for k in (0, 1)] == [whole.beats[k].segment for k in (0, 1)]


def test_a_cache_that_cannot_be_written_is_done_without(course: Course, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert course.render()[0] == ["comes", "turns"]
    assert course.render()[0] == ["comes", "turns"]


def test_a_file_saved_during_a_render_keeps_nothing(course: Course, tmp_path: Path) -> None:
    """What was drawn by old code must not be found under the new one's key."""
    plain = QuickRenderer.scene_finished

    def saved(self: QuickRenderer, scene: Any) -> None:
        course.write(SCENE.replace("GREEN", "RED"))
        plain(self, scene)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QuickRenderer, "scene_finished", saved)
        course.render()
    assert course.render()[0] == ["comes", "turns"]


def test_an_edit_of_the_same_second_and_size_is_run(course: Course) -> None:
    _, before = course.render()
    course.write(SCENE.replace("GREEN", "WHITE"))
    _, after = course.render()
    assert before.beats[1].segment != after.beats[1].segment


STATE = {
    "an object of a class made in a beat": (
        "class Big:\n            def make(self): return manim.Square(1.5)\n        self.big = Big()",
        "self.add(self.big.make())",
    ),
    "a property that was looked up, and changed": ("self.card.scale(1.5)", "self.add(self.card)"),
}


@pytest.mark.parametrize("case", STATE)
def test_state_that_is_hard_to_see_is_not_passed_over(course: Course, case: str) -> None:
    sets, shows = STATE[case]
    scene = SCENE.replace(
        "        self.play(manim.FadeIn(self.square)", f"        {sets}\n        self.play(manim.FadeIn(self.square)"
    )
    scene = scene.replace(
        "        self.play(self.square.animate.set_color",
        f"        {shows}\n        self.play(self.square.animate.set_color",
    )
    scene = scene.replace(
        "    def construct",
        "    @functools.cached_property\n    def card(self): return manim.Square()\n\n    def construct",
    )
    scene = scene.replace("import manim", "import functools\nimport manim")
    course.write(scene)
    course.render()
    course.write(scene.replace("1.5", "3.5"))
    assert course.render()[0] == ["comes", "turns"]


def test_what_a_scene_imports_from_beside_it_is_imported_anew(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(course.folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for side in ("1.5", "3.5"):
        (course.folder / "helpers_beside.py").write_text(f"SIDE = {side}")
        course.write(
            SCENE.replace("import manim", "import manim\nimport helpers_beside", 1).replace(
                "WIDE, color", "helpers_beside.SIDE, color"
            )
        )
        drawn, part = course.render()
        assert drawn == ["comes", "turns"]
    assert part.beats[1].segment == course.render(cache=False)[1].beats[1].segment
    assert sys.modules["helpers_beside"].SIDE == 3.5


@pytest.mark.parametrize("look", ["pixel_array.copy()", "get_image()"])
def test_a_scene_that_reads_its_own_picture_is_always_drawn(course: Course, look: str) -> None:
    course.write(SCENE.replace("run_time=0.2)", f"run_time=0.2); self.seen = self.camera.{look}", 1))
    assert [course.render()[0] for _ in range(2)] == [["comes", "turns"]] * 2
