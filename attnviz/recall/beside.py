"""What lies around a scene's file and may end up in its film: modules that it imports, and files that are data.

Other scenes, words, hidden files and folders that a render made are none of that.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from attnviz.recall.syntax import is_named, parsed
from attnviz.render.manifest import NAME as MANIFEST

MOST_PATHS, MOST_BYTES = 5000, 2**28  # more than that is not a folder of scenes, and takes too long to read
_AT_WILL = frozenset({"import_module", "__import__", "run_path", "run_module", "spec_from_file_location", "exec"})


_KNOWN = sys.stdlib_module_names | {"attnviz", "manim", "numpy"}


class TooMuch(Exception):
    """A folder holds more than can be looked at for each render."""


def modules_beside(path: Path, tree: ast.Module) -> dict[str, ast.Module]:
    """Return the modules beside a scene's file that it imports, and those that they import, by path from there.

    A module is taken for imported where any part of an import has its name, or that of a folder it lies in; all are
    where code imports at will. Raises OSError, SyntaxError, TooMuch.
    """
    folder = path.parent
    waiting = {file: _names(file.relative_to(folder)) for file in _files(folder) if file.suffix == ".py"}
    waiting.pop(path, None)
    found: dict[str, ast.Module] = {}
    wanted = _imported(tree)
    while chosen := [file for file, names in waiting.items() if wanted is None or names & wanted]:
        for file in chosen:
            del waiting[file]
            found[file.relative_to(folder).as_posix()] = module = parsed(file)
            more = _imported(module)
            wanted = None if wanted is None or more is None else wanted | more
    return found


def data_beside(path: Path) -> dict[str, str]:
    """Return the digests of all other files beside a scene's file, by path from there. Raises OSError, TooMuch."""
    folder, left = path.parent, MOST_BYTES
    digests = {}
    for file in _files(folder):
        if file.suffix == ".py" or _is_words(file):
            continue
        left -= file.stat().st_size
        if left < 0:
            raise TooMuch(f"{folder} holds more than {MOST_BYTES} bytes")
        digests[file.relative_to(folder).as_posix()] = sha256(file.read_bytes()).hexdigest()
    return digests


def code_elsewhere(path: Path, trees: Iterable[ast.Module]) -> dict[str, str]:
    """Return for what else is imported, directly or not: versions where it is installed, digests where it just lies.

    Python's own modules and this project's packages are left to the key of the environment. Raises as above.
    """
    waiting, seen = [_first_names(tree) for tree in trees], _KNOWN
    found: dict[str, str] = {}
    while waiting:
        new = sorted(waiting.pop() - seen)
        seen = seen.union(new)
        for name, place in ((name, _place(name)) for name in new):
            if place is None or "site-packages" in place.parts:
                found[name] = version(name) if place else ""
                continue
            for file in _files(place.parent) if place.name == "__init__.py" else [place]:
                if path.parent not in file.parents:
                    found[f"{name}/{file.relative_to(place.parent).as_posix()}"] = sha256(file.read_bytes()).hexdigest()
                    waiting += [_first_names(parsed(file))] if file.suffix == ".py" else []
    return dict(sorted(found.items()))


def version(package: str) -> str:
    """Return the version of an installed package, or `unknown`."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


def _place(name: str) -> Path | None:
    """Return the file that a module not within another is imported from."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.has_location and spec.origin else None


def _first_names(tree: ast.Module) -> set[str]:
    nodes = list(ast.walk(tree))
    names = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)
                    if node.module and not node.level}  # fmt: skip


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in _paths(folder) if path.is_file())


def _paths(folder: Path) -> Iterator[Path]:
    waiting, count = [folder], 0
    while waiting:
        inside = [path for path in waiting.pop().iterdir() if path.name[:1] != "." and path.name != "__pycache__"]
        count += len(inside)
        if count > MOST_PATHS:
            raise TooMuch(f"{folder} holds more than {MOST_PATHS} files and folders")
        yield from inside
        waiting += [path for path in inside if path.is_dir() and not (path / MANIFEST).exists()]


def _is_words(file: Path) -> bool:
    """Whether a file holds the words of a scene beside it: `NAME.LANG.toml` beside `NAME.py`."""
    name, *rest = file.name.split(".")
    return len(rest) == 2 and rest[1] == "toml" and file.with_name(f"{name}.py").is_file()


def _names(place: Path) -> frozenset[str]:
    return frozenset({*place.parts[:-1], place.stem})


def _imported(tree: ast.Module) -> frozenset[str] | None:
    """Return all parts of all names that a module imports; None where it imports what it likes."""
    names = {"__init__"}  # what makes a folder a package is run with whatever is imported from it
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {part for alias in node.names for part in alias.name.split(".")}
            names |= set((getattr(node, "module", None) or "").split("."))
        if is_named(node, _AT_WILL):
            return None
    return frozenset(names)
