"""Records of attention in tiles: what the Triton kernel noted of itself, its bytes by rule, torch's output beside."""

from collections.abc import Mapping

from attnviz.cases.records.making import Maker, Making
from attnviz.errors import InputError
from attnviz.sdpa import Setting, trace_attention, trace_difference, trace_traffic
from attnviz.trace import Record

MOST_TILES = 3  # in a row: more cannot be followed on screen
FEWEST_KEYS, MOST = 3, 64
LARGE = Setting(8192, 8192, 64, 64, 2, 128)  # one head of a usual size in float16


def tile_size(count: int) -> int:
    """How many of `count` positions a tile holds: two or three tiles, the last one ragged where that can be.

    The smallest that does, from three eighths of them on: of many, the last tile is then seen to be cut short.
    """
    first = max(2, 3 * count // 8)
    fitting = [size for size in range(first, count) if -(-count // size) <= MOST_TILES and count % size]
    return fitting[0] if fitting else 1


def tiled(making: Making) -> Record:
    """Attention, all heads, by the Triton kernel; its own record of every tile. InputError: too few or too many words.

    Where Triton is not there, the tiled torch path stands in, and the record's provenance says so.
    """
    queries, keys = making.case.query.shape[2], making.case.key.shape[2]
    if keys < FEWEST_KEYS or max(queries, keys) > MOST:
        raise InputError(f"{queries} queries and {keys} keys cannot be cut into tiles that can be followed: give "
                         f"{FEWEST_KEYS} to {MOST} words, or another case")  # fmt: skip
    tile = tile_size(queries), tile_size(keys)
    return trace_attention(*making.given, is_causal=making.is_causal, backend="triton", tile=tile, notes=making.notes)


def traffic(making: Making) -> Record:
    """Bytes by the rule, one head: with the sizes of `tiled`, and with those of a large one."""
    query, _, value = making.given
    sizes = Setting(query.shape[2], value.shape[2], query.shape[3], value.shape[3], query.element_size(),
                    tile_size(query.shape[2]))  # fmt: skip
    return trace_traffic([sizes, LARGE], notes=making.notes)


def tiled_difference(making: Making) -> Record:
    """The output of `tiled` beside that of torch's own attention, which holds the whole matrix."""
    ours = making.tensor("tiled", "output")
    return trace_difference(ours, *making.given, is_causal=making.is_causal, notes=making.notes)


MAKERS: Mapping[str, Maker] = {"tiled": tiled, "traffic": traffic, "tiled_difference": tiled_difference}
