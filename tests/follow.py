"""Makes honest records for tests: a table followed row by row in float32, with no help from `attnviz.sdpa`.

Only `tiled` needs a loop of its own here, since its rules speak of the step before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.trace import KINDS, Record
from attnviz.trace.kinds.tiled import SKIPPED, tiles

SDPA_PARAMS: dict[str, Any] = {"scale": 0.5, "is_causal": False, "causal": "top-left", "enable_gqa": True}


def follow(kind: str, given: Mapping[str, NDArray[Any]], params: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Every stage of `kind` in float32, the given ones as they are and the rest by their rules."""
    arrays: dict[str, NDArray[Any]] = {}
    for stage in KINDS[kind].stages:
        if stage.name in given:
            arrays[stage.name] = np.asarray(given[stage.name], dtype=np.float32)
            continue
        exact = {name: array.astype(np.float64) for name, array in arrays.items()}
        with np.errstate(all="ignore"):
            assert stage.rule is not None, stage.name
            arrays[stage.name] = np.asarray(stage.rule(exact, params).values).astype(np.float32)
    return arrays


def sdpa_arrays(seed: int = 0, *, heads: int = 4, kv_heads: int = 2) -> dict[str, NDArray[Any]]:
    """A small grouped-head attention with some masked pairs and one row with no key."""
    stream = np.random.RandomState(seed)
    mask = np.zeros((1, heads, 3, 5))
    mask[..., 3:] = -np.inf
    mask[0, 0, 1] = -np.inf
    given = {"query": stream.randn(1, heads, 3, 4), "key": stream.randn(1, kv_heads, 5, 4),
             "value": stream.randn(1, kv_heads, 5, 6), "mask": mask}
    return follow("sdpa", given, SDPA_PARAMS)


def build(kind: str, arrays: Mapping[str, NDArray[Any]], params: Mapping[str, Any], dtype: str = "float32") -> Record:
    """A record with no story behind it."""
    return Record.build(kind, arrays, dtype=dtype, params=params, provenance={"backend": "test"})


def tiled_arrays(query: NDArray[Any], key: NDArray[Any], value: NDArray[Any], params: dict[str, Any],
                 *, mask: NDArray[Any] | None = None) -> dict[str, NDArray[Any]]:
    """One head of online softmax, written as a loop over steps and rows, in float64 rounded to float32."""
    tile_rows, tile_columns = params["query_tile_size"], params["key_tile_size"]
    if mask is None:
        mask = np.zeros((len(query), len(key)))
    if params["is_causal"]:
        mask = np.where(np.arange(len(key))[None] > np.arange(len(query))[:, None], -np.inf, mask)
    row_tiles, column_tiles = tiles(len(query), tile_rows), tiles(len(key), tile_columns)
    steps = (len(row_tiles), len(column_tiles))
    lane, width = (*steps, tile_rows), value.shape[1]
    out = {name: np.full(lane, np.nan) for name in ("tile_row_max", "running_max", "rescale", "running_sum")}
    out |= {name: np.full((*lane, tile_columns), np.nan) for name in ("tile_scores", "tile_exp")}
    out |= {"accumulator": np.full((*lane, width), np.nan), "tile_kind": np.zeros(steps),
            "bytes_read": np.zeros(steps), "bytes_written": np.zeros(steps),
            "output": np.zeros((len(query), width)), "lse": np.full(len(query), -np.inf)}
    for i, rows in enumerate(row_tiles):
        for row in range(rows.stop - rows.start):
            _run_row(out, i, row, rows.start + row, column_tiles, query, key, value, mask, params["scale"])
        _count(out, i, rows, column_tiles, query, value, mask, params)
    given = {"query": query[None], "key": key[None], "value": value[None], "mask": mask[None]}
    whole = {name: np.asarray(array)[None] if name in given else np.asarray(array)[None, None]
             for name, array in (given | out).items()}
    whole |= {name: array[None] for name, array in given.items()}
    integers = ("tile_kind", "bytes_read", "bytes_written")
    return {name: array.astype(np.int64 if name in integers else np.float32) for name, array in whole.items()}


def _run_row(out: dict[str, Any], i: int, row: int, position: int, column_tiles: list[slice], query: Any, key: Any,
             value: Any, mask: Any, scale: float) -> None:
    maximum, total, acc = -np.inf, 0.0, np.zeros(value.shape[1])
    for j, columns in enumerate(column_tiles):
        block = mask[:, columns]
        if np.isneginf(block[i * out["tile_scores"].shape[2]:][: out["tile_scores"].shape[2]]).all():
            continue
        n = columns.stop - columns.start
        scores = scale * key[columns] @ query[position] + mask[position, columns]
        new = max(maximum, scores.max())
        alpha = 1.0 if np.isneginf(maximum) and np.isneginf(new) else float(np.exp(maximum - new))
        exp = np.array([0.0 if np.isneginf(s) else np.exp(s - new) for s in scores])
        total, acc, maximum = alpha * total + exp.sum(), alpha * acc + exp @ value[columns], new
        step = (i, j, row)
        out["tile_scores"][step][:n], out["tile_exp"][step][:n] = scores, exp
        out["tile_row_max"][step], out["running_max"][step] = scores.max(), new
        out["rescale"][step], out["running_sum"][step], out["accumulator"][step] = alpha, total, acc
    if total:
        out["output"][position], out["lse"][position] = acc / total, maximum + np.log(total)


def _count(out: dict[str, Any], i: int, rows: slice, column_tiles: list[slice], query: Any, value: Any, mask: Any,
           params: dict[str, Any]) -> None:
    run = [j for j, columns in enumerate(column_tiles)
           if not (params["is_causal"] and np.isneginf(mask[rows, columns]).all())]
    for j, columns in enumerate(column_tiles):
        n, m = rows.stop - rows.start, columns.stop - columns.start
        if j not in run:
            out["tile_kind"][i, j] = SKIPPED
            continue
        cut = params["is_causal"] and bool(np.isneginf(mask[rows, columns]).any())
        ragged = n < params["query_tile_size"] or m < params["key_tile_size"]
        out["tile_kind"][i, j] = 1 * cut + 2 * ragged
        first = n * query.shape[1] if j == run[0] else 0
        out["bytes_read"][i, j] = params["element_size"] * (first + m * (query.shape[1] + value.shape[1]))
    out["bytes_written"][i, run[-1] if run else -1] = params["element_size"] * (rows.stop - rows.start) * value.shape[1]
