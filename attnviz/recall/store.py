"""The store: one file for each key, in a folder that many renders may use at once, and that may vanish at any time.

A file's name holds its key and the SHA-256 of its bytes, so a file says itself whether it is whole. Whatever the disk
refuses is no error: the render goes on as if nothing had been kept. Nothing here knows what a key stands for.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from attnviz.render.manifest import sha256

VARIABLE = "ATTNVIZ_CACHE"
LIMIT = 2 * 2**30  # bytes
LEFTOVER = 24 * 3600  # seconds after which a half-written file is of a render that was killed
_NAME = re.compile(r"([0-9a-f]{64})-([0-9a-f]{64})\.mp4")
_HALF = re.compile(r"new-[a-z0-9_]+\.part")
_KEY = re.compile(r"[0-9a-f]{64}")


def default_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's folder for what can be made again, or the one that ATTNVIZ_CACHE names; it may not exist."""
    if chosen := environment.get(VARIABLE):
        return Path(chosen).expanduser().absolute()
    try:
        return _usual(environment) / "attnviz"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / f"attnviz-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _usual(environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    name, otherwise = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    chosen = Path(environment.get(name, ""))
    return chosen if chosen.is_absolute() else Path.home() / otherwise


@dataclass(frozen=True)
class Store:
    """Files by key (64 hexadecimal digits) in `folder`; `limit`, in bytes, is what `prune` leaves there at most.

    Only files of the store's own are touched, whatever else lies in the folder. A folder that is a link, belongs to
    another user or can be written to by everybody is not used: what lies there may be anyone's.
    """

    folder: Path
    limit: int = LIMIT

    def find(self, key: str) -> Path | None:
        """Return the file kept for a key, or None. A file that is not as it was kept is removed; links are no files.

        Another process may prune it at any time: `take` gives a copy that stays.
        """
        for path in self._kept(key):
            with suppress(OSError):
                if self._is_whole(path, sha256(path)):
                    return path
        return None

    def take(self, key: str, target: Path) -> bool:
        """Copy the file kept for a key to `target`; return whether there is one, and the copy is what was kept."""
        for path in self._kept(key):
            with suppress(OSError):
                if self._is_whole(path, _copy(path, target)):
                    return True
        with suppress(OSError):
            target.unlink(missing_ok=True)
        return False

    def keep(self, key: str, path: Path) -> None:
        """Keep a copy of a file for a key, whole or not at all; several processes may do so at once."""
        name = f"{_checked(key)}-{{}}.mp4"
        with suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_ours():
                return
            handle, half = tempfile.mkstemp(prefix="new-", suffix=".part", dir=self.folder)
            os.close(handle)
            try:
                digest = _copy(path, Path(half))
                Path(half).replace(self.folder / name.format(digest))
            finally:
                Path(half).unlink(missing_ok=True)

    def prune(self) -> None:
        """Remove the files that were not used for longest until the rest is within the limit."""
        left = self.limit
        for _, size, path in sorted(self._facts(_NAME), reverse=True):
            left -= size
            if left < 0:
                _remove(path)
        for used, _, path in self._facts(_HALF):
            if used < time.time() - LEFTOVER:
                _remove(path)

    def _facts(self, pattern: re.Pattern[str]) -> Iterator[tuple[float, int, Path]]:
        """Yield when each file was last used, its size and its path."""
        for path in self._files(pattern):
            with suppress(OSError):  # gone meanwhile
                facts = path.lstat()
                yield facts.st_mtime, facts.st_size, path

    def _kept(self, key: str) -> list[Path]:
        start = _checked(key)
        return sorted(path for path in self._files(_NAME) if path.name.startswith(start))

    def _files(self, pattern: re.Pattern[str]) -> list[Path]:
        """Return the folder's own plain files whose names fit; none where the folder cannot be used."""
        with suppress(OSError):
            if self._is_ours():
                with os.scandir(self.folder) as entries:
                    named = [entry for entry in entries if pattern.fullmatch(entry.name)]
                    return [Path(entry.path) for entry in named if entry.is_file(follow_symlinks=False)]
        return []

    def _is_ours(self) -> bool:
        facts = self.folder.lstat()
        alone = os.name == "nt" or (facts.st_uid == os.getuid() and not facts.st_mode & stat.S_IWOTH)
        return stat.S_ISDIR(facts.st_mode) and alone

    def _is_whole(self, path: Path, digest: str) -> bool:
        """Whether a file has the bytes that its name says: then it was just used, else it goes."""
        if path.stem.endswith(digest):
            with suppress(OSError):  # a store that can only be read is one too
                os.utime(path)
            return True
        _remove(path)
        return False


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is no key: 64 hexadecimal digits")
    return key


def _copy(source: Path, target: Path) -> str:
    """Copy a file's bytes and return the SHA-256 of what was copied."""
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("wb") as writer:
        while part := reader.read(2**20):
            digest.update(part)
            writer.write(part)
    return digest.hexdigest()


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink(missing_ok=True)
