"""What is false only beside what was shown before: the wrong head, a map without its mask, tiles out of their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from attnviz.audit.view import View
from attnviz.mobjects.asking import Strand
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.booleans import BooleanMask
from attnviz.mobjects.number import Number
from attnviz.trace import Stage

AFTER_MASK = ("row_max", "shifted_scores", "exp_scores", "row_sum", "attn_weights", "weighted_values", "output", "lse")
WITH_MASK = ("mask", "masked_scores")
STEP = ("tile_scores", "tile_row_max", "running_max", "tile_exp", "rescale", "running_sum", "accumulator")
SKIPPED = 4  # tile_kind of a tile that the kernel never visits
Shown = tuple[str, Stage, Mapping[str, int], str]  # record, stage, what is selected, address


class Story:
    """The audit across time; told of every rest of a scene, in order."""

    def __init__(self, heads: frozenset[int] | None, compared: frozenset[str]) -> None:
        self._heads, self._compared = heads, compared
        self._masks: set[str] = set()  # records whose mask was shown, with something masked
        self._steps: dict[tuple[Any, ...], int] = {}  # the last key tile seen of each query tile

    def complaints(self, view: View) -> Iterator[str]:
        """What does not follow from what was shown before."""
        shown = list(_shown(view))
        for one in shown:
            yield from self._head(view, one)
        yield from self._mask(view, shown)
        yield from self._tiles(view, shown)

    def _head(self, view: View, one: Shown) -> Iterator[str]:
        record, _, at, address = one
        drawn = {"batch": view.case.batch, "head": view.case.drawn_head, "kv_head": view.case.drawn_kv_head}
        for axis, place in at.items():
            wanted = drawn.get(axis)
            free = self._heads is not None and axis != "batch" and place in self._heads
            if wanted is not None and place != wanted and not free:
                yield f"{address} of {record!r} is of {axis} {place}, the film is about {axis} {wanted}"

    def _mask(self, view: View, shown: list[Shown]) -> Iterator[str]:
        """After a mask was shown, what the softmax gives is of a record with that mask, or is named as compared."""
        self._masks |= {record for record, stage, _, _ in shown if stage.name in WITH_MASK and _masks(view, record)}
        for record, stage, _, address in shown:
            strange = record not in self._masks | self._compared and stage.name in AFTER_MASK
            masks = [_differ_by_mask(view, record, other) for other in self._masks if strange]
            if True in masks and False not in masks:  # False: that very mask was shown, in another record
                yield (f"{address} of {record!r} is shown after the mask of {', '.join(sorted(self._masks))}, "
                       "but knows nothing of it")

    def _tiles(self, view: View, shown: list[Shown]) -> Iterator[str]:
        """Within a query tile the key tiles come one after the other, and none that is visited is left out."""
        now: dict[tuple[Any, ...], set[int]] = {}
        for record, stage, at, _ in shown:
            if stage.name in STEP and {"query_tile", "key_tile"} <= set(at):
                rest = tuple(sorted((axis, place) for axis, place in at.items()
                                    if axis not in ("key_tile", "row", "column", "value_dim")))
                now.setdefault((record, rest), set()).add(at["key_tile"])
        for key, tiles in now.items():
            yield from self._one_row(view, key, tiles)

    def _one_row(self, view: View, key: tuple[Any, ...], tiles: set[int]) -> Iterator[str]:
        record, at = key[0], dict(key[1])
        visited = _visited(view, record, at)
        where, newest = f"{record} query_tile={at['query_tile']}", max(tiles)
        last, first = self._steps.get(key, -1), next(iter(visited), 0)
        if newest not in visited:
            yield f"{where}: key_tile={newest} is skipped by the kernel, but shown"
        elif newest < last and newest != first:
            yield f"{where}: key_tile={newest} is shown after key_tile={last}: the loop goes the other way"
        elif left := [tile for tile in visited if last < tile < newest and tile not in tiles]:
            yield f"{where}: key_tile={left[0]} is left out before key_tile={newest}"
        self._steps[key] = newest


def _shown(view: View) -> Iterator[Shown]:
    for grid in view.grids:
        tensor = grid.cells.tensor
        yield tensor.record, tensor.stage, tensor.at, tensor.address
    for number in view.lone(Number):
        entry = number.entry
        yield entry.record, entry.stage, entry.coords, entry.address
    for strand in view.lone(Strand):
        yield strand.entry.record, strand.entry.stage, strand.entry.coords, strand.entry.address
    tensors = [bars.tensor for bars in view.all_of(Bars)] + [mask.tensor for mask in view.all_of(BooleanMask)]
    for tensor in tensors:
        yield tensor.record, tensor.stage, tensor.at, tensor.address


def _masks(view: View, record: str) -> bool:
    """Whether a record's mask hides anything in what is drawn."""
    return record in view.bundle and bool(np.isneginf(view.bundle[record].arrays.get("mask", np.zeros(1))).any())


def _differ_by_mask(view: View, record: str, other: str) -> bool | None:
    """Whether two records of attention differ in their masks; None where that is not all in which they differ."""
    if any(name not in view.bundle or view.bundle[name].kind.name != "sdpa" for name in (record, other)):
        return None
    one, two = view.bundle[record].arrays, view.bundle[other].arrays
    same = all(np.array_equal(one[name], two[name], equal_nan=True) for name in ("query", "key"))
    return not np.array_equal(one["mask"], two["mask"]) if same else None


def _visited(view: View, record: str, at: Mapping[str, int]) -> list[int]:
    """The key tiles that the kernel visits for a query tile, in its order."""
    if record not in view.bundle or "tile_kind" not in view.bundle[record].arrays:
        return []
    kinds = view.bundle[record].arrays["tile_kind"][at.get("batch", 0), at.get("head", 0), at["query_tile"]]
    return [int(tile) for tile in np.flatnonzero(kinds != SKIPPED)]
