"""The tables, one file a kind. A new kind is one file here and one line below."""

from attnviz.trace.kinds.difference import DIFFERENCE
from attnviz.trace.kinds.gradient import GRADIENT
from attnviz.trace.kinds.limits import LIMITS
from attnviz.trace.kinds.overflow import OVERFLOW
from attnviz.trace.kinds.projection import PROJECTION
from attnviz.trace.kinds.samples import SAMPLES
from attnviz.trace.kinds.sdpa import SDPA
from attnviz.trace.kinds.sweep import SWEEP
from attnviz.trace.kinds.tiled import TILED
from attnviz.trace.kinds.traffic import TRAFFIC
from attnviz.trace.kinds.zeroed import ZEROED
from attnviz.trace.stage import Kind

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (SDPA, ZEROED, TILED, TRAFFIC, PROJECTION, SWEEP, GRADIENT, LIMITS, SAMPLES, OVERFLOW, DIFFERENCE)
}
