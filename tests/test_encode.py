"""What reaches the file: the pictures that were drawn, converted piece by piece, encoded in a thread of its own."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import av
import manim
import numpy as np
import pytest
from av.video.reformatter import Interpolation
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.errors import RenderError
from attnviz.mobjects import Grid
from attnviz.mobjects.animations import Swap
from attnviz.render.boxes import BLOCK, Blocks, Box
from attnviz.render.config import configured
from attnviz.render.encode import Coding, Encoder
from attnviz.render.job import RenderOptions
from attnviz.render.renderer import QuickRenderer
from attnviz.render.writer import SegmentWriter
from attnviz.render.yuv import Patch, YuvFrame, converted
from tests.drawn import tensor

WIDE, HIGH = 150, 90  # not whole blocks
EXACT = Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT


def picture(seed: int) -> np.ndarray:
    pixels = np.random.default_rng(seed).integers(0, 256, (HIGH, WIDE, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


boxes = st.builds(lambda x, y, w, h: Box(x, y, min(WIDE, x + w), min(HIGH, y + h)), st.integers(0, WIDE - 2),
                  st.integers(0, HIGH - 2), st.integers(1, WIDE), st.integers(1, HIGH))  # fmt: skip


@given(st.lists(boxes, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_pieces_give_the_same_bytes_as_the_whole(marked: list[Box]) -> None:
    blocks, before, after = Blocks((WIDE, HIGH)), picture(1), picture(2)
    for box in marked:
        blocks.mark(box)
        before[box.rows, box.columns] = after[box.rows, box.columns]
    whole, pieces = YuvFrame(WIDE, HIGH), YuvFrame(WIDE, HIGH)
    whole.take(converted(Patch(Box(0, 0, WIDE, HIGH), before)))
    pieces.take(converted(Patch(Box(0, 0, WIDE, HIGH), picture(1))))
    for box in blocks.boxes():
        pieces.take(converted(Patch(box, np.ascontiguousarray(before[box.rows, box.columns]))))
    assert all(np.array_equal(a, b) for a, b in zip(whole.planes, pieces.planes, strict=True))


@given(st.lists(boxes, max_size=8))
@settings(max_examples=100, deadline=None)
def test_boxes_hold_what_was_marked_and_do_not_overlap(marked: list[Box]) -> None:
    blocks = Blocks((WIDE, HIGH))
    wanted, found = np.zeros((2, HIGH, WIDE), int)
    for box in marked:
        blocks.mark(box)
        wanted[box.rows, box.columns] = 1
    for box in blocks.boxes():
        assert box.left % BLOCK == box.top % BLOCK == 0 and box.right <= WIDE and box.bottom <= HIGH
        found[box.rows, box.columns] += 1
    assert found.max() <= 1 and (found >= wanted).all()
    assert bool(marked) == bool(blocks.boxes())


class Keeping(SegmentWriter):
    """Encodes as ever, and keeps what was drawn."""

    def __init__(self, settings: Any, **options: Any) -> None:
        super().__init__(settings, **options)
        self.drawn: list[np.ndarray] = []

    def write_changes(self, frame: np.ndarray, changed: Any, repeat: int) -> None:
        self.drawn += [frame[..., :3].copy()] * repeat
        super().write_changes(frame, changed, repeat)


class Film(manim.Scene):
    """A grid whose numbers change, a formula's worth of outlines, thin lines, a fade."""

    def construct(self) -> None:
        grid = Grid(tensor("scores"), fit=(5.6, 5.6)).shift(2 * manim.LEFT)
        star = manim.Star(9, color=manim.RED, stroke_width=2).shift(4 * manim.RIGHT)
        self.add(grid, manim.Circle(1.2, fill_opacity=1, color=manim.TEAL).shift(4 * manim.RIGHT))
        self.play(Swap(grid, tensor("attn_weights")), manim.Create(star), run_time=0.5)
        self.play(manim.FadeOut(star, scale=2), grid.animate.shift(0.4 * manim.RIGHT), run_time=0.4)
        self.wait(0.5)


def filmed(tmp_path: Path, profile: str) -> tuple[list[np.ndarray], list[np.ndarray], int]:
    """What was drawn, what is decoded, and the film's size in bytes."""
    with configured(RenderOptions(), tmp_path):
        scene = Film(renderer=QuickRenderer(partial(Keeping, profile=profile)))
        scene.render()
    writer = scene.renderer.file_writer
    with av.open(writer.movie_file_path) as film:
        decoded = [frame.to_ndarray(format="rgb24", interpolation=EXACT) for frame in film.decode(video=0)]
    return writer.drawn, decoded, writer.movie_file_path.stat().st_size


def psnr(one: np.ndarray, other: np.ndarray) -> float:
    return float(10 * np.log10(255**2 / np.mean((one.astype(float) - other) ** 2)))


def test_the_default_film_is_what_was_drawn_to_42_db(tmp_path: Path) -> None:
    drawn, decoded, size = filmed(tmp_path / "default", "default")
    assert len(drawn) == len(decoded) == 42
    ratios = [psnr(a, b) for a, b in zip(drawn, decoded, strict=True)]
    assert np.mean(ratios) > 42 and min(ratios) > 40
    _, draft, small = filmed(tmp_path / "draft", "draft")
    assert np.mean([psnr(a, b) for a, b in zip(drawn, draft, strict=True)]) < np.mean(ratios) and small < size
    _, archive, smallest = filmed(tmp_path / "archive", "archive")
    assert np.mean([psnr(a, b) for a, b in zip(drawn, archive, strict=True)]) > 42 and smallest < size


def test_flat_cells_keep_their_colour_to_three_levels(tmp_path: Path) -> None:
    drawn, decoded, _ = filmed(tmp_path, "default")
    flat = [(y, x) for y in range(90, 640, 12) for x in range(160, 720, 12)
            if np.ptp(drawn[-1][y - 6 : y + 6, x - 6 : x + 6].reshape(-1, 3), axis=0).max() == 0]  # fmt: skip
    assert len(flat) > 100
    gaps = [np.abs(np.median(decoded[-1][y - 6 : y + 6, x - 6 : x + 6].reshape(-1, 3), axis=0) - drawn[-1][y, x]).max()
            for y, x in flat]  # fmt: skip
    assert max(gaps) <= 3


class TestEncoder:
    """The threads: what fails there is heard, and nobody waits for ever."""

    coding = Coding(64, 64, 10)
    patch = Patch(Box(0, 0, 64, 64), np.zeros((64, 64, 4), np.uint8))

    @pytest.mark.parametrize("patch", [Patch(Box(32, 32, 96, 96), patch.pixels), Patch(Box(0, 0, 64, 64), None)])
    def test_a_fault_is_raised_by_a_later_call(self, tmp_path: Path, patch: Patch) -> None:
        before, encoder = threading.active_count(), Encoder(self.coding)
        encoder.open(tmp_path / "x.mp4")
        encoder.show([patch], [], 1)
        for step in (lambda: [encoder.show([self.patch], [], 1) for _ in range(10_000)], encoder.finish):
            with pytest.raises((ValueError, AttributeError), match=r"broadcast|None"):
                step()
        assert threading.active_count() == before

    def test_what_the_disk_refuses_is_raised_at_the_end(self, tmp_path: Path) -> None:
        encoder = Encoder(self.coding)
        encoder.open(tmp_path / "not there" / "x.mp4")
        encoder.show([self.patch], [], 3)
        encoder.close()
        with pytest.raises(OSError, match="No such file"):
            encoder.finish()

    def test_it_can_be_left_in_the_middle(self, tmp_path: Path) -> None:
        before, turn = threading.active_count(), sys.getswitchinterval()
        encoder = Encoder(self.coding)
        encoder.open(tmp_path / "x.mp4")
        for _ in range(500):
            encoder.show([self.patch], [self.patch.box], 1)
        encoder.abort()
        encoder.abort()
        assert (threading.active_count(), sys.getswitchinterval()) == (before, turn)

    def test_a_segment_without_frames_is_refused(self, tmp_path: Path) -> None:
        encoder = Encoder(self.coding)
        encoder.open(tmp_path / "x.mp4")
        encoder.close()
        with pytest.raises(RenderError, match="no frame"):
            encoder.finish()
