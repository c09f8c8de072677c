"""The producer of `traffic`: bytes that attention moves and holds, counted from sizes. No tensor is looked at."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch

from attnviz.errors import InputError
from attnviz.sdpa.records import provenance, to_array
from attnviz.trace import Record

RULE = ("one head, dense; untiled reads Q, K, V, writes and reads S, writes and reads P, writes O; "
        "tiled reads Q and writes O once, reads K and V once per query tile; caches not counted")  # fmt: skip
MIB = 2**20


class Setting(NamedTuple):
    """Sizes of one attention head; `element_size` is the bytes of a number."""

    query_count: int
    key_count: int
    head_dim: int
    value_dim: int
    element_size: int
    query_tile_size: int


def trace_traffic(settings: Sequence[Setting], *, notes: Mapping[str, object] | None = None) -> Record:
    """Count the bytes of each setting by `RULE`. Raises InputError where there is none, or a size below 1."""
    if not settings or min(min(setting) for setting in settings) < 1:
        raise InputError(f"settings are {list(settings)!r:.120}: give one or more, with sizes of 1 or more")
    sizes = {name: torch.tensor([getattr(setting, name) for setting in settings]) for name in Setting._fields}
    untiled = torch.tensor([_untiled(setting) for setting in settings])
    tiled = torch.tensor([_tiled(setting) for setting in settings])
    held = torch.tensor([(_scores(setting), 0) for setting in settings])
    counted = {"untiled_moves": untiled, "tiled_moves": tiled,
               "bytes_moved": torch.stack([untiled.sum(-1), tiled.sum(-1)], dim=-1), "bytes_held": held}  # fmt: skip
    made = sizes | counted | {f"{name}_mib": bytes_.double() / MIB for name, bytes_ in counted.items()}
    arrays = {name: to_array(tensor) for name, tensor in made.items()}
    about = provenance("reference", made["bytes_held_mib"], rule=RULE, **(notes or {}))
    return Record.build("traffic", arrays, dtype="float64", params={}, provenance=about)


def _scores(setting: Setting) -> int:
    return setting.query_count * setting.key_count * setting.element_size


def _untiled(setting: Setting) -> list[int]:
    query, keys, output = _matrices(setting)
    scores = _scores(setting)
    return [query + keys, scores, scores, scores, scores, output]


def _tiled(setting: Setting) -> list[int]:
    query, keys, output = _matrices(setting)
    return [query, keys * -(-setting.query_count // setting.query_tile_size), output]


def _matrices(setting: Setting) -> tuple[int, int, int]:
    """Bytes of Q, of K and V together, and of O."""
    width = setting.head_dim + setting.value_dim
    query, keys = setting.query_count * setting.head_dim, setting.key_count * width
    return (query * setting.element_size, keys * setting.element_size,
            setting.query_count * setting.value_dim * setting.element_size)  # fmt: skip
