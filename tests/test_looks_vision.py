"""The palette as people see it who lack a kind of cone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attnviz.colors import rgb
from attnviz.looks.vision import APART, VISIONS, palette, seen_by
from attnviz.theme import DARK, THEMES


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_hues_of_every_theme_stay_apart(theme):
    found = palette(theme)
    assert [one.what.rpartition(" ")[2] for one in found] == list(VISIONS)
    assert not [one for one in found if one.fails]


def test_two_hues_that_are_one_to_somebody_are_found():
    hues = {**DARK.hues, "key": "#b45c00", "weights": "#6f6c00"}  # they were, in the light theme
    found = {one.what: one for one in palette(replace(DARK, hues=hues))}
    assert found["key and weights with protanopia"].fails
    hues = {**DARK.hues, "scores": "#c2462b", "key": "#b45c00"}
    found = {one.what: one for one in palette(replace(DARK, hues=hues))}
    one = found["key and scores with deuteranopia"]
    assert one.fails and one.value < 0.03 < APART


def test_greys_look_alike_to_all_and_red_and_green_do_not_differ_in_hue():
    for vision in VISIONS:
        assert all(abs(a - b) <= 1 for a, b in zip(rgb(seen_by(vision, "#777777")), rgb("#777777"), strict=True))
    red, green, _ = rgb(seen_by("deuteranopia", "#ff0000"))
    assert abs(red - green) < 30 and red < 200
