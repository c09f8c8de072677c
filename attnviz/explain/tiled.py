"""How the numbers of the kind `tiled` come about: each from its tile, and from what the step before it left."""

from __future__ import annotations

import math

from attnviz.explain.attention import HIDDEN, NO_KEY, lse_of, mask_of, scale_of
from attnviz.explain.look import Look, add, exp, largest, less, over, same, times
from attnviz.explain.tree import Expression, Known, Leaf
from attnviz.trace.kinds.tiled import DIAGONAL, RAGGED, SKIPPED

FIRST_MAX = Known(-math.inf, "before the first tile")
FIRST_SUM = Known(0.0, "before the first tile")
NO_LANE = Known(math.nan, "no number: beyond the edge, or in a tile that was skipped")
NO_KEY_YET = Known(1.0, "no key yet, so there is nothing to rescale")


def _query_pos(look: Look) -> int:
    return look.at["query_tile"] * int(look.params["query_tile_size"]) + look.at["row"]


def _key_pos(look: Look, column: int) -> int:
    return look.at["key_tile"] * int(look.params["key_tile_size"]) + column


def _columns(look: Look) -> range:
    """The columns of the tile that are keys."""
    size = int(look.params["key_tile_size"])
    return range(min(size, look.size("mask", "key_pos") - look.at["key_tile"] * size))


def _is_lane(look: Look) -> bool:
    """Whether the row is a query, in a tile that is not skipped."""
    return look.value("tile_kind") != SKIPPED and _query_pos(look) < look.size("mask", "query_pos")


def _before(look: Look, stage: str, first: Known, **at: int) -> Expression:
    """What `stage` held after the step before this one."""
    for tile in reversed(range(look.at["key_tile"])):
        if look.value("tile_kind", key_tile=tile) != SKIPPED:
            return look.one(stage, key_tile=tile, **at)
    return first


def _at_last(look: Look, stage: str, first: Known) -> Expression:
    """What `stage` held after the last step of the query's tile."""
    tile, row = divmod(look.at["query_pos"], int(look.params["query_tile_size"]))
    at = {**look.at, "query_tile": tile, "row": row, "key_tile": look.size("tile_kind", "key_tile")}
    return _before(Look(look.record, at), stage, first)


def _value_of(expression: Expression) -> float:
    return expression.entry.value if isinstance(expression, Leaf) else expression.value  # type: ignore[union-attr]


def _tile_kind(look: Look) -> Expression:
    value = int(look.value("tile_kind"))
    flags = {DIAGONAL: "the causal edge runs through it", RAGGED: "it reaches beyond the last query or key",
             SKIPPED: "every key comes after every query: skipped"}
    said = [words for flag, words in flags.items() if value & flag]
    return Known(value, "; ".join(said) or "a full tile: every query may attend to every key of it")


def _tile_score(look: Look) -> Expression:
    if not _is_lane(look) or look.at["column"] not in _columns(look):
        return NO_LANE
    pair = Look(look.record, {**look.at, "query_pos": _query_pos(look), "key_pos": _key_pos(look, look.at["column"])})
    if pair.value("mask") == -math.inf:
        return same(pair.one("mask"))
    terms = zip(pair.along("query", "head_dim"), pair.along("key", "head_dim"), strict=True)
    score = times(add(times(one, other) for one, other in terms), scale_of(look))
    return add([score, pair.one("mask")]) if pair.value("mask") else score


def _tile_exp(look: Look) -> Expression:
    if not _is_lane(look) or look.at["column"] not in _columns(look):
        return NO_LANE
    if look.value("tile_scores") == -math.inf:
        return HIDDEN
    return exp(less(look.one("tile_scores"), look.one("running_max")))


def _rescale(look: Look) -> Expression:
    if not _is_lane(look):
        return NO_LANE
    old = _before(look, "running_max", FIRST_MAX)
    return NO_KEY_YET if look.value("running_max") == -math.inf else exp(less(old, look.one("running_max")))


def _running_sum(look: Look) -> Expression:
    if not _is_lane(look):
        return NO_LANE
    kept = times(look.one("rescale"), _before(look, "running_sum", FIRST_SUM))
    return add([kept, *(look.one("tile_exp", column=column) for column in _columns(look))])


def _accumulator(look: Look) -> Expression:
    if not _is_lane(look):
        return NO_LANE
    kept = times(look.one("rescale"), _before(look, "accumulator", FIRST_SUM))
    terms = [times(look.one("tile_exp", column=column), look.one("value", key_pos=_key_pos(look, column)))
             for column in _columns(look) if look.value("tile_scores", column=column) > -math.inf]
    return add([kept, *terms])


def _rows(look: Look) -> Known:
    size = int(look.params["query_tile_size"])
    return Known(min(size, look.size("mask", "query_pos") - look.at["query_tile"] * size), "queries in this tile")


def _bytes_read(look: Look) -> Expression:
    if look.value("tile_kind") == SKIPPED:
        return Known(0, "a skipped tile is not read")
    head_dim, value_dim = look.size("query", "head_dim"), look.size("value", "value_dim")
    size = Known(float(look.params["element_size"]), "bytes a number")
    keys = times(Known(len(_columns(look)), "keys in this tile"),
                 Known(head_dim + value_dim, f"numbers of a key and its value, {head_dim} + {value_dim}"), size)
    is_first = isinstance(_before(look, "bytes_read", FIRST_SUM), Known)
    return add([times(_rows(look), Known(head_dim, "numbers of a query"), size), keys]) if is_first else add([keys])


def _bytes_written(look: Look) -> Expression:
    if not look.value("bytes_written"):
        return Known(0, "the output is written after the last tile of a row")
    width = Known(look.size("value", "value_dim"), "numbers of an output")
    return times(_rows(look), width, Known(float(look.params["element_size"]), "bytes a number"))


def _output(look: Look) -> Expression:
    total = _at_last(look, "running_sum", FIRST_SUM)
    return over(_at_last(look, "accumulator", FIRST_SUM), total) if _value_of(total) else NO_KEY


def _lse(look: Look) -> Expression:
    maximum, total = _at_last(look, "running_max", FIRST_MAX), _at_last(look, "running_sum", FIRST_SUM)
    return lse_of(maximum, total, not _value_of(total))


TILED = {
    "mask": mask_of,
    "tile_kind": _tile_kind,
    "tile_scores": _tile_score,
    "tile_row_max": lambda look: largest(look.one("tile_scores", column=column) for column in _columns(look))
    if _is_lane(look) else NO_LANE,
    "running_max": lambda look: largest([_before(look, "running_max", FIRST_MAX), look.one("tile_row_max")])
    if _is_lane(look) else NO_LANE,
    "tile_exp": _tile_exp,
    "rescale": _rescale,
    "running_sum": _running_sum,
    "accumulator": _accumulator,
    "bytes_read": _bytes_read,
    "bytes_written": _bytes_written,
    "output": _output,
    "lse": _lse,
}
