"""The state of a scene as one digest: all that the pictures to come can depend on, and nothing of the past or of paths.

Which values count stands here; how a value is written stands in `walk.py`.
"""

from __future__ import annotations

import functools
import random
import symtable
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import manim
import numpy as np

from attnviz.mobjects.raster import Raster
from attnviz.recall.objects import write_around, writer_for
from attnviz.recall.syntax import NOT_DRAWN, mentioned, parsed
from attnviz.recall.walk import Unknowable, Walk
from attnviz.scene import LessonScene, SceneOptions

# The past, and what the next play makes anew: they count only where the scene's own code names them.
PAST = {"beats", "last_change", "animations", "stop_condition", "moving_mobjects", "static_mobjects", "duration",
        "last_t", "time", "beat_id"}  # fmt: skip
# How and whereto the scene is rendered, and what windows need.
MACHINERY = {"renderer", "manager", "session_spec", "output_plan", "file_writer_settings", "_log_file_path", "queue",
             "time_progression", "skip_animations", "skip_animation_preview", "interactive_mode", "camera_class",
             "audit", "dearpygui_imported", "widgets", "key_to_function_map", "mouse_press_callbacks"}  # fmt: skip
# A scene that looks at these may play otherwise when it is not drawn.
TELLTALE = {"renderer", "skip_animations", "file_writer", "pixel_array", "get_image"}
CAMERA = {"pixel_array", "background", "pixel_array_to_cairo_context", "display_funcs",
          "background_colored_vmobject_displayer"}  # fmt: skip
CONFIG = ("frame_width", "frame_height", "frame_rate", "pixel_width", "pixel_height", "background_color",
          "background_opacity", "tex_template")  # fmt: skip
SKIPPED = {
    manim.Mobject: frozenset({"name", "original_id", "owner"}),  # the second is an address; the last, for the audit
    Raster: frozenset({"_painted", "resampling_algorithm"}),  # both follow from what it shows and where
    SceneOptions: frozenset({"on_beat", "audit"}),
    manim.Camera: frozenset(CAMERA),
}


def state_digest(scene: manim.Scene) -> str | None:
    """Return a digest of all that a scene holds now, in hex; None where that cannot be known.

    The words of its beats are left out, unless its code names them: a beat's key takes those of that beat.
    """
    try:
        return _digest(scene)
    except Exception:  # of the walk, or of code of the objects that it meets: a render does not fail for its cache
        return None


def _digest(scene: Any) -> str:
    walk, modules = Walk(writer_for, SKIPPED), _modules(type(scene))
    named = frozenset().union(*map(_mentioned, modules))
    if not modules or named & TELLTALE:
        raise Unknowable("the scene's code is not there, or looks at how it is rendered")
    renderer, words = scene.renderer, scene.words if isinstance(scene, LessonScene) else None
    for known in (scene, renderer, renderer.camera, getattr(renderer, "file_writer", None), scene.manager, words):
        walk.met(known)
    left_out = MACHINERY | (PAST - named) | ({"words"} if words else set())
    held = {name: value for name, value in vars(scene).items() if name not in left_out}
    if "mobjects" not in named:
        held["mobjects"] = [mobject for mobject in scene.mobjects if not _is_nothing(mobject)]
    walk.attributes(type(scene), held)
    walk.write([getattr(words, name, None) for name in ("text", *sorted({"title", "beats"} & named))])
    walk.write(scene.time if "time" in named else None)
    _write_camera(walk, renderer.camera)
    walk.write([random.getstate(), np.random.get_state(legacy=False)])
    walk.write(torch.get_rng_state() if (torch := sys.modules.get("torch")) and "torch" in named else None)
    _write_settings(walk)
    for module in modules:
        _write_module(walk, module)
    return walk.digest()


def _is_nothing(mobject: manim.Mobject) -> bool:
    """Whether a mobject is of the kind that each wait leaves in the scene."""
    return type(mobject) is manim.Mobject and not (len(mobject.points) or mobject.submobjects or mobject.updaters)


def _write_camera(walk: Walk, camera: Any) -> None:
    walk.attributes(type(camera), vars(camera))
    pixels = np.ascontiguousarray(camera.background).reshape(-1, camera.background.shape[-1])
    whole = pixels.view(np.uint32) if pixels.shape[1:] == (4,) and pixels.dtype == np.uint8 else pixels
    walk.write(pixels[0] if (whole == whole[0]).all() else pixels)


def _write_settings(walk: Walk) -> None:
    """Write what is set for all mobjects and animations: the configuration, and defaults that are not Manim's own."""
    walk.write([manim.config[name] for name in CONFIG])
    for base in (manim.Mobject, manim.Animation):
        for kind in _subclasses(base):
            if isinstance(default := vars(kind).get("__init__"), functools.partialmethod):
                walk.write([kind, default])


def _subclasses(kind: Any) -> Iterator[type]:
    yield kind
    for below in kind.__subclasses__():
        yield from _subclasses(below)


def _modules(kind: type) -> list[ModuleType]:
    """Return the modules that a scene's class comes from, and what they import from beside its file."""
    folder = Path(getattr(sys.modules[kind.__module__], "__file__", None) or "/nowhere/x").parent
    found: dict[str, ModuleType] = {}
    waiting = [base.__module__ for base in kind.__mro__]
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if module is None or name in found or not _is_beside(module, folder):
            continue
        found[name] = module
        things = [thing for thing in vars(module).values() if isinstance(thing, ModuleType | type | FunctionType)]
        waiting += [thing.__name__ if isinstance(thing, ModuleType) else thing.__module__ for thing in things]
    return [found[name] for name in sorted(found)]


def _is_beside(module: ModuleType, folder: Path) -> bool:
    path = Path(getattr(module, "__file__", None) or "/")
    installed = "site-packages" in path.parts or module.__name__.partition(".")[0] in {"attnviz", "manim"}
    return path.is_relative_to(folder) and not installed and path.suffix == ".py"


def _write_module(walk: Walk, module: ModuleType) -> None:
    """Write what a module's variables, functions and classes hold now; their code is in the beats' own digests."""
    held = vars(module)
    walk.write([held.get(name) for name in _variables(module)])
    for _, thing in sorted(held.items()):
        if getattr(thing, "__module__", None) == module.__name__:
            _write_held(walk, thing)


def _write_held(walk: Walk, thing: object) -> None:
    if isinstance(thing, FunctionType):
        write_around(walk, thing)
    elif isinstance(thing, type):
        for name, value in sorted(vars(thing).items()):
            within = isinstance(value, type) and value.__qualname__ == f"{thing.__qualname__}.{name}"
            if within or isinstance(value, FunctionType):
                _write_held(walk, value)
            elif not (name in NOT_DRAWN or name.startswith(("__", "_abc_")) or hasattr(value, "__get__")):
                walk.write(value)


@functools.lru_cache(maxsize=64)
def _variables(module: ModuleType) -> list[str]:
    """Return the names that a module gives a value itself, sorted: what it imports is not its own."""
    path = Path(str(module.__file__))
    top = symtable.symtable(path.read_text(encoding="utf-8"), str(path), "exec")
    own = {s.get_name() for s in top.get_symbols() if s.is_assigned() and not (s.is_imported() or s.is_namespace())}
    inner = [symbol for table in _tables(top) for symbol in table.get_symbols()]
    return sorted(own | {s.get_name() for s in inner if s.is_assigned() and s.is_declared_global()})


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _tables(child)


@functools.lru_cache(maxsize=64)
def _mentioned(module: ModuleType) -> frozenset[str]:
    return mentioned(parsed(Path(str(module.__file__))))
