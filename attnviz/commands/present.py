"""`present`: scenes as one page that a lecturer steps through with a clicker."""

import webbrowser
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from attnviz.commands import Folders, show, tell
from attnviz.commands._options import JOBS, look_options, progress, stand
from attnviz.registry import printable


@click.command()
@click.argument("scenes", nargs=-1, required=True, metavar="SCENE...")
@click.option(
    "-o",
    "--output",
    type=Path,
    help="File for the page, or folder with --folder; renders/SCENE.html where not given.",
)
@look_options
@click.option(
    "--also",
    type=click.Choice(["dark", "light", "high-contrast"]),
    help="Put the films in this theme in too: T changes between both.",
)
@click.option("--folder", "is_folder", is_flag=True, help="Write a folder with index.html and the film beside it.")
@click.option(
    "--no-open",
    "opens",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Write the page; open no browser.",
)
@click.option("--watch", "is_watched", is_flag=True, help="Write the page again after every save, until Ctrl-C.")
@JOBS
@click.pass_context
def command(
    context: click.Context, /, scenes: tuple[str, ...], output: Path | None, opens: bool, jobs: int, **chosen: Any
) -> None:
    """Write one page that plays scenes beat by beat, in a browser and without a network, and open it.

    SCENE is a scene, some of its beats as pipeline:softmax_row or pipeline:inputs..all_scores, or a lecture.toml
    alone. What is not rendered yet is rendered first.
    """
    folders: Folders = context.obj
    from attnviz.player.lecture import lecture_of
    from attnviz.player.write import Form, present, weight
    from attnviz.render.job import RenderOptions

    form = Form(chosen.pop("also"), chosen.pop("is_folder"), chosen.pop("is_watched"))

    def write() -> Path:
        lecture = lecture_of(scenes, folders.scenes)
        own = {name: value for name, value in lecture.render.items() if _is_left_out(context, name)}
        with progress() as on_beat:
            target = output or stand(folders.renders) / (lecture.name + ("" if form.is_folder else ".html"))
            options = RenderOptions(**{**chosen, **own})
            path = present(lecture, options, folders.renders, target, form, jobs=jobs, on_beat=on_beat, say=tell)
        tell(weight(path, form))
        return path

    if form.is_watched:
        from attnviz.player.watching import watch

        near = {Path(name).resolve().parent for name in scenes if name.endswith(".toml")}
        watch(write, {folders.scenes, *near}, lambda address: _show(address, opens), tell)
    _show(str(path := write()), opens and path.resolve().as_uri())


def _show(place: str, opens: bool | str) -> None:
    """Print where the page lies, and open it."""
    show(printable(place))
    if opens and not webbrowser.open(opens if isinstance(opens, str) else place):
        tell("no browser was found here: open it with one")


def _is_left_out(context: click.Context, name: str) -> bool:
    """Whether nobody gave this option: then the lecture's own word counts."""
    return context.get_parameter_source(name) in (ParameterSource.DEFAULT, None)
