"""How far an encoded film lies from the frames as they were drawn.

    python -m benchmarks.render.compare FILM DRAWN

Prints JSON: PSNR of the luma in dB, over all frames looked at and of the worst one. DRAWN is a file of the same film
without any loss, in red, green and blue; it is taken to luma by the matrix that the film names.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import av
import numpy as np
from av.video.reformatter import Interpolation
from numpy.typing import NDArray

STEP = 7  # one frame in so many is looked at: prime, so that no rhythm of the encoder is met again and again
UNSPECIFIED, BT601, LIMITED = 2, 5, 1  # a film without a tag is BT.601 in 16..235: so Manim makes it
CONVERSION = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
BEST = 99.0  # dB, where nothing differs


def main() -> None:
    """Compare the two files named on the command line."""
    print(json.dumps(compared(*sys.argv[1:3])))


def compared(film: str, drawn: str) -> dict[str, float]:
    """Return `luma` (PSNR over all), `worst` (of the worst frame) and `frames`, how many there are."""
    errors, count = [], 0
    with av.open(film) as seen_file, av.open(drawn) as meant_file:
        rate = meant_file.streams.video[0].average_rate
        for seen, meant in zip(ticks(seen_file, rate), ticks(meant_file, rate), strict=True):
            count += 1
            if count % STEP == 0:
                errors.append(_error(brightness(seen), brightness(yuv(meant, seen.colorspace))))
    return {"luma": psnr(float(np.mean(errors))), "worst": psnr(max(errors)), "frames": count}


def psnr(squared: float) -> float:
    """Return dB for a mean squared error of bytes."""
    return min(BEST, 10 * math.log10(255**2 / squared)) if squared > 0 else BEST


def ticks(container: Any, rate: Any) -> Iterator[Any]:
    """Yield a frame for each tick of a clock of `rate`: one that is held longer comes again."""
    stream = container.streams.video[0]
    held, tick = None, 0
    for frame in container.decode(stream):
        while held is not None and tick < round(frame.pts * frame.time_base * rate):
            yield held
            tick += 1
        held = frame
    while held is not None and tick < round(stream.duration * stream.time_base * rate):
        yield held
        tick += 1


def brightness(frame: Any) -> NDArray[Any]:
    """The plane of luma as it lies in the frame."""
    plane = frame.planes[0]
    return np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]


def yuv(drawn: Any, matrix: int) -> Any:
    """A drawn frame as our renderer hands it to its encoder: from RGBA (planes give other chroma) to yuv420p."""
    frame = av.VideoFrame.from_ndarray(drawn.to_ndarray(format="rgba"), format="rgba")
    matrix = BT601 if matrix == UNSPECIFIED else matrix
    return frame.reformat(format="yuv420p", dst_colorspace=matrix, dst_color_range=LIMITED, interpolation=CONVERSION)


def _error(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(np.mean(np.square(one.astype(np.int16) - other, dtype=np.int32)))


if __name__ == "__main__":
    main()
