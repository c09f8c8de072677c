"""`embed`: a scene in somebody's own page, as a snippet to paste and the files that it needs."""

import sys
from pathlib import Path
from typing import Any

import click

from attnviz.commands import Folders, show, tell
from attnviz.commands._options import JOBS, look_options, progress, stand
from attnviz.registry import find_scene, printable

TARGETS = ("html", "markdown", "mkdocs", "quarto", "sphinx", "jupyter", "moodle", "iframe")


@click.command()
@click.argument("scene")
@click.option(
    "--for",
    "target",
    type=click.Choice(TARGETS),
    default="html",
    show_default=True,
    help="What the snippet is pasted into.",
)
@click.option(
    "-o",
    "--output",
    type=Path,
    help="Folder for the files; renders/embed/SCENE where not given.",
)
@click.option(
    "--page",
    type=Path,
    metavar="FILE",
    help="The file that the snippet goes into; one beside the folder where not given.",
)
@click.option("--still", metavar="BEAT", default="", help="A picture of the end of one beat, in place of the film.")
@click.option("--inspect", is_flag=True, help="The player, in which numbers can be inspected, in place of the film.")
@click.option("--src", metavar="URL", default="", help="The film, or the player, lies there: copy neither.")
@click.option("--av1", is_flag=True, help="A second, smaller film in AV1 for browsers that know it.")
@click.option("--autoplay", is_flag=True, help="Start by itself, without sound, again and again.")
@look_options
@JOBS
@click.pass_obj
def command(folders: Folders, /, scene: str, output: Path | None, jobs: int, **chosen: Any) -> None:
    """Print a snippet that shows SCENE in a page of yours, and write the files that it needs into a folder.

    What is not rendered yet is rendered first.
    """
    entry = find_scene(scene, folders.scenes)
    from attnviz.embed.advice import advice
    from attnviz.embed.choice import Choice
    from attnviz.embed.write import Job, embed
    from attnviz.render.job import RenderOptions

    names = ("target", "page", "still", "inspect", "src", "av1", "autoplay")
    choice = Choice(**{name: chosen.pop(name) for name in names})
    folder = output or stand(stand(folders.renders) / "embed") / entry.name
    with progress() as on_beat:
        job = Job(folders.renders, jobs, on_beat, tell)
        snippet = embed(entry, RenderOptions(**chosen), choice, folder, job)
    for line in advice(choice, folder, snippet):
        tell(printable(line))
    show(snippet if choice.target == "jupyter" else _with_references(snippet))


def _with_references(text: str) -> str:
    """The text with HTML's references for the letters that stdout's encoding lacks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "xmlcharrefreplace").decode(encoding)
