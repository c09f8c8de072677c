"""From a lecture to the file that is opened: renders found or made, the reel, the page, put in place whole.

Nothing here knows what a page looks like, or how a film is drawn.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnviz.errors import InputError, RenderError
from attnviz.layout import layout_for
from attnviz.player.cues import Shown, Step, pieces_of, steps_of
from attnviz.player.inspected import inspected
from attnviz.player.lecture import Lecture, ScenePart
from attnviz.player.page import GENERATOR, page
from attnviz.player.reel import write_reel
from attnviz.player.rendered import rendered
from attnviz.render.job import OnBeat, RenderOptions
from attnviz.theme import theme_for

LARGE = 25_000_000  # bytes from which a page takes long to open: base64 is read whole before anything is shown


@dataclass(frozen=True)
class Form:
    """What is written: the theme of a second film, or none; a folder in place of one file; a page that is watched.

    Raises InputError for a folder that is watched: what is served is one file.
    """

    also: str | None = None
    is_folder: bool = False
    is_watched: bool = False

    def __post_init__(self) -> None:
        if self.is_folder and self.is_watched:
            raise InputError("--watch serves one file, --folder writes several: give one of them")


def present(
    lecture: Lecture,
    options: RenderOptions,
    renders: Path,
    target: Path,
    form: Form,
    *,
    jobs: int = 1,
    on_beat: OnBeat | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Write the lecture's page to `target` and return where it lies; a folder holds `index.html` and its films.

    Raises InputError where `target` is something else than a page of ours, RenderError where it cannot be written.
    """
    refuse_strange(target, form.is_folder)
    themes = list(dict.fromkeys(filter(None, [options.theme, form.also])))
    shown = [_shown(lecture, replace(options, theme=theme), renders, jobs, on_beat, say) for theme in themes]
    with tempfile.TemporaryDirectory(prefix="attnviz-") as work:
        films = [_reel(lecture, renders_of, Path(work) / f"film-{number}.mp4")
                 for number, renders_of in enumerate(shown)]
        text = _page(lecture, options, shown[0], films, themes, form)
        if form.is_folder:
            _put_folder(target, text, films)
            return target / "index.html"
        _put(target, text.encode())
    return target


def weight(path: Path, form: Form) -> str:
    """What the page and its films weigh, in one line; with the other form, where one file is large."""
    size = sum(file.stat().st_size for file in (path.parent.iterdir() if form.is_folder else [path]))
    hint = "; --folder writes a folder that opens sooner" if size > LARGE and not form.is_folder else ""
    return f"{size / 1e6:.1f} MB{hint}"


def refuse_strange(target: Path, is_folder: bool) -> None:
    """InputError where something lies at the target that this command did not write."""
    page_there = target / "index.html" if is_folder else target
    if is_folder and target.is_dir() and not any(target.iterdir()):
        return
    if (target.is_dir() != is_folder if target.exists() else False) or (target.exists() and not _is_ours(page_there)):
        raise InputError(f"{target} is there, and no page of the player's; move it, or name another with -o")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is no folder; make it first, or name another place with -o")


def _is_ours(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return GENERATOR in file.read(2000)
    except OSError:
        return False


def _shown(lecture: Lecture, options: RenderOptions, renders: Path, jobs: int, on_beat: OnBeat | None,
           say: Callable[[str], None]) -> list[Shown]:
    """A finished render for each scene of the lecture."""
    parts = [part for part in lecture.parts if isinstance(part, ScenePart)]
    if not parts:
        raise InputError("a lecture needs at least one scene; slides alone are better shown by other programs")
    wanted = [(part.selection.entry, replace(options, **part.own)) for part in parts]
    folders = rendered(wanted, renders, jobs=jobs, on_beat=on_beat, say=say)
    return [Shown.read(entry.name, folder) for (entry, _), folder in zip(wanted, folders, strict=True)]


def _reel(lecture: Lecture, shown: Sequence[Shown], path: Path) -> bytes:
    write_reel(pieces_of(lecture, shown), path, _title(lecture, shown))
    return path.read_bytes()


def _title(lecture: Lecture, shown: Sequence[Shown]) -> str:
    return lecture.title or str(shown[0].score["title"])


def _page(lecture: Lecture, options: RenderOptions, shown: Sequence[Shown], films: Sequence[bytes],
          themes: Sequence[str], form: Form) -> str:
    steps = steps_of(lecture, shown, _title(lecture, shown))
    layout, caption = layout_for(options.frame), layout_for(options.frame).region("caption")
    left, top = caption.left / layout.width + 0.5, 0.5 - caption.top / layout.height
    data: dict[str, Any] = {
        "title": _title(lecture, shown), "minutes": lecture.minutes, "fps": shown[0].fps, "size": options.pixels,
        "captions": not options.burn_captions,
        "captionBox": [left, top, caption.width / layout.width, caption.height / layout.height],
        "films": [{"theme": theme, "file": f"film-{number}.mp4"} for number, theme in enumerate(themes)],
        "steps": [step.plain() for step in steps], "inspected": _inspected(steps, shown),
    }
    digest = hashlib.sha256(json.dumps(data).encode())
    for film in films:
        digest.update(film)
    data["id"] = f"watched {lecture.name}" if form.is_watched else digest.hexdigest()[:16]  # the step outlives a change
    inside = () if form.is_folder else films
    return page(data, steps, theme_for(options.theme), inside, is_watched=form.is_watched)


def _inspected(steps: Sequence[Step], shown: Sequence[Shown]) -> list[dict[str, Any]]:
    """The inspector's data of each scene, for the beats that are shown."""
    places = [step.place for step in steps if step.place]
    return [inspected(render.folder / "trace.npz", render.score, [beat for film, beat in places if film == number])
            for number, render in enumerate(shown)]


def _put_folder(target: Path, text: str, films: Sequence[bytes]) -> None:
    try:
        target.mkdir(exist_ok=True)
    except OSError as fault:
        raise RenderError(f"{target} cannot be made: {fault.strerror}; name another with -o") from None
    for number, film in enumerate(films):
        _put(target / f"film-{number}.mp4", film)
    _put(target / "index.html", text.encode())


def _put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    own = path.with_name(f".{path.name}.attnviz-new")
    try:
        own.write_bytes(content)
        own.replace(path)
    except OSError as fault:
        raise RenderError(f"{path} cannot be written: {fault.strerror}; what was there is still there") from None
    finally:
        with suppress(OSError):
            own.unlink()
