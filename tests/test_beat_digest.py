"""The digest of a scene's state: it changes with all that a picture can depend on, and with nothing else."""

import random
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import manim
import numpy as np
import pytest
import torch

from attnviz.mobjects.grid import Grid
from attnviz.recall.digest import state_digest
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from tests.drawn import tensor

SCENE = """
import manim

COUNT = [0]
RATE = 1

def scaled(mobject, by=[1]):
    return mobject.scale(by[0])

class Card(manim.Square):
    seen = 0

class Made(manim.Scene):
    palette = {"a": 1}
"""


def build(folder: Path, source: str = SCENE) -> Any:
    """A scene whose file is `source`, with a bit of everything in it."""
    path = folder / "made.py"
    path.write_text(source, encoding="utf-8")
    spec = spec_from_file_location("made", path)
    assert spec and spec.loader
    module = sys.modules["made"] = module_from_spec(spec)
    exec(compile(source, path, "exec"), module.__dict__)
    scene = module.Made()
    scene.square, scene.circle = manim.Square(fill_opacity=0.5), manim.Circle()
    scene.group = manim.Group(scene.square, scene.circle, manim.Dot())
    scene.grid = Grid(tensor("scores"))
    scene.data = {"tensor": torch.arange(6.0).reshape(2, 3), "tags": {"one", "two", "three"}, "pair": ([1], [1])}
    speed = [2.0]
    scene.square.add_updater(lambda mobject: mobject.shift(speed[0] * manim.RIGHT), call_updater=False)
    scene.speed = speed
    scene.add(scene.group, scene.grid, manim.Triangle())
    scene.add_foreground_mobjects(scene.circle)
    return scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Any]:
    with configured(RenderOptions(quality="l", kind="png"), tmp_path / "media"):
        yield build(tmp_path)
    sys.modules.pop("made", None)


def swap(items: list[Any]) -> None:
    items[0], items[1] = items[1], items[0]


def share(scene: Any) -> None:
    scene.data["pair"] = (scene.data["pair"][0],) * 2


def other_updater(scene: Any) -> None:
    scene.square.updaters[0] = lambda mobject: mobject.shift(3 * manim.RIGHT)


def paint_background(scene: Any) -> None:
    scene.camera.background = scene.camera.background.copy()
    scene.camera.background[5, 5, 0] += 1


CHANGES: dict[str, Callable[[Any], Any]] = {
    "point": lambda s: s.square.points.__setitem__((0, 0), np.nextafter(s.square.points[0, 0], 9)),
    "colour": lambda s: s.circle.set_stroke(manim.ManimColor("#fc6256")),
    "opacity": lambda s: s.square.set_fill(opacity=0.6),
    "stroke width": lambda s: setattr(s.square, "stroke_width", 5),
    "z_index": lambda s: s.square.set_z_index(1),
    "a mobject without points that moves others": lambda s: s.add(manim.Mobject().add_updater(print)),
    "order of the scene": lambda s: swap(s.mobjects),
    "order of a group": lambda s: swap(s.group.submobjects),
    "what is in front": lambda s: s.foreground_mobjects.clear(),
    "what is on screen": lambda s: s.remove(s.grid),
    "a cell's opacity": lambda s: s.grid.dim_cells(rows=[1]),
    "a cell's highlight": lambda s: s.grid.highlight(rows=[1], columns=[0]),
    "other numbers": lambda s: setattr(s.grid, "cells", s.grid.bound_to(tensor("attn_weights"))),
    "opacity of a picture": lambda s: s.grid.set_opacity(0.5),
    "what an updater holds": lambda s: s.speed.__setitem__(0, 3.0),
    "an updater's code": other_updater,
    "an updater less": lambda s: s.square.clear_updaters(),
    "suspended updaters": lambda s: s.square.suspend_updating(),
    "number in a tensor": lambda s: s.data["tensor"].__setitem__((0, 0), 1e-30),
    "type of a tensor": lambda s: s.data.update(tensor=s.data["tensor"].double()),
    "shape of a tensor": lambda s: s.data.update(tensor=s.data["tensor"].reshape(3, 2)),
    "member of a set": lambda s: s.data["tags"].add("four"),
    "order of a dict": lambda s: s.data.update(tensor=s.data.pop("tensor")),
    "one object for two": share,
    "a target": lambda s: s.square.generate_target(),
    "random": lambda s: random.random(),
    "numpy's random": lambda s: np.random.random(),
    "background": lambda s: setattr(s.camera, "background_color", manim.ManimColor("#101010")),
    "a pixel of the background": paint_background,
    "frame": lambda s: setattr(s.camera, "frame_center", np.array([0.0, 1.0, 0.0])),
    "configuration": lambda s: manim.config.__setitem__("frame_width", 12.0),
    "module's list": lambda s: sys.modules["made"].COUNT.append(1),
    "module's number": lambda s: setattr(sys.modules["made"], "RATE", 2),
    "default of a function": lambda s: sys.modules["made"].scaled.__defaults__[0].append(1),
    "attribute of a class": lambda s: setattr(sys.modules["made"].Card, "seen", 1),
    "dict of the scene's class": lambda s: s.palette.update(a=2),
    "attribute of the scene": lambda s: setattr(s, "stage", "softmax"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_a_picture_can_depend_on_counts(scene, change):
    before = state_digest(scene)
    change(scene)
    after = state_digest(scene)
    assert before and after
    assert before != after


def test_defaults_of_a_class_count(scene):
    before = state_digest(scene)
    manim.Square.set_default(color=manim.RED)
    try:
        assert state_digest(scene) not in (None, before)
    finally:
        manim.Square.set_default()
    assert state_digest(scene) == before


NOTHINGS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda s: None,
    "name": lambda s: setattr(s.square, "name", "mine"),
    "picture that was painted": lambda s: s.grid.get_pixel_array(),
    "frame that was drawn": lambda s: s.renderer.update_frame(s),
    "weak reference": lambda s: setattr(s, "leads", weakref.ref(s.circle)),
    "copy in the place": lambda s: setattr(s, "extra", s.extra.copy()),
    "order of attributes": lambda s: s.extra.__dict__.update(z_index=s.extra.__dict__.pop("z_index")),
    "what a wait leaves": lambda s: s.mobjects.insert(1, manim.Mobject()),
    "last play": lambda s: setattr(s, "animations", [manim.Wait()]),
    "beats": lambda s: setattr(s, "beats", [1]),
    "skipping": lambda s: setattr(s, "skip_animations", True),
    "set made anew": lambda s: s.data.update(tags={"three", "two", "one"}),
    "tensor made anew": lambda s: s.data.update(tensor=s.data["tensor"].clone()),
    "columns first": lambda s: setattr(s, "numbers", np.asfortranarray(s.numbers)),
    "view of a copy": lambda s: setattr(s, "numbers", np.array([s.numbers, s.numbers])[1]),
}  # fmt: skip


@pytest.mark.parametrize("change", NOTHINGS.values(), ids=NOTHINGS.keys())
def test_what_no_picture_depends_on_does_not_count(scene, change):
    scene.leads, scene.extra = weakref.ref(scene.square), manim.Star()
    scene.numbers = np.arange(6.0).reshape(2, 3)
    before = state_digest(scene)
    change(scene)
    assert before is not None
    assert state_digest(scene) == before


def test_a_scene_built_twice_has_one_digest(scene, tmp_path):
    assert state_digest(build(tmp_path)) == state_digest(scene)


UNKNOWABLE: dict[str, Callable[[], Any]] = {
    "generator": lambda: (number for number in range(3)),
    "open file": lambda: Path(__file__).open(),  # noqa: SIM115
    "lock": threading.Lock,
    "meta tensor": lambda: torch.empty(2, device="meta"),
    "object that refuses": type("Odd", (), {"__reduce_ex__": lambda self, protocol: 1 / 0}),
}


@pytest.mark.parametrize("make", UNKNOWABLE.values(), ids=UNKNOWABLE.keys())
def test_what_hides_its_contents_is_unknown(scene, make):
    held = make()
    scene.square.held = [held]
    assert state_digest(scene) is None
    if hasattr(held, "close"):
        held.close()


def test_what_is_nested_too_deep_is_unknown(scene):
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    scene.nested = nested
    assert state_digest(scene) is None
    del scene.nested
    while nested:  # from the outside in: Python's own end of it would go as deep
        nested = nested[0]


@pytest.mark.parametrize(("line", "known"), [
    ("print(self.renderer)", False), ("print(self.skip_animations)", False), ("print(self.mobjects)", True),
])
def test_a_scene_that_looks_at_how_it_is_rendered_is_unknown(tmp_path, line, known):
    source = SCENE + f"    def construct(self):\n        {line}\n"
    with configured(RenderOptions(quality="l", kind="png"), tmp_path / "media"):
        assert (state_digest(build(tmp_path, source)) is not None) == known


def test_the_past_counts_where_the_scene_s_code_names_it(tmp_path):
    source = SCENE + "    def construct(self):\n        return self.time, self.beats, self.mobjects\n"
    with configured(RenderOptions(quality="l", kind="png"), tmp_path / "media"):
        scene = build(tmp_path, source)
        before = state_digest(scene)
        scene.renderer.time = 1.0
        later = state_digest(scene)
        scene.beats = [1]
        last = state_digest(scene)
        scene.mobjects.append(manim.Mobject())
        assert len({before, later, last, state_digest(scene)}) == 4
