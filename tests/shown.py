"""What a played scene shows at the end of a beat, and where that is not what its records and its case say.

Read from what the scene describes of itself, and worked out here once more, without the code that drew it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attnviz.scene import LessonScene

LEVEL = 0.06  # units: how far the middle of a label may lie from the middle of its row or column
TILTED = 0.75  # of a column: how far the middle of a tilted label may lie to the right of it, where its foot stands
SIDES = {"left": 0, "top": 1}


def items(scene: LessonScene, beat: str, kind: str) -> list[dict[str, Any]]:
    """What of a kind (`grid`, `labels`, `literal`, ...) is there at a beat's end."""
    visible = next(one.visible for one in scene.beats if one.id == beat)
    return [item for item in visible if item["type"] == kind]


def grids(scene: LessonScene, beat: str) -> list[str]:
    """The stages of the grids at a beat's end, with what else than a head is selected."""
    contents = [item["content"] for item in items(scene, beat, "grid")]
    return sorted(" ".join([one["stage"], *(f"{axis}={place}" for axis, place in one["at"].items()
                                            if axis not in ("batch", "head", "kv_head"))]) for one in contents)


def texts(scene: LessonScene, beat: str) -> set[str]:
    """The lines of words at a beat's end."""
    return {item["text"] for item in items(scene, beat, "text")}


def names(scene: LessonScene, beat: str) -> list[str]:
    """The names of stages at a beat's end."""
    return sorted(item["stage"] + "ᵀ" * item["transposed"] for item in items(scene, beat, "name"))


def shapes(scene: LessonScene, beat: str) -> list[tuple[int, ...]]:
    """The shapes that are written at a beat's end, from left to right."""
    written = sorted(items(scene, beat, "literal"), key=lambda item: item["center"][0])
    return [tuple(map(int, item["text"].split("×"))) for item in written]


def digits(scene: LessonScene, beat: str, stage: str) -> np.ndarray:
    """The digits of the one whole grid of a stage, read as numbers."""
    [item] = [one for one in items(scene, beat, "grid") if one["content"]["stage"] == stage
              and None not in one["content"]["axes"]]
    return np.array([[_read(cell) for cell in row] for row in item["content"]["strings"]])


def wrong_numbers(scene: LessonScene) -> list[str]:
    """Cells and numbers with other digits than their records have, over the whole film; and grids without digits."""
    found = []
    for beat in scene.beats:
        for item in items(scene, beat.id, "grid"):
            content = item["content"]
            shown, wanted = content["strings"], _recorded(scene, content)
            if len(shown) != len(wanted):
                found.append(f"{beat.id}: {content['address']} has {len(shown)} rows of digits")
                continue
            found += [f"{beat.id}: {content['address']} {place}: {shown[place[0]][place[1]]}"
                      for place in np.ndindex(wanted.shape) if not _says(shown[place[0]][place[1]], wanted[place])]
    return found


def wrong_labels(scene: LessonScene) -> list[str]:
    """Labels that are not the words of their own axis, or not level with a grid's row or column; over the film."""
    words = {"query_pos": scene.data.query_tokens, "key_pos": scene.data.key_tokens}
    found = []
    for beat in scene.beats:
        drawn = items(scene, beat.id, "grid")
        for labels in items(scene, beat.id, "labels"):
            said = [label["token"] for label in labels["labels"]]
            if said != [*words[labels["axis"]]] or not any(_beside(labels, grid) for grid in drawn):
                found.append(f"{beat.id}: {labels['axis']} {labels['side']}: {' '.join(said)}")
    return found


def _recorded(scene: LessonScene, content: dict[str, Any]) -> np.ndarray:
    """The values that a grid is of, straight from the arrays of its record."""
    record = scene.bundle[content["record"]]
    axes, array = record[content["stage"]].axes, record.arrays[content["stage"]]
    left = [axis for axis in axes if axis not in content["at"]]
    values = array[tuple(content["at"].get(axis, slice(None)) for axis in axes)]
    drawn = [axis for axis in content["axes"] if axis]
    values = np.transpose(values, [left.index(axis) for axis in drawn]).reshape(content["shape"])
    return values.astype(float)


def _read(shown: str) -> float:
    return float(shown.replace("−", "-").replace("∞", "inf"))


def _says(shown: str, value: float) -> bool:
    half = 0.5 * 10.0 ** -len(shown.partition(".")[2])
    return bool(abs(_read(shown) - value) <= half * 1.0001)


def _beside(labels: dict[str, Any], grid: dict[str, Any]) -> bool:
    """Whether labels are level with the rows (or columns) of a grid of their axis, one by one."""
    side = SIDES[labels["side"]]
    if grid["content"]["axes"][side] != labels["axis"]:
        return False
    start, pitch, way = grid["origin"][1 - side], grid["pitch"][1 - side], (-1, 1)[side]
    middles = [start + way * (place + 0.5) * pitch for place in range(grid["content"]["shape"][side])]
    centers = [label["center"][1 - side] for label in labels["labels"]]
    most = max(LEVEL, TILTED * pitch) if side else LEVEL
    return len(middles) == len(centers) and all(-LEVEL <= center - middle <= most
                                                for center, middle in zip(centers, middles, strict=True))
