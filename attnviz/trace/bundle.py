"""A bundle: the records behind one film, saved and loaded as one `.npz` without pickle.

Loading builds every record anew, so a file whose numbers do not follow is refused like any other.
"""

from __future__ import annotations

import dataclasses
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.errors import InputError, RecordError
from attnviz.trace.record import Record
from attnviz.trace.tensor import NamedTensor

FORMAT = 1
LARGEST_FILE = 1 << 30  # bytes once unpacked; checked before anything is unpacked
_HEADER = "bundle.json"


_ADDRESS = re.compile(r"([a-z0-9_]{1,80})(?:\[([a-z0-9_=, ]{1,300})\])?")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
# Numbers that two records of a film both hold: (kind, stage) must equal the stage of an attention record.
SHARED = (("difference", "ours", "output"),
          ("projection", "query", "query"), ("projection", "key", "key"), ("projection", "value", "value"),
          ("zeroed", "attn_weights", "attn_weights"), ("zeroed", "mask", "mask"))
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, NotImplementedError, RuntimeError,
               MemoryError, OverflowError, zipfile.BadZipFile, zlib.error)


class Bundle(Mapping[str, Record]):
    """Records by name, such as `bundle["sdpa"]["attn_weights"]`. The names are addresses: they never change.

    Raises RecordError for a name that is none, and for records that do not belong together: a difference, a
    projection or a zeroed whose numbers are those of no attention in the bundle.
    """

    def __init__(self, records: Mapping[str, Record]) -> None:
        for name in records:
            if not _NAME.fullmatch(name):
                raise RecordError(f"a record cannot be called {name!r:.60}: use small letters, digits and underscores")
        self._records = MappingProxyType(
            {name: dataclasses.replace(record, name=name) for name, record in records.items()})
        _check_shared(self._records)

    def __getitem__(self, name: str) -> Record:
        if name not in self._records:
            raise InputError(f"no record {name!r} in this bundle; it holds {', '.join(self._records)}")
        return self._records[name]

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def at(self, record: str, address: str) -> NamedTensor:
        """The numbers at an address as `NamedTensor.address` writes it, such as `attn_weights[batch=0, head=1]`.

        Raises InputError where no number of the record has this address.
        """
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise InputError(f"{address!r:.60} is no address such as attn_weights[batch=0, head=1]")
        pairs = [part.partition("=") for part in match[2].split(", ")] if match[2] else []
        if not all(place.isdecimal() and place.isascii() for _, _, place in pairs):
            raise InputError(f"{address!r:.60}: a coordinate is a whole number, as in attn_weights[batch=0, head=1]")
        found = self[record][match[1]].sel(**{axis: int(place) for axis, _, place in pairs})
        if found.address != address:
            raise InputError(f"{address!r:.60} is written {found.address}")
        return found

    def save(self, path: Path) -> None:
        """Write one `.npz`; the same bundle gives the same bytes. Raises OSError when the disk does."""
        header = {"format": FORMAT, "records": {name: record.described() for name, record in self.items()}}
        text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
        arrays = {f"{name}/{stage}": array for name, record in self.items() for stage, array in record.arrays.items()}
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{_HEADER: np.frombuffer(text, dtype=np.uint8)}, **arrays)

    @classmethod
    def load(cls, path: Path) -> Bundle:
        """Read and check a saved bundle. InputError: the file is no bundle; RecordError: it is a false one."""
        try:
            _check_members(path)
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            header = json.loads(arrays.pop(_HEADER).tobytes().decode(), object_pairs_hook=_no_duplicates)
            if type(header["format"]) is not int or header["format"] != FORMAT:
                raise InputError(f"{path} has format {header['format']!r:.40}, this version reads {FORMAT}; "
                                 "render the scene again")
            return cls(_parts(header["records"], arrays))
        except (RecordError, InputError):
            raise
        except _UNREADABLE as error:
            why = f"({error!r:.200}); render the scene again"
            raise InputError(f"{path} is not a saved bundle of records {why}") from error


def _check_shared(records: Mapping[str, Record]) -> None:
    attention = [record for record in records.values() if record.kind.name in ("sdpa", "tiled")]
    for record in records.values():
        for kind, own, other in SHARED:
            if record.kind.name == kind and attention and not any(
                    np.array_equal(record.arrays[own], one.arrays[other], equal_nan=True) for one in attention):
                raise RecordError(f"{record.name}.{own} is the {other} of no attention in this bundle")


def _parts(entries: Mapping[str, Any], arrays: Mapping[str, Any]) -> dict[str, Record]:
    own = {name: {key.partition("/")[2]: array for key, array in arrays.items() if key.partition("/")[0] == name}
           for name in entries}
    if strays := set(arrays) - {f"{name}/{stage}" for name, stages in own.items() for stage in stages}:
        raise ValueError(f"numbers of no record: {', '.join(sorted(strays))}")
    return {name: Record.build(entry["kind"], own[name], dtype=entry["dtype"], params=entry["params"],
                               provenance=entry["provenance"]) for name, entry in entries.items()}


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands twice in the header")
    return table


def _check_members(path: Path) -> None:
    """Refuse, before anything is unpacked, what is too large or has two members of one name."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    if len({member.filename for member in members}) < len(members):
        raise ValueError("two members of one name")
    if (total := sum(member.file_size for member in members)) > LARGEST_FILE:
        raise InputError(f"{path} unpacks to {total} bytes, more than {LARGEST_FILE}; it is not one of ours")
