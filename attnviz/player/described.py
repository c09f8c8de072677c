"""What a picture shows, in words: for those who do not see the film (WCAG 1.2.1). It is made from the score alone.

A beat is told by what came into the picture, what left it, and the numbers that stand in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attnviz.trace.kinds import KINDS

_SIGNS = {"sum": " + ", "product": " × ", "quotient": " ÷ ", "difference": " − "}
MOST = 8  # of one sort that are listed; the rest are counted


def described(beat: Mapping[str, Any], before: Mapping[str, Any], score: Mapping[str, Any]) -> list[str]:
    """Sentences on what is in the picture at the end of `beat` and was not at the end of `before` (or nothing)."""
    now, then = _things(beat, score), _things(before, score)
    came = [name for name in now if name not in then]
    left = [name for name in then if name not in now]
    sentences = [f"{'New in' if before else 'In'} the picture: {_listed(came)}."] if came else []
    sentences += [f"No longer there: {_listed(left)}."] if left else []
    worked = [name for name in numbers(beat) if name not in numbers(before)]
    sentences += [f"Worked: {_listed(worked)}."] if worked else []
    return sentences


def _things(beat: Mapping[str, Any], score: Mapping[str, Any]) -> list[str]:
    """What stands in a picture, each once: tensors, bars, names of axes and words."""
    items = (item for item in beat.get("visible", ()) if item.get("text") not in (beat["title"], beat["caption"]))
    return list(dict.fromkeys(name for name in (_thing(item, score) for item in items) if name))


def _thing(item: Mapping[str, Any], score: Mapping[str, Any]) -> str:
    kind = item["type"]
    if kind == "grid":
        content = score["contents"][item["content"]]
        rows, columns = (f"{count} {side}{'s' * (count != 1)}"
                         for count, side in zip(content["shape"], ("row", "column"), strict=True))
        return f"{_stage(content['stage'])} as a grid of {rows} and {columns}"
    if kind in ("bars", "histogram"):
        return f"{_stage(item['address'].partition('[')[0])} as bars"
    if kind == "labels":
        tokens = [label["token"] for label in item["labels"]]
        return f"the words {' '.join(tokens)} along {item['axis'].replace('_', ' ')}"
    if kind == "text" and "(" not in item["text"] and item["text"] not in ("+", "=", "≈", "×"):
        return f"the words: {item['text']}" if " " in item["text"] else ""
    return ""


def numbers(beat: Mapping[str, Any]) -> list[str]:
    """The sums of a picture, and the single numbers that stand in it outside of grids."""
    lines = [line for item in beat.get("visible", ()) if item["type"] == "relation" for line in _relations(item)]
    alone = [f"{_stage(item['address'].partition('[')[0])}: {item['text']}"
             for item in beat.get("visible", ()) if item["type"] == "number" and item["opacity"] > 0.5]
    return list(dict.fromkeys([*lines, *(alone if not lines else ())]))


def _relations(item: Mapping[str, Any]) -> Iterable[str]:
    sign = _SIGNS.get(item["operation"])
    for line in item["lines"]:
        terms = [line["terms"][0], *(f"({term})" if term.startswith("−") else term for term in line["terms"][1:])]
        said = sign.join(terms) if sign else f"{item['operation']} of {', '.join(line['terms'])}"
        yield f"{said} {item['sign']} {line['total']}"


def _stage(name: str) -> str:
    """A stage's title, from the first table that has it."""
    return next((stage.title for kind in KINDS.values() for stage in kind.stages if stage.name == name), name)


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - MOST} more"] if len(names) > MOST else []
    return "; ".join([*names[:MOST], *more])
