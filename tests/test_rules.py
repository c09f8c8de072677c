"""Rules of a loop, one at a time: they fit their place, have one size, and the last one goes as the next comes."""

from __future__ import annotations

import manim

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.rules import Rules
from attnviz.theme import DARK

FORMULAS = {"short": 'part("output", O) arrow.l part("value", V)', "long": "m arrow.l max(m, S) + max(m, S)"}
WORDS = {"short": "one", "long": "words of another rule", "plain": "only words"}


def rules(width: float = 4.0) -> Rules:
    return Rules(FORMULAS, WORDS, Region(1.0, -2.0, width, 0.6), DARK)


def test_all_fit_their_place_in_one_size():
    made = rules()
    assert all(line.width <= 4.0 and line.height <= 0.6 for line in made.lines.values())
    assert len({round(line[0].em, 6) for line in made.lines.values()}) == 1
    assert made.lines["long"][0].em < rules(20.0).lines["long"][0].em


def test_the_names_of_matrices_have_their_colours():
    formula = rules().lines["short"][1]
    assert isinstance(formula, text.Formula)
    for role in ("value", "output"):
        assert formula.part(role)[0].get_color() == manim.ManimColor(DARK.role(role))


def test_one_rule_is_said_at_a_time_and_none_after_hush():
    made = rules()
    first = made.say("short")
    assert isinstance(first, manim.FadeIn) and first.mobject is made.lines["short"]
    after = made.say("long")
    assert [one.mobject for one in after.animations] == [made.lines["short"], made.lines["long"]]
    assert made.hush().mobject is made.lines["long"]
    assert not made.now.submobjects
