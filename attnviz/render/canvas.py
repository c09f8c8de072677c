"""The frame that stays: what changed since the frame before is painted anew, and nothing else.

Here are the order of the leaves and the bookkeeping of changed blocks; how a leaf is painted is in its own file.
"""

from collections.abc import Sequence
from typing import Any

import cairo
import manim
import numpy as np
from numpy.typing import NDArray

from attnviz.render.boxes import Blocks, Box, overlap
from attnviz.render.leaf import Leaf
from attnviz.render.outline import Outline
from attnviz.render.picture import Picture
from attnviz.render.stranger import Stranger

KINDS: tuple[type[Leaf], ...] = (Picture, Outline, Stranger)  # the first that suits a mobject paints it


class Canvas:
    """The pixels of a camera (its `pixel_array`), and the leaves that were painted there, in order."""

    def __init__(self, camera: manim.Camera) -> None:
        self.camera = camera
        context = camera.get_cairo_context(camera.pixel_array)
        self.matrix, self.context = context.get_matrix(), cairo.Context(context.get_target())
        self._leaves: dict[int, Leaf] = {}  # by the identity of the mobject, which they keep alive
        self._order: list[int] = []
        self._background: object = None
        self._blocks = Blocks(self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.camera.pixel_width, self.camera.pixel_height

    @property
    def pixels_per_unit(self) -> float:
        """Output pixels in one of Manim's units."""
        return float(self.camera.pixel_height / self.camera.frame_height)

    def show(self, mobjects: Sequence[manim.Mobject], touched: set[int] | None = None) -> list[Box]:
        """Bring the frame to where it shows `mobjects`, in this order; return the boxes that were painted.

        `touched` are the identities of those that can look different from the last frame; None: all.
        """
        blocks = self._blocks
        blocks.clear()
        if self._background is not self.camera.background:
            self._background = self.camera.background
            blocks.mark_all()
        self._take(mobjects, touched, blocks)
        boxes = self._settled(blocks)
        if boxes:
            self._paint(boxes)
        return boxes

    def _take(self, mobjects: Sequence[manim.Mobject], touched: set[int] | None, blocks: Blocks) -> None:
        """Bring the leaves up to date, and mark where they changed, came, went, or passed one another."""
        order = list(map(id, mobjects))
        if order != self._order:
            self._rearrange(mobjects, order, blocks)
        if touched is not None:
            touched = touched | {key for key, leaf in self._leaves.items() if leaf.leans}
        for key in order if touched is None else touched.intersection(order):
            now = self._leaves[key]
            if not now.suits(now.mobject):
                blocks.mark(now.box)
                now = self._leaves[key] = self._leaf(now.mobject)
            for box in now.renew():
                blocks.mark(box)

    def _rearrange(self, mobjects: Sequence[manim.Mobject], order: list[int], blocks: Blocks) -> None:
        """Take the leaves of these mobjects in this order; the new ones are not looked at yet."""
        old = self._leaves
        self._leaves = {key: old.get(key) or self._leaf(mobject) for key, mobject in zip(order, mobjects, strict=True)}
        for key in old.keys() - self._leaves.keys():
            blocks.mark(old[key].box)
        for key in self._leaves.keys() - old.keys():
            for box in self._leaves[key].renew():
                blocks.mark(box)
        stayed = [key for key in old if key in self._leaves], [key for key in order if key in old]
        for key in _moved(*stayed):
            blocks.mark(self._leaves[key].box)
        self._order = order

    def _leaf(self, mobject: manim.Mobject) -> Leaf:
        return next(kind for kind in KINDS if kind.suits(mobject))(mobject, self)

    def _settled(self, blocks: Blocks) -> list[Box]:
        """Mark what is painted whole or not at all, where it is touched; that may touch more. Return the boxes."""
        strangers = [leaf for leaf in self._leaves.values() if not leaf.clipped]
        while True:
            boxes = blocks.boxes()
            for box in boxes:
                blocks.mark(box)
            found = [stranger for stranger in strangers if blocks.touch(stranger.box)]
            if not found:
                return boxes
            for stranger in found:
                blocks.mark(stranger.box)
                strangers.remove(stranger)

    def _paint(self, boxes: Sequence[Box]) -> None:
        camera: Any = self.camera
        context = self.context
        for box in boxes:
            camera.pixel_array[box.rows, box.columns] = camera.background[box.rows, box.columns]
        for left, top, right, bottom in boxes:
            context.rectangle(left, top, right - left, bottom - top)
        context.clip()
        for painted in self._leaves.values():
            for box in boxes:
                if overlap(painted.box, box):
                    painted.paint()
                    break
        context.reset_clip()


def _moved(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """Return the keys from the first to the last place at which two orders of the same keys differ."""
    if old == new:
        return []
    differs = np.flatnonzero([a != b for a, b in zip(old, new, strict=True)])
    return list(new[differs[0] : differs[-1] + 1])


def difference(old: NDArray[np.uint8], new: NDArray[np.uint8]) -> list[Box]:
    """Return the boxes in which two RGBA frames differ: for what was painted by a camera that keeps no account."""
    blocks = Blocks((new.shape[1], new.shape[0]))
    differs = (old.view(np.uint32) != new.view(np.uint32))[..., 0]
    for top in np.flatnonzero(differs.any(axis=1)).tolist():
        columns = np.flatnonzero(differs[top])
        blocks.mark(Box(int(columns[0]), top, int(columns[-1]) + 1, top + 1))
    return blocks.boxes()


