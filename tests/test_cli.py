"""The command line from outside: what goes in, the exit code, and the one line that comes out."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import attnviz.render
from tests.running import ROOT, TESTS, everything_in, run_here

HEAVY = {"manim", "torch", "numpy", "triton", "typst", "av", "PIL", "scipy"}

# arguments, exit code, what stderr's one line has in it
FAILURES = [
    (["rendr", "tiny_scene"], 2, 'no command is called "rendr" (did you mean "render"?)'),
    (["render"], 2, "Missing argument 'SCENE'"),
    (["render", "tiny_scene", "more"], 2, "unexpected extra argument (more)"),
    (["render", "tiny_scen"], 2, 'no scene is called "tiny_scen" (did you mean "tiny_scene"?)'),
    (["render", "nothing"], 2, "run `list` to see what there is"),
    (["render", "../x"], 2, "'../x' cannot be a scene's name"),
    (["render", "/x"], 2, "'/x' cannot be a scene's name"),
    (["render", "a/b"], 2, "'a/b' cannot be a scene's name"),
    (["render", "a\0b"], 2, r"'a\x00b' cannot be a scene's name"),
    (["render", "n" * 300], 2, "cannot be a scene's name"),
    (["render", "--", "-x"], 2, "'-x' cannot be a scene's name"),
    (["render", "-x"], 2, "No such option"),
    (["render", "tiny_scene", "-q", "x"], 2, "'x' is not one of 'l', 'm', 'h', 'k'"),
    (["render", "tiny_scene", "--them", "dark"], 2, "No such option '--them'"),
    (["render", "tiny_scene", "--theme", "pink"], 2, "'pink' is not one of"),
    (["render", "tiny_scene", "--frame", "4:3"], 2, "'4:3' is not one of"),
    (["render", "tiny_scene", "--format", "gif"], 2, "'gif' is not one of"),
    (["render", "tiny_scene", "--seed", "x"], 2, "'x' is not a valid integer"),
    (["render", "tiny_scene", "--seed", "-1"], 2, "-1 is not in the range"),
    (["render", "tiny_scene", "--seed", str(2**63)], 2, "is not in the range"),
    (["render", "tiny_scene", "--case", ""], 2, "a case's name is not empty"),
    (["render", "tiny_scene", "-o", "a\0b"], 2, r"'a\x00b' cannot be a folder's name"),
    (["render", "tiny_scene", "-o", "\ud800"], 2, r"'\ud800' cannot be a folder's name"),
    (["render", "tiny_scene", "-o", "/missing\n\x1b[31m/x"], 2, r"/missing\n\x1b[31m is not a folder"),
    (["render", "tiny_scene", "-q", "l", "--case", "quit"], 1, "tiny_scene.py ended the program (SystemExit: 0)"),
    (["render", "tiny_scene", "-q", "l", "--case", "nope"], 2, 'no case is called "nope"'),
    (["render", "tiny_scene", "-o", "/etc/passwd"], 2, "/etc/passwd is not a folder"),
    (["render", "tiny_scene", "-o", "/etc/passwd/x"], 2, "/etc/passwd is not a folder"),
    (["render", "tiny_scene", "-o", "/missing/x"], 2, "/missing is not a folder: make it first"),
    (["render", "tiny_scene", "-o", "-x"], 2, "starts with a dash"),
    (["render", "tiny_scene", "-q", "l", "--case", "boom"], 1, "ZeroDivisionError: the square fell over"),
    (["render", "tiny_scene", "-q", "l", "--case", "stray"], 1, "drew 12 frames but holds 9; play inside"),
    (["render", "tiny_scene", "-q", "l", "--case", "large"], 1, "400000 are allowed"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES)
def test_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert run_here(tmp_path, *arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ") and err.count("\n") == 1
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_a_fault_in_a_scene_says_where_and_how_to_see_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "boom")
    err = capsys.readouterr().err
    line = next(n for n, text in enumerate((TESTS / "tiny_scene.py").open(), 1) if "ZeroDivisionError" in text)
    assert f"({TESTS / 'tiny_scene.py'}:{line}); run again with ATTNVIZ_DEBUG=1" in err
    monkeypatch.setenv("ATTNVIZ_DEBUG", "1")
    run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "boom")
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_the_last_line_is_where_the_film_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l") == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'tiny_scene' / 'tiny_scene.mp4'}\n"
    assert err == ""


def test_the_folder_of_renders_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path / "renders", "render", "tiny_scene", "-q", "l") == 0
    assert (tmp_path / "renders" / "tiny_scene" / "tiny_scene.mp4").is_file()
    (tmp_path / "file").write_text("mine")
    assert run_here(tmp_path / "file", "render", "tiny_scene") == 1
    assert capsys.readouterr().err == f"error: {tmp_path / 'file'} cannot be made: File exists; name another with -o\n"


def test_a_folder_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "-o", str(out)) == 0
        assert capsys.readouterr().out == f"{out / 'tiny_scene.mp4'}\n"
    (out / "mine.txt").write_text("mine")
    before = everything_in(tmp_path)
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "-o", str(out)) == 2
    assert "mine.txt is not part of a render" in capsys.readouterr().err
    assert everything_in(tmp_path) == before


def test_list_names_length_and_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "list") == 0
    assert capsys.readouterr().out == "tiny_scene         -  A square comes, and turns green.\n"
    run_here(tmp_path, "render", "tiny_scene", "-q", "l")
    capsys.readouterr()
    assert run_here(tmp_path, "list") == 0
    assert capsys.readouterr().out == "tiny_scene     1.2 s  A square comes, and turns green.\n"
    assert run_here(tmp_path, "list", "--json") == 0
    row = {"name": "tiny_scene", "seconds": 1.2, "summary": "A square comes, and turns green."}
    assert json.loads(capsys.readouterr().out) == [row]


LENGTHS = ['"x"', '"7"', "NaN", "Infinity", "-5", "0", "true", "null", "1e300", "1" + "0" * 400]
MANIFESTS = ["", "[]", '{"film": null}', "[" * 100_000]
MANIFESTS += [f'{{"film": {{"duration": {length}}}}}' for length in LENGTHS]


@pytest.mark.parametrize("text", MANIFESTS, ids=lambda text: text[:40])
def test_list_passes_over_a_manifest_that_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "tiny_scene").mkdir()
    (tmp_path / "tiny_scene" / "manifest.json").write_text(text)
    assert run_here(tmp_path, "list") == 0
    assert " -  A square" in capsys.readouterr().out


def test_list_takes_a_whole_number_of_seconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tiny_scene").mkdir()
    (tmp_path / "tiny_scene" / "manifest.json").write_text('{"film": {"duration": 7}}')
    assert run_here(tmp_path, "list") == 0
    assert " 7.0 s  A square" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["render", "--help"], ["doctor", "--help"], ["--version"]])
def test_nothing_heavy_is_imported_at_the_start(arguments: list[str]) -> None:
    code = (
        "import runpy, sys, atexit\n"
        "sys.argv = ['cli.py', *sys.argv[1:]]\n"
        f"atexit.register(lambda: print('loaded:', sorted(set(sys.modules) & {HEAVY!r})))\n"
        "runpy.run_path('cli.py', run_name='__main__')\n"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("loaded: []\n")


def test_without_its_one_package_it_says_what_to_do() -> None:
    code = "import sys, runpy; sys.modules['click'] = None; runpy.run_path('cli.py', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code, "list"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "lacks the package click: run `make setup`" in done.stderr and done.stderr.count("\n") == 1


def test_without_manim_a_render_points_to_doctor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "attnviz.render.film", raising=False)
    monkeypatch.delattr(attnviz.render, "film", raising=False)
    monkeypatch.setitem(sys.modules, "attnviz.render.part", None)
    assert run_here(tmp_path, "render", "tiny_scene") == 3
    assert "run `doctor` to see what the machine lacks" in capsys.readouterr().err


def test_help_is_shown_without_a_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_here(tmp_path) == 2
    assert "Commands:" in capsys.readouterr().err


def test_every_command_and_option_is_in_the_docs() -> None:
    environment = {**os.environ, "COLUMNS": "100"}
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in ("render", "watch", "present", "export", "list", "doctor", "verify", "check", "embed"):
        done = subprocess.run(
            [sys.executable, "cli.py", command, "--help"],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert f"```\n{done.stdout}```" in text, f"docs/cli.md differs from `{command} --help`"
