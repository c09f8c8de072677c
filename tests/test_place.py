"""A render's folder is the old one or the new one, whole, and nothing of a user's is ever lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attnviz.errors import AttnvizError, InputError, RenderError
from attnviz.render import place
from attnviz.render.manifest import NAME, write_manifest
from attnviz.render.place import Place, private_folder
from tests.running import ROOT, everything_in

FACTS = {"scene": "film", "title": "A film", "options": {}, "provenance": {}}


def put(folder: Path, text: str) -> None:
    """Put a whole render with one file into `folder`, as a render does it."""
    with private_folder(folder, wait=lambda: None) as private:
        (private / "media").mkdir()
        (private / "files" / "film.mp4").write_text(text)
        write_manifest(private / "files", FACTS)


def film(folder: Path) -> str:
    return (folder / "film.mp4").read_text()


def test_a_second_render_replaces_the_first_and_leaves_nothing(tmp_path: Path) -> None:
    put(tmp_path / "out", "first")
    put(tmp_path / "out", "second")
    assert film(tmp_path / "out") == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("fault", [ValueError("x"), KeyboardInterrupt(), SystemExit(143)])
def test_a_failure_leaves_the_old_one_and_nothing_else(tmp_path: Path, fault: BaseException) -> None:
    put(tmp_path / "out", "first")
    before = everything_in(tmp_path)
    with pytest.raises(type(fault)), private_folder(tmp_path / "out", lambda: None) as private:
        (private / "files" / "film.mp4").write_text("half")
        raise fault
    assert everything_in(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_swap_that_fails_half_way_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "out", "first")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "files":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(RenderError, match=r"out could not be written: No space left on device"):
        put(tmp_path / "out", "second")
    assert film(tmp_path / "out") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


# Where a child kills itself: while it makes files, before the swap, in the middle of it, and just after it.
MOMENTS = {
    "making": ("os.kill(os.getpid(), 9)", ""),
    "before the swap": ("pass", "Place.swap = lambda self, files: os.kill(os.getpid(), 9)"),
    "in the swap": (
        "pass",
        "plain = Path.rename\n"
        "Path.rename = lambda self, to: os.kill(os.getpid(), 9) if self.name == 'files' else plain(self, to)",
    ),
    "after the swap": ("pass", "place._remove = lambda path: os.kill(os.getpid(), 9) if path.exists() else None"),
}
_VICTIM = """
import os, sys
from pathlib import Path
from attnviz.render import place
from attnviz.render.manifest import write_manifest
from attnviz.render.place import Place, private_folder
{patch}
with private_folder(Path(sys.argv[1]), lambda: None) as private:
    (private / "files" / "film.mp4").write_text("second")
    write_manifest(private / "files", {facts!r})
    {act}
"""


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("next_target", ["out", "another"])
def test_the_next_start_repairs_what_a_kill_left(tmp_path: Path, moment: str, next_target: str) -> None:
    put(tmp_path / "out", "first")
    act, patch = MOMENTS[moment]
    code = _VICTIM.format(act=act, patch=patch, facts=FACTS)
    ended = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) > 1
    put(tmp_path / next_target, "third")
    assert film(tmp_path / next_target) == "third"
    assert film(tmp_path / "out") in {"first", "second", "third"}
    assert {path.name for path in tmp_path.iterdir()} == {"out", next_target}


def test_repair_keeps_the_new_one_where_both_stand(tmp_path: Path) -> None:
    put(tmp_path / "out", "new")
    put(tmp_path / ".out.attnviz-old", "old")
    Place(tmp_path / "out").repair()
    assert film(tmp_path / "out") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_another_targets_private_folder_is_left_while_its_render_runs(tmp_path: Path) -> None:
    with private_folder(tmp_path / "slow", lambda: None) as private:
        put(tmp_path / "quick", "x")
        assert (private / "files").is_dir()
        write_manifest(private / "files", FACTS)
    assert {path.name for path in tmp_path.iterdir()} == {"slow", "quick"}


class TestRefusals:
    """What `-o` must not touch."""

    def test_a_users_file_beside_a_render(self, tmp_path: Path) -> None:
        put(tmp_path / "out", "first")
        (tmp_path / "out" / "notes.txt").write_text("mine")
        self.refused(tmp_path, "out", r"notes\.txt is not part of a render")

    def test_a_folder_that_is_no_render(self, tmp_path: Path) -> None:
        (tmp_path / "thesis").mkdir()
        (tmp_path / "thesis" / "film.mp4").write_text("mine")
        self.refused(tmp_path, "thesis", "not part of a render")

    def test_a_folder_in_a_render(self, tmp_path: Path) -> None:
        put(tmp_path / "out", "first")
        (tmp_path / "out" / "cuts").mkdir()
        self.refused(tmp_path, "out", "cuts is not part of a render")

    def test_a_new_folder_in_a_render(self, tmp_path: Path) -> None:
        """It would be a foreign file of that render, which then neither verifies nor may be replaced."""
        put(tmp_path / "out", "first")
        self.refused(tmp_path, "out/cuts", "out is a render, to which nothing may be added")

    def test_a_file_changed_since(self, tmp_path: Path) -> None:
        put(tmp_path / "out", "first")
        (tmp_path / "out" / "film.mp4").write_text("my own cut")
        self.refused(tmp_path, "out", r"film\.mp4 is not part of a render")

    @pytest.mark.parametrize("text", ["{}", "not json", '{"files": [1]}', '{"files": {"film.mp4": 3}}', "[]"])
    def test_a_manifest_of_something_else(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / NAME).write_text(text)
        self.refused(tmp_path, "out", "not part of a render")

    def test_a_link_in_place_of_a_file(self, tmp_path: Path) -> None:
        put(tmp_path / "out", "first")
        kept = (tmp_path / "out" / "film.mp4").rename(tmp_path / "kept.mp4")
        (tmp_path / "out" / "film.mp4").symlink_to(kept)
        self.refused(tmp_path, "out", r"film\.mp4 is not part of a render")

    def test_a_file_put_there_while_it_rendered(self, tmp_path: Path) -> None:
        put(tmp_path / "out", "first")
        with pytest.raises(InputError, match=r"late\.txt is not part"), private_folder(tmp_path / "out", lambda: None):
            (tmp_path / "out" / "late.txt").write_text("mine")
        assert (tmp_path / "out" / "late.txt").read_text() == "mine"
        assert film(tmp_path / "out") == "first"

    @pytest.mark.parametrize(
        ("folder", "message"),
        [
            ("file", "is not a folder"),
            ("file/out", "is not a folder"),
            ("missing/out", "is not a folder: make it first"),
            ("loop", "leads nowhere"),
            ("loop/out", "leads nowhere"),
            ("n" * 300, "cannot be a folder's name"),
            ("a\0b", "cannot be a folder's name"),
            ("-x", "starts with a dash"),
            (".", "a folder to work from"),
            ("..", "a folder to work from"),
            ("/", "a folder to work from"),
        ],
    )
    def test_names(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, message: str) -> None:
        monkeypatch.chdir(tmp_path)
        Path("file").write_text("mine")
        Path("loop").symlink_to("loop")
        self.refused(tmp_path, folder, message)

    def test_a_parent_that_may_not_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)  # root may write anywhere
        self.refused(tmp_path, "out", "cannot be written to")

    @staticmethod
    def refused(around: Path, folder: str, message: str) -> None:
        """The folder is refused in one line, and nothing in `around` changes."""
        before = everything_in(around)
        with pytest.raises(AttnvizError, match=message) as refused, private_folder(around / folder, lambda: None):
            pass
        assert "\n" not in str(refused.value)
        assert everything_in(around) == before


def test_an_empty_folder_and_a_link_to_one_are_taken(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    put(tmp_path / "link", "x")
    assert film(tmp_path / "real") == "x"
    assert (tmp_path / "link").is_symlink()


def test_a_second_render_waits_and_says_so(tmp_path: Path) -> None:
    code = _VICTIM.format(act="print('in', flush=True); sys.stdin.read()", patch="", facts=FACTS)
    first = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")], cwd=ROOT, stdin=-1, stdout=-1, text=True
    )
    assert first.stdin and first.stdout and first.stdout.readline() == "in\n"
    waited = []

    def wait() -> None:
        waited.append(True)
        first.stdin.close()

    with private_folder(tmp_path / "out", wait) as private:
        assert film(tmp_path / "out") == "second"
        (private / "files" / "film.mp4").write_text("third")
        write_manifest(private / "files", FACTS)
    assert waited == [True] and first.wait() == 0
    assert film(tmp_path / "out") == "third"


def test_everything_is_on_disk_before_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(place, "_sync", lambda path: synced.append(path.name))
    put(tmp_path / "out", "x")
    assert sorted(synced[:-2]) == ["film.mp4", NAME]
    assert synced[-2:] == ["files", tmp_path.name]
