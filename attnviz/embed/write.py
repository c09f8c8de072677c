"""From a choice to the text to paste: a render found or made, the folder beside the page written whole, the snippet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attnviz.embed.choice import Choice
from attnviz.embed.files import PLAYER, Film, write_film, write_picture, write_words
from attnviz.embed.folder import replaced
from attnviz.embed.markup import Shown
from attnviz.embed.place import page_for
from attnviz.embed.snippets import SNIPPETS, Still
from attnviz.embed.source import Source
from attnviz.embed.still import alt_text
from attnviz.embed.transcript import transcript_lines
from attnviz.errors import InputError
from attnviz.player.lecture import Lecture, ScenePart
from attnviz.player.rendered import rendered
from attnviz.player.selection import Selection, select
from attnviz.player.write import Form, present
from attnviz.registry import SceneEntry
from attnviz.render.job import OnBeat, RenderOptions

_INSIDE = ("html", "jupyter")  # targets that hold the transcript themselves


@dataclass(frozen=True)
class Job:
    """How renders are found and made, and who hears of it."""

    renders: Path
    jobs: int = 1
    on_beat: OnBeat | None = None
    say: Callable[[str], None] = lambda line: None


def embed(entry: SceneEntry, options: RenderOptions, choice: Choice, folder: Path, job: Job) -> str:
    """Write what a page needs into `folder`, and return the text to paste into the page.

    Raises InputError where the folder holds what this command did not write, or the beat is none; else whatever a
    render raises. `folder` is replaced whole or stays as it was.
    """
    page = page_for(choice, folder)
    still = _beat(choice.still, entry) if choice.still else None
    whole = select(entry.name, entry.path.parent)
    with replaced(folder, entry.name, job.say) as files:
        (lies,) = rendered([(entry, options)], job.renders, jobs=job.jobs, on_beat=job.on_beat, say=job.say)
        source = Source.read(entry.name, lies)
        snippet = SNIPPETS[choice.target]
        if still:
            picture = Still(write_picture(source, still.first, files), _alt(source, still.first))
            lines = snippet(_picture(source, still.first), page, picture, False)
        elif choice.is_player:
            address = choice.src or _player(source, whole, options, files, job)
            write_words(source, files)
            lines = snippet(_shown(source, choice, [Film(address, "", 0)]), page, None, True)
        else:
            films = write_film(source, choice, files, job.say) or [Film(choice.src, _guessed(choice.src), 0)]
            lines = snippet(_shown(source, choice, films), page, None, False)
    return "\n".join(lines)


def _beat(beat: str, entry: SceneEntry) -> Selection:
    """The one beat that is meant, by its id or its number."""
    found = select(f"{entry.name}:{beat}", entry.path.parent)
    if found.stop - found.first != 1:
        raise InputError(f'--still "{beat}" names several beats; a picture shows the end of one')
    return found


def _player(source: Source, whole: Selection, options: RenderOptions, files: Path, job: Job) -> str:
    """Write the lecture player's page; return its name."""
    lecture = Lecture(source.title, (ScenePart(whole),), name=source.name)
    present(lecture, options, job.renders, files / PLAYER, Form(), jobs=job.jobs, on_beat=job.on_beat, say=job.say)
    return PLAYER


def _shown(source: Source, choice: Choice, films: list[Film]) -> Shown:
    told = transcript_lines(source.told()) if choice.target in _INSIDE and not choice.is_player else []
    return Shown(source.name, source.title, source.width, source.height,
                 [(film.name, film.kind, film.size) for film in films], choice.autoplay,
                 not source.has_burnt_captions, told)


def _picture(source: Source, place: int) -> Shown:
    return Shown(source.name, source.beats[place]["title"], source.width, source.height)


def _alt(source: Source, place: int) -> str:
    return alt_text(source.beats[place], source.shown.score)


def _guessed(url: str) -> str:
    """The MIME type that an address' ending tells, or nothing."""
    path = url.partition("?")[0].partition("#")[0].lower()
    return next((kind for end, kind in ((".mp4", "video/mp4"), (".webm", "video/webm")) if path.endswith(end)), "")
