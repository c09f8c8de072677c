"""From a case to its bundle: which records a film of a case may draw on.

Nothing is computed here: the producers of `attnviz.sdpa` do that.
"""

import torch

from attnviz.cases.case import Case
from attnviz.sdpa import trace_attention, trace_difference, trace_projection
from attnviz.trace import Bundle, Record


def bundle_of(case: Case, is_causal: bool) -> Bundle:
    """Records "projection" (if the case has X and W), "sdpa" and "difference", each noting case, words and seed."""
    notes = {
        "case": case.name,
        "seed": case.seed,
        "query_tokens": list(case.query_tokens),
        "key_tokens": list(case.key_tokens),
    }
    records: dict[str, Record] = {}
    if (p := case.projections) is not None:
        inputs = (p.query_input, p.key_input, p.weight_query, p.weight_key, p.weight_value)
        records["projection"] = trace_projection(*inputs, notes=notes)
    given = (case.query, case.key, case.value)
    records["sdpa"] = trace_attention(*given, is_causal=is_causal, notes=notes)
    output = torch.from_numpy(records["sdpa"].arrays["output"].copy())  # a record's own arrays are read-only
    records["difference"] = trace_difference(output, *given, is_causal=is_causal, notes=notes)
    return Bundle(records)
