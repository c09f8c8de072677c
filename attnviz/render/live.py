"""A scene that waits: played up to one of its beats in a thread, and played on from there with the code of then.

What was saved since then takes effect where it changes nothing of what was played already. Here no file is watched, and
none is written.
"""

import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from manim.utils.exceptions import EndSceneEarlyException

from attnviz.recall.keys import beat_code, words_digest
from attnviz.registry import SceneEntry
from attnviz.render.job import RenderOptions
from attnviz.render.part import Part, Run, draw_part, scene_class
from attnviz.words import Words


class Known:
    """What a scene's files said at one time: a digest for each beat of what it plays, in order."""

    def __init__(self, entry: SceneEntry) -> None:
        words = Words.load(entry.path.with_suffix(".en.toml"))
        self.text = dict(words.text)
        self.beats = [beat.id for beat in words.beats]
        code = beat_code(entry.path, entry.class_name, self.beats)
        self.plays = [(code.get(beat.id), words_digest(asdict(beat))) for beat in words.beats]

    def first_change(self, other: "Known") -> int:
        """The index of the first beat that differs; 0 where anything does that all beats share."""
        if (self.text, self.beats) != (other.text, other.beats) or None in {code for code, _ in self.plays}:
            return 0
        differs = [a != b for a, b in zip(self.plays, other.plays, strict=True)]
        return differs.index(True) if True in differs else len(differs)


class Live:
    """One run of a scene in a thread of its own, which waits before the beat `stop` (0: it does not)."""

    def __init__(self, entry: SceneEntry, options: RenderOptions, media: Path, stop: int = 0) -> None:
        self.entry, self.known, self.stop = entry, Known(entry), stop
        self.first_frame: float | None = None  # when it was drawn, on the monotonic clock
        self._options, self._media = options, media
        self._go, self._ended = threading.Event(), False
        self._checked, self._mixed = threading.Event(), False
        self._outcome: Part | BaseException | None = None
        self._thread = threading.Thread(target=self._play, name="live", daemon=True)
        self._thread.start()

    def takes(self, now: Known) -> bool:
        """Whether it can go on with what the files say now: nothing differs in what it has played."""
        self._checked.wait()
        still = self._thread.is_alive() and not self._mixed
        return still and 0 < self.stop <= self.known.first_change(now)

    def go_on(self, entry: SceneEntry) -> Part:
        """Play the rest as the files are now, and return the film; raises what the scene does."""
        self.entry, self.first_frame = entry, None
        self._go.set()
        self._thread.join()
        assert self._outcome is not None
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def end(self) -> None:
        """End it where it stands."""
        self._ended = True
        self._go.set()
        self._thread.join()

    def _play(self) -> None:
        try:
            self._outcome = draw_part(self.entry, self._options, self._media, None, None, self._before, self._seen)
        except BaseException as fault:
            self._outcome = fault
        finally:
            self._checked.set()

    def _before(self, run: Run, index: int) -> None:
        """Wait before the beat; then the scene is of the class, and has the words, that its files hold."""
        if index == 0:
            self._mixed = self.known.first_change(Known(self.entry)) < len(self.known.beats)  # saved as it began
            self._checked.set()
        if index == self.stop > 0:
            self._go.wait()
            scene: Any = run.scene
            if not self._ended:
                run.forget()
                scene.__class__ = scene_class(self.entry)
                scene.read_words()
        if self._ended:
            raise EndSceneEarlyException

    def _seen(self) -> None:
        self.first_frame = self.first_frame or time.monotonic()
