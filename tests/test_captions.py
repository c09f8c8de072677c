"""Captions survive the trip through a reader of WebVTT, whatever their text tries."""

import html
from pathlib import Path

import pytest
import webvtt

from attnviz.render.captions import Cue, escape, write_vtt

HOSTILE = [
    "00:00:01.000 --> 00:00:09.000",
    "a --> b",
    "<script>alert('x')</script>",
    "</c><v Roger>hi",
    "R&D &lt; &amp;",
    "first\n\nsecond\r\n\r\nNOTE third",
    "WEBVTT",
    "STYLE\n::cue { color: red }",
    '#import "x"',
    "\u202ethgir ot tfel",
    "<|endoftext|>",
    "line\u2028separator and\x85next",
    "a" * 2000,
]


def test_every_hostile_caption_comes_back_as_its_own_letters(tmp_path: Path) -> None:
    path = tmp_path / "x.en.vtt"
    write_vtt(path, [Cue(i, i + 1, text) for i, text in enumerate(HOSTILE)])
    cues = list(webvtt.read(str(path)))
    assert [html.unescape(cue.raw_text) for cue in cues] == [" ".join(text.split()) for text in HOSTILE]
    assert [cue.identifier for cue in cues] == [None] * len(HOSTILE)


def test_cues_span_their_beats_to_the_millisecond(tmp_path: Path) -> None:
    path = tmp_path / "x.en.vtt"
    write_vtt(path, [Cue(0.0, 59.9996, "one"), Cue(59.9996, 3661.0335, "two")])
    found = [(cue.start, cue.end) for cue in webvtt.read(str(path))]
    assert found == [("00:00:00.000", "00:01:00.000"), ("00:01:00.000", "01:01:01.034")]


def test_nul_and_nothing(tmp_path: Path) -> None:
    assert escape("a\0b") == "a\N{REPLACEMENT CHARACTER}b"
    path = tmp_path / "x.en.vtt"
    write_vtt(path, [Cue(0, 1, " \n "), Cue(1, 2, "said")])
    assert [cue.text for cue in webvtt.read(str(path))] == ["said"]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_arrow_and_no_tag_is_left(text: str) -> None:
    assert not set("<>\n\r") & set(escape(text))
