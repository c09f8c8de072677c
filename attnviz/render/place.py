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

from filelock import BaseFileLock, FileLock, Timeout

from attnviz.errors import AttnvizError, InputError, RenderError
from attnviz.render.manifest import foreign_file, is_render

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
        again. It tries for ever where no file can be made at all, so that is seen first.
        """
        lock = FileLock(self.beside("lock"))

        def release() -> None:
            if lock.is_locked:
                self.beside("lock").unlink(missing_ok=True)
                lock.release()

        try:
            with _as_one_line(self.folder):
                self.beside("lock").touch()
                self._acquire(lock, wait)
            yield
        finally:
            _surely(release)

    def _acquire(self, lock: BaseFileLock, wait: Callable[[], None] | None) -> None:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if wait is None:
                raise
            wait()
            lock.acquire()

    def refuse_strange(self) -> None:
        """Raise InputError where one of the three hidden names is taken by something that no render puts there."""
        for what in ("lock", "new", "old"):
            path = self.beside(what)
            usual = path.is_file() if what == "lock" else path.is_dir()
            if path.is_symlink() or (path.exists() and not usual):
                raise InputError(f"{path} is in the way, and not of a render; move it, or name another folder with -o")

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
        try:
            if self.folder.exists():
                self.folder.rename(old)
            files.rename(self.folder)
        except BaseException:
            if old.exists() and not self.folder.exists():
                old.rename(self.folder)
            raise
        _sync(self.folder.parent)
        _remove(old)


def refuse_foreign(folder: Path) -> None:
    """Raise InputError where the folder holds anything but one whole render, which may be replaced."""
    if folder.exists() and (path := foreign_file(folder)):
        raise InputError(f"{path} is not part of a render, and would be lost; move it, or name another folder with -o")


@contextmanager
def private_folder(
    folder: Path, wait: Callable[[], None], refuse: Callable[[Path], None] = refuse_foreign
) -> Iterator[Path]:
    """Yield a new, empty folder with a subfolder `files`, which becomes `folder` when the block ends without an error.

    Whatever ends the block early, `folder` is as it was and nothing stays beside it. `refuse` raises InputError for a
    folder that may not be replaced: it knows a render unless another is given. Raises InputError too where `folder`
    cannot be made or replaced; RenderError where the disk refuses.
    """
    with _one_line(folder):
        with _as_one_line(folder):
            place = Place(_checked(folder))
            place.refuse_strange()
            _sweep(place.folder.parent)
        with place.locked(wait):
            private = place.beside("new")
            try:
                with _as_one_line(folder):
                    place.repair()
                    refuse(place.folder)
                    (private / "files").mkdir(parents=True)
                yield private
                with _as_one_line(folder):
                    refuse(place.folder)
                    place.swap(private / "files")
            finally:
                with _as_one_line(folder):
                    _surely(place.repair)


def _checked(folder: Path) -> Path:
    """Return `folder` as an absolute path, or raise InputError where no render can go there."""
    if not _nameable(folder):
        raise InputError(f"{ascii(str(folder))[:60]} cannot be a folder's name; name another with -o")
    if folder.name.startswith("-"):
        raise InputError(f"the folder {folder} starts with a dash: write ./{folder} where it is meant")
    try:
        target = folder.resolve()
    except (OSError, RuntimeError):
        raise InputError(f"{folder} is a symbolic link that leads nowhere; name another folder with -o") from None
    if folder.is_symlink() and not target.exists():
        raise InputError(f"{folder} is a symbolic link that leads nowhere; name another folder with -o")
    if target.exists() and not target.is_dir():
        raise InputError(f"{folder} is not a folder; name another with -o")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder: make it first, or name another with -o")
    if is_render(target.parent):
        raise InputError(f"{target.parent} is a render, to which nothing may be added; name another folder with -o")
    if target == Path.cwd() or target in Path.cwd().parents or target.is_mount():
        raise InputError(f"{folder} is in use as a folder to work from; name one inside it with -o")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise RenderError(f"{target.parent} cannot be written to; name another folder with -o")
    return target


def _nameable(folder: Path) -> bool:
    """Return whether the system could take the name, and one made of it with some letters more."""
    try:
        return "\0" not in str(folder) and all(len(os.fsencode(part)) <= 200 for part in folder.parts)
    except UnicodeError:
        return False


def _sweep(parent: Path) -> None:
    """Clean up after killed renders of other targets in the same folder; one that still runs holds its lock."""
    for leftover in {*parent.glob(f".*.{_MARK}-new"), *parent.glob(f".*.{_MARK}-old")}:
        place = Place(parent / leftover.name[1:].rpartition(f".{_MARK}-")[0])
        with suppress(Timeout, OSError, AttnvizError):
            place.refuse_strange()
            with place.locked():
                place.repair()


def _remove(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


def _surely(clear_up: Callable[[], None]) -> None:
    """Clear up, and once more where a signal broke into it: that signal goes on only then."""
    try:
        clear_up()
    except BaseException:
        clear_up()
        raise


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
def _as_one_line(path: Path) -> Iterator[None]:
    """Turn whatever a disk refuses in this block, which runs nobody else's code, into one line."""
    try:
        yield
    except Timeout:  # an OSError too
        raise
    except OSError as fault:
        raise RenderError(f"{path} could not be written: {fault.strerror}; name another folder with -o") from fault


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
