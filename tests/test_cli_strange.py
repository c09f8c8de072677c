"""The command line on a machine that is not kind: no room for the last line, odd settings, no places."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attnviz.commands import Stop, _stop
from tests.running import ROOT, end_of, run_here, start_child

RENDER = ("render", "tiny_scene", "-q", "l")
ODD = "[CLI]\nverbosity = DEBUG\nplugins = nothing_of_this_name\npixel_height = 77\n"


@pytest.mark.parametrize("folder", ["/proc/x", "/dev/fd/x", "/sys/x"])
def test_a_place_where_no_file_can_be_made_ends_at_once(tmp_path: Path, folder: str) -> None:
    if not (os.path.ismount("/sys") if folder.startswith("/sys") else Path(folder).parent.is_dir()):
        pytest.skip("not on this system")
    _, err = end_of(start_child(tmp_path, *RENDER, "-o", folder))
    assert err.startswith("error: /") and err.count("\n") == 1
    assert "written" in err and "another folder with -o" in err


def test_a_pipe_in_place_of_a_manifest_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "tiny_scene").mkdir()
    os.mkfifo(tmp_path / "tiny_scene" / "manifest.json")
    out, _ = end_of(start_child(tmp_path, "list"))
    assert out == "tiny_scene         -  A square comes, and turns green.\n"
    _, err = end_of(start_child(tmp_path, *RENDER))
    assert "manifest.json is not part of a render" in err


def test_no_manim_cfg_of_the_working_folder_is_read_and_no_path_is_needed(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "manim.cfg").write_bytes(b"\xff no settings\0\n")
    arguments = (*RENDER, "--case", "talk", "--seed", str(2**63 - 1))
    options = {"cwd": tmp_path / "work", "env": {"PYTHONPATH": str(ROOT)}}
    child = start_child(tmp_path / "renders", *arguments, **options)
    out, err = child.communicate()
    assert (child.returncode, out) == (0, f"{tmp_path / 'renders' / 'tiny_scene' / 'tiny_scene.mp4'}\n")
    assert "heard from the logger" in err and "heard from the console" in err
    assert "heard from a stranger" not in err


def test_no_manim_cfg_of_the_users_is_read(tmp_path: Path) -> None:
    (tmp_path / ".config" / "manim").mkdir(parents=True)
    (tmp_path / ".config" / "manim" / "manim.cfg").write_text(ODD)
    code = "from attnviz.render.undisturbed import undisturbed\nwith undisturbed(): import manim\n"
    code += "print(manim.config.pixel_height, manim.config.plugins)"
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1080 []\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not on this system")
def test_a_render_is_done_though_nobody_takes_its_last_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        child = start_child(tmp_path, *RENDER, stdout=full)
        _, err = child.communicate()
    film = tmp_path / "tiny_scene" / "tiny_scene.mp4"
    assert film.is_file() and child.returncode == 0
    assert err == f"{film} is in place, but stdout cannot be written: No space left on device\n"


def test_a_list_that_nobody_reads_fails_in_one_line(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    child = start_child(tmp_path, "list", stdout=write)
    os.close(write)
    _, err = child.communicate()
    assert (child.returncode, err) == (1, "error: stdout cannot be written: Broken pipe\n")


def test_a_stdout_that_lacks_a_letter_shows_an_escape() -> None:
    code = "from attnviz.commands import show; show('a → b')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "a \\u2192 b\n"


def test_a_folder_with_an_escape_in_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, *RENDER, "--format", "png", "-o", str(tmp_path / "a\n\x1b[31m")) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a\\n\\x1b[31m\n"
    assert (tmp_path / "a\n\x1b[31m" / "poster.png").is_file()


def test_signals_are_as_before_once_a_command_has_ended(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        run_here(tmp_path, "list")
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    prelude = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    prelude += "from attnviz.commands import list as module, SIGNALS; plain = module.find_scenes\n"
    prelude += "module.find_scenes = lambda folder: signal.raise_signal(signal.SIGHUP) or plain(folder)"
    child = start_child(tmp_path, "list", prelude=prelude)
    out, err = child.communicate()
    assert child.returncode == 0 and "A square" in out and err == ""


def test_a_signal_that_was_swallowed_is_followed_by_one_that_is_heard() -> None:
    for _ in range(2):
        with pytest.raises(Stop):
            _stop(15, None)
    try:
        _stop(2, None)
    except Stop as stop:
        assert stop.exit_code == 130
        _stop(15, None)  # in the midst of clearing up: passed over
