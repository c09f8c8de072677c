"""`watch`: one warm process that renders a scene again whenever one of its files is saved.

Between two saves the scene waits before the beat that was changed last, so that the next change to it is drawn at once.
"""

import queue
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from attnviz.errors import AttnvizError
from attnviz.registry import find_scene
from attnviz.render import film
from attnviz.render.job import RenderOptions
from attnviz.render.live import Known, Live
from attnviz.render.part import Part
from attnviz.render.place import private_folder
from attnviz.render.saves import Saves, next_save, saves_in

HALF_WRITTEN = 0.3  # seconds in which another event says that an error was of a file that was being written

Say = Callable[[str], None]


def watch_scene(name: str, scenes: Path, options: RenderOptions, folder: Path, say: Say) -> NoReturn:
    """Render the scene `name` into `folder` now and after every save, until interrupted; what fails is said."""
    sys.dont_write_bytecode = True  # or a helper saved twice in a second would be taken for what it was
    with saves_in([scenes]) as saves, TemporaryDirectory(prefix="attnviz-", ignore_cleanup_errors=True) as media:
        _Watch(name, scenes, options, folder, say, Path(media)).go(saves)


class _Watch:
    """The loop: a save, a render, and the next scene that waits."""

    def __init__(self, name: str, scenes: Path, options: RenderOptions, folder: Path, say: Say, media: Path) -> None:
        self._name, self._scenes, self._options, self._folder, self._say = name, scenes, options, folder, say
        self._media, self._runs = media, 0
        self._complained = False  # whether the last line was an error
        self._live: Live | None = None
        self._shown: Known | None = None  # what the film that lies there was made of

    def go(self, saves: Saves) -> NoReturn:
        """Render now, then after every save."""
        saved = time.monotonic()
        while True:
            fault = self._attempt(saved)
            try:
                saved = next_save(saves, HALF_WRITTEN if fault else None)
            except queue.Empty:
                self._say(f"error: {fault}")
                self._complained = True
                saved = next_save(saves)

    def _attempt(self, saved: float) -> str | None:
        """Render; return what went wrong in one line."""
        try:
            self._render(saved)
        except AttnvizError as fault:
            return str(fault)
        except Exception as fault:
            return " ".join(f"{type(fault).__name__}: {fault}".split())
        return None

    def _render(self, saved: float) -> None:
        entry = find_scene(self._name, self._scenes)
        now = Known(entry)
        first = self._shown.first_change(now) if self._shown else 0
        if self._shown and first == len(now.beats) == now.first_change(self._shown):
            if self._complained:
                self._say(f"mended, and the film is as it was: {self._folder / self._name}.mp4")
            self._complained = False
            return  # nothing that shows was changed
        live, self._live, self._shown = self._live, None, None
        if live is None or not live.takes(now):
            if live:
                live.end()
            live = self._begin(0)
        drawn = live.go_on(entry)
        self._write(drawn)
        frame = f"first frame after {live.first_frame - saved:.2f} s, " if live.first_frame else ""
        self._complained = False
        self._shown = now  # of files saved since then there is an event, and they are found to differ
        self._say(f"{frame}film after {time.monotonic() - saved:.1f} s: {self._folder / self._name}.mp4")
        self._live = self._begin(min(first, len(now.beats) - 1))

    def _begin(self, stop: int) -> Live:
        self._runs += 1
        media = self._media / str(self._runs)
        return Live(find_scene(self._name, self._scenes), self._options, media, stop)

    def _write(self, drawn: Part) -> None:
        with private_folder(self._folder, lambda: self._say(f"another render writes {self._folder}")) as private:
            film.write(find_scene(self._name, self._scenes), self._options, drawn, private / "files")
