"""One beat's end as a picture: the film's own frame, and what it shows in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av

from attnviz.errors import RenderError
from attnviz.export.encoded import between
from attnviz.export.source import picture_of
from attnviz.player.described import described


def write_still(film: Path, frame: int, path: Path) -> None:
    """Write frame `frame` of a film, counted from 0, as a PNG of the film's size; RenderError where it has none."""
    with av.open(film) as source:
        found = next(between(source, frame, frame + 1), None)
        if found is None:
            raise RenderError(f"{film} ends before frame {frame}; render its scene again")
        picture_of(found).save(path, format="PNG", optimize=True)


def alt_text(beat: Mapping[str, Any], score: Mapping[str, Any]) -> str:
    """What a beat's last picture shows, in a few sentences: its caption, what stands there, the numbers worked."""
    return " ".join([beat["caption"] or beat["title"], *described(beat, {}, score)])
