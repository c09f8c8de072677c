"""How a number came about: what its expression gives is what the record holds, for every stage of every scene."""

import importlib
import math
import random
from functools import cache

import numpy as np
import pytest

from attnviz import cases
from attnviz.explain.recipes import RECIPES, made
from attnviz.explain.tree import Told, evaluate, leaves
from attnviz.registry import find_scenes
from attnviz.trace import KINDS

SAMPLED = 60  # entries of a stage
NAMES = [entry.name for entry in find_scenes()]
CASES = [(name, None, ()) for name in NAMES] + [
    ("causal_mask", "random", ()), ("tiled", "random", ("a", "b", "c", "d", "e")), ("pipeline", "random", tuple("abc"))]


@cache
def bundle_of(name, case=None, tokens=()):
    """The records of a scene."""
    entry = next(entry for entry in find_scenes() if entry.name == name)
    scene = getattr(importlib.import_module(f"scenes.{name}"), entry.class_name)
    return cases.load(case or scene.case, seed=0, tokens=tokens).bundle(is_causal=_fixed(scene),
                                                                       names=scene.records_used)


def _fixed(scene):
    """A choice that a scene makes for its case; one that depends on the film is causal in most."""
    return True if isinstance(scene.is_causal, property) else scene.is_causal


def some_entries(tensor):
    """Some entries of a tensor, chosen by chance, the first and the last among them."""
    size = tensor.values.size
    chosen = {0, size - 1, *random.Random(tensor.address).sample(range(size), min(size, SAMPLED))}
    for flat in sorted(chosen) if size else ():
        place = np.unravel_index(flat, tensor.values.shape) if tensor.axes else ()
        yield tensor.entry(**{axis: int(index) for axis, index in zip(tensor.axes, place, strict=True)})


@pytest.mark.parametrize(("name", "case", "tokens"), CASES)
def test_every_expression_gives_its_number(name, case, tokens):
    told = set()
    for record in (bundle := bundle_of(name, case, tokens)).values():
        for tensor in record:
            for entry in some_entries(tensor):
                expression = made(bundle, entry)
                assert expression is not None or tensor.stage.rule is None, f"{entry.record}.{entry.address}"
                if expression is None:
                    continue
                if (gives := evaluate(expression)) is None:
                    told.add((record.kind.name, entry.name))
                    continue
                room = 2e-6 * max(1.0, *(abs(leaf.value) for leaf in leaves(expression) if math.isfinite(leaf.value)),
                                  abs(entry.value) if math.isfinite(entry.value) else 1.0)
                same = gives == entry.value or (math.isnan(gives) and math.isnan(entry.value))
                assert same or abs(gives - entry.value) <= room, f"{entry.record}.{entry.address}: {gives}"
    assert {kind for kind, _ in told} <= {"samples"}


def test_every_stage_with_a_rule_has_a_recipe_and_no_other_has():
    for kind in KINDS.values():
        assert {stage.name for stage in kind.stages if stage.rule} == set(RECIPES[kind.name]), kind.name


def test_what_an_expression_is_made_of_is_what_its_stage_is_computed_from():
    """Through other stages too: a dot product is explained by query and key, without the stage of its terms."""
    for name in NAMES:
        for record in (bundle := bundle_of(name)).values():
            for tensor in record:
                for entry in list(some_entries(tensor))[:5]:
                    used = {leaf.name for leaf in leaves(made(bundle, entry) or Told(""))}
                    assert used <= ancestors(record.kind, entry.name), entry.address


def ancestors(kind, name):
    """All stages that a stage is computed from, directly or not."""
    found, front = set(), [name]
    while front:
        new = set(kind.stage(front.pop()).inputs) - found
        found |= new
        front += new
    return found
