"""The store: what it gives is what was kept, whatever happens to its folder, and whoever else uses it."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.recall import store as module
from attnviz.recall.store import Store, default_folder

KEY, OTHER = "0" * 64, "1" * 64
CONTENT = bytes(range(256)) * 20
POSIX = pytest.mark.skipif(os.name == "nt", reason="links and modes are POSIX's")


def kept(folder: Path, key: str = KEY, content: bytes = CONTENT, limit: int = module.LIMIT) -> Store:
    store = Store(folder / "cache", limit)
    source = folder / "source.mp4"
    source.write_bytes(content)
    store.keep(key, source)
    return store


def found(store: Store, key: str = KEY) -> bytes | None:
    """What the store gives for a key, both ways."""
    path, copy = store.find(key), store.folder.parent / "copy.mp4"
    assert store.take(key, copy) == copy.exists() == (path is not None)
    if path is None:
        return None
    assert path.read_bytes() == copy.read_bytes()
    copy.unlink()
    return path.read_bytes()


def test_what_is_kept_is_found_and_nothing_else(tmp_path):
    store = kept(tmp_path)
    assert found(store) == CONTENT
    assert found(store, OTHER) is None
    assert [path.name.partition("-")[0] for path in store.folder.iterdir()] == [KEY]
    assert found(Store(tmp_path / "none")) is None


@given(st.binary(max_size=300), st.data())
def test_no_file_that_was_changed_is_given(tmp_path_factory, content, data):
    store = kept(tmp_path_factory.mktemp("store"), content=content)
    path = store.find(KEY)
    assert path and found(store) == content
    change = data.draw(st.sampled_from(["cut", "flip", "add"] if content else ["add"]))
    place = data.draw(st.integers(0, max(len(content) - 1, 0)))
    flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1:] if content else b""
    path.write_bytes({"cut": content[:place], "flip": flipped, "add": content + b"x"}[change])
    if data.draw(st.booleans()):
        assert not store.take(KEY, store.folder / "copy")
    assert found(store) is None
    assert not path.exists()


def test_two_files_that_changed_places_are_not_given(tmp_path):
    store = kept(tmp_path)
    kept(tmp_path, OTHER, b"other")
    one, two = store.find(KEY), store.find(OTHER)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second), two.write_bytes(first)
    assert found(store) is found(store, OTHER) is None


def test_the_same_key_with_other_bytes_gives_one_of_them(tmp_path):
    store = kept(tmp_path)
    kept(tmp_path, content=b"other")
    assert found(store) in (CONTENT, b"other")
    store.find(KEY).write_bytes(b"")
    assert found(store) in (CONTENT, b"other")  # the one that is whole


@POSIX
def test_links_are_not_followed(tmp_path):
    store = kept(tmp_path)
    path = store.find(KEY)
    path.rename(tmp_path / "outside.mp4")
    path.symlink_to(tmp_path / "outside.mp4")
    assert found(store) is None
    store.folder.rename(tmp_path / "real")
    store.folder.symlink_to(tmp_path / "real")
    kept(tmp_path, OTHER)
    assert found(store, OTHER) is None
    assert [path.name[:1] for path in (tmp_path / "real").iterdir()] == ["0"]


@POSIX
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path):
    store = kept(tmp_path)
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert store.find(KEY).stat().st_mode & 0o777 == 0o600
    store.folder.chmod(0o777)
    assert found(store) is None
    kept(tmp_path, OTHER)
    store.folder.chmod(0o700)
    assert found(store) == CONTENT
    assert found(store, OTHER) is None


def test_a_file_where_the_folder_should_be_is_no_error(tmp_path):
    (tmp_path / "cache").write_text("mine")
    store = kept(tmp_path)
    assert found(store) is None
    store.prune()
    assert (tmp_path / "cache").read_text() == "mine"
    store = Store(tmp_path / "cache" / "below")
    store.keep(KEY, tmp_path / "source.mp4")
    assert found(Store(tmp_path / "cache" / "below" / "x")) is None


def test_a_folder_that_cannot_be_written_to_is_read(tmp_path, monkeypatch):
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    store = kept(tmp_path, limit=1)
    for name in ("os.utime", "tempfile.mkstemp", "pathlib.Path.unlink"):  # a mode would not keep root out
        monkeypatch.setattr(name, refuse)
    kept(tmp_path, OTHER)
    store.prune()
    assert store.find(KEY).read_bytes() == CONTENT
    assert store.take(KEY, tmp_path / "copy.mp4")
    assert not store.take(OTHER, tmp_path / "other.mp4")


def test_what_the_disk_refuses_is_no_error_and_leaves_nothing(tmp_path, monkeypatch):
    def full(source: Path, target: Path) -> str:
        target.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_copy", full)
    store = kept(tmp_path)
    assert list(store.folder.iterdir()) == []
    monkeypatch.undo()
    kept(tmp_path)
    monkeypatch.setattr(module, "_copy", full)
    assert not store.take(KEY, tmp_path / "copy.mp4")
    assert not (tmp_path / "copy.mp4").exists()
    monkeypatch.undo()
    assert found(store) == CONTENT  # it was not the file's fault


def test_a_key_is_no_path(tmp_path):
    for key in ("", "../x", "0" * 63, "0" * 65, "G" * 64, f"{KEY}\n"):
        with pytest.raises(ValueError, match="no key"):
            Store(tmp_path).find(key)
        with pytest.raises(ValueError, match="no key"):
            Store(tmp_path).keep(key, tmp_path / "x")


def test_what_was_not_used_for_longest_is_pruned_first(tmp_path):
    store = Store(tmp_path / "cache", limit=250)
    names = [f"{number:064x}" for number in range(5)]
    for age, key in enumerate(names):
        kept(tmp_path, key, bytes(100))
        os.utime(store.find(key), (time.time() - 1000 + age,) * 2)
    (tmp_path / "cache" / "mine.mp4").write_bytes(bytes(1000))
    assert store.find(names[0])  # now the last that was used
    store.prune()
    assert [bool(store.find(key)) for key in names] == [True, False, False, False, True]
    assert (tmp_path / "cache" / "mine.mp4").exists()
    Store(tmp_path / "cache", limit=0).prune()
    assert [path.name for path in store.folder.iterdir()] == ["mine.mp4"]


def test_what_killed_renders_left_is_pruned_after_a_day(tmp_path):
    store = kept(tmp_path)
    old, new = store.folder / "new-abc_1.part", store.folder / "new-abc_2.part"
    for path, age in ((old, 25), (new, 23)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age * 3600,) * 2)
    store.prune()
    assert (old.exists(), new.exists()) == (False, True)
    assert found(store) == CONTENT


WRITER = """
import sys
from pathlib import Path
from attnviz.recall.store import Store
store, source = Store(Path(sys.argv[1]), limit=40_000), Path(sys.argv[2])
content = source.read_bytes()
for turn in range(60):
    key = f"{turn % 5:064x}"
    store.keep(key, source)
    copy = Path(f"{sys.argv[2]}.copy")
    if store.take(key, copy):
        assert copy.read_bytes() in (content, content[::-1]), "a file of somebody else"
    if turn % 7 == 0:
        store.prune()
"""


def test_several_processes_at_once_spoil_nothing(tmp_path):
    sources = [tmp_path / f"{number}.mp4" for number in range(4)]
    for number, source in enumerate(sources):
        source.write_bytes((CONTENT * 3)[:: 1 if number % 2 else -1])
    commands = [[sys.executable, "-c", WRITER, str(tmp_path / "cache"), str(source)] for source in sources]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    for process in running:
        assert process.communicate()[1] == ""
        assert process.returncode == 0
    for path in (tmp_path / "cache").iterdir():
        assert path.suffix == ".mp4"
        assert hashlib.sha256(path.read_bytes()).hexdigest() in path.name


@pytest.mark.parametrize(("platform", "environment", "wanted"), [
    ("linux", {}, "~/.cache/attnviz"),
    ("linux", {"XDG_CACHE_HOME": "/x"}, "/x/attnviz"),
    ("linux", {"XDG_CACHE_HOME": "x"}, "~/.cache/attnviz"),
    ("linux", {"ATTNVIZ_CACHE": "/y/z", "XDG_CACHE_HOME": "/x"}, "/y/z"),
    ("linux", {"ATTNVIZ_CACHE": ""}, "~/.cache/attnviz"),
    ("linux", {"ATTNVIZ_CACHE": "~/y"}, "~/y"),
    ("darwin", {"XDG_CACHE_HOME": "/x"}, "~/Library/Caches/attnviz"),
    ("win32", {"LOCALAPPDATA": "/local"}, "/local/attnviz"),
    ("win32", {}, "~/AppData/Local/attnviz"),
])
def test_the_usual_folder_is_the_user_s(monkeypatch, platform, environment, wanted):
    monkeypatch.setattr(sys, "platform", platform)
    assert default_folder(environment) == Path(wanted).expanduser()
