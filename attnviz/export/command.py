"""One export from the scene's name to the file: chosen, rendered where it is not, made, put in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attnviz.export.source import Source
from attnviz.export.write import Wish, default_name, export
from attnviz.player.cues import Shown
from attnviz.player.lecture import lecture_of
from attnviz.player.rendered import rendered
from attnviz.player.selection import select
from attnviz.player.write import Form, present
from attnviz.render.job import OnBeat, RenderOptions


def export_scene(
    scene: str,
    scenes: Path,
    renders: Path,
    options: RenderOptions,
    wish: Wish,
    target: Path | None,
    *,
    jobs: int = 1,
    on_beat: OnBeat | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Make `wish` of a scene (or `SCENE:BEATS`) and return where it lies; without a `target` beside the renders."""
    if wish.target == "html":
        place = target or renders / f"{select(scene, scenes).entry.name}.html"
        lecture = lecture_of([scene], scenes)
        return present(lecture, options, renders, place, Form(), jobs=jobs, on_beat=on_beat, say=say)
    selection = select(scene, scenes)
    [folder] = rendered([(selection.entry, options)], renders, jobs=jobs, on_beat=on_beat, say=say)
    source = Source(Shown.read(selection.entry.name, folder), selection, options)
    return export(source, wish, target or renders / default_name(source, wish))
