"""Kind `tiled` from its definition: a plain loop over tiles that carries maximum, sum and accumulator.

NaN stands where there is no number: beyond a ragged edge, and in tiles that are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.verify.chain.running import Approx, given
from attnviz.verify.chain.sdpa import forbidden_beyond_the_edge
from attnviz.verify.chain.stacking import Arrays, Params, Stages, stacked

CUT_BY_THE_EDGE, SHORT, LEFT_OUT = 1, 2, 4
LANES = ("tile_row_max", "running_max", "rescale", "running_sum")


def recompute(arrays: Arrays, params: Params, unit: float) -> Stages:
    """Every stage, from query, key, value, mask and the parameters."""
    query, key, value = arrays["query"], arrays["key"], arrays["value"]
    mask = forbidden_beyond_the_edge(arrays["mask"], params)
    group = query.shape[1] // max(key.shape[1], 1)
    heads = []
    for batch in range(query.shape[0]):
        for head in range(query.shape[1]):
            shared = head // group
            inputs = (query[batch, head], key[batch, shared], value[batch, shared], mask[batch, head])
            q, k, v, m = (given(part, unit) for part in inputs)
            heads.append(_Head(q, k, v, m, params).stages())
    own = {name: given(arrays[name], unit) for name in ("query", "key", "value")}
    return {**own, "mask": given(mask, unit), **stacked(heads, query.shape[:2])}


@dataclass
class _Carried:
    """What the rows of a query tile carry from one key tile to the next."""

    maximum: Approx
    total: Approx
    accumulator: Approx
    runs: int = 0


@dataclass
class _Head:
    """One head: its inputs, and its stages as they fill up tile by tile."""

    query: Approx
    key: Approx
    value: Approx
    mask: Approx
    params: Params
    found: Stages = field(default_factory=dict)

    def stages(self) -> Stages:
        """Go through all tiles."""
        self._make_room()
        for i in range(self._tiles[0]):
            self._row_of_tiles(i)
        return self.found

    def _make_room(self) -> None:
        unit, (rows, columns), width = self.query.unit, self._sizes, self.value.shape[1]
        lane, count = (*self._tiles, rows), self.query.shape[0]
        shapes = {"tile_scores": (*lane, columns), "tile_exp": (*lane, columns), "accumulator": (*lane, width),
                  **dict.fromkeys(LANES, lane)}
        self.found = {name: given(np.full(shape, np.nan), unit) for name, shape in shapes.items()}
        for name in ("tile_kind", "bytes_read", "bytes_written"):
            self.found[name] = given(np.zeros(self._tiles), unit)
        self.found |= {"output": given(np.zeros((count, width)), unit), "lse": given(np.zeros(count), unit)}

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.params["query_tile_size"], self.params["key_tile_size"]

    @property
    def _tiles(self) -> tuple[int, int]:
        (rows, columns), (high, wide) = self._sizes, self.mask.shape
        return -(-high // rows), -(-wide // columns)

    def _row_of_tiles(self, i: int) -> None:
        rows = slice(i * self._sizes[0], min((i + 1) * self._sizes[0], self.query.shape[0]))
        count, width, unit = rows.stop - rows.start, self.value.shape[1], self.query.unit
        carried = _Carried(given(np.full(count, -np.inf), unit), given(np.zeros(count), unit),
                           given(np.zeros((count, width)), unit))
        last = max(self._tiles[1] - 1, 0)
        for j in range(self._tiles[1]):
            columns = slice(j * self._sizes[1], min((j + 1) * self._sizes[1], self.key.shape[0]))
            self.found["tile_kind"].values[i, j] = kind = self._kind(rows, columns)
            if kind != LEFT_OUT:
                last = j
                self._tile(i, j, rows, columns, carried)
        size = self.params["element_size"]
        if self._tiles[1]:
            self.found["bytes_written"].values[i, last] = count * width * size
        self._finish(rows, carried)

    def _kind(self, rows: slice, columns: slice) -> int:
        short = rows.stop - rows.start < self._sizes[0] or columns.stop - columns.start < self._sizes[1]
        if not self.params["is_causal"]:
            return SHORT if short else 0
        high, wide = self.mask.shape
        shift = wide - high if self.params["causal"] == "bottom-right" else 0
        after = [column > row + shift for row in range(rows.start, rows.stop)
                 for column in range(columns.start, columns.stop)]
        return LEFT_OUT if all(after) else CUT_BY_THE_EDGE * any(after) + SHORT * short

    def _tile(self, i: int, j: int, rows: slice, columns: slice, carried: _Carried) -> None:
        mask, scale = self.mask[rows, columns], given(self.params["scale"], self.query.unit)
        allowed = ~np.isneginf(mask.values)
        dots = (self.query[rows][:, None, :] * self.key[columns][None, :, :]).total(-1)
        scores = ((dots * scale).where(allowed, 0.0) + mask.where(allowed, 0.0)).where(allowed, -np.inf)
        row_max = scores.largest(-1)
        maximum = _larger(carried.maximum, row_max)
        found = ~np.isneginf(maximum.values)
        base = maximum.where(found, 0.0)
        exps = (scores.where(allowed, 0.0) - base[:, None]).where(allowed, -np.inf).exp()
        begun = ~np.isneginf(carried.maximum.values)
        rescale = (carried.maximum.where(begun, 0.0) - base).where(begun, -np.inf).exp()
        rescale = rescale.where(begun | found, 1.0)
        total = rescale * carried.total + exps.total(-1)
        terms = (exps[:, :, None] * self.value[columns][None, :, :]).where(allowed[:, :, None], 0.0)
        accumulator = rescale[:, None] * carried.accumulator + terms.total(-2)
        for name, lanes in zip(LANES, (row_max, maximum, rescale, total), strict=True):
            self._put(name, lanes, i, j)
        for name, block in (("tile_scores", scores), ("tile_exp", exps), ("accumulator", accumulator)):
            self._put(name, block, i, j)
        self._count_bytes(i, j, rows, columns, carried.runs)
        carried.maximum, carried.total, carried.accumulator = maximum, total, accumulator
        carried.runs += 1

    def _count_bytes(self, i: int, j: int, rows: slice, columns: slice, runs: int) -> None:
        width, value_width = self.query.shape[1], self.value.shape[1]
        queries = 0 if runs else (rows.stop - rows.start) * width
        keys = (columns.stop - columns.start) * (width + value_width)
        self.found["bytes_read"].values[i, j] = (queries + keys) * self.params["element_size"]

    def _put(self, name: str, part: Approx, i: int, j: int) -> None:
        place: tuple[Any, ...] = (i, j, *(slice(0, size) for size in part.shape))
        self.found[name].values[place], self.found[name].error[place] = part.values, part.error

    def _finish(self, rows: slice, carried: _Carried) -> None:
        some: NDArray[np.bool_] = carried.total.values != 0
        divisor = carried.total.where(some, 1.0)
        output = (carried.accumulator / divisor[:, None]).where(some[:, None], 0.0)
        lse = (carried.maximum.where(some, 0.0) + divisor.log()).where(some, -np.inf)
        for name, part in (("output", output), ("lse", lse)):
            self.found[name].values[rows], self.found[name].error[rows] = part.values, part.error


def _larger(one: Approx, other: Approx) -> Approx:
    return Approx(np.maximum(one.values, other.values), np.maximum(one.error, other.error), one.unit)
