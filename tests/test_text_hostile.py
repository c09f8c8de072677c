"""Strings from outside: each is drawn as its own letters, or its characters are spelled out."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import text
from attnviz.escape import literal, visible
from attnviz.text.coverage import shown
from attnviz.text.typeset import pages

AS_THEY_ARE = [
    '#import "x"',
    "$x$ and $ y $",
    "\"quoted\" and 'quoted'",
    r"C:\new\table \u{41} \\",
    "<script>alert(1)</script>",
    "-->",
    "<|endoftext|>",
    "{{ a : b }}",
    "x" * 300,
    "*bold* _soft_ `raw` = head",
    "#panic() // comment /* more */",
    "@label <label> ~ -- --- ...",
    "fi fl ffi",
    "ĠĊ Ŀ ▁the ##ing ðŁĺĢ",
    "naïve Ωμέγα Привет",
    "注意力机制，ねこ",
]
SPELLED_OUT = [
    ("NUL \0.", "NUL ‹NUL›."),
    ("a\nb\tc\rd", "a‹LF›b‹TAB›c‹CR›d"),
    ("abc\u202ecba", "abc‹U+202E›cba"),
    ("\x1b[31mred", "‹ESC›[31mred"),
    ("\ud800 alone", "‹U+D800› alone"),
    ("zero\u200bwidth", "zero‹U+200B›width"),
    ("\u2028\ufeff", "‹U+2028›‹U+FEFF›"),
    ("soft\u00adhyphen \ufe0f", "soft‹U+00AD›hyphen ‹U+FE0F›"),
    ("ᚠ rune", "‹U+16A0› rune"),
    ("😀", "‹U+1F600›"),
    ("\ufdd0", "‹U+FDD0›"),
]


@pytest.mark.parametrize("string", AS_THEY_ARE)
def test_every_letter_is_drawn(string: str) -> None:
    line = text.line(string)
    assert line.text == string
    assert shown(string, "regular") == string
    assert len(line) == sum(not character.isspace() for character in string)


@pytest.mark.parametrize(("string", "seen"), SPELLED_OUT)
def test_what_has_no_shape_is_spelled_out(string: str, seen: str) -> None:
    assert shown(string, "regular") == seen
    assert len(text.line(string)) == sum(not character.isspace() for character in seen)
    assert text.line(string).text == string


def test_arabic_is_shaped_not_spelled() -> None:
    word = text.line("مرحبا")
    assert shown("مرحبا بالعالم", "regular") == "مرحبا بالعالم"
    assert 4 <= len(word) <= 6
    alone = sum(text.line(letter).width for letter in "مرحبا")
    assert word.width < 0.9 * alone  # joined letters are narrower than letters by themselves


def test_spaces_count() -> None:
    assert text.line("a  b").width > text.line("a b").width > text.line("ab").width


def test_nothing_at_all() -> None:
    assert len(text.line("")) == 0
    assert len(text.paragraph("", width=3)) == 0


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=20))
def test_any_string_reads_back_as_itself(string: str) -> None:
    [page] = pages([f"#metadata({literal(visible(string))})#box(width: 1pt, height: 1pt)"])
    assert page.width > 0
    drawn = shown(string, "regular")
    assert json.loads(json.dumps(drawn)) == drawn
    assert len(drawn) >= len(string)
