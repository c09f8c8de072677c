"""What the chains share: names for their arguments, and heads put together again. No kind is known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.verify.chain.running import Approx

Arrays = Mapping[str, NDArray[Any]]
Params = Mapping[str, Any]
Stages = dict[str, Approx]


def stacked(heads: Sequence[Stages], front: tuple[int, ...]) -> Stages:
    """The stages of single heads as arrays with the axes `front` before their own."""
    return {name: together([head[name] for head in heads], front) for name in (heads[0] if heads else ())}


def together(parts: Sequence[Approx], front: tuple[int, ...]) -> Approx:
    """Equally shaped parts as one, with the axes `front` before their own."""
    shape = (*front, *parts[0].shape)
    values, errors = (np.stack([getattr(part, name) for part in parts]) for name in ("values", "error"))
    return Approx(values.reshape(shape), errors.reshape(shape), parts[0].unit)
