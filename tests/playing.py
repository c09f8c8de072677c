"""How tests play a scene: to its last beat, nothing drawn or encoded, and what it then says of itself."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from attnviz.registry import SceneEntry, find_scene
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.scene import LessonScene, SceneOptions


@cache
def own(name: str) -> LessonScene:
    """The scene played with its own case, once a process: tests that look at it have its name as their xdist group."""
    return played(name)


def played(entry: SceneEntry | str, **choices: Any) -> LessonScene:
    """The scene after its last beat; `choices` are those of SceneOptions."""
    entry = find_scene(entry) if isinstance(entry, str) else entry
    options = RenderOptions(quality="l", kind="png", frame=choices.get("frame", "16:9"))
    with tempfile.TemporaryDirectory() as folder, configured(options, Path(folder)):
        module = importlib.import_module(f"scenes.{entry.name}")
        scene: LessonScene = getattr(module, entry.class_name)(SceneOptions(**choices), skip_animations=True)
        scene.render()
    return scene


def story(scene: LessonScene) -> str:
    """What a film says and shows, beat by beat, as lines of text without places and times."""
    lines = [scene.words.title]
    for beat in scene.beats:
        lines += ["", f"== {beat.id} ({beat.kind}): {beat.title}", beat.caption, f"({beat.note})"]
        lines += sorted(line for item in beat.visible for line in _lines(item))
    return "\n".join(lines) + "\n"


def _lines(item: dict[str, Any]) -> Iterator[str]:
    kind = item["type"]
    if kind == "grid":
        content = item["content"]
        rows = [" ".join(row) for row in content.get("strings", ())]
        yield f"grid {content['record']}.{content['address']}: " + (" / ".join(rows) or "shades")
    elif kind == "relation":
        yield f"relation {item['operation']} {item['sign']}"
    elif kind == "labels":
        yield f"labels {item['side']}: " + " ".join(label["shown"] for label in item["labels"])
    elif kind == "arrow":
        yield f"arrow {item['source']['stage']} to {item['target']['stage']}"
    elif kind == "name":
        yield f"name of {item['record']}.{item['stage']}" + " transposed" * item["transposed"]
    elif kind == "color_bar":
        yield f"colour bar of {item['stage']}: {item['ends']}"
    else:
        said = item.get("text", "")
        yield f"{kind} {item['record']}.{item['address']} {said}".strip() if "address" in item else f"{kind}: {said}"
