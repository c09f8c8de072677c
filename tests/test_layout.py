"""Layouts: every region lies in the safe area, and regions that are used together do not overlap."""

from __future__ import annotations

from itertools import combinations

import pytest

from attnviz.errors import InputError
from attnviz.layout import FRAMES, SAFE, frame_size, layout_for


@pytest.mark.parametrize("frame", FRAMES)
def test_regions_are_safe_and_apart(frame):
    layout = layout_for(frame)
    used = {name: layout.region(name) for name in ("title", "stage", "side", "formula", "caption")}
    for region in used.values():
        assert region.width > 0
        assert region.height > 0
        assert max(abs(region.left), abs(region.right)) <= layout.width * (0.5 - SAFE) + 1e-9
        assert max(abs(region.top), abs(region.bottom)) <= layout.height * (0.5 - SAFE) + 1e-9
    for one, two in combinations(used.values(), 2):
        apart = (one.right <= two.left + 1e-9 or two.right <= one.left + 1e-9
                 or one.top <= two.bottom + 1e-9 or two.top <= one.bottom + 1e-9)
        assert apart, (one, two)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_whole_spans_stage_and_side(frame):
    layout = layout_for(frame)
    whole, stage, side = (layout.region(name) for name in ("whole", "stage", "side"))
    assert whole.left == pytest.approx(min(stage.left, side.left))
    assert whole.right == pytest.approx(max(stage.right, side.right))
    assert whole.top == pytest.approx(stage.top)
    assert whole.bottom == pytest.approx(side.bottom)


@pytest.mark.parametrize("frame", FRAMES)
def test_captions_have_the_bottom_to_themselves(frame):
    layout = layout_for(frame)
    caption = layout.region("caption")
    others = (layout.region(name) for name in ("title", "whole", "formula"))
    assert caption.top <= min(region.bottom for region in others)
    assert caption.bottom == pytest.approx(-layout.height * (0.5 - SAFE))


def test_frames_have_their_ratio_and_unknown_ones_are_refused():
    for frame in FRAMES:
        across, down = map(int, frame.split(":"))
        width, height = frame_size(frame)
        assert width * down == pytest.approx(height * across)
    with pytest.raises(InputError, match="no frame '4:3'"):
        layout_for("4:3")
    with pytest.raises(InputError, match="no region 'left'"):
        layout_for("16:9").region("left")
