"""Kind `traffic`: bytes that attention moves and holds, untiled and tiled, by one rule, for one head and dense scores.

The rule: untiled reads Q, K and V, writes and reads S, writes and reads P, writes O; tiled reads Q and writes O once,
and reads K and V once for each query tile. Caches are not counted. A setting is one choice of sizes, given as whole
numbers: query_count, key_count, head_dim, value_dim, element_size (bytes of a number), query_tile_size.
"""

from __future__ import annotations

import numpy as np

from attnviz.trace.stage import Array, Arrays, Expected, Kind, Params, Rule, Stage

MIB = 2.0**20
SETTING = ("setting",)
UNTILED = (*SETTING, "untiled_move")  # read Q, K, V; write S; read S; write A; read A; write O
TILED = (*SETTING, "tiled_move")  # read Q; read K, V; write O
WAY = (*SETTING, "way")  # untiled; tiled
GIVEN = ("query_count", "key_count", "head_dim", "value_dim", "element_size", "query_tile_size")


def _parts(a: Arrays) -> dict[str, Array]:
    """Bytes of Q, K with V, S (or P), and O, (setting,)."""
    size, queries, keys = a["element_size"], a["query_count"], a["key_count"]
    return {"query": queries * a["head_dim"] * size, "key_value": keys * (a["head_dim"] + a["value_dim"]) * size,
            "scores": queries * keys * size, "output": queries * a["value_dim"] * size}


def _untiled_moves(a: Arrays, p: Params) -> Expected:
    part = _parts(a)
    return Expected(np.stack([part["query"] + part["key_value"], *[part["scores"]] * 4, part["output"]], axis=-1))


def _tiled_moves(a: Arrays, p: Params) -> Expected:
    part, tiles = _parts(a), np.ceil(a["query_count"] / a["query_tile_size"])
    return Expected(np.stack([part["query"], tiles * part["key_value"], part["output"]], axis=-1))


def _bytes_moved(a: Arrays, p: Params) -> Expected:
    return Expected(np.stack([a["untiled_moves"].sum(axis=-1), a["tiled_moves"].sum(axis=-1)], axis=-1))


def _bytes_held(a: Arrays, p: Params) -> Expected:
    """What must lie in memory between two steps: all of S, or nothing."""
    scores = _parts(a)["scores"]
    return Expected(np.stack([scores, np.zeros_like(scores)], axis=-1))


def _in_mib(stage: str) -> Rule:
    def rule(a: Arrays, p: Params) -> Expected:
        return Expected(a[stage] / MIB, a[stage] / MIB)

    return rule


_SIZES = tuple(Stage(name, symbol, title, SETTING, storage="integer") for name, symbol, title in (
    ("query_count", "s", "queries"), ("key_count", "s", "keys"), ("head_dim", "d", "width of queries and keys"),
    ("value_dim", "d", "width of values"), ("element_size", "bytes", "bytes of a number"),
    ("query_tile_size", "tile", "queries in a tile")))
TRAFFIC = Kind("traffic", (
    *_SIZES,
    Stage("untiled_moves", "bytes", "bytes moved untiled, by step", UNTILED, GIVEN[:5], _untiled_moves,
          storage="integer"),
    Stage("tiled_moves", "bytes", "bytes moved tiled, by step", TILED, GIVEN, _tiled_moves, storage="integer"),
    Stage("bytes_moved", "bytes", "bytes moved", WAY, ("untiled_moves", "tiled_moves"), _bytes_moved,
          storage="integer"),
    Stage("bytes_held", "bytes", "bytes held", WAY, ("query_count", "key_count", "element_size"), _bytes_held,
          storage="integer"),
    Stage("untiled_moves_mib", "MiB", "MiB moved untiled, by step", UNTILED, ("untiled_moves",),
          _in_mib("untiled_moves")),
    Stage("tiled_moves_mib", "MiB", "MiB moved tiled, by step", TILED, ("tiled_moves",), _in_mib("tiled_moves")),
    Stage("bytes_moved_mib", "MiB", "MiB moved", WAY, ("bytes_moved",), _in_mib("bytes_moved")),
    Stage("bytes_held_mib", "MiB", "MiB held", WAY, ("bytes_held",), _in_mib("bytes_held")),
))
