"""What the records say: the numbers of `trace.npz` by their address, the tokens, and the tables of the kinds.

Loading checks every stage against its recorded inputs (`attnviz.trace`), and then once more end to end by `chain`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import InputError
from attnviz.trace import Bundle, Record
from attnviz.trace.tensor import NamedTensor
from attnviz.verify.chain import recomputed
from attnviz.verify.claims import Claim, shortly


@dataclass
class Truth:
    """The records of a film, and how many numbers of them were computed anew."""

    bundle: Bundle
    numbers: int = 0
    _sorted: NDArray[Any] | None = field(default=None, repr=False)

    @classmethod
    def load(cls, path: Path) -> Truth:
        """Read the records and compute each anew; RecordError for what does not follow, InputError for no bundle."""
        try:
            bundle = Bundle.load(path)
            return cls(bundle, sum(recomputed(record) for record in bundle.values()))
        except MemoryError:
            raise InputError(f"{path} holds more numbers than this machine can; render fewer positions") from None

    def record(self, name: Claim) -> Record:
        """The record that a claim names; InputError where there is none."""
        if not isinstance(name.value, str) or name.value not in self.bundle:
            name.refuse(f"a record of the trace ({', '.join(self.bundle)})")
        return self.bundle[name.value]

    def tensor(self, item: Claim) -> NamedTensor:
        """The numbers at the record and address of an item, whole or with axes selected away."""
        record, address = self.record(item["record"]), item["address"]
        try:
            return self.bundle.at(record.name, address.text())
        except InputError as fault:
            raise InputError(f"{address.place} is {shortly(address.value)}, which is no address in the trace "
                             f"({fault}); render the scene again") from None

    def value(self, item: Claim) -> float:
        """The one number at an item's record and address."""
        found = self.tensor(item)
        if found.axes:
            item["address"].refuse(f"the address of one number: {', '.join(found.axes)} missing")
        return float(found.values)

    def tokens(self, axis: str | None, record: str) -> list[str] | None:
        """The words along an axis that a record notes, or the first that notes any; None where none does."""
        key = {"query_pos": "query_tokens", "key_pos": "key_tokens"}.get(axis or "")
        noted = (one.provenance.get(key) for one in (self.bundle[record], *self.bundle.values())) if key else ()
        return next((list(map(str, tokens)) for tokens in noted if isinstance(tokens, tuple)), None)

    def every_token(self) -> set[str]:
        """The words of all records."""
        noted = (one.provenance.get(key) for one in self.bundle.values() for key in ("query_tokens", "key_tokens"))
        return {str(token) for tokens in noted if isinstance(tokens, tuple) for token in tokens}

    def described(self) -> Any:
        """Kind, dtype, parameters and provenance of every record, as plain JSON values."""
        return json.loads(json.dumps({name: record.described() for name, record in self.bundle.items()}))

    def every_number(self) -> NDArray[Any]:
        """All finite numbers of all records, sorted."""
        if self._sorted is None:
            arrays = [array.astype(np.float64).ravel() for record in self.bundle.values()
                      for array in record.arrays.values()]
            every = np.concatenate(arrays) if arrays else np.zeros(0)
            self._sorted = np.unique(every[np.isfinite(every)])
        return self._sorted
