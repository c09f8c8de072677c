"""Kind `tiled`: the same attention as a fused kernel computes it, tile by tile, with a running softmax.

A step is one query tile against one key tile. NaN stands for "no number": a lane beyond a ragged edge, or a
tile that was skipped. The s x s matrix is in no stage, because the kernel never holds it.
Parameters: those of `sdpa`, query_tile_size, key_tile_size, element_size (bytes of a number of the inputs).
"""

from __future__ import annotations

import numpy as np

from attnviz.trace import rules
from attnviz.trace.kinds.sdpa import FRONT, PAIR, ROW, SHARED, causal_forbids, causal_mask
from attnviz.trace.params import ATTENTION, COUNT
from attnviz.trace.stage import Array, Arrays, Expected, Flags, Kind, Params, Stage

STEP = (*FRONT, "query_tile", "key_tile")
LANE = (*STEP, "row")
DIAGONAL, RAGGED, SKIPPED = 1, 2, 4


def tiles(length: int, size: int) -> list[slice]:
    """The stretches of `length` positions that tiles of `size` cover; the last may be ragged."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _plan(a: Arrays, p: Params) -> tuple[list[slice], list[slice]]:
    query_count, key_count = a["mask"].shape[-2:]
    return tiles(query_count, p["query_tile_size"]), tiles(key_count, p["key_tile_size"])


def _kind_of(rows: slice, columns: slice, a: Arrays, p: Params) -> int:
    ragged = rows.stop - rows.start < p["query_tile_size"] or columns.stop - columns.start < p["key_tile_size"]
    if not p["is_causal"]:
        return RAGGED * bool(ragged)
    query_count, key_count = a["mask"].shape[-2:]
    forbidden = causal_forbids(query_count, key_count, p["causal"])[rows, columns]
    if forbidden.all():
        return SKIPPED
    return DIAGONAL * bool(forbidden.any()) + RAGGED * bool(ragged)


def _tile_kind(a: Arrays, p: Params) -> Expected:
    query_tiles, key_tiles = _plan(a, p)
    table = np.array([[_kind_of(r, c, a, p) for c in key_tiles] for r in query_tiles], dtype=float)
    table = table.reshape(len(query_tiles), len(key_tiles))
    return Expected(np.broadcast_to(table, (*a["query"].shape[:2], *table.shape)).copy())


def _scores(a: Arrays, p: Params) -> tuple[Array, Array]:
    key = rules.grouped(a["key"], a["query"].shape[1])
    dots = rules.dot_rows(a["query"], key)
    scale, allowed = float(p["scale"]), ~np.isneginf(a["mask"])
    scores = np.where(allowed, scale * dots.values, 0.0) + a["mask"]
    bias = np.where(allowed, np.abs(a["mask"]), 0.0)
    return scores, np.maximum(abs(scale) * np.asarray(dots.largest), bias)


def _cut(a: Arrays, p: Params, whole: Array) -> Array:
    """(batch, head, query_pos, key_pos) into (..., query_tile, key_tile, row, column), NaN where there is no lane."""
    query_tiles, key_tiles = _plan(a, p)
    steps = (len(query_tiles), len(key_tiles), p["query_tile_size"], p["key_tile_size"])
    cut = np.full((*whole.shape[:2], *steps), np.nan)
    for i, rows in enumerate(query_tiles):
        for j, columns in enumerate(key_tiles):
            block = whole[:, :, rows, columns]
            cut[:, :, i, j, : block.shape[2], : block.shape[3]] = block
    cut[a["tile_kind"] == SKIPPED] = np.nan
    return cut


def _tile_scores(a: Arrays, p: Params) -> Expected:
    scores, largest = _scores(a, p)
    return Expected(_cut(a, p, scores), np.nan_to_num(_cut(a, p, largest)), max(1, a["query"].shape[-1]))


def _lanes(a: Arrays, p: Params) -> Flags:
    """True where a column of a step exists, (..., query_tile, key_tile, row, column)."""
    return ~np.isnan(_cut(a, p, np.zeros_like(a["mask"])))


def _tile_row_max(a: Arrays, p: Params) -> Expected:
    lanes = _lanes(a, p)
    largest = np.where(lanes, a["tile_scores"], -np.inf).max(axis=-1, initial=-np.inf)
    return Expected(np.where(lanes.any(axis=-1), largest, np.nan))


def _before(a: Arrays, stage: str, start: float) -> Array:
    """What `stage` held at the last step that was not skipped before each step; `start` before the first."""
    held = a[stage]
    before = np.full_like(held, np.nan)
    present = np.full(held.shape[:3] + held.shape[4:], start)
    for j in range(held.shape[3]):
        before[:, :, :, j] = present
        done = (a["tile_kind"][:, :, :, j] != SKIPPED).reshape(held.shape[:3] + (1,) * (held.ndim - 4))
        present = np.where(done, held[:, :, :, j], present)
    return before


def _running_max(a: Arrays, p: Params) -> Expected:
    old = _before(a, "running_max", -np.inf)
    return Expected(np.where(_lanes(a, p).any(axis=-1), np.maximum(old, a["tile_row_max"]), np.nan))


def _tile_exp(a: Arrays, p: Params) -> Expected:
    exp = rules.shifted_exp(a["tile_scores"], a["running_max"])
    return Expected(np.where(_lanes(a, p), exp.values, np.nan), np.nan_to_num(np.asarray(exp.largest)))


def _rescale(a: Arrays, p: Params) -> Expected:
    old, new = _before(a, "running_max", -np.inf), a["running_max"]
    both = np.isneginf(old) & np.isneginf(new)
    base = np.where(np.isneginf(new), 0.0, new)
    values = np.where(both, 1.0, np.exp(old - base))
    largest = np.nan_to_num(rules.rounding_of_exp(old - base) * values)
    return Expected(np.where(np.isnan(new), np.nan, values), largest)


def _running_sum(a: Arrays, p: Params) -> Expected:
    lanes = _lanes(a, p)
    kept = a["rescale"] * _before(a, "running_sum", 0.0)
    fresh = np.where(lanes, a["tile_exp"], 0.0)
    values = np.where(lanes.any(axis=-1), kept + fresh.sum(axis=-1), np.nan)
    return Expected(values, np.nan_to_num(np.maximum(kept, fresh.max(axis=-1, initial=0.0))), p["key_tile_size"] + 1)


def _accumulator(a: Arrays, p: Params) -> Expected:
    lanes, allowed = _lanes(a, p), ~np.isneginf(a["tile_scores"])
    kept = a["rescale"][..., None] * _before(a, "accumulator", 0.0)
    weights = np.where(lanes & allowed, a["tile_exp"], 0.0)
    terms = weights[..., None] * np.where((lanes & allowed)[..., None], _value_tiles(a, p), 0.0)
    values = np.where(lanes.any(axis=-1, keepdims=True), kept + terms.sum(axis=-2), np.nan)
    largest = np.maximum(np.abs(kept), np.abs(terms).max(axis=-2, initial=0.0))
    return Expected(values, np.nan_to_num(largest, posinf=0.0), p["key_tile_size"] + 1)


def _value_tiles(a: Arrays, p: Params) -> Array:
    """V cut for every step: (batch, head, 1, key_tile, 1, column, value_dim), 0 beyond the last key."""
    value = rules.grouped(a["value"], a["query"].shape[1])
    key_tiles = _plan(a, p)[1]
    cut = np.zeros((*value.shape[:2], len(key_tiles), p["key_tile_size"], value.shape[-1]))
    for j, columns in enumerate(key_tiles):
        cut[:, :, j, : columns.stop - columns.start] = value[:, :, columns]
    return cut[:, :, None, :, None]


def _bytes_read(a: Arrays, p: Params) -> Expected:
    query_tiles, key_tiles = _plan(a, p)
    width, value_width, size = a["query"].shape[-1], a["value"].shape[-1], int(p["element_size"])
    rows = np.array([r.stop - r.start for r in query_tiles], dtype=float)
    columns = np.array([c.stop - c.start for c in key_tiles], dtype=float)
    run = a["tile_kind"] != SKIPPED
    first = run & (np.cumsum(run, axis=-1) == 1)
    return Expected(size * (first * rows[:, None] * width + run * columns * (width + value_width)))


def _bytes_written(a: Arrays, p: Params) -> Expected:
    rows = np.array([r.stop - r.start for r in _plan(a, p)[0]], dtype=float)
    run = a["tile_kind"] != SKIPPED
    position = np.arange(run.shape[-1])
    last: Array = np.where(run.any(axis=-1), np.where(run, position, -1).max(axis=-1, initial=-1), run.shape[-1] - 1)
    return Expected((position == last[..., None]) * rows[:, None] * a["value"].shape[-1] * int(p["element_size"]))


def _final(a: Arrays, stage: str, start: float) -> Array:
    """What `stage` held after the last step, with its row axis unrolled into query_pos."""
    held = a[stage]
    present = np.full(held.shape[:3] + held.shape[4:], start)
    for j in range(held.shape[3]):
        done = (a["tile_kind"][:, :, :, j] != SKIPPED).reshape(held.shape[:3] + (1,) * (held.ndim - 4))
        present = np.where(done, held[:, :, :, j], present)
    rows = present.reshape(*present.shape[:2], -1, *present.shape[4:])
    return rows[:, :, : a["mask"].shape[-2]]


def _output(a: Arrays, p: Params) -> Expected:
    return rules.quotient(_final(a, "accumulator", 0.0), _final(a, "running_sum", 0.0)[..., None])


def _lse(a: Arrays, p: Params) -> Expected:
    return rules.log_sum_exp(_final(a, "running_max", -np.inf), _final(a, "running_sum", 0.0))


_STATE = ("rescale", "tile_exp", "tile_kind", "mask")
TILED = Kind("tiled", (
    Stage("query", "Q", "queries", (*FRONT, "query_pos", "head_dim"), storage="input"),
    Stage("key", "K", "keys", (*SHARED, "key_pos", "head_dim"), storage="input"),
    Stage("value", "V", "values", (*SHARED, "key_pos", "value_dim"), storage="input"),
    Stage("mask", "M", "mask", PAIR, ("mask",), causal_mask),
    Stage("tile_kind", "kind", "kind of tile", STEP, ("mask", "query"), _tile_kind, storage="integer"),
    Stage("tile_scores", "S", "scores of a tile", (*LANE, "column"),
          ("query", "key", "mask", "tile_kind"), _tile_scores, gaps=True),
    Stage("tile_row_max", "m̃", "row maximum of a tile", LANE,
          ("tile_scores", "tile_kind", "mask"), _tile_row_max, gaps=True),
    Stage("running_max", "m", "running maximum", LANE,
          ("running_max", "tile_row_max", "tile_kind", "mask"), _running_max, gaps=True),
    Stage("tile_exp", "e", "exponentials of a tile", (*LANE, "column"),
          ("tile_scores", "running_max", "tile_kind", "mask"), _tile_exp, gaps=True),
    Stage("rescale", "α", "rescale factor", LANE, ("running_max", "tile_kind"), _rescale, gaps=True),
    Stage("running_sum", "l", "running sum", LANE, ("running_sum", *_STATE), _running_sum, gaps=True),
    Stage("accumulator", "acc", "accumulator", (*LANE, "value_dim"),
          ("accumulator", "value", "query", "tile_scores", *_STATE), _accumulator, gaps=True),
    Stage("bytes_read", "bytes in", "bytes read", STEP, ("query", "value", "tile_kind", "mask"),
          _bytes_read, storage="integer"),
    Stage("bytes_written", "bytes out", "bytes written", STEP, ("value", "tile_kind", "mask"),
          _bytes_written, storage="integer"),
    Stage("output", "O", "output", (*ROW, "value_dim"), ("accumulator", "running_sum", "tile_kind", "mask"),
          _output, storage="input"),
    Stage("lse", "lse", "log-sum-exp", ROW, ("running_max", "running_sum", "tile_kind", "mask"), _lse),
), ATTENTION | {"query_tile_size": COUNT, "key_tile_size": COUNT, "element_size": COUNT})
