"""`export`: a scene, or some beats of it, as something else than its film."""

from pathlib import Path
from typing import Any

import click

from attnviz.commands import Folders, show, tell
from attnviz.commands._options import JOBS, look_options, progress, stand
from attnviz.registry import printable

TARGETS = ["mp4", "webm", "av1", "gif", "webp", "avif", "png", "svg", "pdf", "html", "manim-slides", "pptx"]


@click.command()
@click.argument("scene")
@click.option("--to", "target", type=click.Choice(TARGETS), required=True, help="What to make of it.")
@click.option("-o", "--output", type=Path, help="File, or folder; renders/SCENE.ENDING where not given.")
@click.option("--width", type=click.IntRange(16, 7680), help="Pixels, for gif, webp and avif; 640 where not given.")
@click.option("--fps", type=click.IntRange(1, 60), help="Frames a second, for the same; 10 for gif, else 15.")
@look_options
@JOBS
@click.pass_obj
def command(
    folders: Folders, /, scene: str, target: str, output: Path | None, jobs: int, width: int, fps: int, **chosen: Any
) -> None:
    """Make small loops, stills, a handout or slides of SCENE, or of beats as pipeline:softmax_row.

    mp4 cuts beats out of the film as they are; png and svg hold the end of each beat; pdf is a handout with a beat a
    row; html is the page of `present`; manim-slides writes a folder for that program. What is not rendered yet is
    rendered first.
    """
    from attnviz.export.command import export_scene
    from attnviz.export.write import Wish
    from attnviz.render.job import RenderOptions

    wish, root = Wish(target, width, fps), folders.renders if output else stand(folders.renders)
    with progress() as on_beat:
        path = export_scene(
            scene, folders.scenes, root, RenderOptions(**chosen), wish, output, jobs=jobs, on_beat=on_beat, say=tell
        )
    show(printable(str(path)))
