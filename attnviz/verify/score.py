"""The score as a whole: its beats in time, its words, and what lies beside the film that repeats them.

Numbers in words must be roundings of numbers in the records, captions those of the captions' file, chapters the beats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from attnviz.errors import InputError
from attnviz.layout import FRAMES, frame_size
from attnviz.theme import THEMES, Theme, theme_for
from attnviz.verify.claims import Claim, read_json
from attnviz.verify.contents import Content, content_of
from attnviz.verify.report import Tally
from attnviz.verify.shown import QUOTED, is_quoted
from attnviz.verify.truth import Truth

MOST_BEATS, LONGEST = 1000, 86_400  # seconds
QUOTES = 11  # letters of a token that a caption quotes at most
_ID = re.compile(r"\w{1,80}")
_CUE = re.compile(r"(\d\d+):(\d\d):(\d\d)\.(\d{3}) --> (\d\d+):(\d\d):(\d\d)\.(\d{3})\n([^\n]+)\n")


@dataclass(frozen=True, eq=False)
class Beat:
    """One beat: what is said, when it starts and ends in seconds, and what is on screen at its end."""

    id: str
    title: str
    caption: str
    note: str
    start: float
    end: float
    visible: list[Claim]


@dataclass(frozen=True, eq=False)
class Score:
    """A score that could be read."""

    claim: Claim
    theme: Theme
    frame: str
    frame_size: tuple[float, float]
    title: str
    beats: list[Beat]


def read_score(path: Path) -> Score:
    """Read a score; InputError for one that cannot be used."""
    claim = read_json(path)
    theme, frame = theme_for(claim["theme"].one_of(*THEMES)), claim["frame"].one_of(*FRAMES)
    size = claim["frame_size"].numbers(2, 0.1, 1000)
    if any(abs(one - other) > 1e-6 for one, other in zip(size, frame_size(frame), strict=True)):
        claim["frame_size"].refuse(f"that of {frame}, {list(frame_size(frame))}")
    claim["contents"].parts()
    beats = [_beat(part) for part in claim["beats"].parts()]
    if not 0 < len(beats) <= MOST_BEATS:
        claim["beats"].refuse(f"a list of 1 to {MOST_BEATS} beats")
    for one, other in pairwise(beats):
        if other.start < one.end - 1e-6:
            raise InputError(f"score.json: beat {other.id} starts at {other.start:g} s, before {one.id} ends")
    return Score(claim, theme, frame, (size[0], size[1]), claim["title"].text(), beats)


def _beat(part: Claim) -> Beat:
    name, start = part["id"].text(), part["start"].number(0, LONGEST)
    if not _ID.fullmatch(name):
        part["id"].refuse("a beat's name")
    end = part["end"].number(start, LONGEST)
    part["last_change"].number(start - 1e-6, end + 1e-6)
    title, caption, note = (part[key].text() for key in ("title", "caption", "note"))
    return Beat(name, title, caption, note, start, end, part["visible"].parts())


def contents_of(score: Score, truth: Truth, tally: Tally) -> list[Content]:
    """Read and check what the grids of the film show."""
    return [content_of(part, truth, score.theme, tally) for part in score.claim["contents"].parts()]


def check_words(score: Score, truth: Truth, tally: Tally) -> None:
    """Complain of every number in title, caption or note that no record rounds to, and that is no part of a word."""
    words = sorted({piece for token in truth.every_token() for piece in (token, token[: QUOTES - 1] + "…")
                    if any(letter.isdigit() for letter in piece)}, key=len, reverse=True)
    for beat in score.beats:
        for name in ("title", "caption", "note"):
            text = getattr(beat, name)
            for word in words:
                text = text.replace(word, " ")
            for number in QUOTED.findall(text):
                if not is_quoted(number, truth.every_number()):
                    tally.complain(f"the {name} of {beat.id}", f"it quotes {number}", "no record holds such a number")


def check_captions(score: Score, path: Path, tally: Tally) -> None:
    """Complain where the captions' file does not say what the score says, when it says it."""
    try:
        cues = [(_seconds(*found[:4]), _seconds(*found[4:8]), found[8])
                for found in _CUE.findall(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError) as fault:
        raise InputError(f"{path} cannot be read ({fault}); render the scene again") from None
    wanted = [(beat.start, beat.end, _escaped(beat.caption)) for beat in score.beats if beat.caption.strip()]
    if len(cues) != len(wanted):
        tally.complain(path.name, f"it has {len(cues)} captions", f"the score has {len(wanted)}")
    for (start, end, text), (begins, ends, says) in zip(cues, wanted, strict=False):
        if text != says or abs(start - begins) > 0.002 or abs(end - ends) > 0.002:
            tally.complain(path.name, f"from {start:g} to {end:g} s it says {text!r:.80}",
                           f"the score says {says!r:.80} from {begins:g} to {ends:g} s")


def _seconds(hours: str, minutes: str, seconds: str, thousandths: str) -> float:
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(thousandths) / 1000


def _escaped(text: str) -> str:
    line = " ".join(text.replace("\0", "\N{REPLACEMENT CHARACTER}").split())
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
