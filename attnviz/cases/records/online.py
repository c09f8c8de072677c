"""The records of the online softmax: a row that overflows, one pass in blocks, and its distance from two passes."""

from collections.abc import Mapping

import torch

from attnviz.cases.records.making import Maker, Making
from attnviz.errors import InputError
from attnviz.sdpa import reading_order, trace_gap, trace_online, trace_overflow
from attnviz.trace import Record

SCORES = (151.29, 150.0, 149.0)  # of no case: the row that the lesson is known by


def overflow(making: Making) -> Record:
    """Three scores whose exponentials float32 cannot hold."""
    return trace_overflow(torch.tensor(SCORES), notes={"case": making.case.name, "seed": making.case.seed})


def online(making: Making) -> Record:
    """One pass over blocks of keys, all heads and rows, in an order in which the drawn row's maximum rises.

    Its keys stand in that order, which it notes; the words of the keys are those of the other records, so it has none.
    """
    if making.is_causal:
        raise InputError("the record 'online' is made without a mask: set is_causal = False in the scene")
    case = making.case
    row = making.tensor("sdpa", "scores")[case.batch, case.drawn_head, case.worked_query]
    order, block = reading_order(row)
    notes = {name: note for name, note in making.notes.items() if name != "key_tokens"}
    return trace_online(*making.given, order, block, notes=notes)


def passes(making: Making) -> Record:
    """The output of the one pass beside that of `sdpa`, which has the whole row at hand."""
    ours, theirs = making.tensor("online", "output"), making.tensor("sdpa", "output")
    return trace_gap(ours, theirs, *making.given, notes=making.notes)


MAKERS: Mapping[str, Maker] = {"overflow": overflow, "online": online, "passes": passes}
