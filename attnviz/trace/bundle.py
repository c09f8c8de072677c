"""A bundle: the records behind one film, saved and loaded as one `.npz` without pickle.

Loading builds every record anew, so a file whose numbers do not follow is refused like any other.
"""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from attnviz.errors import InputError, RecordError
from attnviz.trace.record import Record

FORMAT = 1
LARGEST_FILE = 1 << 30  # bytes once unpacked; checked before anything is unpacked
_HEADER = "bundle.json"


class Bundle(Mapping[str, Record]):
    """Records by name, such as `bundle["sdpa"]["attn_weights"]`. The names are addresses: they never change."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = MappingProxyType(
            {name: dataclasses.replace(record, name=name) for name, record in records.items()})

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

    def save(self, path: Path) -> None:
        """Write one `.npz`; the same bundle gives the same bytes. Raises OSError when the disk does."""
        header = {"format": FORMAT, "records": {name: _described(record) for name, record in self.items()}}
        text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
        arrays = {f"{name}/{stage}": array for name, record in self.items() for stage, array in record.arrays.items()}
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{_HEADER: np.frombuffer(text, dtype=np.uint8)}, **arrays)

    @classmethod
    def load(cls, path: Path) -> Bundle:
        """Read and check a saved bundle. InputError: the file is no bundle; RecordError: it is a false one."""
        try:
            _check_size(path)
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            header = json.loads(arrays.pop(_HEADER).tobytes().decode())
            parts = {name: _part(name, entry, arrays) for name, entry in header["records"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            if isinstance(error, RecordError | InputError):
                raise
            raise InputError(f"{path} is not a saved bundle of records ({error}); render the scene again") from error
        if header.get("format") != FORMAT:
            found = header.get("format")
            raise InputError(f"{path} has format {found!r}, this version reads {FORMAT}; render the scene again")
        return cls(parts)


def _described(record: Record) -> dict[str, Any]:
    return {"kind": record.kind.name, "dtype": record.dtype,
            "params": dict(record.params), "provenance": dict(record.provenance)}


def _part(name: str, entry: Mapping[str, Any], arrays: Mapping[str, Any]) -> Record:
    own = {key.partition("/")[2]: array for key, array in arrays.items() if key.partition("/")[0] == name}
    return Record.build(entry["kind"], own, dtype=entry["dtype"],
                        params=entry["params"], provenance=entry["provenance"])


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        total = sum(info.file_size for info in archive.infolist())
    if total > LARGEST_FILE:
        raise InputError(f"{path} unpacks to {total} bytes, more than {LARGEST_FILE}; it is not one of ours")
