"""`doctor` looks at everything, says what to do a line, and never passes a machine that cannot render."""

import json
import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from attnviz import doctor
from tests.running import run_here

NAMES = ["python", "cairo and pango", "manim", "typst", "fonts", "encoder", "torch", "triton", "gpu", "disk", "renders"]


def failing(renders: Path) -> dict[str, str]:
    """Return the remedies of what will not do, by name."""
    return {finding.name: finding.remedy for finding in doctor.examine(renders) if finding.remedy}


def test_this_machine_is_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "doctor", "--json") == 0
    findings = json.loads(capsys.readouterr().out)
    assert [finding["name"] for finding in findings] == NAMES
    assert all(finding["remedy"] is None and finding["found"] for finding in findings)


@pytest.mark.parametrize("module", ["manim", "typst", "torch", "av"])
def test_a_missing_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert run_here(tmp_path, "doctor") == 3
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert len(lines) == len(NAMES)
    name = {"av": "encoder"}.get(module, module)
    (line,) = [line for line in lines if line.startswith(f"FAIL  {name} ")]
    assert f"import of {module} halted" in line and line.endswith("-> run `make setup`")
    assert err.startswith("error: not ready to render: ") and name in err


def test_missing_bindings_name_the_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manimpango", None)
    monkeypatch.setattr(shutil, "which", lambda tool: "/usr/bin/apt-get" if tool == "apt-get" else None)
    remedy = failing(tmp_path)["cairo and pango"]
    assert remedy.startswith("sudo apt-get install -y build-essential libpango1.0-dev")
    assert remedy.endswith("then run `make setup`")


def test_no_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import av

    def none(name: str, mode: str) -> None:
        raise ValueError(name)

    monkeypatch.setattr(av.codec, "Codec", none)
    assert "force-reinstall" in failing(tmp_path)["encoder"]


def test_a_missing_font(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from attnviz.text import fonts

    monkeypatch.setattr(fonts, "FONT_DIR", tmp_path)
    fonts.bundled_fonts.cache_clear()
    try:
        assert "fonts" in failing(tmp_path)
    finally:
        fonts.bundled_fonts.cache_clear()


def test_a_disk_without_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")(10, 9, 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    assert "make room for 2 GB" in failing(tmp_path)["disk"]


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(dir: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    assert "render with -o" in failing(tmp_path / "deep" / "renders")["renders"]
