"""What x264 is told of unchanged blocks: heeded, true, cut to the frame, replaced, given back, and off where unsure."""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.render import hints
from attnviz.render.hints import Rect, hints_work, tell_changed

WIDE, HIGH = 96, 64
LISTENING = {"preset": "ultrafast", "qp": "16", "threads": "1", "mb_info": "1"}
needs_hints = pytest.mark.skipif(not hints_work(), reason="no hints on this machine")


def flat_frame(light: int = 0) -> Any:
    frame = av.VideoFrame(WIDE, HIGH, "yuv420p")
    fill(frame, (0, 0, WIDE, HIGH), light)
    return frame


def fill(frame: Any, rect: Rect, light: int) -> None:
    """Paint a rectangle with even edges, in place."""
    for plane, scale in zip(frame.planes, (1, 2, 2), strict=True):
        left, top, right, bottom = (edge // scale for edge in rect)
        rows = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
        rows[top:bottom, left:right] = light


def luma(frame: Any) -> np.ndarray:
    return np.array(frame.to_ndarray()[:HIGH]).astype(int)


def encoder(**options: str) -> Any:
    made: Any = av.CodecContext.create("libx264", "w")
    made.width, made.height, made.pix_fmt, made.time_base = WIDE, HIGH, "yuv420p", Fraction(1, 25)
    made.options = {**LISTENING, **options}
    return made


def decoded(packets: Sequence[Any]) -> list[np.ndarray]:
    decoder: Any = av.CodecContext.create("h264", "r")
    return [luma(frame) for packet in [*packets, None] for frame in decoder.decode(packet)]


def told(frame: Any) -> list[Rect]:
    """Return the rectangles (x, y, width, height) that a frame carries, as PyAV reads them; once only a frame."""
    (data,) = frame.side_data
    assert data.type.name == "VIDEO_HINT"
    count, offset, size, kind = np.frombuffer(data, np.uint64, 4).tolist()
    assert kind & 0xFFFFFFFF == 1, "not the changed ones"
    assert size == 16
    return [tuple(row) for row in np.frombuffer(data, np.uint32, 4 * count, offset).reshape(-1, 4).tolist()]


def test_hints_work_here() -> None:
    if sys.platform != "linux" or sys.implementation.name != "cpython" or sys.maxsize < 2**32:
        pytest.skip("only looked at on 64 bit Linux")
    assert hints_work()


# --- what x264 makes of them ----------------------------------------------------------------------------------------


@needs_hints
def test_what_is_called_unchanged_is_not_looked_at_until_the_next_key_frame() -> None:
    coder, frame, packets = encoder(), flat_frame(), []
    for number, light in enumerate((40, 80, 120, 160, 200)):
        fill(frame, (0, 0, WIDE, HIGH), light)
        tell_changed(frame, [(64, 0, WIDE, 16)])
        frame.pts = number
        frame.pict_type = 1 if number == 3 else 0
        packets += coder.encode(frame)
    packets += coder.encode(None)
    pictures = decoded(packets)
    assert [picture[40, 10] for picture in pictures] == pytest.approx([40, 40, 40, 160, 160], abs=2)
    assert [picture[10, 70] for picture in pictures] == pytest.approx([40, 80, 120, 160, 200], abs=2)


def story(seed: int) -> list[tuple[Rect, int]]:
    """Return the changes of a film: first the whole frame, then rectangles anywhere, some of no size."""
    random = np.random.default_rng(seed)
    changes: list[tuple[Rect, int]] = [((0, 0, WIDE, HIGH), 100)]
    for _ in range(40):
        left, top = random.integers(0, WIDE // 2) * 2, random.integers(0, HIGH // 2) * 2
        right, bottom = left + random.integers(0, 20) * 2, top + random.integers(0, 20) * 2
        changes.append(((int(left), int(top), int(right), int(bottom)), int(random.integers(20, 230))))
    return changes


def encoded_story(seed: int, one_frame: bool = True, **attributes: int) -> tuple[list[bytes], list[np.ndarray]]:
    """Encode a film with true hints; return its packets, and its pictures as they were drawn."""
    coder, frame, packets, drawn = encoder(), flat_frame(), [], []
    for name, value in attributes.items():
        setattr(frame, name, value)
    for number, (rect, light) in enumerate(story(seed)):
        fill(frame, rect, light)
        drawn.append(luma(frame))
        given_away = frame if one_frame else av.VideoFrame.from_ndarray(frame.to_ndarray(), "yuv420p")
        tell_changed(given_away, [rect])
        given_away.pts = number
        packets += coder.encode(given_away)
    return [bytes(packet) for packet in packets + coder.encode(None)], drawn


@needs_hints
@pytest.mark.parametrize("seed", range(4))
def test_a_film_with_true_hints_is_what_was_drawn(seed: int) -> None:
    packets, drawn = encoded_story(seed)
    pictures = decoded([av.Packet(packet) for packet in packets])
    assert len(pictures) == len(drawn)
    for picture, wanted in zip(pictures, drawn, strict=True):
        assert np.abs(picture - wanted).max() <= 8  # edges within a block ring a little; a lost change is far more


def test_a_frame_may_be_painted_over_as_soon_as_it_is_encoded() -> None:
    assert encoded_story(7)[0] == encoded_story(7, one_frame=False)[0]


@pytest.mark.parametrize("attributes", [{"colorspace": 1, "color_range": 1}, {"colorspace": 6}, {"color_range": 2}])
def test_the_tags_of_a_frame_change_nothing(attributes: dict[str, int]) -> None:
    assert encoded_story(5, **attributes)[0] == encoded_story(5)[0]


@needs_hints
def test_a_stream_that_does_not_listen_is_not_misled() -> None:
    coder, packets = encoder(mb_info="0"), []
    for number, light in enumerate((40, 200)):
        frame = flat_frame(light)
        tell_changed(frame, [])
        frame.pts = number
        packets += coder.encode(frame)
    assert decoded(packets + coder.encode(None))[1].min() > 190


# --- what the frame carries -----------------------------------------------------------------------------------------


@needs_hints
def test_the_last_that_was_told_counts() -> None:
    frame = flat_frame()
    for rects in ([(0, 0, 96, 64)], [], [(0, 0, 2, 2), (4, 4, 6, 8)]):
        tell_changed(frame, rects)
    assert told(frame) == [(0, 0, 2, 2), (4, 4, 2, 4)]


@needs_hints
def test_many_rectangles() -> None:
    frame = flat_frame()
    tell_changed(frame, [(x, y, x + 4, y + 4) for y in range(0, HIGH, 4) for x in range(0, WIDE, 4)])
    assert told(frame) == [(x, y, 4, 4) for y in range(0, HIGH, 4) for x in range(0, WIDE, 4)]


edges = st.one_of(st.integers(-20, 120), st.integers(-(2**70), 2**70), st.sampled_from([0, HIGH, WIDE, 2**32 - 1]))


@needs_hints
@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(edges, edges, edges, edges), max_size=5))
def test_what_lies_outside_is_cut_off(rects: list[Rect]) -> None:
    frame = flat_frame()
    tell_changed(frame, rects)
    wanted = [(range(WIDE)[max(0, a) : max(0, c)], range(HIGH)[max(0, b) : max(0, d)]) for a, b, c, d in rects]
    assert told(frame) == [(xs[0], ys[0], len(xs), len(ys)) for xs, ys in wanted if xs and ys]


@needs_hints
def test_what_was_told_is_given_back() -> None:
    resource = pytest.importorskip("resource")
    frame, rects = flat_frame(), [(0, 0, 16, 16)] * 20

    def most_memory_after(calls: int) -> int:
        for _ in range(calls):
            tell_changed(frame, rects)
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // (1024 if sys.platform == "darwin" else 1)

    before = most_memory_after(100)
    assert most_memory_after(40_000) - before < 5_000  # KiB; what was told in all has 14,000


@needs_hints
def test_only_frames_are_told() -> None:
    with pytest.raises(TypeError, match="not to str"):
        tell_changed("frame", [])  # type: ignore[arg-type]


# --- where it cannot be known ---------------------------------------------------------------------------------------


def refused(*_: Any, **__: Any) -> Any:
    raise AttributeError("symbol not found")


@needs_hints
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("_AT", at) for at in (0, 8, 16, 32, 40, 48, 64, 72, 80, 4096)),
        ("_KNOWN", ()),
        ("_VIDEO_HINT", 18),
        ("_CHANGED", 0),
        ("_library", refused),
        ("_read", refused),
        ("sys.implementation.name", "pypy"),
        ("av.CodecContext", None),
        ("av.library_versions", {}),
        ("av.library_versions", {"libavutil": (60, 0, 0)}),
        ("ctypes.CDLL", refused),
    ],
)
def test_nothing_is_relied_on_that_is_not_as_expected(monkeypatch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    assert proved()
    hints._library.cache_clear()
    monkeypatch.setattr(f"attnviz.render.hints.{name}", value)
    try:
        assert not proved()
    finally:
        monkeypatch.undo()
        hints._library.cache_clear()


def test_no_pointer_is_read_beyond_the_frame_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_AT", av.VideoFrame.__basicsize__)
    assert not hints._is_known()


def proved() -> bool:
    """Ask anew: the answer is otherwise kept for as long as the process lives."""
    return bool(hints_work.__wrapped__())


def test_without_hints_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "hints_work", lambda: False)
    frame = flat_frame()
    tell_changed(frame, [(0, 0, 8, 8)])
    assert len(frame.side_data) == 0
