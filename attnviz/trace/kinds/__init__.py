"""The tables, one file a kind. A new kind is one file here and one line below."""

from attnviz.trace.kinds.difference import DIFFERENCE
from attnviz.trace.kinds.projection import PROJECTION
from attnviz.trace.kinds.samples import SAMPLES
from attnviz.trace.kinds.sdpa import SDPA
from attnviz.trace.kinds.sweep import SWEEP
from attnviz.trace.kinds.tiled import TILED
from attnviz.trace.kinds.zeroed import ZEROED
from attnviz.trace.stage import Kind

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (SDPA, TILED, PROJECTION, SWEEP, SAMPLES, DIFFERENCE, ZEROED)
}
