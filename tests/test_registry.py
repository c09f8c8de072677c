"""Scenes are found by their files, and names that are no names are refused in one line."""

from pathlib import Path

import pytest

from attnviz.errors import InputError, RenderError
from attnviz.registry import check_name, find_scene, find_scenes

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
