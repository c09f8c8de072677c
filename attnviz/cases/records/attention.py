"""The usual records of a case: where Q, K and V come from, attention itself, and torch's own beside it."""

from collections.abc import Mapping

from attnviz.cases.records.making import Maker, Making
from attnviz.sdpa import trace_attention, trace_difference, trace_projection
from attnviz.trace import Record


def projection(making: Making) -> Record | None:
    """Q, K and V from X and W; None for a case whose Q, K and V are given."""
    if (p := making.case.projections) is None:
        return None
    inputs = (p.query_input, p.key_input, p.weight_query, p.weight_key, p.weight_value)
    return trace_projection(*inputs, notes=making.notes)


def sdpa(making: Making) -> Record:
    """Attention, all heads, by the reference implementation."""
    return trace_attention(*making.given, is_causal=making.is_causal, notes=making.notes)


def difference(making: Making) -> Record:
    """The output of `sdpa` beside that of torch's own attention."""
    ours = making.tensor("sdpa", "output")
    return trace_difference(ours, *making.given, is_causal=making.is_causal, notes=making.notes)


MAKERS: Mapping[str, Maker] = {"projection": projection, "sdpa": sdpa, "difference": difference}
