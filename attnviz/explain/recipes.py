"""All recipes by kind and stage, and what they say of one entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attnviz.explain.attention import DIFFERENCE, PROJECTION, SDPA, ZEROED
from attnviz.explain.look import Look
from attnviz.explain.lookup import GRADIENT, LIMITS, SWEEP
from attnviz.explain.measured import OVERFLOW, SAMPLES, TRAFFIC
from attnviz.explain.tiled import TILED
from attnviz.explain.tree import Expression
from attnviz.trace import Bundle, Entry

RECIPES: Mapping[str, Mapping[str, Callable[[Look], Expression]]] = {
    "sdpa": SDPA, "zeroed": ZEROED, "projection": PROJECTION, "difference": DIFFERENCE, "tiled": TILED,
    "sweep": SWEEP, "limits": LIMITS, "gradient": GRADIENT,
    "samples": SAMPLES, "overflow": OVERFLOW, "traffic": TRAFFIC,
}


def made(bundle: Bundle, entry: Entry) -> Expression | None:
    """How an entry came about from others of its record; None where it was given."""
    record = bundle[entry.record]
    recipe = RECIPES[record.kind.name].get(entry.name)
    return recipe(Look(record, entry.coords)) if recipe else None
