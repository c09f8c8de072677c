"""One render from its options to its folder.

Light to import: manim, PyAV and Pillow come in once the target is known to be good.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnviz.errors import CheckError, EnvironmentFault, InputError, RenderError
from attnviz.registry import SceneEntry, printable
from attnviz.render.place import private_folder
from attnviz.render.undisturbed import undisturbed

OnBeat = Callable[[int, int, str], None]
Drawing = Callable[[OnBeat | None], Any]  # gives a Part
QUALITIES = {"l": (854, 480, 15), "m": (1280, 720, 30), "h": (1920, 1080, 60), "k": (3840, 2160, 60)}


@dataclass(frozen=True)
class RenderOptions:
    """What a render may choose; `quality` is a key of QUALITIES, `kind` mp4 or png, `case` None the scene's own.

    `check`: known beats are audited too, and the files are verified before they are put in place.
    """

    quality: str = "m"
    case: str | None = None
    theme: str = "dark"
    frame: str = "16:9"
    kind: str = "mp4"
    seed: int = 0
    tokens: tuple[str, ...] = ()
    burn_captions: bool = False
    encode: str = "default"
    vfr: bool = False
    cache: bool = True
    check: bool = False

    def __post_init__(self) -> None:
        if self.case == "":
            raise InputError("a case's name is not empty: leave the case out for the scene's own")

    def shaping(self) -> dict[str, Any]:
        """Return the options that change what is made, by name."""
        return {name: value for name, value in asdict(self).items() if name not in ("cache", "check")}

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height: manim's for 16:9, exchanged for 9:16, the shorter one squared for 1:1."""
        wide, high, _ = QUALITIES[self.quality]
        return {"16:9": (wide, high), "9:16": (high, wide), "1:1": (high, high)}[self.frame]

    @property
    def fps(self) -> int:
        """Frames a second."""
        return QUALITIES[self.quality][2]


def render_scene(
    entry: SceneEntry,
    options: RenderOptions,
    folder: Path,
    on_beat: OnBeat | None = None,
    drawing: Drawing | None = None,
) -> Path:
    """Render a scene into `folder`, whole or not at all; return the film's path, or the folder's for stills.

    `drawing` gives what other processes draw; without it, this one does. `on_beat` hears (index, total, beat id) at
    each beat's start. Raises AttnvizError with one line; what the scene's own code raises goes through as it is.
    """
    with private_folder(folder, lambda: _say(f"another render writes {folder}: waiting for it")) as private:
        with packages_there(), undisturbed():
            from attnviz.render import film, part
        try:
            drawn = drawing(on_beat) if drawing else part.draw_part(entry, options, private / "media", None, on_beat)
        except SystemExit as end:
            raise RenderError(f"{entry.path} ended the program (SystemExit: {end.code}) instead of the scene") from end
        film.write(entry, options, drawn, private / "files")
        if options.check:
            _check(private / "files")
    return folder / f"{entry.name}.mp4" if options.kind == "mp4" else folder


@contextmanager
def packages_there() -> Iterator[None]:
    """Turn the import of what is not installed, or cannot be loaded, into one line with a remedy."""
    try:
        yield
    except ImportError as missing:
        raise EnvironmentFault(f"{missing}; run `doctor` to see what the machine lacks") from missing


def _check(files: Path) -> None:
    """Verify what was written, from the files alone; CheckError where it does not hold."""
    from attnviz.verify.check import verify

    report = verify(files)
    _say(report.closing())
    if report.wrongs:
        raise CheckError(f"the film does not hold, and was not put in place: {report.wrongs[0].line()}")


def _say(message: str) -> None:
    with suppress(OSError):  # a render does not fail for want of somebody to hear that it waits
        print(printable(message), file=sys.stderr, flush=True)
