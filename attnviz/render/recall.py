"""Beats that were drawn before: their keys while a scene plays, and the store that they lie in.

What a key is made of, and how a file is kept, stands in `attnviz/recall`. Nothing here draws.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from attnviz.recall.digest import state_digest
from attnviz.recall.keys import beat_code, beat_key, environment_key, words_digest
from attnviz.recall.store import Store, default_folder
from attnviz.registry import SceneEntry
from attnviz.render.hints import hints_work
from attnviz.render.job import RenderOptions
from attnviz.render.manifest import sha256


class Recall:
    """Finds the beats of one run of a scene that are known already, and keeps those that were drawn.

    A beat is the same where the scene's state before it, its code, its words, the options and all that draws and
    encodes are. A scene without a file of words has no beats that are known before they are played.
    """

    def __init__(self, entry: SceneEntry, options: RenderOptions, media: Path) -> None:
        self._entry, self._options, self._media = entry, options, media
        self._store = Store(default_folder())
        self._files = self._as_saved()
        self._keys: dict[int, str] = {}
        self._code: dict[str, str] = {}
        self._environment = ""

    def find(self, scene: Any, index: int) -> Path | None:
        """Return the file of the beat about to begin, copied to this run's folder; None where it is not known."""
        key = self._key(scene, index)
        if key is None:
            return None
        self._keys[index] = key
        target = self._media / f"beat_{index:03}.mp4"
        return target if self._store.take(key, target) else None

    def keep(self, index: int, path: Path) -> None:
        """Keep what a beat became; not where files were saved since the run began: it may be of either code."""
        if index in self._keys and self._files == self._as_saved():
            self._store.keep(self._keys[index], path)

    def forget(self) -> None:
        """Read the scene's code again before the next beat; to be called before it is run again."""
        self._environment, self._files = "", self._as_saved()

    def close(self) -> None:
        """Remove from the store what was not used for longest, where it has grown too large."""
        self._store.prune()

    def _as_saved(self) -> dict[str, str]:
        paths = [path for path in self._entry.path.parent.iterdir() if path.suffix in (".py", ".toml")]
        return {path.name: sha256(path) for path in paths if path.is_file()}

    def _key(self, scene: Any, index: int) -> str | None:
        beats = getattr(scene.words, "beats", ())
        if not beats:
            return None
        if not self._environment:
            options = {**self._options.shaping(), "pixels": self._options.pixels, "hints": hints_work()}
            self._environment = environment_key(options)
            self._code = beat_code(self._entry.path, self._entry.class_name, [beat.id for beat in beats])
        beat, state = beats[index], state_digest(scene)
        if state is None or beat.id not in self._code:
            return None
        return beat_key(self._environment, self._code[beat.id], words_digest(asdict(beat)), state)
