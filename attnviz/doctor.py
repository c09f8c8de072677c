"""What a machine needs for a render, looked at one by one, each with its remedy.

Works where any of it is missing, so every import of a package stands inside its check. Nothing here mends anything.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ENOUGH_DISK = 2 * 10**9  # bytes: a long film in 4K with manim's own files beside it
SETUP = "run `make setup`"
_HEADERS = {
    "apt-get": "sudo apt-get install -y build-essential libpango1.0-dev python3-dev python3-venv",
    "dnf": "sudo dnf install gcc python3-devel pkg-config cairo-devel pango-devel",
    "pacman": "sudo pacman -S base-devel cairo pango",
    "brew": "brew install cairo pango pkg-config",
}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what was found, and the remedy where it will not do (None where it will)."""

    name: str
    found: str
    remedy: str | None = None


class UnfitError(Exception):
    """What was found will not do. Carries what that is, and the remedy."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.remedy = remedy


def examine(renders: Path) -> Iterator[Finding]:
    """Yield a finding for everything that a render into the folder `renders` needs, as each is looked at."""
    checks: dict[str, Callable[[], str]] = {
        "python": _python,
        "cairo and pango": _cairo_and_pango,
        "manim": _manim,
        "typst": _typst,
        "fonts": _fonts,
        "encoder": _encoder,
        "torch": _torch,
        "triton": _triton,
        "gpu": _gpu,
        "disk": lambda: _disk(renders),
        "renders": lambda: _writable(renders),
    }
    for name, check in checks.items():
        try:
            yield Finding(name, check())
        except UnfitError as fault:
            yield Finding(name, str(fault), fault.remedy)
        except Exception as fault:  # a package may fail in any way on a machine that lacks half of it
            yield Finding(name, f"{type(fault).__name__}: {fault}", SETUP)


def _python() -> str:
    if sys.version_info < OLDEST_PYTHON:
        raise UnfitError(platform.python_version(), "use Python 3.11 or newer")
    return f"{platform.python_version()} at {sys.executable}"


def _cairo_and_pango() -> str:
    try:
        import cairo
        import manimpango
    except ImportError as missing:
        raise UnfitError(str(missing), _headers_remedy()) from missing
    return f"cairo {cairo.cairo_version_string()}, pango {manimpango.pango_version()}"


def _headers_remedy() -> str:
    """Return how to get the headers that both bindings are built against; just the set-up where they are there."""
    tool = shutil.which("pkg-config")
    if tool and subprocess.run([tool, "--exists", "cairo", "pangocairo"], check=False).returncode == 0:
        return SETUP
    known = next((line for manager, line in _HEADERS.items() if shutil.which(manager)), None)
    return f"{known or 'install the headers of cairo and pango'}, then {SETUP}"


def _manim() -> str:
    import manim

    return str(manim.__version__)


def _typst() -> str:
    import typst

    if not typst.compile(b"$ Q K^T / sqrt(d) $", format="svg"):
        raise UnfitError("a test formula came out empty", "pip install --force-reinstall typst")
    return f"{metadata.version('typst')}, compiles"


def _fonts() -> str:
    from attnviz.text import bundled_fonts

    bundled_fonts()
    return "all there"


def _encoder() -> str:
    import av

    try:
        av.codec.Codec("libx264", "w")
    except ValueError as missing:
        raise UnfitError("PyAV has no libx264", "pip install --force-reinstall --only-binary av av") from missing
    return f"libx264, by PyAV {metadata.version('av')}"


def _torch() -> str:
    import torch

    if float((torch.ones(2, 3) @ torch.ones(3, 2)).sum()) != 12.0:
        raise UnfitError("a product of two matrices came out wrong", "pip install --force-reinstall torch")
    return str(torch.__version__)


def _triton() -> str:
    if sys.platform != "linux":
        return "not on this system: the kernel's record comes from the tiled torch version"
    from attnviz.sdpa import triton_launch  # which decides how Triton is imported: with its interpreter or for a GPU

    triton_launch.kernel()
    return f"{metadata.version('triton')}, {'interpreted' if triton_launch.is_interpreted() else 'compiled'}"


def _gpu() -> str:
    import torch

    if not torch.cuda.is_available():
        return "none: Triton's interpreter runs the kernel (fine for every film)"
    return str(torch.cuda.get_device_name())


def _disk(renders: Path) -> str:
    free = shutil.disk_usage(_standing(renders)).free
    if free < ENOUGH_DISK:
        remedy = f"make room for {ENOUGH_DISK / 1e9:.0f} GB, or render to another disk with -o"
        raise UnfitError(f"{free / 1e9:.1f} GB free", remedy)
    return f"{free / 1e9:.0f} GB free"


def _writable(renders: Path) -> str:
    folder = _standing(renders)
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as fault:
        remedy = "work from a folder that you may write to, or render with -o"
        raise UnfitError(f"{folder}: {fault.strerror}", remedy) from fault
    return f"{renders.absolute()} can be written"


def _standing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.is_dir())
