"""How the numbers of the kinds `samples`, `overflow` and `traffic` come about: many draws, float32, counted bytes."""

from __future__ import annotations

from collections.abc import Callable

from attnviz.explain.attention import weight
from attnviz.explain.look import Look, add, exp, largest, less, over, times
from attnviz.explain.lookup import softmax_of
from attnviz.explain.tree import Done, Expression, Known, Told
from attnviz.trace.kinds.samples import QUARTILES
from attnviz.trace.kinds.traffic import MIB

Recipe = Callable[[Look], Expression]


def _drawn(look: Look) -> Expression:
    width = int(look.value("head_dim"))
    return Told(f"q · k of {width} products; q and k are drawn from N(0, 1) with seed {look.params['seed']}, "
                f"query {look.at['sample']}, key {look.at['key_pos']} of its own")


def _all(look: Look, what: str, stage: str) -> Told:
    count = look.record[stage].sel(width=look.at["width"]).values.size
    return Told(f"{what} of all {count} {stage} at width={look.at['width']}")


def _weight(scores: str) -> Recipe:
    def recipe(look: Look) -> Expression:
        row: list[Expression] = [*look.along(scores, "key_pos")]
        return softmax_of(row[look.at["key_pos"]], row)

    return recipe


def _jacobian(weights: str) -> Recipe:
    """The square root of the sum of squares of a_i (1 if i = j, else 0, less a_j)."""

    def recipe(look: Look) -> Expression:
        row = look.along(weights, "key_pos")
        one, zero = Known(1.0, "on the diagonal"), Known(0.0, "off the diagonal")
        cells = [times(mine, less(one if i == j else zero, other))
                 for i, mine in enumerate(row) for j, other in enumerate(row)]
        return Done("root", (add(times(cell, cell) for cell in cells),))

    return recipe


def _branch(suffix: str, scores: str) -> dict[str, Recipe]:
    weights, biggest, jacobian = f"weights_{suffix}", f"largest_{suffix}", f"jacobian_{suffix}"
    return {
        f"std_{suffix}": lambda look: _all(look, "the standard deviation", scores),
        weights: _weight(scores),
        biggest: lambda look: largest(look.along(weights, "key_pos")),
        f"mean_{biggest}": lambda look: _all(look, "the mean", biggest),
        jacobian: _jacobian(weights),
        f"quartiles_{jacobian}": lambda look: _all(
            look, f"the value that {QUARTILES[look.at['quartile']]:.0%} lie below,", jacobian),
    }


def _count(values: str, edges: str) -> Recipe:
    def recipe(look: Look) -> Expression:
        low, high = (look.value(edges, edge=look.at["bin"] + more) for more in (0, 1))
        return Told(f"counted: how many {values} at width={look.at['width']} lie from {low:g} to {high:g}")

    return recipe


def _kept(jacobian: str) -> Recipe:
    def recipe(look: Look) -> Expression:
        usual = look.value("quartiles_jacobian_scaled", quartile=QUARTILES.index(0.5))
        return Told(f"counted: how many {jacobian} at width={look.at['width']} are {usual:.6g} or more, "
                    "the median of the scaled ones")

    return recipe


SAMPLES: dict[str, Recipe] = {
    "query_count": lambda look: Known(float(look.params["queries"]), "queries drawn at each width"),
    "key_count": lambda look: Known(float(look.params["keys"]), "keys drawn for each query"),
    "predicted_std": lambda look: Done("root", (look.one("head_dim"),)),
    "dot_products": _drawn,
    "scores": lambda look: over(look.one("dot_products"), Done("root", (look.one("head_dim"),))),
    **_branch("raw", "dot_products"),
    **_branch("scaled", "scores"),
    "bin_edges": lambda look: Known(look.value("bin_edges"), "chosen so that the bins hold every number"),
    "fine_edges": lambda look: Known(look.value("fine_edges"), "chosen so that the bins hold every score"),
    "counts_raw": _count("dot_products", "bin_edges"),
    "counts_scaled": _count("scores", "bin_edges"),
    "fine_counts_scaled": _count("scores", "fine_edges"),
    "kept_raw": _kept("jacobian_raw"),
    "kept_scaled": _kept("jacobian_scaled"),
}


def in_float32(part: Expression) -> Done:
    """It, as float32 holds it: infinity beyond 3.4e38."""
    return Done("float32", (part,))


OVERFLOW: dict[str, Recipe] = {
    "largest_score": lambda look: Done("ln", (Known(3.4028234663852886e38, "the largest number of float32"),)),
    "naive_exp": lambda look: in_float32(exp(look.one("scores"))),
    "naive_sum": lambda look: in_float32(add(look.along("naive_exp", "place"))),
    "naive_weights": lambda look: over(look.one("naive_exp"), look.one("naive_sum")),
    "row_max": lambda look: largest(look.along("scores", "place")),
    "shifted_scores": lambda look: less(look.one("scores"), look.one("row_max")),
    "exp_scores": lambda look: exp(look.one("shifted_scores")),
    "row_sum": lambda look: add(look.along("exp_scores", "place")),
    "attn_weights": weight,
}


def _queries(look: Look) -> Done:
    return times(look.one("query_count"), look.one("head_dim"), look.one("element_size"))


def _keys_and_values(look: Look) -> Done:
    return times(look.one("key_count"), add([look.one("head_dim"), look.one("value_dim")]), look.one("element_size"))


def _outputs(look: Look) -> Done:
    return times(look.one("query_count"), look.one("value_dim"), look.one("element_size"))


def _scores(look: Look) -> Done:
    return times(look.one("query_count"), look.one("key_count"), look.one("element_size"))


def _untiled(look: Look) -> Expression:
    move = look.at["untiled_move"]
    first, last = add([_queries(look), _keys_and_values(look)]), _outputs(look)
    return {0: first, 5: last}.get(move, _scores(look))


def _tiled(look: Look) -> Expression:
    whole, left = divmod(int(look.value("query_count")), int(look.value("query_tile_size")))
    tiles = Known(whole + bool(left), "query tiles: query_count / query_tile_size, rounded up")
    return (_queries(look), times(tiles, _keys_and_values(look)), _outputs(look))[look.at["tiled_move"]]


def _moved(look: Look) -> Expression:
    stage, axis = [("untiled_moves", "untiled_move"), ("tiled_moves", "tiled_move")][look.at["way"]]
    return add(look.along(stage, axis))


def _held(look: Look) -> Expression:
    return Known(0.0, "tiled, no score lies in memory between two steps") if look.at["way"] else _scores(look)


TRAFFIC: dict[str, Recipe] = {
    "untiled_moves": _untiled,
    "tiled_moves": _tiled,
    "bytes_moved": _moved,
    "bytes_held": _held,
    **{f"{stage}_mib": lambda look, stage=stage: over(look.one(stage), Known(MIB, "bytes in a MiB"))  # type: ignore[misc]
       for stage in ("untiled_moves", "tiled_moves", "bytes_moved", "bytes_held")},
}
