"""A scene that lies is not rendered: exit code 4, one line, nothing in the folder. An honest one is, and verifies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attnviz.commands import Folders, main

SCENE = '''"""A map."""

import manim

from attnviz.mobjects.grid import Grid
from attnviz.mobjects.labels import TokenLabels
from attnviz.mobjects.number import Number
from attnviz.scene import LessonScene


class {name}(LessonScene):
    """A map of weights."""

    case = "lesson"

    def construct(self) -> None:
        self.play_beats(self.shown, self.again)

    def shown(self) -> None:
        self.grid = Grid(self.tensor("attn_weights"), theme=self.theme, cell=0.8)
        self.labels = TokenLabels(self.data.query_tokens, self.grid)
        self.play(manim.FadeIn(self.grid, self.labels), run_time=0.4)

    def again(self) -> None:
        number = Number(self.tensor("row_sum").entry(query_pos=0), size=60).to_edge(manim.RIGHT, buff=2)
        {lie}
        self.play(manim.FadeIn(number), run_time=0.4)
'''
WORDS = '''title = "A map"

[[beat]]
id = "shown"
title = "Weights"
caption = "Here are the weights."

[[beat]]
id = "again"
title = "A sum"
caption = "And a sum: {row_sum[0]}."
'''


def rendered(folder: Path, name: str, lie: str, *options: str) -> int:
    scenes = folder / "scenes"
    scenes.mkdir(exist_ok=True)
    (scenes / f"{name}.py").write_text(SCENE.format(name=name.capitalize(), lie=lie))
    (scenes / f"{name}.en.toml").write_text(WORDS)
    with pytest.raises(SystemExit) as end:
        main(["render", name, "-q", "m", *options], Folders(scenes, folder / "renders"))
    return int(end.value.code or 0)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_scene_that_lies_is_not_rendered(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], jobs: int
) -> None:
    lie = "number.submobjects[0].points[:, 0] *= 1.2"
    assert rendered(tmp_path, "liar", lie, "--jobs", str(jobs)) == 4
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    for words in ("beat again", "(liar.py:27)", "row_sum[batch=0, head=1, query_pos=0]"):
        assert words in said.err
    assert list((tmp_path / "renders").iterdir()) == []


def test_an_honest_scene_is_rendered_and_verifies(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert rendered(tmp_path, "honest", "pass", "--check") == 0
    said = capfd.readouterr()
    assert "verify: " in said.err and " 0 wrong" in said.err
    folder = tmp_path / "renders" / "honest"
    assert said.out == f"{folder / 'honest.mp4'}\n"
    assert "check" not in json.loads((folder / "manifest.json").read_text())["options"]


def test_check_looks_again_at_beats_that_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A beat from the cache was audited when it was drawn; with --check it is audited once more."""
    from attnviz.audit.auditor import Audit

    looks: list[float] = []
    real = Audit.inside

    def counted(self: Audit, share: float) -> None:
        looks.append(share)
        real(self, share)

    monkeypatch.setattr(Audit, "inside", counted)
    monkeypatch.setenv("ATTNVIZ_CACHE", str(tmp_path / "cache"))
    counts = []
    for options in ((), (), ("--check",)):
        looks.clear()
        assert rendered(tmp_path, "known", "pass", *options) == 0
        counts.append(len(looks))
    assert counts[0] == counts[2] > 0 == counts[1]
