"""`watch`: a save is a render, an error is a line, and the next save is taken as usual."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
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
        self.scenes.mkdir()
        self.save()
        environment = {**os.environ, "ATTNVIZ_CACHE": str(folder / "cache")}
        self.child = subprocess.Popen([sys.executable, "-c", _WATCH, str(self.scenes), str(self.renders)], cwd=ROOT,
                                      env=environment, stderr=subprocess.PIPE, text=True)  # fmt: skip

    def save(self, scene: str = SCENE, words: str = WORDS) -> None:
        """Save what differs, as editors do: whole."""
        for name, text in (("twice.en.toml", words), ("twice.py", scene)):
            path = self.scenes / name
            if not path.exists() or path.read_text() != text:
                path.with_suffix(".new").write_text(text)
                path.with_suffix(".new").replace(path)

    def line(self) -> str:
        """The next line it says; empty where it says nothing for a minute, and is killed."""
        assert self.child.stderr
        patience = threading.Timer(60, self.child.kill)
        patience.start()
        try:
            return self.child.stderr.readline().strip()
        finally:
            patience.cancel()

    def film(self) -> bytes:
        return (self.renders / "twice" / "twice.mp4").read_bytes()


@pytest.fixture
def watching(tmp_path: Path):
    watching = Watching(tmp_path)
    yield watching
    watching.child.kill()
    watching.child.wait()


def test_it_follows_what_is_saved(watching: Watching) -> None:
    assert DONE.fullmatch(watching.line())
    films = [watching.film()]
    for colour in ("RED", "WHITE"):  # saved at once: while the scene is made ready to wait before the beat
        watching.save(SCENE.replace("GREEN", colour))
        assert DONE.fullmatch(watching.line())
        films.append(watching.film())
    watching.save(SCENE.replace("self.play_beats", "1 / 0\n        self.play_beats"))
    assert watching.line() == "error: ZeroDivisionError: division by zero"
    watching.save("class Twice(:\n")
    assert watching.line().startswith("error: ")
    assert watching.film() == films[-1]
    watching.save()
    assert DONE.fullmatch(watching.line())
    watching.save("class Twice(:\n")
    assert watching.line().startswith("error: ")
    watching.save()  # as in the last film
    assert watching.line() == f"mended, and the film is as it was: {watching.renders / 'twice' / 'twice.mp4'}"
    assert watching.film() == films[0] and len(set(films)) == 3
    watching.child.send_signal(signal.SIGINT)
    assert watching.child.wait(20) == 130
    assert [path.name for path in watching.renders.iterdir()] == ["twice"]


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
