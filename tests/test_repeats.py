"""Pictures repeated without x264: the bytes are those that it gives when it codes each of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import av
import numpy as np
import pytest

from attnviz.errors import RenderError
from attnviz.render.boxes import Box
from attnviz.render.encode import KEY, Coding, Segments
from attnviz.render.repeats import Repeats
from attnviz.render.yuv import Patch, converted

WIDE, HIGH, FPS = 200, 120, 20  # not whole blocks
Shown = tuple[Box | None, int]  # where noise is painted, if anywhere, and for how many frames it is shown


def noise(box: Box, seed: int) -> Patch:
    pixels = np.random.default_rng(seed).integers(0, 256, (box.bottom - box.top, box.right - box.left, 4), np.uint8)
    return Patch(box, pixels)


def coded(path: Path, shown: Sequence[Shown], profile: str = "default", vfr: bool = False) -> tuple[bytes, int]:
    """The film's bytes, and how many of its pictures x264 coded."""
    segments = Segments(Coding(WIDE, HIGH, FPS, profile, vfr))
    segments.open(path)
    count: list[int] = []
    encode = segments._encode
    segments._encode = lambda changed: (count.append(1), encode(changed))[1]  # type: ignore[method-assign, func-returns-value]
    for number, (box, frames) in enumerate(shown):
        segments.show([converted(noise(box, number))] if box else [], [box] if box else [], frames)
    segments.close()
    return path.read_bytes(), len(count)


def pictures(content: Path) -> list[np.ndarray]:
    with av.open(content) as film:
        return [frame.to_ndarray() for frame in film.decode(video=0)]


WHOLE, PART = Box(0, 0, WIDE, HIGH), Box(0, 0, 160, 112)
FILMS = {
    "still": [(WHOLE, 100)],
    "now and then": [(WHOLE, 7), (Box(16, 16, 80, 64), 40), (None, 3), (Box(0, 0, 32, 32), 1), (Box(64, 0, 96, 32), 9)],
    "longer than key frames are apart": [(WHOLE, 3 * KEY * FPS + 5), (Box(16, 16, 32, 32), 30)],
    "one at a time": [(WHOLE, 1), *[(None, 1)] * 33, (Box(16, 16, 80, 64), 1), *[(None, 1)] * 5],
}


@pytest.mark.parametrize("profile", ["default", "draft"])
@pytest.mark.parametrize("name", FILMS)
def test_the_bytes_are_those_of_x264_alone(
    name: str, profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = FILMS[name]
    total = sum(frames for _, frames in shown)
    ours, few = coded(tmp_path / "ours.mp4", shown, profile)
    monkeypatch.setattr(Repeats, "again", lambda self: None)
    theirs, all_of_them = coded(tmp_path / "theirs.mp4", shown, profile)
    assert all_of_them == total == len(pictures(tmp_path / "ours.mp4"))
    changing = sum(box is not None for box, _ in shown)
    assert few <= changing + 1 + total // (KEY * FPS)  # what changes, one to learn from, key frames
    assert ours == theirs


def test_large_changes_after_repeats_are_shown_as_well_as_by_x264_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = [(WHOLE, 3), *[(PART, 2)] * 70]  # noise: some hundred thousand bytes that need no start code
    ours, few = coded(tmp_path / "ours.mp4", shown)
    assert few < 75 and len(ours) > 1_000_000
    monkeypatch.setattr(Repeats, "again", lambda self: None)
    coded(tmp_path / "theirs.mp4", shown)
    pairs = zip(pictures(tmp_path / "ours.mp4"), pictures(tmp_path / "theirs.mp4"), strict=True)
    gaps = [int(np.abs(one.astype(int) - other).max()) for one, other in pairs]
    assert len(gaps) == 143 and max(gaps) <= 16  # x264 may look for motion elsewhere: what it codes is as near


def test_what_was_encoded_before_changes_nothing(tmp_path: Path) -> None:
    segments = Segments(Coding(WIDE, HIGH, FPS))
    films = [tmp_path / "first.mp4", tmp_path / "second.mp4"]
    for path in films:
        segments.open(path)
        for number in range(60):  # the first still picture comes late, after blocks that moved
            segments.show([converted(noise(PART, number))], [PART], 1 + number % 2 * (number > 20))
        segments.close()
    assert films[0].read_bytes() == films[1].read_bytes()


def test_a_key_frame_comes_every_few_seconds_of_a_still_picture(tmp_path: Path) -> None:
    coded(tmp_path / "film.mp4", FILMS["longer than key frames are apart"])
    with av.open(tmp_path / "film.mp4") as film:
        keys = [round(packet.pts * packet.time_base * FPS) for packet in film.demux(video=0) if packet.is_keyframe]
    assert keys == [0, KEY * FPS, 2 * KEY * FPS, 3 * KEY * FPS]


@pytest.mark.parametrize(("profile", "vfr"), [("archive", False), ("archive", True), ("default", True)])
def test_where_pictures_wait_in_x264_none_is_repeated(tmp_path: Path, profile: str, vfr: bool) -> None:
    _, count = coded(tmp_path / "film.mp4", FILMS["now and then"], profile, vfr)
    shown = pictures(tmp_path / "film.mp4")
    assert count == len(shown) == (8 if vfr else 60)


def slice_of(number: int) -> bytes:
    """A coded picture with a number, escaped as H.264 has it."""
    head = bytes((0b1001_1010 | number >> 3, 0b0000_0010 | (number & 7) << 5))
    return b"\0\0\0\1\x41" + head + b"\0\0\3\0\3\x30\x80"


def same(number: int, blocks_plus_one: int = 2) -> bytes:
    """The picture in which nothing changed: header, so many blocks as before, the end."""
    bits = f"1001101{number:04b}0001010" + f"{blocks_plus_one:03b}" + "1"
    return b"\0\0\0\1\x41" + int(bits.ljust(32, "0"), 2).to_bytes(4)


class TestNumbers:
    """Of single pictures, without x264."""

    def test_what_comes_after_repeats_is_numbered_on_and_the_rest_kept(self) -> None:
        repeats = Repeats(blocks=1)
        assert repeats.again() is None
        assert repeats.coded(b"key", True) == b"key" and repeats.again() is None
        assert repeats.coded(same(1), False) == same(1)
        assert [repeats.again() for _ in range(20)] == [same(number % 16) for number in range(2, 22)]
        assert repeats.coded(slice_of(2), False) == slice_of(22 % 16)
        assert repeats.coded(b"key", True) == b"key" and repeats.again() == same(1)

    def test_start_codes_are_kept_out_of_what_is_numbered(self) -> None:
        repeats = Repeats(blocks=1)
        repeats.coded(b"key", True)
        repeats.coded(same(1), False)
        repeats.again()
        body = b"\0\0\3\1\0\0\3\0\0\3\3\x80"  # 00 00 01 00 00 00 00 03 80
        renumbered = repeats.coded(slice_of(2)[:7] + body, False)
        assert renumbered == slice_of(3)[:7] + body

    @pytest.mark.parametrize(
        "strange",
        [
            b"",
            slice_of(5),
            b"\0\0\0\1\x01" + slice_of(1)[5:],
            b"\0\0\0\1\x41\x80\0\0\0",
            slice_of(1) + b"\0\0\1\x41\x9a",
        ],
        ids=["empty", "another number", "not referred to", "another kind", "two slices"],
    )
    def test_what_is_not_known_is_left_alone_and_nothing_repeated(self, strange: bytes) -> None:
        repeats = Repeats(blocks=1)
        repeats.coded(b"key", True)
        assert repeats.coded(strange, False) == strange
        assert repeats.coded(same(1), False) == same(1) and repeats.again() is None
        assert repeats.coded(b"key", True) == b"key" and repeats.again() is None

    def test_what_is_not_known_after_a_repeat_is_refused(self) -> None:
        repeats = Repeats(blocks=1)
        repeats.coded(b"key", True)
        repeats.coded(same(1), False)
        repeats.again()
        with pytest.raises(RenderError, match="numbers pictures in a way that is not known"):
            repeats.coded(slice_of(7), False)

    def test_only_a_picture_in_which_all_blocks_are_as_before_is_repeated(self) -> None:
        repeats = Repeats(blocks=2)
        repeats.coded(b"key", True)
        repeats.coded(same(1), False)  # of one block
        repeats.coded(slice_of(2), False)
        assert repeats.again() is None
        repeats.coded(same(3, blocks_plus_one=3), False)
        assert repeats.again() == same(4, blocks_plus_one=3)
