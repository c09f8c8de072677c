"""`export`: which target is made how, and the file or folder put in place whole.

Nothing here knows a format from inside.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attnviz.errors import InputError, RenderError
from attnviz.export.source import Source

TARGETS = ("mp4", "webm", "av1", "gif", "webp", "avif", "png", "svg", "pdf", "html", "manim-slides", "pptx")
FOLDERS = {"png", "svg", "manim-slides"}  # but a single still is one file
LOOPS = ("gif", "webp", "avif")
_ENDINGS = {"av1": "av1.mp4"}
_MARK = ".attnviz-export"  # in a folder that this command wrote: what else lies there is somebody's own


@dataclass(frozen=True)
class Wish:
    """What is to be made: a target of TARGETS; width in pixels and frames a second are for loops."""

    target: str
    width: int | None = None
    fps: int | None = None

    def __post_init__(self) -> None:
        if self.target not in LOOPS and (self.width or self.fps):
            raise InputError(f"--width and --fps are for {', '.join(LOOPS)}; leave them out for {self.target}")


def default_name(source: Source, wish: Wish) -> str:
    """What the file or folder is called, where nobody says: after the scene, and the beat where it is one."""
    name = source.name + (f"-{source.beats[0]['id']}" if len(source.beats) == 1 else "")
    return name if is_folder(source, wish) else f"{name}.{_ENDINGS.get(wish.target, wish.target)}"


def is_folder(source: Source, wish: Wish) -> bool:
    """Whether a folder is written: stills of several beats, and what manim-slides reads."""
    return wish.target in FOLDERS and not (wish.target in ("png", "svg") and len(source.beats) == 1)


def export(source: Source, wish: Wish, target: Path) -> Path:
    """Make it and put it at `target`; what cannot be finished leaves what was there. Returns the target.

    InputError where a folder there holds what this command did not write, or the target is of the other sort.
    """
    folder = is_folder(source, wish)
    _refuse(target, folder)
    with tempfile.TemporaryDirectory(prefix=".attnviz-", dir=target.parent) as work:
        made = Path(work) / target.name
        if folder:
            made.mkdir()
            (made / _MARK).touch()
        _make(source, wish, made)
        try:
            if folder and target.exists():
                shutil.rmtree(target)
            made.replace(target)
        except OSError as fault:
            raise RenderError(f"{target} cannot be written: {fault.strerror}; name another with -o") from None
    return target


def _refuse(target: Path, folder: bool) -> None:
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is no folder; make it first, or name another place with -o")
    if target.is_dir() != folder and target.exists():
        raise InputError(f"{target} is {'a file' if folder else 'a folder'}; name another with -o")
    if folder and target.is_dir() and any(target.iterdir()) and not (target / _MARK).is_file():
        raise InputError(f"{target} holds files that no export wrote; move them, or name another with -o")


def _make(source: Source, wish: Wish, made: Path) -> None:
    from attnviz.export import encoded, handout, loops, slides
    from attnviz.export.source import frames
    from attnviz.player.reel import write_reel

    fps = source.shown.fps
    ways: dict[str, Callable[[], object]] = {
        "mp4": lambda: write_reel(source.pieces, made, source.title),
        "av1": lambda: encoded.encode(frames(source), made, fps, "av1"),
        "webm": lambda: encoded.encode(frames(source), made, fps, "webm"),
        "pdf": lambda: handout.write_handout(source, made),
        "manim-slides": lambda: slides.write_manim_slides(source, made),
        "pptx": lambda: slides.write_pptx(source, made),
        **dict.fromkeys(LOOPS, lambda: loops.write_loop(source, made, wish.target, wish.width, wish.fps)),
        **dict.fromkeys(("png", "svg"), lambda: _stills(source, wish.target, made)),
    }
    ways[wish.target]()


def _stills(source: Source, kind: str, made: Path) -> None:
    from attnviz.export.stills import write_stills

    if made.is_dir():
        write_stills(source, kind, made)
        return
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        write_stills(source, kind, Path(folder))
        with suppress(StopIteration):
            next(Path(folder).iterdir()).replace(made)
