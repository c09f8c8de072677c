"""Folders that are no renders, or were made to break the verifier: one clear line, exit code 2 or 4, no traceback."""

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from attnviz.errors import AttnvizError
from attnviz.trace import bundle
from attnviz.verify.check import verify
from tests import forging
from tests.forging import honest
from tests.running import run_here

Break = Callable[[Path], None]


@pytest.fixture(scope="module")
def render(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return honest().write(tmp_path_factory.mktemp("honest"))


@pytest.fixture
def copy(render: Path, tmp_path: Path) -> Path:
    shutil.copytree(render, tmp_path / "copy")
    return tmp_path / "copy"


def outcome(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run_here(folder.parent, "verify", str(folder))
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and said.err.startswith("error: "), said.err
    assert "ATTNVIZ_DEBUG" not in said.err and len(said.err) < 700, said.err
    assert all(letter.isprintable() for letter in said.err[:-1])
    return code, said.err


def changed(name: str, change: Callable[[dict[str, Any]], Any]) -> Break:
    def apply(folder: Path) -> None:
        found = json.loads((folder / name).read_text(encoding="utf-8"))
        found = change(found) or found
        (folder / name).write_text(json.dumps(found), encoding="utf-8")

    return apply


def written(name: str, content: bytes) -> Break:
    return lambda folder: (folder / name).write_bytes(content) and None


def score(*path: Any, value: Any = ...) -> Break:
    """Set, or take away, one value in the score."""

    def change(found: Any) -> None:
        *way, last = path
        for step in way:
            found = found[step]
        if value is ...:
            del found[last]
        else:
            found[last] = value

    return changed("score.json", change)


def truncated(name: str) -> Break:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:2000]) and None


def nan_in_the_score(folder: Path) -> None:
    text = (folder / "score.json").read_text(encoding="utf-8")
    (folder / "score.json").write_text(text.replace('"opacity": 1.0', '"opacity": NaN', 1), encoding="utf-8")


def sound_only(folder: Path) -> None:
    with av.open(folder / "tiny.mp4", "w") as target:
        stream = target.add_stream("aac", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        target.mux(stream.encode(frame))
        target.mux(stream.encode(None))


def spoiled_film(folder: Path) -> None:
    film = bytearray((folder / "tiny.mp4").read_bytes())
    middle = film.index(b"mdat") + 40
    film[middle:middle + 20000] = bytes(20000)
    (folder / "tiny.mp4").write_bytes(film)


def no_tags(folder: Path) -> None:
    film = honest()
    comment = forging.hashlib.sha256((folder / "trace.npz").read_bytes()).hexdigest()
    chapters = [(beat["title"], n * forging.FRAMES) for n, beat in enumerate(film.score["beats"])]
    forging.encode(folder / "tiny.mp4", film.pictures, f"trace.npz sha256:{comment}", "Tiny", chapters,
                  colorspace="unknown", color_range="unknown")


NOT_USABLE: list[tuple[str, Break, str]] = [
    ("no manifest", lambda folder: (folder / "manifest.json").unlink(), "is not a render: it has no manifest.json"),
    ("manifest no json", written("manifest.json", b"{"), "is no JSON that can be used"),
    ("manifest a list", written("manifest.json", b"[]"), "it must hold an object"),
    ("manifest not utf-8", written("manifest.json", b"\xff\xfe"), "is no JSON that can be used"),
    ("manifest deep", written("manifest.json", b'{"a":' + b"[" * 100_000), "is no JSON that can be used"),
    ("manifest empty", written("manifest.json", b"{}"), "manifest.json: has no 'scene'"),
    ("scene a path", changed("manifest.json", lambda m: m.update(scene="../x")), "it must be a scene's name"),
    ("scene a number", changed("manifest.json", lambda m: m.update(scene=7)), "it must be a text"),
    ("files a list", changed("manifest.json", lambda m: m.update(files=[])), "it must be an object"),
    ("a file elsewhere", changed("manifest.json", lambda m: m["files"].update({"../x": {"sha256": "0", "size": 1}})),
     "it must be a file of the folder"),
    ("no film facts", changed("manifest.json", lambda m: m.pop("film") and None), "has no 'film'"),
    ("kind unknown", changed("manifest.json", lambda m: m["options"].update(kind="gif")), "it must be mp4 or png"),
    ("escape", changed("manifest.json", lambda m: m.update(scene="\x1b[31m")), r"\x1b"),
    ("truncated trace", truncated("trace.npz"), "is not a saved bundle"),
    ("empty trace", written("trace.npz", b""), "is not a saved bundle"),
    ("score missing", lambda folder: (folder / "score.json").unlink(), "score.json cannot be read"),
    ("score NaN", nan_in_the_score, "it holds NaN, which is no number"),
    ("score infinite", written("score.json", b'{"a": 1e999}'), "a number is too large"),
    ("score twice", written("score.json", b'{"a": 1, "a": 2}'), "a key comes twice"),
    ("score huge", written("score.json", b" " * (17 << 20)), "more than 16777216"),
    ("no beats", score("beats", value=[]), "beats is [], it must be a list of 1 to 1000"),
    ("beats a text", score("beats", value="x"), "it must be a list"),
    ("no theme", score("theme"), "score.json: has no 'theme'"),
    ("theme unknown", score("theme", value="pink"), "it must be dark or light or high-contrast"),
    ("frame size", score("frame_size", value=[1, 1]), "it must be that of 16:9"),
    ("time goes back", score("beats", 1, "start", value=0), "before weights ends"),
    ("end before start", score("beats", 1, "end", value=0.5), "it must be a number from 1 to 86400"),
    ("an id of a path", score("beats", 1, "id", value="../../x"), "it must be a beat's name"),
    ("unknown type", score("beats", 0, "visible", 0, "type", value="hologram\x1b"), "has the unknown type"),
    ("no type", score("beats", 0, "visible", 0, "type"), "has no 'type'"),
    ("content -1", score("beats", 0, "visible", 1, "content", value=-1), "it must be a whole number from 0 to 1"),
    ("content true", score("beats", 0, "visible", 1, "content", value=True), "it must be a whole number"),
    ("pitch zero", score("beats", 0, "visible", 1, "pitch", value=[0, 0]), "it must be a number from 1e-06"),
    ("em", score("beats", 0, "visible", 1, "em", value=900), "it must be a number from 0 to 0.53"),
    ("opacity of rows", score("beats", 0, "visible", 1, "opacity", value=[[1]]), "it must be a list of 8"),
    ("opacity 2", score("beats", 0, "visible", 1, "opacity", value=2), "it must be a number from 0 to 1"),
    ("origin far", score("beats", 0, "visible", 1, "origin", value=[1e30, 0]), "it must be a number from -1000"),
    ("another record", score("contents", 0, "record", value="x"), "it must be a record of the trace (sdpa)"),
    ("another stage", score("contents", 0, "address", value="nothing[batch=0]"), "which is no address in the trace"),
    ("outside", score("contents", 0, "address", value="attn_weights[batch=9, head=0]"), "is outside 0..0"),
    ("no address", score("contents", 0, "address", value="][;"), "is no address such as attn_weights"),
    ("three axes", score("contents", 0, "address", value="attn_weights[batch=0]"), "it must be {'batch': 0}"),
    ("axes", score("contents", 0, "axes", value=["query_pos", "query_pos"]), "it must be the axes of"),
    ("axes of lists", score("contents", 0, "axes", value=[[], {}]), "it must be the axes of"),
    ("positions", score("contents", 0, "positions", value=[[0, 99], [0]]), "it must be a whole number from 0 to 7"),
    ("shape", score("contents", 0, "shape", value=[1 << 30, 1 << 30]), "it must be [8, 8]"),
    ("rows of strings", score("contents", 0, "strings", 3, value=["0"]), "it must be a list of 8"),
    ("fill missing", score("contents", 0, "fill", value=[]), "it must be a list of 8"),
    ("scale huge", score("contents", 0, "scale", value=[-1e299, 1e299]), "score"),
    ("style", score("contents", 0, "format", value=["roman", 2]), "it must be fixed or"),
    ("points", score("beats", 1, "visible", 5, "points", value=[[0, 0]]), "it must be a list of 4"),
    ("colour", score("beats", 1, "visible", 5, "color", value="red"), "it must be a colour"),
    ("bars", score("beats", 1, "visible", 4, "bars", value=[None]), "it must be a bar for each number"),
    ("unit", score("beats", 1, "visible", 4, "unit", value=0), "it must be a number from 1e-09"),
    ("sign", score("beats", 1, "visible", 2, "sign", value="<"), "it must be = or ≈"),
    ("arrow to", score("beats", 1, "visible", 3, "target", value={"record": "sdpa", "stage": "x"}), "a stage of"),
    ("film empty", written("tiny.mp4", b""), "is no film that can be read"),
    ("film text", written("tiny.mp4", b"hello" * 1000), "is no film that can be read"),
    ("film truncated", truncated("tiny.mp4"), "tiny.mp4"),
    ("film of sound", sound_only, "it must be one"),
    ("film spoiled", spoiled_film, ""),
    ("film untagged", no_tags, "does not say how its colours are to be read"),
    ("poster", written("poster.png", b"\x89PNG\r\n\x1a\n"), "is no picture that can be read"),
    ("captions", written("tiny.en.vtt", b"\xff\xff"), "tiny.en.vtt cannot be read"),
]


@pytest.mark.parametrize(("broken", "words"), [case[1:] for case in NOT_USABLE], ids=[case[0] for case in NOT_USABLE])
def test_what_cannot_be_used_is_one_line(
    broken: Break, words: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(copy)
    code, line = outcome(copy, capsys)
    assert code in (2, 4) and words in line, line


@pytest.mark.parametrize("name", ["nowhere/at/all", "no_such_scene", "\x00", "a" * 5000, "../..", "", "\x1b[2J"])
def test_a_folder_that_is_none_is_one_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "verify", name) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "ATTNVIZ_DEBUG" not in said and "\x1b" not in said and len(said) < 700


@pytest.mark.parametrize("name", ["trace.npz", "score.json", "poster.png", "tiny.mp4", "tiny.en.vtt", "manifest.json"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_plain_file_is_not_read(
    name: str, make: Callable[[Path], None], copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / name).unlink()
    make(copy / name)
    code, line = outcome(copy, capsys)
    assert code == 2 and name in line


def test_a_trace_that_unpacks_to_too_much_is_refused(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundle, "LARGEST_FILE", 1000)
    code, line = outcome(copy, capsys)
    assert code == 2 and "unpacks to" in line


def test_a_picture_as_large_as_a_bomb_is_refused(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Image.new("1", (9000, 8)).save(copy / "poster.png")
    assert outcome(copy, capsys) == (2, f"error: {copy}/poster.png is 9000x8, more than 4096 pixels wide or high; "
                                        "render again\n")


def _values(found: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return [path] * bool(path) + [way for key, part in children for way in _values(part, (*path, key))]


STRANGE = (None, True, -1, 0, 1e300, "", "x", "−∞", [], {}, [[]], [None], {"a": 1}, 10**30, "attn_weights", -0.5)


@pytest.mark.parametrize("name", ["score.json", "manifest.json"])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_no_value_in_place_of_another_ends_in_a_traceback(name: str, seed: int, render: Path, tmp_path: Path) -> None:
    """A few hundred changes to a score that was cut to its second beat: found, refused, or without consequence."""
    folder = tmp_path / "fuzzed"
    shutil.copytree(render, folder)
    score, choice = json.loads((folder / "score.json").read_text(encoding="utf-8")), random.Random(seed)
    score["beats"][0]["visible"] = []
    (folder / "score.json").write_text(json.dumps(score), encoding="utf-8")
    whole = json.loads((folder / name).read_text(encoding="utf-8"))
    ways = [way for way in _values(whole) if "fill" not in way[:-1] and "strings" not in way[:-1]]
    for way in choice.choices(ways, k=30 if not seed else 400):
        found = json.loads(json.dumps(whole))
        part = found
        for step in way[:-1]:
            part = part[step]
        part[way[-1]] = choice.choice(STRANGE)
        (folder / name).write_text(json.dumps(found), encoding="utf-8")
        try:
            report = verify(folder)
        except AttnvizError as fault:
            assert fault.exit_code in (2, 4) and "\n" not in str(fault), (way, part[way[-1]])
        else:
            json.dumps([report.as_json(), report.closing(), report.table(), report.details()])
