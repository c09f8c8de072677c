"""Two tensors of one axis as bars side by side, in one scale: whether they are alike is seen entry by entry.

What the bars change stands below them, a cell for each pair. Which two, and what they are called, is a scene's choice;
here is only how they stand.
"""

from __future__ import annotations

from collections.abc import Sequence

import manim
import numpy as np

from attnviz import text
from attnviz.layout import Region
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid, whole_pixels
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import Theme
from attnviz.trace import NamedTensor

WORDS, NUMBER = 0.75, 0.4  # room for the words above the bars, and for a number over and below the longest, in units
BESIDE, FILLED = 0.21, 0.38  # of the room for an entry: how far a bar stands from its middle, and how wide it is
WIDEST = 1.9  # units that an entry may take
LOW = 0.9  # times its width: a region that is less high is low
EDGE = 0.1  # kept free for the width of lines
TALLEST = 4.5  # units that the scale may be high
CELL, FOOT = 0.46, 0.86  # units: how high cells below the bars are, and the room for them and their words
CLOSE = 0.2  # of the longest bar: by how much two of a pair may differ and still be called close
GAP = 0.1  # between cells and the words below them


def picture_and_words(region: Region) -> tuple[Region, Region]:
    """Where a small picture and a sentence about it go: above each other, or beside each other where it is low."""
    if region.height > LOW * region.width:
        half = region.height / 2
        return (Region(region.x, region.y + half / 2, region.width, half),
                Region(region.x, region.y - half / 2, region.width, half))
    half = region.width / 2
    return (Region(region.x - half / 2, region.y, half, region.height),
            Region(region.x + half / 2, region.y, half, region.height))


def are_close(one: NamedTensor, other: NamedTensor) -> bool:
    """Whether all pairs of bars look about as long as each other."""
    longest = np.abs([one.values, other.values]).max(initial=0.0)
    return bool(np.abs(one.values - other.values).max(initial=0.0) <= CLOSE * longest)


class Compared:
    """`bars[i]` and `legend[i]` (one of `words`, in the bars' colour) for each of two `tensors`, filling `region`.

    `changed` is the tensor whose entries they are about, and what these are in words: `entries` are its cells, each
    below its pair of bars, with the words below.
    """

    def __init__(self, tensors: Sequence[NamedTensor], words: Sequence[str], changed: tuple[NamedTensor, str],
                 region: Region, theme: Theme) -> None:
        shown = [text.line(said, size=theme.body_size, color=theme.stage_color(tensor.name))
                 for said, tensor in zip(words, tensors, strict=True)]
        count = tensors[0].values.size
        pitch = whole_pixels(min(WIDEST, (region.width - EDGE) / (count + 2 * BESIDE)))
        height = min(TALLEST, region.height - WORDS - 2 * NUMBER - FOOT)
        self.bars = [Bars(tensor, size=(count * pitch, height), scale=stage_scale(tensor, theme, also=tensors),
                          fmt=stage_format(tensor), theme=theme, filled=FILLED) for tensor in tensors]
        middle = region.y - WORDS / 2 + FOOT / 2
        for made, side in zip(self.bars, (-BESIDE, BESIDE), strict=True):
            low, high = made.scale_used.ends
            made.shift((region.x + side * pitch - made.line.get_center()[0],
                        middle - (low + high) / 2 * made.unit - made.zero, 0))
        head = manim.VGroup(*shown).arrange(manim.RIGHT, buff=0.7)
        head.move_to((region.x, middle + height / 2 + NUMBER + WORDS / 2, 0))
        self.legend = shown
        cells = Grid(changed[0], None, changed[0].axes[0], scale=stage_scale(changed[0], theme), cell=(pitch, CELL),
                     fmt=stage_format(changed[0]), theme=theme)
        said = text.line(changed[1], size=theme.label_size, color=theme.stage_color(changed[0].name))
        self.entries = manim.Group(cells, said).arrange(manim.DOWN, buff=GAP)
        self.entries.move_to((region.x, middle - height / 2 - NUMBER, 0), aligned_edge=manim.UP)
