"""`watch`: a save is a render, an error is a line, and the next save is taken as usual."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attnviz.registry import find_scene
from attnviz.render.live import Known
from tests.running import ROOT
from tests.test_recall import LONGER, SCENE, WORDS

_WATCH = """
import sys
from pathlib import Path
from attnviz.commands import Folders, main
main(["watch", "twice", "-q", "l"], Folders(Path(sys.argv[1]), Path(sys.argv[2])))
"""
DONE = re.compile(r"(first frame after \d+\.\d\d s, )?film after \d+\.\d s: .*twice\.mp4")


class Watching:
    """A child that watches, and what it has said."""

    def __init__(self, folder: Path) -> None:
        self.scenes, self.renders = folder / "scenes", folder / "renders"
        self.heard: list[str] = []
        self.scenes.mkdir()
        self.save()
        environment = {**os.environ, "ATTNVIZ_CACHE": str(folder / "cache")}
        self.child = subprocess.Popen([sys.executable, "-c", _WATCH, str(self.scenes), str(self.renders)], cwd=ROOT,
                                      env=environment, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def save(self, scene: str = SCENE, words: str = WORDS) -> None:
        (self.scenes / "twice.py").write_text(scene)
        (self.scenes / "twice.en.toml").write_text(words)

    def line(self) -> str:
        assert self.child.stderr
        line = self.child.stderr.readline().strip()
        self.heard.append(line)
        return line

    def film(self) -> bytes:
        return (self.renders / "twice" / "twice.mp4").read_bytes()


@pytest.fixture
def watching(tmp_path: Path):
    watching = Watching(tmp_path)
    yield watching
    watching.child.kill()
    watching.child.wait()


def test_a_film_comes_first(watching: Watching) -> None:
    assert DONE.fullmatch(watching.line())
    assert len(watching.film()) > 1000


def test_which_beat_changed_first(tmp_path: Path) -> None:
    def known(scene: str = SCENE, words: str = WORDS) -> Known:
        (tmp_path / "twice.py").write_text(scene)
        (tmp_path / "twice.en.toml").write_text(words)
        return Known(find_scene("twice", tmp_path))

    before = known()
    assert before.first_change(known()) == 2
    assert before.first_change(known(SCENE.replace("GREEN", "RED"))) == 1
    assert before.first_change(known(LONGER)) == 0
    assert before.first_change(known(words=WORDS.replace("The square turns.", "It is green."))) == 1
    assert before.first_change(known(SCENE.replace("WIDE = 1", "WIDE = 2"))) == 0
    assert before.first_change(known(words=WORDS + '[text]\nmore = "words"\n')) == 0
