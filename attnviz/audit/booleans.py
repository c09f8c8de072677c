"""Boolean masks in words: True stands where the record lets a query attend, and False where it does not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.booleans import WORDS, BooleanMask


def complaints(view: View) -> Iterator[str]:
    """Cards that say something else than the records."""
    for mask in view.all_of(BooleanMask):
        recorded = view.recorded(mask.tensor)
        if recorded is None or recorded.shape != (len(mask.rows), len(mask.rows[0])):
            yield f"{mask.tensor.address} of {mask.tensor.record!r} is shown in words, but is in no record so"
            continue
        for row, column in np.ndindex(recorded.shape):
            said, wanted = mask.rows[row][column][1].text, WORDS[bool(recorded[row, column] == 0)]
            if said != wanted:
                entry = mask.tensor.entry(query_pos=row, key_pos=column)
                yield f"{entry.address} says {said}, the record means {wanted}"
