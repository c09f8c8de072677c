"""`check`: how scenes look, in every theme and frame; exit code 4 where something cannot be read."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from attnviz.commands import Folders, show
from attnviz.commands._options import TOKENS
from attnviz.errors import CheckError
from attnviz.registry import find_scene, find_scenes, printable

if TYPE_CHECKING:
    from attnviz.looks import Look

ALL = "all"


@click.command()
@click.argument("scene")
@click.option(
    "--theme",
    type=click.Choice(["dark", "light", "high-contrast", ALL]),
    default=ALL,
    show_default=True,
    help="Colours.",
)
@click.option(
    "--frame",
    type=click.Choice(["16:9", "9:16", "1:1", ALL]),
    default=ALL,
    show_default=True,
    help="Shape of the picture.",
)
@click.option("--case", help="Named input to show; the scene's own where not given.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Seed of a case that draws its numbers.",
)
@TOKENS
@click.option(
    "-o",
    "--output",
    type=Path,
    help="Folder for pictures of what fails; renders/layout-check where not given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array instead of lines.")
@click.pass_obj
def command(
    folders: Folders, /, scene: str, theme: str, frame: str, output: Path | None, as_json: bool, **chosen: Any
) -> None:
    """Check the layout of SCENE, or of each scene where SCENE is `all`.

    Nothing is encoded. Exit code 4 where something fails; each line says what,
    where, how far, and a remedy, and a picture of it is written.
    """
    entries = find_scenes(folders.scenes) if scene == ALL else [find_scene(scene, folders.scenes)]
    from attnviz.render.job import packages_there
    from attnviz.render.undisturbed import undisturbed

    with packages_there(), undisturbed():
        from attnviz.layout import FRAMES
        from attnviz.looks import LookOptions, looks_at
        from attnviz.theme import THEMES
    themes, frames = tuple(THEMES) if theme == ALL else (theme,), FRAMES if frame == ALL else (frame,)
    options = LookOptions(themes, frames, **chosen, pictures=output or folders.renders / "layout-check")
    looks = []
    for look in (look for entry in entries for look in looks_at(entry, options)):
        looks.append(look)
        if not as_json:
            _tell(look)
    if as_json:
        show(json.dumps([look.described() for look in looks], indent=2, ensure_ascii=False, allow_nan=False))
    _judge(looks)


def _tell(look: "Look") -> None:
    figures = ", ".join(f"{name} {round(value, 3) + 0:g}" for name, value in look.figures.items())
    show(printable(f"{'FAIL' if look.complaints else 'ok  '}  {look.scene}  {look.theme} {look.frame}: {figures}"))
    for complaint in look.complaints:
        show(printable(complaint.line()))
    for path in look.written:
        show(printable(f"picture: {path}"))


def _judge(looks: "list[Look]") -> None:
    failed = [look for look in looks if look.complaints]
    if failed:
        count = sum(len(look.complaints) for look in failed)
        places = ", ".join(f"{look.scene} in {look.theme} {look.frame}" for look in failed)
        raise CheckError(f"the layout fails in {count} places: {places}")
