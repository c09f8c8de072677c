"""A render's folder and its manifest: that every file is the one that was written, and which files there must be.

Nothing here reads a film, a score or a record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from attnviz.errors import InputError
from attnviz.registry import printable
from attnviz.render.manifest import NAME, sha256
from attnviz.verify.claims import Claim, read_json

_PLAIN = re.compile(r"[\w.-]{1,200}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SCENE = re.compile(r"[a-z][a-z0-9_]{0,63}")
Fault = tuple[str, str, str]
ALWAYS = ("poster.png", "score.json", "sheet.png", "trace.npz")


@dataclass
class Folder:
    """A folder, its manifest, and what is wrong with its files: each a file, what it is, what it should be."""

    path: Path
    manifest: Claim
    scene: str
    faults: list[Fault] = field(default_factory=list)

    @property
    def options(self) -> Claim:
        """What the render chose."""
        return self.manifest["options"]

    @property
    def is_film(self) -> bool:
        """Whether there is a film; else there is a still for each beat."""
        return self.options["kind"].one_of("mp4", "png") == "mp4"

    @property
    def film(self) -> Path:
        """Where the film lies."""
        return self.path / f"{self.scene}.mp4"

    def still(self, number: int, beat: str) -> Path:
        """Where the still of a beat lies, counted from 1."""
        return self.path / f"{number:02}-{beat}.png"


def opened(path: Path) -> Folder:
    """Read a folder's manifest and hash its files; InputError where it is no render's folder."""
    if not path.is_dir():
        raise InputError(f"{path} is no folder; name one that a render wrote, or a scene that was rendered")
    if not (path / NAME).is_file():
        raise InputError(f"{path} is not a render: it has no {NAME}; name a folder that `render` wrote")
    manifest = read_json(path / NAME)
    scene = manifest["scene"]
    if not _SCENE.fullmatch(scene.text()):
        scene.refuse("a scene's name")
    folder = Folder(path, manifest, scene.text())
    for name in (*ALWAYS, *_of_a_film(folder)):
        if (path / name).exists() and ((path / name).is_symlink() or not (path / name).is_file()):
            raise InputError(f"{path / name} is no plain file; render the scene again")
    folder.faults += [*_strays(folder), *_differing(folder)]
    return folder


def _of_a_film(folder: Folder) -> list[str]:
    return [f"{folder.scene}.mp4", f"{folder.scene}.en.vtt"] if folder.is_film else []


def _strays(folder: Folder) -> list[Fault]:
    listed = {name for name, _ in folder.manifest["files"].pairs()}
    present = {path.name for path in folder.path.iterdir()} - {NAME}
    needed = {*ALWAYS, *_of_a_film(folder)}
    missing = [(name, f"{NAME} does not list it", "a render writes one") for name in sorted(needed - listed)]
    return missing + [(printable(name), "it is there", f"{NAME} does not list it") for name in sorted(present - listed)]


def _differing(folder: Folder) -> list[Fault]:
    faults: list[Fault] = []
    for name, entry in folder.manifest["files"].pairs():
        path, wanted = folder.path / name, entry["sha256"].text()
        if not _PLAIN.fullmatch(name) or not _HASH.fullmatch(wanted):
            raise InputError(f"{NAME}: files lists {printable(name)!r:.80} with hash {printable(wanted)!r:.70}; "
                             "it must be a file of the folder with 64 hexadecimal digits; render the scene again")
        if path.is_symlink() or not path.is_file():
            faults.append((name, "it is no file here", f"{NAME} lists it"))
        elif (size := path.stat().st_size) != entry["size"].whole(high=2**53):
            faults.append((name, f"it has {size} bytes", f"{NAME} says {entry['size'].value}"))
        elif (found := sha256(path)) != wanted:
            faults.append((name, f"it hashes to {found[:12]}", f"{NAME} says {wanted[:12]}"))
    return faults
