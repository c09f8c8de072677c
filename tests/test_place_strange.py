"""What lies about a render's folder, made by hand or in the way: refused in one line, and never lost or waited for."""

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from attnviz.errors import AttnvizError, InputError, RenderError
from attnviz.render import place
from attnviz.render.manifest import NAME
from attnviz.render.place import private_folder
from tests.running import everything_in
from tests.test_place import film, put

CHANGES: dict[str, dict[str, Any]] = {
    "files alone": dict.fromkeys(("attnviz", "scene", "title", "options", "provenance", "versions")),
    "no version": {"attnviz": None},
    "a scene that is no name": {"scene": 3},
    "options of another shape": {"options": "none"},
    "no versions": {"versions": None},
}


def listing(folder: Path, *names: str) -> dict[str, Any]:
    """What a manifest says of these files."""
    files = {name: (folder / name).read_bytes() for name in names}
    return {name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for name, data in files.items()}


def change_manifest(folder: Path, **changes: Any) -> None:
    """Set keys of a folder's manifest; None takes one away."""
    facts = {**json.loads((folder / NAME).read_text()), **changes}
    (folder / NAME).write_text(json.dumps({key: value for key, value in facts.items() if value is not None}))


def refused(folder: Path, message: str) -> None:
    """A render into the folder is refused in one line, and nothing around it changes."""
    before = everything_in(folder.parent)
    with pytest.raises(AttnvizError, match=message) as refusal, private_folder(folder, lambda: None):
        pass
    assert "\n" not in str(refusal.value)
    assert everything_in(folder.parent) == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_manifest_that_is_not_ours_makes_no_render(tmp_path: Path, change: str) -> None:
    put(tmp_path / "out", "first")
    change_manifest(tmp_path / "out", **CHANGES[change])
    refused(tmp_path / "out", "not part of a render")
    (tmp_path / "out" / "film.mp4").unlink()
    refused(tmp_path / "out", r"manifest\.json is not part of a render")


OTHER_NAMES = ["thesis.txt", "other.mp4", "film.mp4.bak", "01-a.png.txt", "poster.jpg", "xtrace.npz"]


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_name_that_no_render_writes_is_not_lost_though_it_is_listed(tmp_path: Path, name: str) -> None:
    put(tmp_path / "out", "first")
    (tmp_path / "out" / name).write_text("mine")
    change_manifest(tmp_path / "out", files=listing(tmp_path / "out", "film.mp4", name))
    refused(tmp_path / "out", "not part of a render")


def test_every_name_that_a_render_writes_is_replaced(tmp_path: Path) -> None:
    names = ("film.mp4", "film.en.vtt", "poster.png", "sheet.png", "trace.npz", "score.json", "01-a.png", "12-b_2.png")
    put(tmp_path / "out", "first")
    for name in names:
        (tmp_path / "out" / name).write_text("ours")
    change_manifest(tmp_path / "out", files=listing(tmp_path / "out", *names))
    put(tmp_path / "out", "second")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["film.mp4", NAME]


@pytest.mark.parametrize("files", [{"film.mp4": {}}, {"film.mp4": "x"}, {"film.mp4": {"sha256": 1, "size": 1}}, {}])
def test_a_listing_of_another_shape(tmp_path: Path, files: dict[str, Any]) -> None:
    put(tmp_path / "out", "first")
    change_manifest(tmp_path / "out", files=files)
    refused(tmp_path / "out", "not part of a render")


def test_a_manifest_nested_too_deep(tmp_path: Path) -> None:
    put(tmp_path / "out", "first")
    (tmp_path / "out" / NAME).write_text("[" * 100_000)
    refused(tmp_path / "out", "not part of a render")


def test_a_manifest_that_is_a_link(tmp_path: Path) -> None:
    put(tmp_path / "out", "first")
    kept = (tmp_path / "out" / NAME).rename(tmp_path / "kept.json")
    (tmp_path / "out" / NAME).symlink_to(kept)
    refused(tmp_path / "out", "not part of a render")


@pytest.mark.parametrize("what", ["lock", "new", "old"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe", "other"])
def test_a_hidden_name_that_is_taken(tmp_path: Path, what: str, kind: str) -> None:
    put(tmp_path / "out", "first")
    (tmp_path / "real").mkdir()
    taken = tmp_path / f".out.attnviz-{what}"
    if kind == "pipe":
        os.mkfifo(taken)
    elif kind == "other":
        taken.mkdir() if what == "lock" else taken.write_text("mine")
    else:
        taken.symlink_to("real" if kind == "link" else "missing")
    refused(tmp_path / "out", rf"\.out\.attnviz-{what} is in the way")
    put(tmp_path / "another", "x")  # and it is left alone by the sweep of another render
    assert taken.is_symlink() or taken.exists()
    assert (tmp_path / "real").is_dir()


def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("missing")
    refused(tmp_path / "link", "is a symbolic link that leads nowhere")
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(("call", "name"), [("touch", ".out.attnviz-lock"), ("mkdir", "files"), ("rename", "files")])
def test_what_the_disk_refuses_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, name: str
) -> None:
    plain = getattr(Path, call)

    def refuse(self: Path, *args: object, **options: object) -> object:
        if self.name == name:
            raise PermissionError(1, "Operation not permitted")
        return plain(self, *args, **options)

    monkeypatch.setattr(Path, call, refuse)
    with pytest.raises(RenderError, match="out could not be written: Operation not permitted; name another folder"):
        put(tmp_path / "out", "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moment", [("out", "before"), ("out", "after"), ("files", "before"), ("files", "after")])
def test_a_signal_in_the_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: tuple[str, str]) -> None:
    put(tmp_path / "out", "first")
    rename = Path.rename

    def broken(self: Path, target: Path) -> Path:
        done = rename(self, target) if moment[1] == "after" or self.name != moment[0] else target
        if self.name == moment[0]:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(Path, "rename", broken)
    with pytest.raises(KeyboardInterrupt):
        put(tmp_path / "out", "second")
    assert film(tmp_path / "out") == ("second" if moment == ("files", "after") else "first")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_signal_while_a_failure_is_cleared_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signals = [KeyboardInterrupt()]

    def remove(path: Path) -> None:
        if path.exists() and signals:
            raise signals.pop()
        shutil.rmtree(path, ignore_errors=True)

    monkeypatch.setattr(place, "_remove", remove)
    with pytest.raises(KeyboardInterrupt), private_folder(tmp_path / "out", lambda: None):
        raise InputError("x")
    assert list(tmp_path.iterdir()) == []
