"""What somebody wants to show: `pipeline`, one beat `pipeline:softmax`, or several `pipeline:scores..softmax`.

Beats are named by their ids, or counted from 1. Nothing here reads a film: ids come from the words beside the scene.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attnviz.errors import InputError
from attnviz.registry import SceneEntry, did_you_mean, find_scene
from attnviz.words import Words


@dataclass(frozen=True)
class Selection:
    """Some beats of a scene: from `first` to before `stop`, counted from 0."""

    entry: SceneEntry
    first: int
    stop: int


def select(text: str, scenes: Path) -> Selection:
    """Read `SCENE`, `SCENE:BEAT`, `SCENE:BEAT..BEAT`, `SCENE:..BEAT` or `SCENE:BEAT..`; InputError with the remedy."""
    name, colon, beats = text.partition(":")
    entry = find_scene(name, scenes)
    if colon and not beats:
        raise InputError(f'"{text}" names no beat after the colon; leave the colon out for the whole scene')
    ids = [beat.id for beat in Words.load(entry.path.with_suffix(".en.toml")).beats]
    first, dots, last = beats.partition("..")
    begin = _place(first, ids, name) if first else 0
    end = _place(last, ids, name) if last else begin if beats and not dots else len(ids) - 1
    if end < begin:
        raise InputError(f'"{text}": {last} comes before {first} in {name}; write them the other way round')
    return Selection(entry, begin, end + 1)


def _place(beat: str, ids: Sequence[str], scene: str) -> int:
    """Where a beat stands, from its id or its number."""
    if beat in ids:
        return ids.index(beat)
    if beat.isdecimal() and 1 <= int(beat) <= len(ids):
        return int(beat) - 1
    known = f"{did_you_mean(beat, ids)}; it has {', '.join(ids)}"
    raise InputError(f'{scene} has no beat "{beat:.40}"{known}')
