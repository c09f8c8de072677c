"""What a field in a scene's words means: `{query_token[q]}` a token, `{attn_weights[q,0]}` an entry of a record.

Where several records hold a stage, the first of the bundle is meant; `{unmasked.attn_weights[q,0]}` names another.
Nothing is written here: see `attnviz.words` and `attnviz.numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnviz.cases.case import Case
from attnviz.errors import InputError
from attnviz.trace import Bundle, Entry, NamedTensor
from attnviz.words import position

LONGEST_TOKEN = 11  # characters of a token that a caption quotes


@dataclass(frozen=True)
class Quoting:
    """What `scene`, of this case and bundle, may quote; `tensor(stage, record)` gives a stage as it is drawn."""

    scene: str
    data: Case
    bundle: Bundle
    tensor: Callable[[str, str], NamedTensor]

    def resolve(self, name: str, coords: Sequence[str]) -> Entry | str:
        """The token, shortened to what a caption has room for, or the entry; InputError where there is none."""
        places = [position(part, {"q": self.data.worked_query, "k": self.data.worked_key}) for part in coords]
        if name in ("query_token", "key_token"):
            return quotable(getattr(self.data, f"{name}s")[places[0]])
        record, _, stage = name.rpartition(".")
        tensor = self.tensor(stage, record or self._record_of(stage))
        if len(places) != len(tensor.axes):
            needed = ", ".join(tensor.axes) or "no coordinates"
            raise InputError(f"words of {self.scene}: {name} needs {needed}, not {', '.join(coords)}")
        return tensor.entry(**dict(zip(tensor.axes, places, strict=True)))

    def _record_of(self, stage: str) -> str:
        for record in self.bundle:
            if stage in {tensor.name for tensor in self.bundle[record]}:
                return record
        raise InputError(f"words of {self.scene} quote {stage!r}, which no record of the case holds")


def quotable(token: str) -> str:
    """A token as a caption quotes it: a very long one by its beginning, with a visible mark."""
    return token if len(token) <= LONGEST_TOKEN else token[:LONGEST_TOKEN - 1] + "…"
