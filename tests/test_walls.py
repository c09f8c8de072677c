"""Walls between what computes and what draws: a scene has nothing to compute with, and no number of its own to show."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from attnviz.mobjects.grid import Grid
from attnviz.mobjects.number import Number

SCENES = Path(__file__).resolve().parent.parent / "scenes"
COMPUTING = {"torch", "triton", "numpy", "random", "math"}


def imported(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
            names |= {alias.name for alias in node.names if node.module == "attnviz"}
    return names


def typed_digits(source: str) -> list[str]:
    """String literals with a digit that a scene hands to something, f-strings' fixed parts included."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    parts = (part for call in calls for argument in [*call.args, *(k.value for k in call.keywords)]
             for part in ast.walk(argument))
    return [part.value for part in parts
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and re.search(r"\d", part.value)]


def digits_in_words(text: str) -> list[str]:
    """Strings of a words file with a digit outside of `{...}`."""
    table = tomllib.loads(text)
    beats = [beat[key] for beat in table.get("beat", []) for key in ("title", "caption", "note") if key in beat]
    strings = [table["title"], *table.get("text", {}).values(), *beats]
    return [string for string in strings if re.search(r"\d", re.sub(r"\{[^}]*\}", "", string))]


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.py")), ids=lambda path: path.stem)
def test_a_scene_cannot_compute_and_types_no_number(path):
    source = path.read_text(encoding="utf-8")
    assert not imported(source) & (COMPUTING | {"sdpa", "cases"})
    assert typed_digits(source) == []
    assert not re.search(r"\baudit\b", source), "a scene does not touch its audit"


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.toml")), ids=lambda path: path.name)
def test_words_quote_numbers_and_never_type_them(path):
    assert digits_in_words(path.read_text(encoding="utf-8")) == []


def test_the_walls_see_what_they_are_for():
    assert imported("import numpy.linalg\nfrom attnviz import sdpa") == {"numpy", "attnviz", "sdpa"}
    assert typed_digits('text.line("0.62")\ntext.line(f"A = 3{x}")\nx = "7"') == ["0.62", "A = 3"]
    assert digits_in_words('title = "A"\n[[beat]]\ncaption = "it is {attn_weights[2,0]}"\nnote = "0.62"') == ["0.62"]


def test_nothing_draws_a_bare_number():
    for bare in (0.62, np.array([[0.62]]), "0.62"):
        with pytest.raises((TypeError, AttributeError)):
            Number(bare)  # type: ignore[arg-type]
        with pytest.raises((TypeError, AttributeError)):
            Grid(bare)  # type: ignore[arg-type]
