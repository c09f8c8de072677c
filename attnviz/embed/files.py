"""What lies beside a page: the film, its poster, captions, chapters and transcript, or the player, or one still.

Every file is written into the folder given; nothing here decides where that is.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attnviz.embed.choice import Choice
from attnviz.embed.encoded import mime, write_av1
from attnviz.embed.source import Source
from attnviz.embed.still import write_still
from attnviz.embed.transcript import transcript_page
from attnviz.render.captions import Cue, write_vtt

PLAYER, POSTER, TRANSCRIPT = "player.html", "poster.png", "transcript.html"


@dataclass(frozen=True)
class Film:
    """One film file: its name, how browsers name its encoding, its size in bytes."""

    name: str
    kind: str
    size: int


def write_film(source: Source, choice: Choice, files: Path, say: Callable[[str], None]) -> list[Film]:
    """Write the film and all that belongs to it; return the films, best first. Of a film elsewhere there is none."""
    write_words(source, files)
    shutil.copyfile(source.folder / POSTER, files / POSTER)
    if choice.src:
        return []
    written = [files / f"{source.name}.mp4"]
    shutil.copyfile(source.film, written[0])
    if choice.av1:
        say("encoding the film as AV1")
        written.insert(0, files / f"{source.name}.av1.mp4")
        write_av1(source.film, written[0], source.shown.fps)
    return [Film(path.name, mime(path), path.stat().st_size) for path in written]


def write_words(source: Source, files: Path) -> None:
    """Write captions, chapters and transcript."""
    told = source.told()
    write_vtt(files / f"{source.name}.en.vtt", [Cue(beat.start, beat.end, beat.caption) for beat in told])
    write_vtt(files / f"{source.name}.chapters.vtt", [Cue(beat.start, beat.end, beat.title) for beat in told])
    (files / TRANSCRIPT).write_text(transcript_page(source.title, told), encoding="utf-8", newline="\n")


def write_picture(source: Source, place: int, files: Path) -> str:
    """Write the end of beat `place`, counted from 0, as a PNG; return its name."""
    beat = source.beats[place]
    name = f"{source.name}-{re.sub(r'[^a-zA-Z0-9_]', '_', beat['id'])}.png"
    write_still(source.film, source.shown.frames(beat)[2] - 1, files / name)
    return name
