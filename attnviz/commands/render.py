"""`render`: one scene into a film, or into the stills of its beats, with all that lies beside it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from attnviz.commands import Folders, OutputError, show, tell
from attnviz.errors import RenderError
from attnviz.registry import find_scene, printable


@click.command()
@click.argument("scene")
@click.option(
    "-q",
    "--quality",
    type=click.Choice(["l", "m", "h", "k"]),
    default="m",
    show_default=True,
    help="l 854x480 at 15, m 1280x720 at 30, h 1920x1080 at 60, k 3840x2160 at 60 frames a second.",
)
@click.option("--case", help="Named input to show; the scene's own where not given.")
@click.option(
    "--theme",
    type=click.Choice(["dark", "light", "high-contrast"]),
    default="dark",
    show_default=True,
    help="Colours.",
)
@click.option(
    "--frame",
    type=click.Choice(["16:9", "9:16", "1:1"]),
    default="16:9",
    show_default=True,
    help="Shape of the picture; 9:16 exchanges width and height, 1:1 squares the shorter side.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["mp4", "png"]),
    default="mp4",
    show_default=True,
    help="A film, or a still of the end of every beat.",
)
@click.option(
    "-o",
    "--output",
    type=Path,
    help="Folder for the files; renders/SCENE where not given.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of a case that draws its numbers.",
)
@click.option("--burn-captions", is_flag=True, help="Draw the captions into the picture too.")
@click.pass_obj
def command(folders: Folders, /, scene: str, output: Path | None, **chosen: Any) -> None:
    """Render SCENE. The last line printed is where it lies."""
    entry = find_scene(scene, folders.scenes)
    from attnviz.render.job import RenderOptions, render_scene

    folder = output or _standing(folders.renders) / entry.name
    with _progress() as on_beat:
        made = render_scene(entry, RenderOptions(**chosen), folder, on_beat)
    try:
        show(printable(str(made)))
    except OutputError as fault:  # all is done and in place: that nobody reads where is no failure of the render
        tell(f"{made} is in place, but {fault}")


def _standing(renders: Path) -> Path:
    """Return the folder of all renders, made where it was not there."""
    try:
        renders.mkdir(exist_ok=True)
    except OSError as fault:
        raise RenderError(f"{renders} cannot be made: {fault.strerror}; name a folder with -o") from fault
    return renders


@contextmanager
def _progress() -> Iterator[Callable[[int, int, str], None] | None]:
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
