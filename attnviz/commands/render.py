"""`render`: one scene into a film, or into the stills of its beats, with all that lies beside it."""

from pathlib import Path
from typing import Any

import click

from attnviz.commands import Folders, OutputError, show, tell
from attnviz.commands._options import JOBS, picture_options, progress, stand
from attnviz.registry import find_scene, find_scenes, printable

ALL = "all"


@click.command()
@click.argument("scene")
@picture_options
@click.option(
    "--format",
    "kind",
    type=click.Choice(["mp4", "png"]),
    default="mp4",
    show_default=True,
    help="A film, or a still of the end of every beat.",
)
@click.option(
    "--encode",
    type=click.Choice(["draft", "default", "archive"]),
    default="default",
    show_default=True,
    help="draft is ready soonest, archive smallest.",
)
@click.option("--vfr", is_flag=True, help="Hold pictures that stand still, up to 0.5 s, in place of repeating them.")
@JOBS
@click.option("--cluster", metavar="ADDRESS", help="Draw on the workers of the Dask cluster with this scheduler.")
@click.option(
    "--no-cache",
    "cache",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Draw every beat, also those that were drawn before just as they are.",
)
@click.option("--check", is_flag=True, help="Audit known beats too, and verify the files before they go in place.")
@click.pass_obj
def command(folders: Folders, /, scene: str, output: Path | None, jobs: int, cluster: str, **chosen: Any) -> None:
    """Render SCENE, or each scene there is where SCENE is `all`. The last lines printed are where they lie."""
    entries = find_scenes(folders.scenes) if scene == ALL else [find_scene(scene, folders.scenes)]
    from attnviz.render.course import render_all
    from attnviz.render.job import RenderOptions

    root = output if output and scene == ALL else folders.renders
    if output is None or scene == ALL:
        stand(root)
    targets = [(entry, output if output and scene != ALL else root / entry.name) for entry in entries]
    with progress() as on_beat:
        render_all(targets, RenderOptions(**chosen), jobs=jobs, cluster=cluster, on_beat=on_beat, done=_made)


def _made(path: Path) -> None:
    try:
        show(printable(str(path)))
    except OutputError as fault:  # all is done and in place: that nobody reads where is no failure of the render
        tell(f"{path} is in place, but {fault}")
