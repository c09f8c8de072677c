import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.colors import ColorScale, contrast, from_oklab, oklab, rgb, rounded_up
from attnviz.errors import InputError
from attnviz.theme import THEMES, Theme, scale_for, theme_for

STAGES = ("query", "key", "value", "scores", "attn_weights", "output", "row_sum", "anything")
EACH_THEME = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
# Machado, Oliveira and Fernandes 2009, severity 1, on linear light.
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def seen_by(kind: str, color: str) -> str:
    part = np.array(rgb(color)) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(BLINDNESS[kind]) @ linear, 0, 1)
    shown = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in shown)


@EACH_THEME
def test_text_can_be_read(theme: Theme) -> None:
    for ground in (theme.background, theme.panel):
        assert contrast(theme.ink, ground) >= 7
        assert contrast(theme.muted, ground) >= 4.5
        for role in ("query", "key", "value", "scores", "weights", "output", "neutral"):
            assert contrast(theme.role(role), ground) >= 4
    assert contrast(theme.muted, theme.masked) >= 3
    sizes = [value for name, value in vars(theme).items() if name.endswith("_size")]
    assert min(sizes) == theme.minimum_size == 18


@EACH_THEME
@pytest.mark.parametrize("kind", BLINDNESS)
def test_query_key_value_and_output_stay_apart(theme: Theme, kind: str) -> None:
    colors = [seen_by(kind, theme.role(role)) for role in ("query", "key", "value", "output")]
    for one, other in combinations(colors, 2):
        assert math.dist(oklab(one), oklab(other)) > 0.07


@EACH_THEME
@pytest.mark.parametrize("stage", STAGES)
def test_a_scale_rises_evenly_from_its_zero(theme: Theme, stage: str) -> None:
    scale = scale_for(stage, -1.3, 2.2, theme)
    labs = [oklab(color) for color in scale.table]
    zero = scale.step(0.0)
    assert scale.color(0.0) == theme.panel and scale.color(scale.high) == theme.stage_color(stage)
    assert scale.color(scale.low) == (theme.panel if scale.kind == "sequential" else theme.negative)
    for side in (labs[zero:], labs[zero::-1]):
        gaps = [math.dist(labs[zero], lab) for lab in side[::16]]
        steps = np.diff(gaps)
        assert (steps > 0).all() if len(steps) else stage in ("attn_weights", "row_sum")
        lengths = [math.dist(one, other) for one, other in zip(side[::16], side[16::16], strict=False)]
        assert not lengths or max(lengths) < 1.35 * min(lengths)


def test_ends_hold_what_is_drawn() -> None:
    theme = theme_for("dark")
    assert scale_for("scores", -4.27, 3.5, theme).ends == (-5, 5)
    assert scale_for("attn_weights", 0.2, 0.4, theme).ends == (0, 1)
    assert scale_for("row_sum", 1.0, 2.3, theme).ends == (0, 2.5)
    assert scale_for("scores", 0, 0, theme).ends == (-1, 1)
    with pytest.raises(InputError, match="finite"):
        scale_for("scores", -math.inf, 1, theme)


def test_nothing_is_clipped() -> None:
    scale = scale_for("attn_weights", 0, 1, theme_for("dark"))
    for value in (1.0001, -0.0001, math.inf, math.nan):
        with pytest.raises(InputError, match="outside its colour scale"):
            scale.color(value)
    assert scale.color(-math.inf) == theme_for("dark").masked


@given(st.floats(1e-12, 1e12))
def test_bounds_are_rounded_up_and_not_far(bound: float) -> None:
    assert bound <= rounded_up(bound) <= 1.7 * bound


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_oklab_goes_there_and_back(channels: tuple[int, int, int]) -> None:
    color = "#{:02x}{:02x}{:02x}".format(*channels)
    assert from_oklab(oklab(color)) == color


def test_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert oklab("#ff0000") == pytest.approx((0.628, 0.225, 0.126), abs=1e-3)
    assert ColorScale("s", "sequential", 0, 1, ("#000000", "#ffffff"), "#123456").color(1) == "#ffffff"
    for wrong in ("red", "#12", "#gggggg", "", "#12345678"):
        with pytest.raises(InputError, match="no colour"):
            rgb(wrong)
    with pytest.raises(InputError, match="dark, light, high-contrast"):
        theme_for("sepia")
    with pytest.raises(InputError, match="query, key"):
        theme_for("dark").role("mask")
