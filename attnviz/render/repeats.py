"""Pictures in which nothing changed, written as x264 would write them without asking it: 7 bytes each.

x264 copies a whole picture between its buffers even where it has nothing to say, most of what a still picture costs.
What it says then is always the same slice, "every block as before", but for the picture's number (`frame_num`, ITU-T
H.264, 7.3.3). Here that slice is learnt from x264, once a segment, and repeated, and what x264 codes later is numbered
on: the film is what it is when x264 codes each picture. What does not look as expected is left as it is, and nothing is
repeated. For streams with one slice a picture, without B-frames, and with pictures numbered in 4 bits, as `ultrafast`
makes them. Only bytes here: times and files are encode.py's.
"""

import re

from attnviz.errors import RenderError

_START = b"\0\0\0\1\x41"  # a slice that is referred to, no key picture
_P_SLICE = 0b1001101  # the first 7 bits of one: from block 0 on, all P, the first parameter set
_NUMBERS = 16
_HEADER = 32  # bits that a header may have at most


class Repeats:
    """Numbers the pictures of a stream of so many macroblocks, and knows how to write one more like the last."""

    def __init__(self, blocks: int) -> None:
        self._end = _unsigned(blocks) + "1"  # "as before" for all blocks, and the bit that ends a slice
        self._same: bytes | None = None
        self._is_known = True
        self._coded = self._written = 0

    def coded(self, picture: bytes, is_key: bool) -> bytes:
        """Return a picture that x264 coded, numbered as the next that is written.

        Raises RenderError where it cannot be numbered though pictures were repeated before it.
        """
        if is_key:
            self._coded = self._written = 1
            return picture
        body = _body(picture)
        self._is_known &= _number(body) == self._coded % _NUMBERS
        if self._is_known:
            self._coded += 1
            self._same = body if self._is_same(body) else self._same
            return self._numbered(body, picture)
        if self._coded != self._written:
            raise RenderError("x264 numbers pictures in a way that is not known here; render with --encode archive")
        return picture

    def again(self) -> bytes | None:
        """Return one more picture like the last one written; None where it is not known how that is said."""
        return self._numbered(self._same) if self._same and self._is_known else None

    def _numbered(self, body: bytes, picture: bytes | None = None) -> bytes:
        """Return a slice with the next number; `picture` if it is that already."""
        number = self._written % _NUMBERS
        self._written += 1
        if picture and number == _number(body):
            return picture
        start = bytes((body[0] & ~1 | number >> 3, body[1] & 0x1F | (number & 7) << 5))
        return _START + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", start + body[2:])

    def _is_same(self, body: bytes) -> bool:
        bits = f"{int.from_bytes(body):b}".rstrip("0") if len(body) < 16 else ""
        return bits.endswith(self._end) and len(bits) - len(self._end) <= _HEADER


def _body(picture: bytes) -> bytes:
    """Return the slice behind its first byte, without the bytes that keep start codes out; empty for any other."""
    body = picture[len(_START) :]
    is_known = picture.startswith(_START) and b"\0\0\1" not in body and len(body) > 3 and body[0] >> 1 == _P_SLICE
    return body.replace(b"\0\0\3", b"\0\0") if is_known else b""


def _number(body: bytes) -> int | None:
    return (body[0] & 1) << 3 | body[1] >> 5 if body else None


def _unsigned(number: int) -> str:
    """Return a number as H.264 codes it: as many zeros as it has more bits than one, and its bits (Exp-Golomb)."""
    bits = f"{number + 1:b}"
    return "0" * (len(bits) - 1) + bits
