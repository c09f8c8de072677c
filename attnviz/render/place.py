"""Where a render goes: made in a private folder beside its target, and swapped in whole.

Here live the lock, the repair of what a killed render left, the refusals that keep a user's files safe, and the swap.
Nothing here knows what the files are.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from attnviz.errors import InputError, RenderError
from attnviz.render.manifest import foreign_file

_FULL = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO}
_MARK = "attnviz"


@dataclass(frozen=True)
class Place:
    """A target folder (absolute, links followed) and the three hidden names beside it that a render may use."""

    folder: Path

    def beside(self, what: str) -> Path:
        """Return the hidden path beside the target for `what`: new, old or lock."""
        return self.folder.with_name(f".{self.folder.name}.{_MARK}-{what}")

    @contextmanager
    def locked(self, wait: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the target's lock; where another process has it, call `wait` first, or raise Timeout where that is None.

        The lock's file is removed while the lock is held: filelock gives up a lock on a file without a name and tries
        again.
        """
        lock = FileLock(self.beside("lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if wait is None:
                raise
            wait()
            lock.acquire()
        try:
            yield
        finally:
            self.beside("lock").unlink(missing_ok=True)
            lock.release()

    def repair(self) -> None:
        """Undo what a killed render left: finish or undo its swap, remove its private folder. The lock must be held."""
        old = self.beside("old")
        if old.exists() and not self.folder.exists():
            old.rename(self.folder)
        for leftover in (old, self.beside("new")):
            _remove(leftover)

    def swap(self, files: Path) -> None:
        """Put the folder `files` in the target's place and on disk: the target is the old one or the new one, whole."""
        for path in (*files.iterdir(), files):
            _sync(path)
        old = self.beside("old")
        if self.folder.exists():
            self.folder.rename(old)
        try:
            files.rename(self.folder)
        except BaseException:
            if old.exists():
                old.rename(self.folder)
            raise
        _sync(self.folder.parent)
        _remove(old)


@contextmanager
def private_folder(folder: Path, wait: Callable[[], None]) -> Iterator[Path]:
    """Yield a new, empty folder with a subfolder `files`, which becomes `folder` when the block ends without an error.

    Whatever ends the block early, `folder` is as it was and nothing stays beside it. Raises InputError where `folder`
    cannot be a render's, or holds a file that is not a render's; RenderError where the disk refuses.
    """
    with _one_line(folder):
        place = Place(_checked(folder))
        _sweep(place.folder.parent)
        with place.locked(wait):
            place.repair()
            _refuse_foreign(place.folder)
            private = place.beside("new")
            try:
                (private / "files").mkdir(parents=True)
                yield private
                _refuse_foreign(place.folder)
                place.swap(private / "files")
            finally:
                _remove(private)


def _checked(folder: Path) -> Path:
    """Return `folder` as an absolute path, or raise InputError where no render can go there."""
    if "\0" in str(folder) or any(len(os.fsencode(part)) > 200 for part in folder.parts):
        raise InputError(f"{ascii(str(folder))[:60]} cannot be a folder's name; name another with -o")
    if folder.name.startswith("-"):
        raise InputError(f"the folder {folder} starts with a dash: write ./{folder} where it is meant")
    try:
        target = folder.resolve()
    except (OSError, RuntimeError):
        raise InputError(f"{folder} is a symbolic link that leads nowhere; name another folder with -o") from None
    if target.is_symlink():
        raise InputError(f"{folder} is a symbolic link that leads nowhere; name another folder with -o")
    if target.exists() and not target.is_dir():
        raise InputError(f"{folder} is not a folder; name another with -o")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder: make it first, or name another with -o")
    if target == Path.cwd() or target in Path.cwd().parents or target.is_mount():
        raise InputError(f"{folder} is in use as a folder to work from; name one inside it with -o")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise RenderError(f"{target.parent} cannot be written to; name another folder with -o")
    return target


def _refuse_foreign(folder: Path) -> None:
    """Raise InputError where the folder holds anything but one whole render, which may be replaced."""
    if folder.exists() and (path := foreign_file(folder)):
        raise InputError(f"{path} is not part of a render, and would be lost; move it, or name another folder with -o")


def _sweep(parent: Path) -> None:
    """Clean up after killed renders of other targets in the same folder; one that still runs holds its lock."""
    for leftover in {*parent.glob(f".*.{_MARK}-new"), *parent.glob(f".*.{_MARK}-old")}:
        place = Place(parent / leftover.name[1:].rpartition(f".{_MARK}-")[0])
        with suppress(Timeout, OSError), place.locked():
            place.repair()


def _remove(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


def _sync(path: Path) -> None:
    """Have the system write a file or a folder to disk; Windows has no such call for folders."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _one_line(folder: Path) -> Iterator[None]:
    """Turn what a disk refuses, wherever in the chain of causes it stands, into one line that names the folder."""
    try:
        yield
    except Exception as fault:
        cause: BaseException | None = fault
        while cause is not None and not (isinstance(cause, OSError) and cause.errno in _FULL):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, OSError):
            raise RenderError(f"{folder} could not be written: {os.strerror(cause.errno or 0)}") from fault
        raise
