"""What several commands take: how the picture looks, and where it goes. Not a command itself."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from attnviz.errors import RenderError


def _words(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Words as they stand between spaces."""
    if value is not None and not value.split():
        raise click.BadParameter("give one word or more, or leave the option out", context, parameter)
    return tuple(value.split()) if value else ()


TOKENS = click.option(
    "--tokens",
    metavar="WORDS",
    callback=_words,
    help='Other words than the case\'s own, such as "the dog waits".',
)
_OUTPUT = click.option(
    "-o",
    "--output",
    type=Path,
    help="Folder for the files; renders/SCENE where not given.",
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Processes that draw, each some of the beats.",
)
_OPTIONS = [
    click.option(
        "-q",
        "--quality",
        type=click.Choice(["l", "m", "h", "k"]),
        default="m",
        show_default=True,
        help="l 854x480 at 15, m 1280x720 at 30, h 1920x1080 at 60, k 3840x2160 at 60 frames a second.",
    ),
    click.option("--case", help="Named input to show; the scene's own where not given."),
    click.option(
        "--theme",
        type=click.Choice(["dark", "light", "high-contrast"]),
        default="dark",
        show_default=True,
        help="Colours.",
    ),
    click.option(
        "--frame",
        type=click.Choice(["16:9", "9:16", "1:1"]),
        default="16:9",
        show_default=True,
        help="Shape of the picture; 9:16 exchanges width and height, 1:1 squares the shorter side.",
    ),
    _OUTPUT,
    click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="Seed of a case that draws its numbers.",
    ),
    TOKENS,
    click.option("--burn-captions", is_flag=True, help="Draw the captions into the picture too."),
]


def picture_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of quality, case, colours, shape, folder, seed and captions to a command."""
    return reduce(lambda function, option: option(function), reversed(_OPTIONS), command)


def look_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same, but for the folder: for a command that writes something else than a render."""
    looks = [option for option in _OPTIONS if option is not _OUTPUT]
    return reduce(lambda function, option: option(function), reversed(looks), command)


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None] | None]:
    """Yield what to call at each beat's start: it moves a bar on a terminal; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, file=sys.stderr, show_eta=False, item_show_func=lambda item: item) as bar:

        def on_beat(index: int, total: int, beat: str) -> None:
            bar.length = total
            bar.update(int(index > 0), beat)

        yield on_beat
        bar.update(1, "done")


def stand(renders: Path) -> Path:
    """Return the folder of all renders, made where it is not there."""
    try:
        renders.mkdir(exist_ok=True)
    except OSError as fault:
        raise RenderError(f"{renders} cannot be made: {fault.strerror}; name another with -o") from fault
    return renders
