"""What the inspector knows of a film: every number drawn in it, and those it came from, to the last digit.

Numbers are texts that give back the very number of the record; how each came about is an expression of others
(`attnviz.explain`). All of it is plain JSON; what is not reachable from something drawn is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from attnviz.explain.recipes import made
from attnviz.explain.tree import Expression, plain, written
from attnviz.player.spots import Spot, Token, spots_of
from attnviz.trace import Bundle, Entry
from attnviz.trace.bundle import SHARED


@dataclass
class Inspected:
    """The numbers of one bundle that a page needs, each with a number of its own, in the order of being asked for."""

    bundle: Bundle
    entries: list[Entry] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def number(self, entry: Entry) -> int:
        """The number under which an entry is kept; it is kept from now on."""
        key = (entry.record, entry.address)
        if key not in self._numbers:
            self._numbers[key] = len(self.entries)
            self.entries.append(entry)
        return self._numbers[key]

    def plain(self, score: Mapping[str, Any], beats: Sequence[int]) -> dict[str, Any]:
        """Everything about these beats: spots by beat, entries, stages and records, as JSON values."""
        spots = {beat: [self._spot(spot) for spot in spots_of(score["beats"][beat], score, self.bundle)]
                 for beat in beats}
        stages: dict[tuple[str, str], int] = {}
        lines = []
        for entry in self.entries:  # it grows meanwhile: what an entry is made of is asked for here
            tree = self._made(entry)
            stage = stages.setdefault((entry.record, entry.name), len(stages))
            how = None if tree is None else plain(tree, self.number)
            lines.append([stage, list(entry.coords.values()), self._text(entry), how])
        return {"spots": spots, "entries": lines, "stages": [self._stage(*key) for key in stages],
                "records": {name: self._record(name) for name, _ in stages},
                "tokens": [[token.axis, token.position, token.text] for token in self.tokens]}

    def _spot(self, spot: Spot) -> list[Any]:
        """Box and number; tokens count from -1 down."""
        if isinstance(spot.what, Entry):
            return [self.number(spot.what), *spot.box]
        if spot.what not in self.tokens:
            self.tokens.append(spot.what)
        return [-1 - self.tokens.index(spot.what), *spot.box]

    def _made(self, entry: Entry) -> Expression | None:
        """How an entry came about; where it was given, how the same number came about in another record of the film."""
        twins = (made(self.bundle, twin) for twin in self._twins(entry))
        own = made(self.bundle, entry)
        return own if own is not None else next((how for how in twins if how is not None), None)

    def _twins(self, entry: Entry) -> Iterator[Entry]:
        """The same number in other records: an attention's query is a projection's, an output that of a difference."""
        for kind, own, other in SHARED:
            for record in self.bundle.values():
                is_own = self.bundle[entry.record].kind.name == kind
                here, there = (own, other) if is_own else (other, own)
                if entry.name != here or (record.kind.name == kind) == is_own or there not in record.arrays:
                    continue
                tensor, mine = record[there], self.bundle[entry.record].arrays[here]
                if tensor.axes == tuple(entry.coords) and np.array_equal(tensor.values, mine, equal_nan=True):
                    yield tensor.entry(**entry.coords)

    def _text(self, entry: Entry) -> str:
        """A number as it is in the record, to its last digit."""
        if not np.isfinite(entry.value):
            return written(entry.value)
        kind = self.bundle[entry.record].arrays[entry.name].dtype.type
        return str(kind(entry.value))

    def _stage(self, record: str, name: str) -> dict[str, Any]:
        stage = self.bundle[record].kind.stage(name)
        dtype = str(self.bundle[record].arrays[name].dtype)
        return {"record": record, "name": name, "symbol": stage.symbol, "title": stage.title, "axes": list(stage.axes),
                "dtype": dtype}

    def _record(self, name: str) -> dict[str, Any]:
        """What words a record's positions have, and how large its tiles are."""
        record = self.bundle[name]
        words = {axis: list(map(str, record.provenance.get(key) or ()))
                 for axis, key in (("query_pos", "query_tokens"), ("key_pos", "key_tokens"))}
        tiles = {side: int(record.params[f"{side}_tile_size"]) for side in ("query", "key")
                 if f"{side}_tile_size" in record.params}
        return {"kind": record.kind.name, "tokens": words, "tiles": tiles, "dtype": record.dtype}


def inspected(trace: Path, score: Mapping[str, Any], beats: Sequence[int]) -> dict[str, Any]:
    """The inspector's data of a finished render: its `trace.npz`, its score, and the beats that are shown."""
    return Inspected(Bundle.load(trace)).plain(score, beats)
