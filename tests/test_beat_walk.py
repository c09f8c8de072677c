"""Any value's digest: equal for copies, in every process; unequal for what is unequal. And a whole scene's, skipped."""

import collections
import copy
import datetime
import enum
import fractions
import functools
import importlib
import operator
import os
import pickle
import random
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import manim
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attnviz.recall.digest import state_digest
from attnviz.recall.objects import writer_for
from attnviz.recall.walk import Unknowable, Walk
from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.render.renderer import QuickRenderer
from attnviz.scene import SceneOptions

ROOT = Path(__file__).resolve().parent.parent
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
values = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.dictionaries(plain, inner) | st.tuples(inner, inner) | st.frozensets(plain),
    max_leaves=12,
)


def digest(value: Any) -> str:
    walk = Walk(writer_for)
    walk.write(value)
    return walk.digest()


@given(values)
def test_a_copy_has_the_same_digest(value):
    assert digest(copy.deepcopy(value)) == digest(value) == digest(pickle.loads(pickle.dumps(value)))


@given(values, values)
def test_equal_digests_are_of_equal_values(one, other):
    if digest(one) == digest(other):
        assert one == other
    if repr(one) != repr(other) and one != other:
        assert digest(one) != digest(other)


@given(arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_side=1)), st.data())
def test_each_bit_of_an_array_counts(array, data):
    before, changed = digest(array), array.copy()
    assert digest(changed) == before
    raw = changed.reshape(-1).view(np.uint8)
    place = data.draw(st.integers(0, raw.size - 1)) if raw.size else None
    if place is not None:
        raw[place] ^= 1
        assert digest(changed) != before


class Tint(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "x y")


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


class Listed(list):
    pass


def adder(number: int) -> Any:
    return lambda x: x + number


PAIRS: dict[str, tuple[Any, Any]] = {
    "kinds of one": (1, True),
    "whole and not": (1, 1.0),
    "zeros": (0.0, -0.0),
    "text and bytes": ("a", b"a"),
    "list and tuple": ([1], (1,)),
    "set and frozen set": ({1}, frozenset({1})),
    "text cut elsewhere": (["ab", "c"], ["a", "bc"]),
    "nested elsewhere": ([[1], 2], [[1, 2]]),
    "numpy's number": (np.float64(1), 1.0),
    "types of array": (np.zeros(2), np.zeros(2, np.float32)),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "objects in an array": (np.array([1, None]), np.array([1, "a"], object)),
    "text in an array": (np.array(["a"], np.dtypes.StringDType()), np.array(["b"], np.dtypes.StringDType())),
    "masks": (np.ma.array([1, 2], mask=[0, 1]), np.ma.array([1, 2], mask=[1, 0])),
    "fields": (np.zeros(1, [("a", "i4")]), np.zeros(1, [("b", "i4")])),
    "enums": (Tint.RED, Tint.BLUE),
    "named tuples": (Point(1, 2), Point(1, 3)),
    "slots": (Slotted(1), Slotted(2)),
    "lists with more": (Listed([1]), Listed([2])),
    "namespaces": (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)),
    "closures": (adder(1), adder(2)),
    "code": (lambda x: x + 1, lambda x: x - 1),
    "partials": (functools.partial(max, 1), functools.partial(max, 2)),
    "methods": ([1].append, [2].append),
    "functions of C": (operator.add, operator.sub),
    "functions of numpy": (np.sin, np.cos),
    "classes": (manim.Square, manim.Circle),
    "patterns": (re.compile("a"), re.compile("a", re.IGNORECASE)),
    "fractions": (fractions.Fraction(1, 3), fractions.Fraction(1, 4)),
    "dates": (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
    "paths": (Path("a"), Path("b")),
    "ranges": (range(3), range(4)),
    "defaults": (collections.defaultdict(list, a=1), collections.defaultdict(set, a=1)),
    "queues": (collections.deque([1]), collections.deque([1], 5)),
    "colours": (manim.ManimColor("#000001"), manim.ManimColor("#000000")),
    "generators of numbers": (random.Random(1), random.Random(2)),
    "numpy's generators": (np.random.default_rng(1), np.random.default_rng(2)),
    "modules": (re, enum),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS.keys())
def test_what_differs_has_another_digest(one, other):
    assert digest(one) == digest(one)
    assert digest(one) != digest(other)


def test_one_object_twice_is_not_two_equal_ones():
    one, other = [1], np.zeros(4)
    assert digest([one, one]) != digest([one, [1]])
    assert digest([other, other[1:]]) != digest([other, other[1:].copy()])
    assert digest([other[:2], other[2:]]) != digest([other[:2].copy(), other[2:].copy()])
    pair = (1, "a b")  # neither text nor tuples of it have an identity
    assert digest([pair, pair]) == digest([pair, (1, " ".join("ab"))])


def test_a_circle_ends():
    ring: list[Any] = [1]
    ring.append({"ring": ring, "set": frozenset({types.SimpleNamespace})})
    assert digest(ring) == digest(copy.deepcopy(ring))


def test_a_set_of_objects_has_no_order():
    first, second = manim.Square(), manim.Circle()
    digests = {digest([first, second, set(pair)]) for pair in ([first, second], [second, first])}
    assert len(digests) == 1
    assert digest([first, second, {first}]) != digest([first, second, {second}])


class Claiming:
    def __reduce__(self) -> str:
        return "PAIRS"


@pytest.mark.parametrize("value", [np.frompyfunc(adder(1), 1, 1), Claiming()], ids=["ufunc", "object"])
def test_what_only_claims_to_be_something_known_is_unknown(value):
    with pytest.raises(Unknowable):
        digest(value)


def in_process(seed: str, code: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, env=environment, text=True)


def test_two_processes_give_one_digest():
    code = """
import sys, tempfile
from pathlib import Path
from attnviz.render.config import configured
from attnviz.recall.digest import state_digest
from attnviz.render.job import RenderOptions
from tests.test_beat_digest import build
with tempfile.TemporaryDirectory() as folder, configured(RenderOptions(quality="l", kind="png"), Path(folder)):
    print(state_digest(build(Path(folder))))
"""
    first, second = in_process("1", code), in_process("2", code)
    assert len(first.strip()) == 64
    assert first == second


def digests_of_pipeline(folder: Path, skipping: bool) -> list[str | None]:
    """The state at each beat's start, with every play drawn or with none."""
    found: list[str | None] = []
    options = RenderOptions(quality="l", kind="png" if skipping else "mp4")
    with configured(options, folder):
        choices = SceneOptions(on_beat=lambda *beat: found.append(state_digest(scene)))
        pipeline = importlib.import_module("scenes.pipeline").Pipeline
        scene = pipeline(choices, renderer=QuickRenderer(skip_animations=skipping))
        scene.render()
    return found


def test_the_pipeline_s_state_is_known_at_each_beat(tmp_path):
    first, second = (digests_of_pipeline(tmp_path / name, skipping=True) for name in ("one", "two"))
    assert None not in first
    assert len(set(first)) == 12
    assert first == second


@pytest.mark.slow
def test_a_beat_that_is_skipped_leaves_the_state_that_a_drawn_one_leaves(tmp_path):
    assert digests_of_pipeline(tmp_path / "one", True) == digests_of_pipeline(tmp_path / "two", False)
