"""Every scene there is, played in its own case: its beats, their pace, and what it shows, against a snapshot.

A snapshot is what a scene says and shows, as text, in `tests/stories/NAME.txt`. After a change that was meant:
`ATTNVIZ_STORIES=write python -m pytest tests/test_scenes.py`, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attnviz.registry import find_scenes
from attnviz.scene import READING_SPEED, SETTLE
from tests.playing import own, story

STORIES = Path(__file__).with_name("stories")
SHORTEST, LONGEST = 45, 120  # seconds of a film
EACH_SCENE = pytest.mark.parametrize("name", [
    pytest.param(entry.name, marks=pytest.mark.xdist_group(entry.name)) for entry in find_scenes()])


@EACH_SCENE
def test_beats_follow_one_another_settle_and_can_be_read(name):
    scene = own(name)
    assert scene.beats[0].start == 0
    for before, after in zip(scene.beats, scene.beats[1:], strict=False):
        assert after.start == pytest.approx(before.end)
    for beat in scene.beats:
        assert beat.start < beat.last_change <= beat.end - SETTLE + 1e-6, beat.id
        assert beat.end - beat.start >= len(beat.caption) / READING_SPEED - 1e-6, beat.id
    assert scene.poster_beat in {beat.id for beat in scene.beats}


@EACH_SCENE
def test_a_film_is_neither_too_short_nor_too_long(name):
    assert SHORTEST <= own(name).beats[-1].end <= LONGEST


@EACH_SCENE
def test_every_beat_has_a_note_for_the_speaker(name):
    assert [beat.id for beat in own(name).beats if not beat.note] == []


@EACH_SCENE
def test_a_scene_says_and_shows_what_its_snapshot_says(name):
    told, path = story(own(name)), STORIES / f"{name}.txt"
    if os.environ.get("ATTNVIZ_STORIES") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert path.is_file(), f"no snapshot of {name}: write one with ATTNVIZ_STORIES=write"
    assert told == path.read_text(encoding="utf-8")
