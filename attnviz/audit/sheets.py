"""Whether digits look like what they are called: each drawn number is read once, by the templates of the verifier.

A grid draws sprites and says which is where; that sprite 3 looks like a 3 is seen here, as are the outlines of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from attnviz.audit.view import View, seen_cells
from attnviz.mobjects.number import Number
from attnviz.mobjects.sprites import CAP_HEIGHT, Mask, sprite
from attnviz.text import compose
from attnviz.verify.reading import Place, read

EM = 32.0  # pixels: large enough that no digit is taken for another
RIM = 8  # pixels around a sprite


def complaints(view: View) -> Iterator[str]:
    """Numbers on screen that look like other numbers."""
    for grid in view.grids:
        if grid.digit_size == 0:
            continue
        cells = grid.cells
        for place in np.unique(cells.sprite_ids[seen_cells(grid)]).tolist():
            if (seen := looks_like(cells.strings[place])) != cells.strings[place]:
                row, column = (int(at) for at in np.argwhere(seen_cells(grid) & (cells.sprite_ids == place))[0])
                yield f"{cells.entry(row, column).address} is drawn so that it reads {seen}, not {cells.strings[place]}"
    for number in view.lone(Number):
        if number.weight == "regular" and (seen := looks_like(number.text)) != number.text:
            yield f"{number.entry.address} is drawn so that it reads {seen}, not {number.text}"


def looks_like(text: str) -> str:
    """What the sprite of a number reads as; the text itself where it is as it should be."""
    return _read(text, sprite(text, EM).tobytes(), sprite(text, EM).shape)


@lru_cache(maxsize=8192)
def _read(text: str, pixels: bytes, shape: tuple[int, int]) -> str:
    mask: Mask = np.frombuffer(pixels, np.uint8).reshape(shape)
    luma = np.pad(mask, RIM).astype(np.float64)
    baseline = round(shape[0] / 2 + CAP_HEIGHT * EM / 2)
    start = (shape[1] - compose(text)[1] * EM) / 2
    found = read(luma, text, Place(start + RIM, baseline + RIM, EM), 255.0)
    return text if found.status == "read" else found.seen
