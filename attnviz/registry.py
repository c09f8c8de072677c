"""Which scenes there are, read from their files without importing them.

A scene is a file `scenes/NAME.py` with a class of the same name in CamelCase. Nothing here imports a scene, and
there is no list to edit: the file is the entry.
"""

import ast
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from attnviz.errors import InputError, RenderError

SCENES = Path(__file__).resolve().parent.parent / "scenes"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class SceneEntry:
    """One scene: its name, the file it stands in, its class and the first line of its docstring."""

    name: str
    path: Path
    class_name: str
    summary: str


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "x"?)` for the nearest known name, or an empty string."""
    near = difflib.get_close_matches(name.lower().replace("-", "_"), list(known), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def check_name(name: str) -> str:
    """Return `name` where it can be a scene's name; raise InputError where it cannot."""
    if _NAME.fullmatch(name):
        return name
    shown = ascii(name if len(name) <= 40 else name[:37] + "...")
    raise InputError(f"{shown} cannot be a scene's name: small letters, digits and _ only, at most 64")


def printable(text: str) -> str:
    """Return `text` with escapes in place of what would move a terminal's cursor or change its colours."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def find_scenes(folder: Path = SCENES) -> list[SceneEntry]:
    """Return the scenes of a folder, sorted by name; a file that cannot be read or does not parse is passed over."""
    paths = (path for path in sorted(folder.glob("*.py")) if _NAME.fullmatch(path.stem) and path.is_file())
    entries = (_read(path) for path in paths)
    return [entry for entry in entries if entry is not None]


def find_scene(name: str, folder: Path = SCENES) -> SceneEntry:
    """Return the scene called `name`; raise InputError where there is none, RenderError where it does not parse."""
    path = folder / f"{check_name(name)}.py"
    if path.is_file():
        _parse(path)
        if entry := _read(path):
            return entry
    known = [entry.name for entry in find_scenes(folder)]
    hint = did_you_mean(name, known) or "; run `list` to see what there is"
    raise InputError(f'no scene is called "{name}"{hint}')


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as fault:
        line = getattr(fault, "lineno", None) or 1
        raise RenderError(f"{path}:{line} does not parse: {getattr(fault, 'msg', fault)}") from None
    except (OSError, MemoryError, RecursionError) as fault:  # the last two: Python's parser on what is nested too deep
        raise RenderError(f"{path} cannot be read: {fault or type(fault).__name__}") from None


def _read(path: Path) -> SceneEntry | None:
    try:
        module = _parse(path)
    except RenderError:
        return None
    wanted = path.stem.replace("_", "")
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name.lower() == wanted:
            text = ast.get_docstring(node) or ast.get_docstring(module) or ""
            return SceneEntry(path.stem, path, node.name, text.partition("\n")[0].strip())
    return None
