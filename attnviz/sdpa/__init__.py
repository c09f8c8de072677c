"""Scaled dot-product attention: one front, three implementations, and the producers of records."""

from attnviz.sdpa.front import scaled_dot_product_attention
from attnviz.sdpa.online import reading_order, trace_gap, trace_online, trace_overflow
from attnviz.sdpa.producers import project, trace_projection, trace_samples, trace_sweep
from attnviz.sdpa.records import trace_attention, trace_difference

__all__ = [
    "project",
    "reading_order",
    "scaled_dot_product_attention",
    "trace_attention",
    "trace_difference",
    "trace_gap",
    "trace_online",
    "trace_overflow",
    "trace_projection",
    "trace_samples",
    "trace_sweep",
]
