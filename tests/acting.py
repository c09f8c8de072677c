"""A scene of one beat whose acting a test hands in: to show something false, or something true, and hear the audit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import manim

from attnviz.mobjects.grid import Grid
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.scene import LessonScene, SceneOptions
from attnviz.trace import Bundle, NamedTensor, Record

Act = Callable[["Staged"], None]


class Staged(LessonScene):
    """Plays `act` as its one beat."""

    act: Act = staticmethod(lambda scene: None)
    records: Mapping[str, Record] = {}

    def setup(self) -> None:
        super().setup()
        self.bundle = Bundle({**self.bundle, **type(self).records})

    def construct(self) -> None:
        self.play_beats(self.shown)

    def shown(self) -> None:
        type(self).act(self)

    def grid(self, stage: str, rows: str | None = "query_pos", columns: str | None = "key_pos", **options: Any) -> Grid:
        """A grid of a stage, with the scale of all that the stage holds here."""
        return Grid(self.tensor(stage), rows, columns, **{"cell": 0.7, "theme": self.theme, **options})

    def one(self, stage: str, **coords: int) -> Any:
        """One entry of what is drawn."""
        return self.tensor(stage).entry(**coords)

    def row(self, stage: str, query_pos: int = 2) -> NamedTensor:
        """One row of a stage."""
        return self.tensor(stage).sel(query_pos=query_pos)

    def reveal(self, *mobjects: manim.Mobject) -> None:
        """Fade in what is shown."""
        self.play(manim.FadeIn(*mobjects), run_time=0.4)


def stage(act: Act, *, case: str = "trained", records: Mapping[str, Record] | None = None, **changes: Any) -> Staged:
    """Play a scene; whatever it or the audit raises goes through. `changes` are attributes of its class."""
    body = {"act": staticmethod(act), "records": records or {}, "__module__": __name__, **changes}
    kind = type("Staged", (Staged,), body)
    with tempfile.TemporaryDirectory() as folder, configured(RenderOptions(quality="l", kind="png"), Path(folder)):
        scene: Staged = kind(SceneOptions(case=case), skip_animations=True)
        scene.render()
    return scene
