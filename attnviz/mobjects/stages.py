"""What all grids and numbers of one stage share: how its values are coloured and how they are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attnviz.colors import ColorScale
from attnviz.numbers import NumberFormat, format_for
from attnviz.theme import DARK, Theme, scale_for
from attnviz.trace import NamedTensor


def stage_format(tensor: NamedTensor) -> NumberFormat:
    """How a stage's numbers are written, from the values of `tensor`: pass the whole stage to write all alike."""
    return format_for(tensor.name, tensor.values.ravel().tolist())


def stage_scale(tensor: NamedTensor, theme: Theme = DARK, *, also: Sequence[NamedTensor] = ()) -> ColorScale:
    """The colour scale of a stage from the finite values of `tensor`: pass the whole stage to share one scale.

    It reaches as far as the tensors in `also`, so that a number keeps its colour from one stage to the next.
    """
    values = np.concatenate([np.asarray(part.values, dtype=float).ravel() for part in (tensor, *also)])
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    return scale_for(tensor.name, low, high, theme)
