"""The measures of the room of labelled boxes: how high a box is, how wide its cells, and where each column begins.

Here is decided from which number of words on the boxes are rows of one grid. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.grid import whole_pixels
from attnviz.mobjects.labels import GAP, rows_to_a_label
from attnviz.mobjects.notices import every_word
from attnviz.theme import DARK, PIXEL, Theme
from attnviz.trace import NamedTensor

TALLEST, WIDEST = 0.84, 0.86  # pitch of boxes and width of cells at most, in units
NARROWEST = 0.45  # width of a cell that has room for its digits
PAD, BETWEEN = 0.1, 0.16  # units: inside an outline, and between word and numbers
HEAD, FOOT = 1.25, 1.0  # pitches above and below the boxes: the query's card, and the sum
LOWEST = 40 * PIXEL  # pitch of boxes that have room for their outline, their word and their digits
FEW = 8  # words: where there are more, the blend is no lower than it is with these
CARD, APART, BELOW = 0.36, 0.12, 0.26  # units, with boxes too low: the query's card, between it and the grid, the sum
NOTICE = 0.19  # units more above the grid where a line says which words are named
NAME_SIZE = DARK.small_size  # of words beside the grid
Tensors = Callable[[str], NamedTensor]


@dataclass(frozen=True)
class Heights:
    """Measures in units, from the top down; `is_low` where boxes are rows of one grid.

    `top` of all, the query's `card`, `head` from the top to the first box, the boxes' `pitch`, and that of a box as
    high as the blend.
    """

    is_low: bool
    top: float
    card: float
    head: float
    pitch: float
    blend_pitch: float


@dataclass(frozen=True)
class Plan(Heights):
    """Measures in units: cells, the heights, words, boxes, and the x at which each column begins."""

    cell: float
    word: float
    box: float
    first: float
    weights: float
    blend: float
    end: float


def room_plan(tensor: Tensors, tokens: Sequence[str], region: Region, theme: Theme) -> Plan:
    """Measures with which boxes, weights, lines and blend fill a region."""
    key, value = tensor("key").size("head_dim"), tensor("value").size("value_dim")
    heights = _heights(len(tokens), region)
    word = _word(tokens, heights, region, theme)
    margins = 2 * PAD + BETWEEN + word
    inner = max(key, value)
    room = region.width - margins - 4 * PAD
    cell = whole_pixels(min(WIDEST, room / (inner + 1.4 + 1.4 + value)))
    cell = max(cell, NARROWEST)
    box = margins + inner * cell
    gap = max(room - (inner + 1 + value) * cell, 1.0)
    lines = min(gap - 0.3 * cell, 0.3 * region.width)
    width = box + 0.3 * cell + cell + lines + value * cell
    first = region.x - width / 2
    weights = first + box + 0.3 * cell
    return Plan(**asdict(heights), cell=cell, word=word, box=box, first=first, weights=weights,
                blend=weights + cell + lines, end=first + width)


def word_size(pitch: float, theme: Theme) -> float:
    """The em in pixels of the word in a box of this pitch."""
    return min(theme.body_size, 0.55 * pitch / PIXEL)


def _heights(count: int, region: Region) -> Heights:
    pitch, few = (_box_pitch(boxes, region) for boxes in (count, FEW))
    if pitch >= LOWEST:
        top = region.y + (count + HEAD + FOOT) * pitch / 2
        return Heights(False, top, pitch, HEAD * pitch, pitch, max(pitch, few))
    head = CARD + APART
    pitch = whole_pixels((region.height - head - BELOW) / count)
    if rows_to_a_label(pitch) > 1:
        head += NOTICE
        pitch = whole_pixels((region.height - head - BELOW) / count)
    top = region.y + (head + count * pitch + BELOW) / 2
    return Heights(True, top, CARD, head, pitch, few)


def _box_pitch(count: int, region: Region) -> float:
    return whole_pixels(min(TALLEST, region.height / (count + HEAD + FOOT)))


def _word(tokens: Sequence[str], heights: Heights, region: Region, theme: Theme) -> float:
    """The width for words in their boxes, or beside the grid, where the line about them needs its own."""
    widest = max(map(text.width_of, tokens)) * PIXEL * (
        NAME_SIZE if heights.is_low else word_size(heights.pitch, theme))
    word = min(1.15 * widest + 0.05, 0.17 * region.width)
    every = rows_to_a_label(heights.pitch)
    notice = text.width_of(every_word(every)) * DARK.minimum_size * PIXEL + GAP if every > 1 else 0.0
    return max(word, notice) if heights.is_low else word
