"""The manifest: what a render's folder holds, how each file hashes, and from what it was made.

Here are its writing and its reading back. It holds no date: the same scene, options and versions give the same file.
"""

import hashlib
import json
import platform
import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from attnviz import __version__

NAME = "manifest.json"
_PACKAGES = ("av", "manim", "numpy", "pillow", "torch", "triton", "typst")
_KEYS = {
    **{"attnviz": str, "scene": str, "title": str},
    **{"options": dict, "provenance": dict, "versions": dict, "files": dict},
}


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, facts: Mapping[str, object]) -> None:
    """Write `manifest.json`: `facts` (scene, options, film), then the versions, then every file with size and hash."""
    files = {
        path.name: {"sha256": sha256(path), "size": path.stat().st_size} for path in sorted(folder.iterdir())
    }
    manifest = {"attnviz": __version__, **facts, "versions": versions(), "files": files}
    (folder / NAME).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def foreign_file(folder: Path) -> Path | None:
    """Return a path in `folder` that is not, or no longer, what its manifest lists; None where all is a render's."""
    listed = _listed(read_manifest(folder))
    for path in sorted(folder.iterdir()):
        if path.name == NAME and listed:
            continue
        if path.is_symlink() or not path.is_file() or listed.get(path.name) != sha256(path):
            return path
    return None


def is_render(folder: Path) -> bool:
    """Whether a folder holds a manifest of ours: another file in it would be foreign."""
    return bool(_listed(read_manifest(folder)))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a folder's manifest says; empty where there is none, or none that can be read as one."""
    path = folder / NAME
    try:
        if path.is_symlink() or not path.is_file():  # to read a pipe would wait for ever
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, MemoryError):
        return {}
    return found if isinstance(found, dict) else {}


def _listed(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return name to hash of the files that a manifest lists; empty where `write_manifest` cannot have written it.

    What is listed may be deleted. So one strange key, name or hash is enough to list nothing.
    """
    if any(not isinstance(manifest.get(key), kind) for key, kind in _KEYS.items()):
        return {}
    scene = re.escape(manifest["scene"])
    name_of_ours = re.compile(rf"poster\.png|sheet\.png|trace\.npz|score\.json|\d+-\w+\.png|{scene}(\.mp4|\.en\.vtt)")
    files: dict[str, Any] = manifest["files"]
    ours = all(
        name_of_ours.fullmatch(name)
        and isinstance(entry, dict)
        and entry.keys() == {"sha256", "size"}
        and isinstance(entry["sha256"], str)
        for name, entry in files.items()
    )
    return {name: entry["sha256"] for name, entry in files.items()} if ours else {}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that can change a render; those not installed are left out."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
