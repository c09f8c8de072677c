"""What becomes of a render that is stopped, starved or doubled: children, killed, limited, or run side by side."""

import hashlib
import signal
from pathlib import Path

import av
import pytest

from tests.running import everything_in, run_here, start_child

RENDER = ("render", "tiny_scene", "-q", "l")


@pytest.fixture
def renders(tmp_path: Path) -> Path:
    """A folder with one good render in it."""
    assert run_here(tmp_path, *RENDER) == 0
    return tmp_path


def frames(renders: Path) -> int:
    with av.open(renders / "tiny_scene" / "tiny_scene.mp4") as film:
        return sum(1 for _ in film.decode(video=0))


# Three moments of a SIGKILL: half-way through the scene, while its film is joined, in the middle of the swap.
KILLS = {
    "drawing": (["--case", "kill"], ""),
    "joining": ([], "import os; from attnviz.render import film; film.join = lambda *a, **k: os.kill(os.getpid(), 9)"),
    "swapping": (
        [],
        "import os; plain = Path.rename\n"
        "Path.rename = lambda self, to: os.kill(os.getpid(), 9) if self.name == 'files' else plain(self, to)",
    ),
}


@pytest.mark.parametrize("moment", KILLS)
def test_killed_then_run_again(renders: Path, moment: str) -> None:
    arguments, prelude = KILLS[moment]
    old = everything_in(renders / "tiny_scene")
    child = start_child(renders, *RENDER, *arguments, prelude=prelude)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    film = renders / "tiny_scene" / "tiny_scene.mp4"
    assert not film.exists() or everything_in(film.parent) == old
    assert run_here(renders, *RENDER) == 0
    assert everything_in(renders) == {f"tiny_scene/{name}": content for name, content in old.items()}


# A second signal comes while what the first one broke off is cleared up.
AGAIN = """
import os, signal
from attnviz.render import place
plain = place._remove
def again(path):
    if path.exists():
        os.kill(os.getpid(), signal.SIGTERM)
    plain(path)
place._remove = again
"""
STOPS = [
    (signal.SIGINT, AGAIN, 130, "interrupted"),
    (signal.SIGTERM, "", 143, "ended by SIGTERM"),
    pytest.param(signal.SIGHUP, "", 129, "ended by SIGHUP", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("number", "prelude", "code", "message"), STOPS)
def test_stopped(renders: Path, number: int, prelude: str, code: int, message: str) -> None:
    old = everything_in(renders)
    child = start_child(renders, *RENDER, "--case", "pause", prelude=prelude)
    assert child.stdout and child.stdout.readline() == "pausing\n"
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == code
    assert (out, err) == ("", f"error: {message}\n")
    assert everything_in(renders) == old
    assert [path.name for path in renders.iterdir()] == ["tiny_scene"]


def test_a_full_disk(renders: Path) -> None:
    """A limit of 100 kB a file stands in for a disk without room; the noise in the scene is sure to need more."""
    old = everything_in(renders)
    limit = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))"
    )
    child = start_child(renders, *RENDER, "--case", "noise", prelude=limit)
    out, err = child.communicate()
    assert child.returncode == 1 and out == ""
    assert err == f"error: {renders / 'tiny_scene'} could not be written: File too large\n"
    assert everything_in(renders) == old
    assert [path.name for path in renders.iterdir()] == ["tiny_scene"]


def test_two_at_once_end_whole(tmp_path: Path) -> None:
    children = [start_child(tmp_path, *RENDER, "--seed", str(seed)) for seed in (1, 2)]
    ends = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0, 0]
    folder = tmp_path / "tiny_scene"
    assert {line for _, err in ends for line in err.splitlines()} <= {f"another render writes {folder}: waiting for it"}
    assert frames(tmp_path) == 18
    with av.open(folder / "tiny_scene.mp4") as film:
        trace = hashlib.sha256((folder / "trace.npz").read_bytes()).hexdigest()
        assert film.metadata["comment"] == f"trace.npz sha256:{trace}"
    assert [path.name for path in tmp_path.iterdir()] == ["tiny_scene"]
