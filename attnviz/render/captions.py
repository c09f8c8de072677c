"""WebVTT: a cue for every beat. Here text becomes a cue that no player can read as anything but that text."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cue:
    """One caption and the seconds from and to which it is shown."""

    start: float
    end: float
    text: str


def write_vtt(path: Path, cues: Iterable[Cue]) -> None:
    """Write the cues; one without text is left out, as players show it as an empty box."""
    blocks = ["WEBVTT\n"]
    for cue in cues:
        if text := escape(cue.text):
            blocks.append(f"{_clock(cue.start)} --> {_clock(cue.end)}\n{text}\n")
    path.write_text("\n".join(blocks), encoding="utf-8", newline="\n")


def escape(text: str) -> str:
    """Return `text` on one line, with no markup and no arrow in it; NUL, which WebVTT forbids, becomes U+FFFD."""
    line = " ".join(text.replace("\0", "\N{REPLACEMENT CHARACTER}").split())
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clock(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"
