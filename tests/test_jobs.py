"""Several processes draw one film: it is the same, and whatever ends one of them is one clear line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnviz.errors import InputError
from attnviz.render.pool import _dealt
from tests.running import end_of, everything_in, run_here, start_child


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("alone")
    assert run_here(folder, "render", "tiny_scene", "-q", "l") == 0
    return everything_in(folder)


def test_two_jobs_make_the_same_files(tmp_path: Path, alone: dict[str, bytes]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--jobs", "2") == 0
    assert everything_in(tmp_path) == alone


def test_stills_too(tmp_path: Path) -> None:
    for jobs in ("1", "2"):
        assert run_here(tmp_path / jobs, "render", "tiny_scene", "-q", "l", "--format", "png", "--jobs", jobs) == 0
    assert everything_in(tmp_path / "1") == everything_in(tmp_path / "2")


@pytest.mark.parametrize(("beats", "parts"), [(12, 2), (12, 5), (3, 8), (1, 4), (7, 1)])
def test_beats_are_dealt_out_in_runs(beats: int, parts: int) -> None:
    dealt = _dealt(beats, parts)
    if min(beats, parts) == 1:
        assert dealt == [None]
        return
    assert [index for run in dealt for index in run or ()] == list(range(beats))
    lengths = [len(run or ()) for run in dealt]
    assert len(lengths) == min(beats, parts) and max(lengths) - min(lengths) <= 1


def test_what_the_scene_raises_in_a_worker_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "boom", "--jobs", "2") == 1
    error = capsys.readouterr().err
    assert "ZeroDivisionError: the square fell over (" in error and "tiny_scene.py:" in error
    assert error.count("\n") == 1 and everything_in(tmp_path) == {}


def test_a_worker_that_is_killed_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "kill", "--jobs", "2") == 1
    error = capsys.readouterr().err
    assert error == "error: a process that drew was killed; with fewer --jobs each has more memory\n"
    assert everything_in(tmp_path) == {}


def test_an_end_from_outside_leaves_nothing_and_nobody(tmp_path: Path) -> None:
    child = start_child(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "pause", "--jobs", "2")
    workers: list[int] = []
    deadline = time.monotonic() + 60
    while len(workers) < 2 and time.monotonic() < deadline:
        workers = _children(child.pid)
        time.sleep(0.2)
    time.sleep(3)
    child.send_signal(signal.SIGTERM)
    _, error = end_of(child)
    assert child.returncode == 128 + signal.SIGTERM and error == "error: ended by SIGTERM\n"
    assert everything_in(tmp_path) == {}
    assert len(workers) >= 2 and not [pid for pid in workers if _lives(pid)]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnviz.render.pool.REACH", 1)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--cluster", "tcp://127.0.0.1:9"], "no Dask scheduler answers at tcp://127.0.0.1:9"),
    (["--cluster", "nowhere"], "no Dask scheduler answers at nowhere"),
    (["--cluster", "tcp://127.0.0.1:9", "--jobs", "2"], "--jobs is for this machine, --cluster for another"),
    (["--jobs", "0"], "Invalid value for '--jobs'"),
])  # fmt: skip
@pytest.mark.usefixtures("impatient")
def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", *arguments) == InputError.exit_code
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error and error.count("\n") == 1


@pytest.mark.slow
def test_a_cluster_of_two_draws_the_same_films_though_one_is_killed(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    scenes = "import sys; from pathlib import Path; from attnviz.commands import Folders, main;"
    scenes += "main(sys.argv[2:], Folders(renders=Path(sys.argv[1])))"
    low = ["render", "pipeline", "-q", "l", "--no-cache"]
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
        command = [sys.executable, "-c", scenes, str(tmp_path / "cluster"), *low]
        command += ["--cluster", cluster.scheduler_address]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        time.sleep(8)
        os.kill(pids[0], signal.SIGKILL)
        _, error = child.communicate(timeout=300)
        assert child.returncode == 0, error
    subprocess.run([sys.executable, "-c", scenes, str(tmp_path / "alone"), *low], check=True)
    assert everything_in(tmp_path / "cluster") == everything_in(tmp_path / "alone")


def _children(parent: int) -> list[int]:
    path = Path(f"/proc/{parent}/task/{parent}/children")
    if not path.exists():
        pytest.skip("this system does not name a process's children")
    return [int(pid) for pid in path.read_text().split() if "spawn_main" in _command(int(pid))]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
