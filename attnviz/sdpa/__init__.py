"""Scaled dot-product attention: one front, three implementations, and the producers of records."""

from attnviz.sdpa.front import scaled_dot_product_attention
from attnviz.sdpa.gradients import trace_gradient, trace_limits
from attnviz.sdpa.online import reading_order, trace_gap, trace_online, trace_overflow
from attnviz.sdpa.producers import project, trace_projection, trace_sweep
from attnviz.sdpa.records import trace_attention, trace_difference
from attnviz.sdpa.samples import trace_samples
from attnviz.sdpa.traffic import Setting, trace_traffic
from attnviz.sdpa.zeroed import trace_zeroed

__all__ = [
    "Setting",
    "project",
    "reading_order",
    "scaled_dot_product_attention",
    "trace_attention",
    "trace_difference",
    "trace_gap",
    "trace_gradient",
    "trace_limits",
    "trace_online",
    "trace_overflow",
    "trace_projection",
    "trace_samples",
    "trace_sweep",
    "trace_traffic",
    "trace_zeroed",
]
