"""What a beat's pictures depend on beside the scene's state: its code, its words, and the environment.

A beat's code is the scene's file without the other beats' methods, unless it refers to them, and what lies beside the
file. Where it is not sure whether something counts, it does: a beat drawn in vain costs seconds, a stale one is wrong.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import av
import cairo

import attnviz
from attnviz.recall.beside import TooMuch, code_elsewhere, data_beside, modules_beside, version
from attnviz.recall.syntax import dumped, parsed, references, take_beats
from attnviz.scene import LessonScene

PACKAGES = ("manim", "manimpango", "numpy", "av", "pycairo", "pillow", "typst")


def beat_key(*parts: str) -> str:
    """Return the key that these parts make together, in hex."""
    return sha256(json.dumps(parts).encode()).hexdigest()


def words_digest(beat: Mapping[str, str]) -> str:
    """Return a digest of a beat's words, filled in; without its note, which is for the speaker and on no picture."""
    return beat_key(json.dumps({name: text for name, text in beat.items() if name != "note"}, sort_keys=True))


def environment_key(options: Mapping[str, Any]) -> str:
    """Return a digest of what draws and encodes: this package, the versions below it, and `options`, plain values."""
    folder = Path(attnviz.__file__).parent
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    files = {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in paths}
    python = [sys.implementation.name, sys.version, sys.platform, platform.machine()]
    libraries = [cairo.cairo_version_string(), sorted(av.library_versions.items())]
    packages = {name: version(name) for name in PACKAGES}
    return beat_key(json.dumps([files, python, libraries, packages, dict(options)], sort_keys=True, allow_nan=False))


def beat_code(path: Path, class_name: str, beat_ids: Sequence[str]) -> dict[str, str]:
    """Return a digest for each beat of the code that it may run: comments, formatting and docstrings do not count.

    Empty where a file cannot be read, or where too much lies beside the scene's file: no beat's code is known then.
    """
    try:
        tree = parsed(path)
        beats = take_beats(tree, class_name, frozenset(beat_ids) - set(dir(LessonScene)))  # those Manim itself may call
        modules = modules_beside(path, tree)
        code = [(name, dumped(module)) for name, module in modules.items()]
        trees = [tree, *beats.values(), *modules.values()]
        others = [*code, *data_beside(path).items(), *code_elsewhere(path, trees).items()]
        shared = beat_key(dumped(tree), *(part for other in others for part in other))
        own = {name: dumped(method) for name, method in beats.items()}
    except (OSError, SyntaxError, ValueError, RecursionError, TooMuch):
        return {}
    always = set().union(*(references(part, beats) for part in (tree, *modules.values())))
    needs = {name: references(method, beats) for name, method in beats.items()}
    reached = {name: _reached(always | {name} & beats.keys(), needs) for name in beat_ids}
    return {name: beat_key(shared, name, *(own[other] for other in sorted(reached[name]))) for name in beat_ids}


def _reached(start: set[str], needs: Mapping[str, set[str]]) -> set[str]:
    """Return a set of beats with all that they refer to, and all that those do."""
    found, waiting = set(start), list(start)
    while waiting:
        new = needs[waiting.pop()] - found
        found |= new
        waiting += new
    return found
