"""The evidence: what a film may show, frozen, with named axes, refusing to exist when it does not follow.

Only numpy is needed here. Nothing in this package computes attention for its own sake: producers
(`attnviz.sdpa`) bring the numbers, this package checks and keeps them.
"""

from attnviz.trace.bundle import Bundle
from attnviz.trace.kinds import KINDS
from attnviz.trace.record import Record
from attnviz.trace.stage import Expected, Kind, Stage
from attnviz.trace.tensor import Entry, NamedTensor

__all__ = ["KINDS", "Bundle", "Entry", "Expected", "Kind", "NamedTensor", "Record", "Stage"]
