"""A scene's words: what its beats are called, what their captions say, and the numbers in them.

Words live in `scenes/NAME.LANG.toml`. A number is never typed there: `{attn_weights[q,0]}` is filled from the
records by the one formatter, and `{token[0]}` by the tokens. Nothing here draws.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attnviz.errors import InputError

KINDS = ("show", "question", "answer")
LONGEST_CAPTION = 90  # characters: two lines on a phone, and six seconds to read
FIELD = re.compile(r"\{([A-Za-z_]+(?:\.[A-Za-z_]+)?)(?:\[([^\]]*)\])?\}")
_KEYS = ("id", "title", "caption", "note", "kind", "when")
_SAID = ("title", "caption", "note")

Lookup = Callable[[str, Sequence[str]], str]


@dataclass(frozen=True)
class BeatWords:
    """One beat's words. `kind` is show, question or answer; `note` is for the speaker.

    `when` has other words for what is not always so: by the situation in which they are said, such as a case's name.
    """

    id: str
    title: str
    caption: str
    note: str
    kind: str
    when: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def suited(self, situations: Collection[str]) -> BeatWords:
        """The words that are said in these situations."""
        said = {name: getattr(self, name) for name in _SAID}
        for situation, others in self.when.items():
            said |= others if situation in situations else {}
        return replace(self, **said, when={})


@dataclass(frozen=True)
class Words:
    """A scene's words in one language; `text` holds the strings that the picture itself shows."""

    title: str
    beats: tuple[BeatWords, ...]
    text: Mapping[str, str]

    @classmethod
    def load(cls, path: Path) -> Words:
        """Read and check a words file. Raises InputError naming the file, the beat and what is wrong with it."""
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"words {path.name}: {error}") from error
        given = table.get("beat", [])
        if not isinstance(given, list):
            raise InputError(f"words {path.name}: beat is {given!r:.40}; write [[beat]] before each")
        beats = tuple(_beat(path, number, entry) for number, entry in enumerate(given, start=1))
        if not beats or not isinstance(table.get("title"), str):
            raise InputError(f"words {path.name}: needs a title and at least one [[beat]]")
        if len({beat.id for beat in beats}) < len(beats):
            raise InputError(f"words {path.name}: two beats share an id; give each its own")
        shown = table.get("text", {})
        if not isinstance(shown, dict):
            raise InputError(f"words {path.name}: text is {shown!r:.40}; make it a table, [text]")
        _strings(f"words {path.name}, text", shown, tuple(shown))
        return cls(table["title"], beats, MappingProxyType(dict(shown)))

    def suited(self, situations: Collection[str]) -> Words:
        """The same words, with those of these situations where a beat has any."""
        return replace(self, beats=tuple(beat.suited(situations) for beat in self.beats))

    def filled(self, lookup: Lookup) -> Words:
        """The same words with every `{...}` replaced by `lookup(name, coordinates)`."""
        def fill(text: str) -> str:
            return fill_in(text, lookup)

        beats = tuple(replace(b, title=fill(b.title), caption=_short(b.id, fill(b.caption)), note=fill(b.note))
                      for b in self.beats)
        return Words(self.title, beats, MappingProxyType({key: fill(text) for key, text in self.text.items()}))


def fill_in(template: str, lookup: Lookup) -> str:
    """`template` with each `{name[a,b]}` or `{name}` replaced by what `lookup` says it is."""
    def one(match: re.Match[str]) -> str:
        coords = [part.strip() for part in (match[2] or "").split(",") if part.strip()]
        return lookup(match[1], coords)

    return FIELD.sub(one, template)


def position(text: str, variables: Mapping[str, int]) -> int:
    """A coordinate: a number, or the name of one that the scene chose (`q`, the worked row)."""
    if text in variables:
        return variables[text]
    if text.isdecimal():
        return int(text)
    raise InputError(f"coordinate {text!r} is neither a number nor one of {', '.join(variables) or 'none'}")


def _beat(path: Path, number: int, entry: Any) -> BeatWords:
    if not isinstance(entry, dict) or set(entry) - set(_KEYS) or not {"id", "title", "caption"} <= set(entry):
        raise InputError(f"words {path.name}, beat {number}: needs id, title and caption, may have note, kind and when")
    _strings(f"words {path.name}, beat {number}", entry, _KEYS[:-1])
    kind = entry.get("kind", "show")
    if kind not in KINDS:
        raise InputError(f"words {path.name}, beat {entry['id']}: kind {kind!r} is none of {', '.join(KINDS)}")
    return BeatWords(entry["id"], entry["title"], entry["caption"], entry.get("note", ""), kind,
                     _when(f"words {path.name}, beat {entry['id']}", entry.get("when", {})))


def _when(where: str, tables: Any) -> Mapping[str, Mapping[str, str]]:
    """The other words of a beat; InputError where they are no tables of what a beat says."""
    if not isinstance(tables, dict):
        raise InputError(f"{where}: when is {tables!r:.40}; give a table for each situation, as [beat.when.random]")
    for name, others in tables.items():
        if not isinstance(others, dict) or not set(others) <= set(_SAID):
            raise InputError(f"{where}: when.{name} may only have {', '.join(_SAID)}")
        _strings(f"{where}, when.{name}", others, _SAID)
    return tables


def _strings(where: str, entry: Mapping[str, Any], keys: Sequence[str]) -> None:
    """InputError where one of these is there, and no text."""
    for key in keys:
        if not isinstance(entry.get(key, ""), str):
            raise InputError(f"{where}: {key} is {entry[key]!r:.40}; write it in quotes")


def _short(beat: str, caption: str) -> str:
    if len(caption) > LONGEST_CAPTION:
        most = f"{LONGEST_CAPTION} can be read"
        raise InputError(f"beat {beat}: its caption has {len(caption)} characters, {most}; shorten it: {caption!r}")
    return caption
