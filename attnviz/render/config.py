"""How manim is configured: here only, for the length of one render, and never from a manim.cfg of the user's."""

from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import manim

from attnviz.layout import frame_size
from attnviz.render.job import RenderOptions

# manim converts with BT.601's matrix and tags nothing: say so, or players take HD for BT.709 and shift every colour.
# Without B-frames a frame's place in the file is its place in the film, so segments join without gaps. For a film of
# 74 s at 720p, veryfast at crf 18 gives 3.4 MB; superfast takes 8 % less time and 45 % more room; medium at manim's
# crf 23 takes 18 % more time for a worse picture in 2.6 MB.
ENCODER = {
    "crf": "18",
    "preset": "veryfast",
    "bf": "0",
    "x264-params": "colormatrix=smpte170m:colorprim=bt709:transfer=bt709",
}


@contextmanager
def configured(options: RenderOptions, media: Path) -> Iterator[None]:
    """Configure manim for one render that keeps its own files in `media`; set everything back at the end."""
    width, height = options.pixels
    frame_width, frame_height = frame_size(options.frame)
    settings = {
        "media_dir": str(media),
        "format": "mp4" if options.kind == "mp4" else "none",
        "disable_caching": True,
        "max_files_cached": -1,  # manim would throw the first plays of a long film away before they are joined
        "progress_bar": "none",
        "verbosity": "ERROR",
        "notify_outdated_version": False,
        "seed": options.seed % 2**32,  # numpy, which manim seeds with it, takes no more
        "pixel_width": width,
        "pixel_height": height,
        "frame_rate": options.fps,
        "frame_width": frame_width,
        "frame_height": frame_height,
        "video_encoder_options": ENCODER,
    }
    manim.console.stderr = True  # its messages; stdout is for the path of what was made
    with manim.tempconfig(_defaults()), manim.tempconfig(settings):
        yield


def _defaults() -> Any:
    """Return manim's own defaults, without the manim.cfg of the user or of the working folder."""
    parser = ConfigParser()
    parser.read(Path(manim.__file__).parent / "_config" / "default.cfg", encoding="utf-8")
    return type(manim.config)().digest_parser(parser)
