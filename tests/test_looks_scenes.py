"""Every scene there is, looked at: new ones join by existing."""

from __future__ import annotations

import pytest

from attnviz.layout import FRAMES
from attnviz.looks import LookOptions, check_scene
from attnviz.registry import find_scenes
from attnviz.theme import THEMES

EACH_SCENE = pytest.mark.parametrize("entry", find_scenes(), ids=lambda entry: entry.name)


def lines(entry, theme: str, frame: str, *, with_flashes: bool) -> list[str]:
    options = LookOptions(themes=(theme,), frames=(frame,), with_flashes=with_flashes)
    return [complaint.line() for complaint in check_scene(entry, options)]


@EACH_SCENE
def test_a_scene_can_be_read(entry):
    """As rendered by default, at the end of each beat: what flashes in between is looked for in all nine below."""
    assert lines(entry, "dark", "16:9", with_flashes=False) == []


@pytest.mark.slow
@EACH_SCENE
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_scene_can_be_read_in_every_theme_and_frame(entry, theme, frame):
    assert lines(entry, theme, frame, with_flashes=True) == []
