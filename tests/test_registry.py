"""Scenes are found by their files, and names that are no names are refused in one line."""

import os
from pathlib import Path
from typing import Any

import pytest

from attnviz.errors import InputError, RenderError
from attnviz.registry import check_name, find_scene, find_scenes, printable

GOOD = '"""Words of the module."""\n\n\nclass TwoHeads(LessonScene):\n    """Heads look apart.\n\n    More."""\n'


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    (tmp_path / "two_heads.py").write_text(GOOD)
    (tmp_path / "helper.py").write_text("def nothing() -> None: ...\n")
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "broken.py").write_text("class Broken(:\n")
    return tmp_path


def test_a_file_with_a_class_of_its_name_is_a_scene(scenes: Path) -> None:
    (found,) = find_scenes(scenes)
    assert (found.name, found.class_name, found.summary) == ("two_heads", "TwoHeads", "Heads look apart.")
    assert find_scene("two_heads", scenes) == found


DEEP = {
    "nested": "x = " + "-" * 200_000 + "1\n",
    "chained": "x = a" + ".b" * 200_000 + "\n",
    "binary": "\0\1",
}


def test_what_is_no_file_or_cannot_be_read_hides_no_scene(scenes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (scenes / "folder.py").mkdir()
    (scenes / "nowhere.py").symlink_to("missing.py")
    os.mkfifo(scenes / "pipe.py")
    for name, text in DEEP.items():
        (scenes / f"{name}.py").write_text(text)
    (scenes / "locked.py").write_text(GOOD)
    read = Path.read_text

    def refuse(self: Path, *args: Any, **options: Any) -> str:
        assert self.name != "pipe.py", "to read a pipe would wait for ever"
        if self.name == "locked.py":
            raise PermissionError(13, "Permission denied")
        return read(self, *args, **options)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert [entry.name for entry in find_scenes(scenes)] == ["two_heads"]
    for name in ("folder", "nowhere", "pipe"):
        with pytest.raises(InputError, match=f'no scene is called "{name}"'):
            find_scene(name, scenes)
    for name in ("nested", "chained", "binary", "locked"):
        with pytest.raises(RenderError, match=rf"{name}\.py") as refused:
            find_scene(name, scenes)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a b/é→.mp4", "a b/é→.mp4"), ("a\n\x1b[31m", r"a\n\x1b[31m"), ("\u202e\ud800\x9b", r"\u202e\ud800\x9b")],
)
def test_what_moves_a_cursor_is_shown_with_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_capitals_inside_a_class_name_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "qkv.py").write_text('class QKV(LessonScene):\n    "Three matrices."\n')
    assert find_scene("qkv", tmp_path).class_name == "QKV"


def test_the_summary_may_stand_in_the_module(tmp_path: Path) -> None:
    (tmp_path / "mask.py").write_text('"""No peeking."""\nclass Mask(LessonScene): ...\n')
    assert find_scenes(tmp_path)[0].summary == "No peeking."


def test_a_scene_that_does_not_parse_says_where(scenes: Path) -> None:
    with pytest.raises(RenderError, match=r"broken\.py:1 does not parse"):
        find_scene("broken", scenes)


@pytest.mark.parametrize("name", ["helper", "absent"])
def test_unknown_scene(scenes: Path, name: str) -> None:
    with pytest.raises(InputError, match=f'no scene is called "{name}"'):
        find_scene(name, scenes)


def test_a_near_miss_is_helped(scenes: Path) -> None:
    with pytest.raises(InputError, match='did you mean "two_heads"'):
        find_scene("two_head", scenes)


BAD_NAMES = ["", "../x", "/x", "a/b", "a\\b", "x\0", "n" * 300, "-x", "_x", "Two", "a b", "a\n", "é", ".", "a.py"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(InputError) as refused:
        check_name(name)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 140 and "\0" not in str(refused.value)
