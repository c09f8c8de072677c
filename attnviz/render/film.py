"""From what was drawn to the files of a folder: the film or the stills, and what lies beside them.

Nothing here draws, plays a scene, or decides where a render goes.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from attnviz.errors import InputError, RenderError
from attnviz.registry import SceneEntry
from attnviz.render.captions import Cue, write_vtt
from attnviz.render.encode import REORDERED
from attnviz.render.job import RenderOptions
from attnviz.render.manifest import write_manifest
from attnviz.render.movie import Chapter, Film, join
from attnviz.render.part import DrawnBeat, Part
from attnviz.render.reading import inspect
from attnviz.render.stills import Sheet
from attnviz.theme import theme_for

LARGEST_SCORE = 400_000  # bytes: a page that embeds a film loads its score whole


def write(entry: SceneEntry, options: RenderOptions, part: Part, files: Path) -> None:
    """Write every file of a render into `files`: `part` holds all beats of the scene."""
    beats = [part.beats[index] for index in sorted(part.beats)]
    poster = _poster(part, beats)
    (files / "trace.npz").write_bytes(part.trace)
    facts = _film(entry, options, part, beats, files) if options.kind == "mp4" else _stills(beats, files)
    poster.picture.save(files / "poster.png")
    sheet = Sheet(theme_for(options.theme))
    for drawn in beats:
        sheet.add(drawn.picture, drawn.beat.title, drawn.beat.start)
    sheet.draw(part.title, beats[-1].beat.end).save(files / "sheet.png")
    _write_score(_lifted({**part.score, "beats": [asdict(drawn.beat) for drawn in beats]}), files / "score.json")
    chosen = {name: value for name, value in options.shaping().items() if value is not None}
    about = {"scene": entry.name, "title": part.title, "options": chosen, "provenance": part.provenance}
    write_manifest(files, {**about, **facts})


def _film(
    entry: SceneEntry, options: RenderOptions, part: Part, beats: list[DrawnBeat], files: Path
) -> dict[str, object]:
    """Join the beats' frames, look at what was written, and write the captions; return the manifest's facts."""
    ends = [round(drawn.beat.end * options.fps) for drawn in beats]
    reordered = 0 if options.vfr else REORDERED.get(options.encode, 0)
    film = Film(files / f"{entry.name}.mp4", *options.pixels, options.fps, part.frames, reordered)
    spans = zip(pairwise([0, *ends]), beats, strict=True)
    chapters = [Chapter(start, end, drawn.beat.title) for (start, end), drawn in spans]
    segments = [drawn.segment for drawn in beats]
    comment = f"trace.npz sha256:{hashlib.sha256(part.trace).hexdigest()}"
    join(segments, film, chapters, title=part.title, comment=comment, sound=part.sound)
    inspect(film, segments)
    cues = [Cue(drawn.beat.start, drawn.beat.end, drawn.beat.caption) for drawn in beats]
    write_vtt(files / f"{entry.name}.en.vtt", cues)
    return {"film": film.facts()}


def _stills(beats: list[DrawnBeat], files: Path) -> dict[str, object]:
    """Write the picture at every beat's end."""
    for number, drawn in enumerate(beats, start=1):
        drawn.picture.save(files / f"{number:02}-{drawn.beat.id}.png")
    return {"stills": len(beats)}


def _poster(part: Part, beats: list[DrawnBeat]) -> DrawnBeat:
    """Return the beat whose end is the poster: the scene's choice, or its last beat."""
    chosen = part.poster or beats[-1].beat.id
    for drawn in beats:
        if drawn.beat.id == chosen:
            return drawn
    known = ", ".join(drawn.beat.id for drawn in beats)
    raise InputError(f'the poster beat "{chosen}" is not one of the scene\'s beats: {known}')


def _lifted(score: dict[str, Any]) -> dict[str, Any]:
    """The score with each distinct content of a grid written once, in `contents`; grids say which is theirs."""
    contents: list[object] = []
    places: dict[str, int] = {}
    for item in (item for beat in score["beats"] for item in beat["visible"] if "content" in item):
        key = json.dumps(item["content"])
        if key not in places:
            places[key] = len(contents)
            contents.append(item["content"])
        item["content"] = places[key]
    return {**score, "contents": contents}


def _write_score(score: Mapping[str, object], path: Path) -> None:
    text = json.dumps(score, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    if (size := len(text.encode())) > LARGEST_SCORE:
        limit = f"{LARGEST_SCORE} are allowed: describe less in each beat's `visible`"
        raise RenderError(f"the score has {size} bytes, {limit}")
    path.write_text(text, encoding="utf-8")
