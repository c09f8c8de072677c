"""`watch`: a scene rendered again whenever one of its files is saved."""

from pathlib import Path
from typing import Any

import click

from attnviz.commands import Folders, tell
from attnviz.commands._options import picture_options, stand
from attnviz.registry import find_scene


@click.command()
@click.argument("scene")
@picture_options
@click.pass_obj
def command(folders: Folders, /, scene: str, output: Path | None, **chosen: Any) -> None:
    """Render SCENE now and after every save, as a draft, until Ctrl-C.

    What is saved in the folder of scenes counts; after a change to attnviz itself, start again.
    """
    entry = find_scene(scene, folders.scenes)
    from attnviz.render.job import RenderOptions, packages_there
    from attnviz.render.undisturbed import undisturbed

    folder = output or stand(folders.renders) / entry.name
    options = RenderOptions(**chosen, encode="draft", vfr=True)
    with packages_there(), undisturbed():
        from attnviz.render.watching import watch_scene
    watch_scene(scene, folders.scenes, options, folder, tell)
