"""Kind `traffic` from its definition: every byte counted from the sizes, one setting after the other."""

from __future__ import annotations

import numpy as np

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.stacking import Arrays, Params, Stages

GIVEN = ("query_count", "key_count", "head_dim", "value_dim", "element_size", "query_tile_size")
MIB = 1024 * 1024
COUNTED = ("untiled_moves", "tiled_moves", "bytes_moved", "bytes_held")


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from the sizes of the settings."""
    settings = list(zip(*(arrays[name].astype(int).tolist() for name in GIVEN), strict=True))
    rows = [_counted(*sizes) for sizes in settings]
    counts = {name: given(np.array([row[place] for row in rows], np.float64), unit)
              for place, name in enumerate(COUNTED)}
    mib = {f"{name}_mib": _in_mib(count) for name, count in counts.items()}
    return {**{name: given(arrays[name], unit) for name in GIVEN}, **counts, **mib}


def _counted(queries: int, keys: int, width: int, value_width: int, size: int, tile: int) -> list[list[int]]:
    """The bytes of each move untiled and tiled, of both in all, and of what is held by both."""
    read_q, read_k, read_v = queries * width * size, keys * width * size, keys * value_width * size
    matrix, write_o = queries * keys * size, queries * value_width * size
    tiles = len(range(0, queries, tile))
    untiled = [read_q + read_k + read_v, matrix, matrix, matrix, matrix, write_o]
    tiled = [read_q, tiles * (read_k + read_v), write_o]
    return [untiled, tiled, [sum(untiled), sum(tiled)], [matrix, 0]]


def _in_mib(count: Approx) -> Approx:
    return Approx(count.values / MIB, np.zeros(count.shape), count.unit)
