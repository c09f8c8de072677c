"""The folder that lies beside a page: which files in it are ours, and how it is replaced whole or not at all.

What an earlier call wrote there stays: a page may need it. Nothing here knows what the files hold.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attnviz import __version__
from attnviz.errors import InputError
from attnviz.registry import printable
from attnviz.render.manifest import sha256
from attnviz.render.place import private_folder

LIST = "embed.json"


@contextmanager
def replaced(folder: Path, scene: str, say: Callable[[str], None]) -> Iterator[Path]:
    """Yield an empty folder for new files of a scene; at the end it takes `folder`'s place, with the earlier files.

    Raises InputError where `folder` holds anything that this command did not write there for the same scene.
    """
    with private_folder(folder, lambda: say(f"{folder} is being written: waiting for it"),
                        lambda there: _refuse_foreign(there, scene)) as private:
        files = private / "files"
        yield files
        for name in _listed(folder, scene):
            if not (files / name).exists():
                shutil.copyfile(folder / name, files / name)
        hashes = {path.name: sha256(path) for path in sorted(files.iterdir())}
        text = json.dumps({"attnviz": __version__, "embedded": scene, "files": hashes}, indent=2)
        (files / LIST).write_text(text + "\n", encoding="utf-8")


def _refuse_foreign(folder: Path, scene: str) -> None:
    """InputError where something in the folder is not, or no longer, what its list says."""
    if not folder.exists():
        return
    listed = _listed(folder, scene)
    for path in sorted(folder.iterdir()):
        if path.name == LIST and listed:
            continue
        if path.is_symlink() or not path.is_file() or listed.get(path.name) != sha256(path):
            raise InputError(f"{printable(str(path))} was not written here by `embed {scene}`, and would be lost; "
                             "move it, or name another folder with -o")


def _listed(folder: Path, scene: str) -> dict[str, str]:
    """Name to hash of the files that were written for a scene; empty where one strange name is among them."""
    path = folder / LIST
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() and not path.is_symlink() else {}
        files = found["files"] if found["embedded"] == scene else {}
        ours = re.compile(rf"{re.escape(scene)}(\.av1)?\.mp4|{re.escape(scene)}\.(en|chapters)\.vtt|"
                          rf"{re.escape(scene)}-\w+\.png|poster\.png|transcript\.html|player\.html")
        good = all(ours.fullmatch(name) and isinstance(value, str) for name, value in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return dict(files) if good else {}
