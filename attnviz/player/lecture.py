"""A lecture: scenes and beats in order, slides and pictures between them, and the minutes that each may take.

It is read from a `lecture.toml`, or made of the scenes named on the command line. Nothing here opens a film.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnviz.errors import InputError
from attnviz.layout import FRAMES
from attnviz.player.selection import Selection, select
from attnviz.registry import did_you_mean
from attnviz.theme import THEMES

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp",
            ".gif": "image/gif", ".svg": "image/svg+xml", ".avif": "image/avif"}
RENDER = {"quality": ("l", "m", "h", "k"), "case": str, "theme": tuple(THEMES), "frame": tuple(FRAMES), "seed": int,
          "tokens": str, "burn_captions": bool}
OWN = ("case", "seed", "tokens")  # what one part may choose for itself
_TOP = {"title": str, "minutes": (int, float), "render": dict, "part": list}
_ANY = {"note": str, "minutes": (int, float)}
_PARTS: Mapping[str, Mapping[str, Any]] = {
    "scene": {"scene": str, "beats": str, "case": str, "seed": int, "tokens": str, "minutes": (int, float)},
    "slide": {"slide": str, "lines": list, **_ANY},
    "picture": {"picture": str, "alt": str, "title": str, **_ANY},
}


@dataclass(frozen=True)
class ScenePart:
    """Beats of a scene; `own` are the options of the render that are this part's alone."""

    selection: Selection
    own: Mapping[str, Any] = field(default_factory=dict)
    minutes: float | None = None


@dataclass(frozen=True)
class SlidePart:
    """A slide of the lecturer's: a title and lines, or a picture with what it shows in words (`alt`)."""

    title: str
    lines: tuple[str, ...] = ()
    note: str = ""
    minutes: float | None = None
    picture: Path | None = None
    alt: str = ""


@dataclass(frozen=True)
class Lecture:
    """What is shown, in order; `render` are options for all scenes, by their names in `RenderOptions`."""

    title: str
    parts: tuple[ScenePart | SlidePart, ...]
    minutes: float | None = None
    render: Mapping[str, Any] = field(default_factory=dict)
    name: str = "lecture"


def lecture_of(names: Sequence[str], scenes: Path) -> Lecture:
    """The lecture that one `.toml` file describes, or that the named scenes make; InputError in one line."""
    files = [name for name in names if name.endswith(".toml")]
    if files and len(names) > 1:
        raise InputError(f"{files[0]} describes a whole lecture: give it alone, and name the scenes in it")
    if files:
        return read_lecture(Path(files[0]), scenes)
    parts = tuple(ScenePart(select(name, scenes)) for name in names)
    return Lecture("", parts, name=parts[0].selection.entry.name if len(parts) == 1 else "lecture")


def read_lecture(path: Path, scenes: Path) -> Lecture:
    """Read a `lecture.toml`. Raises InputError naming the file, the part and what is wrong with it."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise InputError(f"lecture {path}: {reason}") from None
    _check(f"lecture {path}", table, _TOP)
    render = table.get("render", {})
    _check(f"lecture {path}, render", render, RENDER)
    given = table.get("part", [])
    if not given:
        raise InputError(f'lecture {path}: has no parts; write [[part]] and scene = "pipeline" below it')
    parts = tuple(_part(f"lecture {path}, part {number}", entry, path.parent, scenes)
                  for number, entry in enumerate(given, start=1))
    return Lecture(table.get("title", ""), parts, table.get("minutes"), _split_words(render), path.stem)


def _part(where: str, entry: Any, folder: Path, scenes: Path) -> ScenePart | SlidePart:
    kinds = [kind for kind in _PARTS if isinstance(entry, dict) and kind in entry]
    if len(kinds) != 1:
        raise InputError(f"{where}: needs one of scene, slide and picture, and not two of them")
    _check(where, entry, _PARTS[kinds[0]])
    minutes, note = entry.get("minutes"), entry.get("note", "")
    if kinds == ["scene"]:
        beats = f":{entry['beats']}" if "beats" in entry else ""
        own = {name: entry[name] for name in OWN if name in entry}
        return ScenePart(_named(where, entry["scene"] + beats, scenes), _split_words(own), minutes)
    if kinds == ["slide"]:
        lines = entry.get("lines", [])
        if not all(isinstance(line, str) for line in lines):
            raise InputError(f"{where}: lines is a list of texts: write each in quotes")
        return SlidePart(entry["slide"], tuple(lines), note, minutes)
    return _picture(where, entry, folder / entry["picture"])


def _picture(where: str, entry: Mapping[str, Any], path: Path) -> SlidePart:
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"{where}: {path.name} is no picture that browsers show; use {', '.join(PICTURES)}")
    if not path.is_file():
        raise InputError(f"{where}: there is no file {path}; paths count from the lecture's own folder")
    if not entry.get("alt", "").strip():
        raise InputError(f'{where}: needs alt = "…", which says what {path.name} shows to those who do not see it')
    note, minutes = entry.get("note", ""), entry.get("minutes")
    return SlidePart(entry.get("title", ""), (), note, minutes, path, entry["alt"])


def _named(where: str, text: str, scenes: Path) -> Selection:
    try:
        return select(text, scenes)
    except InputError as fault:
        raise InputError(f"{where}: {fault}") from None


def _split_words(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with their tokens as words."""
    return {name: tuple(value.split()) if name == "tokens" else value for name, value in options.items()}


def _check(where: str, table: Any, keys: Mapping[str, Any]) -> None:
    """InputError where a key is unknown, or its value of another type, or minutes are none."""
    if not isinstance(table, dict):
        raise InputError(f"{where}: is {table!r:.40}; make it a table")
    for key, value in table.items():
        if key not in keys:
            raise InputError(f'{where}: knows no "{key}"{did_you_mean(key, keys)}; it may have {", ".join(keys)}')
        choices = keys[key] if isinstance(keys[key], tuple) and isinstance(keys[key][0], str) else ()
        if choices and value not in choices:
            raise InputError(f"{where}: {key} is {value!r:.40}; use one of {', '.join(choices)}")
        if choices:
            continue
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and keys[key] is not bool):
            raise InputError(f"{where}: {key} is {value!r:.40}, which is not {_wanted(keys[key])}")
        if key == "minutes" and not 0 < value < 1e5:
            raise InputError(f"{where}: minutes is {value!r}; give a number above 0")


def _wanted(kind: Any) -> str:
    names = {str: "text in quotes", int: "a whole number", bool: "true or false", dict: "a table", list: "a list"}
    return names.get(kind, "a number")
