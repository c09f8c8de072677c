"""Tells x264 which parts of a picture changed since the last one, so that it skips the rest without looking at it.

PyAV reads a frame's side data but has no call that sets it: here libavutil, the one that PyAV itself was linked with,
is called through ctypes. Whether all of that fits is proved by a small encode before anything is relied on; where it
does not (Windows, PyPy, an FFmpeg that is not known here), nothing is told, and films only take longer to encode.
Nothing here decides what changed, or how a film is encoded.

A stream listens if it is opened with the option `mb_info=1`; a hint to any other does nothing. x264 heeds a hint where
the one reference is the frame before, unweighted, and the block was not coded coarser there. That needs

- `qp`, not `crf`: the quantiser must never fall;
- `bf=0`, `weightp=0`: no B-frames, no weights;
- `no-deblock=1`: with hints and deblocking x264 (build 165) lets stray memory decide, and two runs can give different
  bytes; nor does it heed a hint for what it has just blurred.

The preset `ultrafast` has all of these but `qp`. Key frames take no hints: the first frame of a segment, and one that
is forced, is whole whatever it was told. `refs`, `aq-mode`, `threads` and the lookahead do not matter here.
"""

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import av
import av.frame
import numpy as np

Rect = tuple[int, int, int, int]

_KNOWN = (59, 60)  # major versions of libavutil (FFmpeg 7 and 8) whose structures are written down here
_VIDEO_HINT, _CHANGED = 27, 1  # AV_FRAME_DATA_VIDEO_HINT, AV_VIDEO_HINT_TYPE_CHANGED
_RECT = ctypes.c_uint32 * 4  # AVVideoRect: x, y, width, height
_AT = getattr(object, "__basicsize__", 0) + 8  # where PyAV's Frame has its AVFrame*: after Cython's table of methods


class _Frame(ctypes.Structure):
    """How an AVFrame begins."""

    _fields_ = (
        ("data", ctypes.c_void_p * 8),
        ("linesize", ctypes.c_int * 8),
        ("extended_data", ctypes.c_void_p),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("nb_samples", ctypes.c_int),
        ("format", ctypes.c_int),
    )


class _Hint(ctypes.Structure):
    """AVVideoHint; its rectangles lie `offset` bytes after its beginning, `size` bytes each."""

    _fields_ = (
        ("count", ctypes.c_size_t),
        ("offset", ctypes.c_size_t),
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int),
    )


def tell_changed(frame: av.VideoFrame, rects: Iterable[Rect]) -> None:
    """Say that since the last encoded picture only `rects` changed: (left, top, right, bottom) in pixels, half open.

    No rectangle: nothing changed. Takes the place of what was told of this frame object before, which stays with it
    until then, and is also told of the next picture. What lies outside of the frame is cut off. Does nothing where
    `hints_work()` is false. Do not look at `frame.side_data` of such a frame: PyAV keeps pointers to what was replaced.
    A hint that is not true leaves the old picture there: name all that changed after conversion, chroma included.
    """
    if hints_work():
        _tell(frame, rects)


@cache
def hints_work() -> bool:
    """Return whether hints reach x264 on this machine, proved once by three tiny encodes; never raises."""
    try:
        return _is_known() and all(map(_is_where_expected, _samples())) and _is_obeyed()
    except Exception:  # whatever is not as expected: there are no hints
        return False


def _tell(frame: av.VideoFrame, rects: Iterable[Rect]) -> None:
    if not isinstance(frame, av.VideoFrame):
        raise TypeError(f"a hint belongs to a video frame, not to {type(frame).__name__}")
    inside = list(_inside(rects, frame.width, frame.height))
    pointer = ctypes.c_void_p.from_address(id(frame) + _AT).value
    _library().av_frame_remove_side_data(pointer, _VIDEO_HINT)
    made = _library().av_video_hint_create_side_data(pointer, len(inside))
    if not made:  # no memory: without a hint x264 looks for itself
        return
    hint = _Hint.from_address(made)
    if inside and (hint.count, hint.size) != (len(inside), ctypes.sizeof(_RECT)):
        _library().av_frame_remove_side_data(pointer, _VIDEO_HINT)
        return
    hint.type = _CHANGED
    rows: Any = (_RECT * len(inside)).from_address(made + hint.offset)
    for row, rect in zip(rows, inside, strict=True):
        row[:] = rect


def _inside(rects: Iterable[Rect], width: int, height: int) -> Iterator[Rect]:
    """Yield (x, y, width, height) of what lies in the frame; FFmpeg does not check, and would write past its array."""
    for left, top, right, bottom in rects:
        x, y = max(0, int(left)), max(0, int(top))
        wide, high = min(int(right), width) - x, min(int(bottom), height) - y
        if wide > 0 and high > 0:
            yield x, y, wide, high


@cache
def _library() -> Any:
    """Return PyAV's libavutil: names are looked up in PyAV's own module and in what that was linked with."""
    library = ctypes.CDLL(av.frame.__file__)
    library.av_frame_remove_side_data.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.av_frame_remove_side_data.restype = None
    library.av_video_hint_create_side_data.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.av_video_hint_create_side_data.restype = ctypes.c_void_p
    return library


def _is_known() -> bool:
    """Return whether Python, the machine and FFmpeg are of those that were looked at for this module."""
    version = av.library_versions["libavutil"]
    major, minor, micro = version
    return (
        sys.implementation.name == "cpython"
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and major in _KNOWN
        and _library().avutil_version() == major << 16 | minor << 8 | micro
        and av.VideoFrame.__basicsize__ >= _AT + 8
    )


def _samples() -> Sequence[tuple[av.VideoFrame, int]]:
    """Return frames with the number that FFmpeg gives their format."""
    return [(av.VideoFrame(64, 48, "yuv420p"), 0), (av.VideoFrame(98, 34, "rgb24"), 2)]


def _is_where_expected(sample: tuple[av.VideoFrame, int]) -> bool:
    """Return whether an AVFrame with this frame's size, format and planes lies where one is expected."""
    frame, number = sample
    found = _Frame.from_buffer_copy(_read(ctypes.c_void_p.from_address(id(frame) + _AT).value, ctypes.sizeof(_Frame)))
    planes = range(len(frame.planes))
    return (
        (found.width, found.height, found.format) == (frame.width, frame.height, number)
        and [found.data[i] for i in planes] == [plane.buffer_ptr for plane in frame.planes]
        and [found.linesize[i] for i in planes] == [plane.line_size for plane in frame.planes]
    )


def _read(address: int | None, size: int) -> bytes:
    """Return the bytes at an address that may be none: the kernel refuses such a write, where reading would crash."""
    write = ctypes.CDLL(None).write
    write.argtypes, write.restype = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t), ctypes.c_ssize_t
    reader, writer = os.pipe()
    try:
        if write(writer, address, size) != size:
            raise OSError(f"nothing can be read at {address}")
        return os.read(reader, size)
    finally:
        os.close(reader)
        os.close(writer)


def _is_obeyed() -> bool:
    """Return whether x264 keeps what is called unchanged, although it changed, and codes what is called changed."""
    nothing, left, everything = map(_second_picture, ([], [(0, 0, 32, 64)], [(0, 0, 64, 64)]))
    return bool(
        (nothing < 90).all()
        and (everything > 160).all()
        and (left[:, :32] > 160).all()
        and (left[:, 32:] < 90).all()
        and nothing.shape == everything.shape == left.shape == (64, 64)
    )


def _second_picture(rects: Sequence[Rect]) -> np.ndarray:
    """Encode a dark frame and a bright one, and say that `rects` changed; return the luma of the second.

    Of the first the opposite is said: that must not outlive what is said of the second.
    """
    encoder: Any = av.CodecContext.create("libx264", "w")
    encoder.width = encoder.height = 64
    encoder.pix_fmt, encoder.time_base = "yuv420p", Fraction(1, 25)
    encoder.options = {"preset": "ultrafast", "qp": "20", "threads": "1", "mb_info": "1"}
    decoder: Any = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    frame: Any = av.VideoFrame(64, 64, "yuv420p")
    packets: list[Any] = []
    for number, light in enumerate((50, 200)):
        for plane in frame.planes:
            np.frombuffer(plane, np.uint8)[:] = light
        _tell(frame, rects if number else [] if rects else [(0, 0, 64, 64)])
        frame.pts = number
        packets += encoder.encode(frame)
    packets += encoder.encode(None)
    pictures = [picture for packet in packets for picture in decoder.decode(packet)] + decoder.decode(None)
    return np.asarray(pictures[1].to_ndarray()[:64])
