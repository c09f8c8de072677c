"""From a scene to the files of its folder: plays it, has its film joined and looked at, lays the rest beside it.

Nothing here draws in a film, and nothing here decides where a render goes.
"""

import json
import sys
from dataclasses import asdict
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any

from PIL.Image import Image

from attnviz.errors import InputError, RenderError
from attnviz.registry import SceneEntry
from attnviz.render.camera import QuickCamera
from attnviz.render.captions import Cue, write_vtt
from attnviz.render.config import configured
from attnviz.render.job import OnBeat, RenderOptions
from attnviz.render.manifest import sha256, write_manifest
from attnviz.render.movie import Chapter, Film, inspect, join
from attnviz.render.stills import Sheet
from attnviz.scene import LessonScene, SceneOptions
from attnviz.theme import theme_for

LARGEST_SCORE = 200_000  # bytes: a page that embeds a film loads its score whole


def make(entry: SceneEntry, options: RenderOptions, private: Path, on_beat: OnBeat | None) -> None:
    """Play the scene and write every file of its render into `private/files`; manim's own go to `private/media`."""
    files = private / "files"
    kind = _film if options.kind == "mp4" else _stills
    with configured(options, private / "media"):
        scene, facts = kind(entry, options, files, on_beat)
    _write_score(scene, files / "score.json")
    chosen = {name: value for name, value in asdict(options).items() if value is not None}
    provenance = {name: record.described() for name, record in scene.bundle.items()}
    about = {"scene": entry.name, "title": scene.words.title, "options": chosen, "provenance": provenance}
    write_manifest(files, {**about, **facts})


def _film(
    entry: SceneEntry, options: RenderOptions, files: Path, on_beat: OnBeat | None
) -> tuple[LessonScene, dict[str, object]]:
    """Render film, captions, trace, poster and sheet; both pictures are decoded from the film as it was written."""
    scene = _scene_class(entry)(_scene_options(options, on_beat), camera_class=QuickCamera)
    scene.render()
    trace = _save_trace(scene, files)
    ends = [round(beat.end * options.fps) for beat in scene.beats]
    film = Film(files / f"{entry.name}.mp4", *options.pixels, options.fps, frames=ends[-1])
    segments = [Path(part) for part in scene.renderer.file_writer.partial_movie_files if part]
    spans = zip(pairwise([0, *ends]), scene.beats, strict=True)
    chapters = [Chapter(start, end, beat.title) for (start, end), beat in spans]
    join(segments, film, chapters, title=scene.words.title, comment=f"trace.npz sha256:{trace}")
    write_vtt(files / f"{entry.name}.en.vtt", [Cue(beat.start, beat.end, beat.caption) for beat in scene.beats])
    sheet, poster = Sheet(theme_for(options.theme)), _poster_beat(scene)
    for picture, beat in zip(inspect(film, [end - 1 for end in ends]), scene.beats, strict=True):
        sheet.add(picture, beat.title, beat.start)
        if beat.id == poster:
            picture.save(files / "poster.png")
    sheet.draw(scene.words.title, scene.beats[-1].end).save(files / "sheet.png")
    return scene, {"film": film.facts()}


def _stills(
    entry: SceneEntry, options: RenderOptions, files: Path, on_beat: OnBeat | None
) -> tuple[LessonScene, dict[str, object]]:
    """Write the picture at every beat's end as it was drawn, not encoded; between them nothing is drawn."""

    def keep() -> None:
        beat, picture = scene.beats[-1], _picture(scene)
        picture.save(files / f"{len(scene.beats):02}-{beat.id}.png")
        sheet.add(picture, beat.title, beat.start)

    def between(index: int, total: int, beat: str) -> None:
        if scene.beats:
            keep()
        if on_beat:
            on_beat(index, total, beat)

    sheet = Sheet(theme_for(options.theme))
    scene = _scene_class(entry)(_scene_options(options, between), camera_class=QuickCamera, skip_animations=True)
    scene.render()
    keep()
    _save_trace(scene, files)
    number = [beat.id for beat in scene.beats].index(_poster_beat(scene)) + 1
    (files / "poster.png").write_bytes((files / f"{number:02}-{_poster_beat(scene)}.png").read_bytes())
    sheet.draw(scene.words.title, scene.beats[-1].end).save(files / "sheet.png")
    return scene, {"stills": len(scene.beats)}


def _picture(scene: LessonScene) -> Image:
    """Return what is on screen now, drawn anew: while beats are run through, nobody draws."""
    renderer: Any = scene.renderer
    renderer.static_image = None
    renderer.update_frame(scene)
    picture: Image = renderer.camera.get_image().convert("RGB")
    return picture


def _scene_class(entry: SceneEntry) -> Any:
    """Import a scene's file, from whichever folder it was found in, and return its class."""
    name = f"scenes.{entry.name}"
    spec = spec_from_file_location(name, entry.path)
    if spec is None or spec.loader is None:
        raise RenderError(f"{entry.path} cannot be imported")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, entry.class_name)


def _scene_options(options: RenderOptions, on_beat: OnBeat | None) -> SceneOptions:
    return SceneOptions(
        case=options.case,
        seed=options.seed,
        theme=options.theme,
        frame=options.frame,
        burn_captions=options.burn_captions,
        on_beat=on_beat,
    )


def _poster_beat(scene: LessonScene) -> str:
    """Return the id of the beat whose end is the poster: the scene's choice, or its last beat."""
    known = [beat.id for beat in scene.beats]
    chosen = scene.poster_beat or known[-1]
    if chosen not in known:
        raise InputError(f'the poster beat "{chosen}" is not one of the scene\'s beats: {", ".join(known)}')
    return chosen


def _save_trace(scene: LessonScene, files: Path) -> str:
    path = files / "trace.npz"
    scene.bundle.save(path)
    return sha256(path)


def _write_score(scene: LessonScene, path: Path) -> None:
    text = json.dumps(scene.score(), ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    if (size := len(text.encode())) > LARGEST_SCORE:
        limit = f"{LARGEST_SCORE} are allowed: describe less in each beat's `visible`"
        raise RenderError(f"the score has {size} bytes, {limit}")
    path.write_text(text, encoding="utf-8")
