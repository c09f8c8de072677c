"""Every colour, text size and duration, by role, and which scale a stage's numbers are coloured with.

Here live the three themes. The arithmetic of colours is in `attnviz.colors`; nothing here draws.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from attnviz.colors import STEPS, ColorScale, boosted, ramp, rounded_up
from attnviz.errors import InputError

PIXEL = 8 / 1080  # a pixel of a 1080 line picture, in Manim's units


@dataclass(frozen=True, eq=False)
class Theme:
    """Colours (`#rrggbb`) by role; text sizes (the em) and lines in pixels at 1080 lines; durations in seconds.

    A cell has its matrix's colour where its number is positive and `negative` where it is negative, so that blue
    is always a query and orange always a key; 0 is `panel`. Weights rise to their colour by way of `amber`.
    """

    name: str
    background: str
    panel: str
    ink: str
    muted: str
    accent: str
    grid_line: str
    masked: str
    hatch: str
    negative: str
    amber: str
    hues: Mapping[str, str]
    marker: str = "#f5e050"  # a player's pen, and its frames around what it points at
    title_size: int = 52
    formula_size: int = 48
    caption_size: int = 36
    body_size: int = 32
    label_size: int = 28
    number_size: int = 26
    digit_size: int = 34
    small_size: int = 22
    minimum_size: int = 18
    line_width: int = 3
    quick: float = 0.4
    step: float = 0.8
    glance: float = 1.2
    slow: float = 1.6
    read: float = 2.0

    def __deepcopy__(self, memo: object) -> "Theme":
        return self  # nothing in it ever changes

    def role(self, role: str) -> str:
        """The colour of `query`, `key`, `value`, `scores`, `weights`, `output` or `neutral`."""
        if role not in self.hues:
            raise InputError(f"no colour has the role {role!r}: use one of {', '.join(self.hues)}")
        return self.hues[role]

    def stage_color(self, stage: str) -> str:
        """The colour of a stage's name, frame and labels."""
        return self.hues[stage_role(stage)]


_RAW, _SCALED = (  # what is measured without the scale and with it, side by side: there a colour says which of both
    tuple(f"{figure}_{suffix}" for figure in ("std", "largest", "mean_largest", "jacobian", "quartiles_jacobian",
                                              "counts"))
    for suffix in ("raw", "scaled"))  # fmt: skip
_SHARES = ("weights_raw", "weights_scaled")
_NAIVE = ("naive_exp", "naive_sum", "naive_weights")
_STAGES_BY_ROLE: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "weight_query", "query_terms", "nudge", "nudged_query"),
    "key": ("key", "weight_key", "key_terms"),
    "value": ("value", "weight_value", "value_terms", "target"),
    "scores": ("score_terms", "dot_products", "scores", "mask", "masked_scores", "shifted_scores", "row_max", "lse",
               "tile_scores", "tile_row_max", "running_max", "bin_edges", "kept_raw", *_RAW,
               "nudged_dot_products", "nudged_scores", "largest_score"),
    "weights": ("exp_scores", "row_sum", "attn_weights", "tile_exp", "rescale", "running_sum",
                "nudged_weights", "zeroed_weights", "zeroed_sum", *_NAIVE, *_SHARES),
    "output": ("weighted_values", "output", "accumulator", "ours", "theirs", "nudged_output", "moved",
               "miss", "gap", "largest_gap", "largest_miss"),
}  # fmt: skip
_ROLE = {stage: role for role, stages in _STAGES_BY_ROLE.items() for stage in stages}
_ZERO_TO_ONE = ("attn_weights", "exp_scores", "tile_exp", "rescale", "nudged_weights", "zeroed_weights", *_SHARES,
                "largest_raw", "largest_scaled", "mean_largest_raw", "mean_largest_scaled")  # fmt: skip
_FROM_ZERO = ("row_sum", "running_sum", "zeroed_sum", "bytes_read", "bytes_written", "tile_kind", "abs_difference",
              "max_abs_difference", "largest_gap", "largest_miss", "temperature", "head_dim", "predicted_std",
              "kept_raw", "kept_scaled", "untiled_moves", "tiled_moves", "bytes_moved", "bytes_held",
              "untiled_moves_mib", "fine_counts_scaled", "tiled_moves_mib", "bytes_moved_mib", "bytes_held_mib",
              *_NAIVE, *(stage for stage in (*_RAW, *_SCALED) if "largest" not in stage))  # fmt: skip


def stage_role(stage: str) -> str:
    """The role whose colour a stage has; `neutral` for a stage without one."""
    return _ROLE.get(stage, "neutral")


@cache
def scale_for(stage: str, values_min: float, values_max: float, theme: Theme) -> ColorScale:
    """The colour scale of `stage` when its finite values lie in [values_min, values_max].

    Weights and exponentials run from 0 to 1, sums from 0 up, everything else evenly to both sides of 0.
    The bound is rounded up, so nothing is clipped. InputError for bounds that are no finite numbers.
    """
    if not (math.isfinite(values_min) and math.isfinite(values_max)):
        raise InputError(f"{stage}: a colour scale needs finite ends, not {values_min} and {values_max}")
    color = theme.stage_color(stage)
    by = theme.amber if stage_role(stage) == "weights" else boosted(theme.panel, color)
    rising = ramp(theme.panel, by, color, STEPS)
    if stage in _ZERO_TO_ONE or stage in _FROM_ZERO:
        high = 1.0 if stage in _ZERO_TO_ONE else rounded_up(values_max)
        return ColorScale(stage, "sequential", 0.0, high, rising, theme.masked)
    bound = rounded_up(max(abs(values_min), abs(values_max)))
    falling = ramp(theme.panel, boosted(theme.panel, theme.negative), theme.negative, STEPS)
    return ColorScale(stage, "diverging", -bound, bound, falling[:0:-1] + rising, theme.masked)


DARK = Theme(
    name="dark", background="#10141d", panel="#1e2534", ink="#eef1f6", muted="#98a3b5", accent="#ffffff",
    grid_line="#39445a", masked="#161b26", hatch="#333c4e", negative="#7e838d", amber="#b0711a",
    hues=MappingProxyType({
        "query": "#56b4e9", "key": "#f0a12f", "value": "#58e2b0", "scores": "#f4795b", "weights": "#f5e050",
        "output": "#d173ae", "neutral": "#a9bfe0"}),
)  # fmt: skip
LIGHT = Theme(
    name="light", background="#ffffff", panel="#eef1f5", ink="#141a26", muted="#5f6b7e", accent="#000000",
    grid_line="#bcc5d2", masked="#e9edf2", hatch="#c3cbd6", negative="#6b6f77", amber="#d9d384",
    marker="#c4006a",
    hues=MappingProxyType({
        "query": "#0072b2", "key": "#a55a14", "value": "#00614c", "scores": "#ad193e", "weights": "#525100",
        "output": "#7c3b83", "neutral": "#4a5f8a"}),
)  # fmt: skip
HIGH_CONTRAST = Theme(
    name="high-contrast", background="#000000", panel="#101010", ink="#ffffff", muted="#c8c8c8", accent="#ffffff",
    grid_line="#7a7a7a", masked="#000000", hatch="#4a4a4a", negative="#9a9a9a", amber="#b0711a",
    hues=MappingProxyType({
        "query": "#6cc7ff", "key": "#ffb000", "value": "#5fffc1", "scores": "#ff8a66", "weights": "#fff04d",
        "output": "#cd80c8", "neutral": "#c4d6ff"}),
)  # fmt: skip
THEMES: Mapping[str, Theme] = MappingProxyType({theme.name: theme for theme in (DARK, LIGHT, HIGH_CONTRAST)})


def theme_for(name: str) -> Theme:
    """The theme called `name` (`dark`, `light`, `high-contrast`); InputError otherwise."""
    if name not in THEMES:
        raise InputError(f"no theme is called {name!r}: use one of {', '.join(THEMES)}")
    return THEMES[name]
