"""Hears which files are saved in some folders. What is done about it is said elsewhere."""

import queue
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

SETTLED = 0.03  # seconds without another event after which a save is complete: editors write a file in several steps
ENDINGS = (".py", ".toml")

Saves = queue.Queue[float]


@contextmanager
def saves_in(folders: Iterable[Path]) -> Iterator[Saves]:
    """Yield a queue of the times at which a scene's code or words were saved in one of these folders."""
    saves: Saves = queue.Queue()
    observer = Observer()
    for folder in folders:
        observer.schedule(_Hearing(saves), str(folder))
    observer.start()
    try:
        yield saves
    finally:
        observer.stop()


def next_save(saves: Saves, timeout: float | None = None) -> float:
    """Wait for a save that is complete and return when it began; queue.Empty where none comes in time."""
    began = saves.get(timeout=timeout)
    with suppress(queue.Empty):
        while True:
            saves.get(timeout=SETTLED)
    return began


class _Hearing(FileSystemEventHandler):
    """Notes when files change; what does not belong to scenes is passed over."""

    def __init__(self, saves: Saves) -> None:
        self._saves = saves

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note the time of a change."""
        paths = (str(event.src_path), str(event.dest_path))
        if event.event_type in ("modified", "created", "moved", "closed") and any(p.endswith(ENDINGS) for p in paths):
            self._saves.put(time.monotonic())
