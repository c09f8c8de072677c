"""Scaled dot-product attention: one front, three implementations, and the producers of records."""

from attnviz.sdpa.front import scaled_dot_product_attention
from attnviz.sdpa.producers import project, trace_projection, trace_samples, trace_sweep
from attnviz.sdpa.records import trace_attention, trace_difference
from attnviz.sdpa.zeroed import trace_zeroed

__all__ = [
    "project",
    "scaled_dot_product_attention",
    "trace_attention",
    "trace_difference",
    "trace_projection",
    "trace_samples",
    "trace_sweep",
    "trace_zeroed",
]
