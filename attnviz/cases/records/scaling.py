"""The record of what scaling does: the same random queries and keys for every case, at five widths."""

import dataclasses
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from attnviz.cases.records.making import Maker, Making
from attnviz.sdpa import trace_samples
from attnviz.trace import Record
from attnviz.trace.params import frozen

SEED, QUERIES, KEYS = 0, 4000, 8
WIDTHS = (16, 64, 128, 256, 1024)
BINS = 150  # narrow enough that the narrowest histogram still has a shape on the axis of the widest


@cache
def _samples() -> Record:
    """Once a process: drawing and checking takes seconds, and no case changes it."""
    return trace_samples(SEED, QUERIES, KEYS, WIDTHS, bins=BINS)


def samples(making: Making) -> Record:
    """Dot products of random queries with their own random keys, raw and scaled."""
    record = _samples()
    about = {**record.provenance, **frozen("samples", making.notes)}
    return dataclasses.replace(record, provenance=MappingProxyType(about))


MAKERS: Mapping[str, Maker] = {"samples": samples}
