"""The pipeline with each case, and with as many words as can be drawn, in every frame: nothing collides."""

from __future__ import annotations

import pytest

from attnviz.layout import FRAMES
from attnviz.looks import LookOptions, check_scene
from attnviz.registry import find_scene
from tests.test_pipeline import WORDS

CASES = {
    "lesson": {"case": "lesson"}, "trained": {"case": "trained"}, "cross": {"case": "cross"},
    "random": {"case": "random"}, "of 12 words": {"case": "random", "tokens": WORDS[:12]},
    "of 64 words": {"case": "random", "tokens": WORDS}, "of one word": {"case": "lesson", "tokens": ("the",)},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("case", CASES)
def test_every_case_can_be_read_in_every_frame(case, frame, theme):
    options = LookOptions(themes=(theme,), frames=(frame,), with_flashes=False, **CASES[case])
    assert [complaint.line() for complaint in check_scene(find_scene("pipeline"), options)] == []
