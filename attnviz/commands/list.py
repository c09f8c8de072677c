"""`list`: the scenes there are, without importing one of them."""

import json

import click

from attnviz.commands import Folders
from attnviz.registry import SceneEntry, find_scenes


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array instead of a table.")
@click.pass_obj
def command(folders: Folders, as_json: bool) -> None:
    """List the scenes: name, length of the last render, what it shows."""
    rows = [_row(entry, folders) for entry in find_scenes(folders.scenes)]
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        length = "-" if row["seconds"] is None else f"{row['seconds']:.1f} s"
        click.echo(f"{row['name']:<{width}}  {length:>8}  {row['summary']}")


def _row(entry: SceneEntry, folders: Folders) -> dict[str, str | float | None]:
    """Return one scene's row; `seconds` is the length of its film in the renders folder, None where there is none."""
    try:
        manifest = json.loads((folders.renders / entry.name / "manifest.json").read_text(encoding="utf-8"))
        seconds = float(manifest["film"]["duration"])
    except (OSError, ValueError, LookupError, TypeError):
        seconds = None
    return {"name": entry.name, "seconds": seconds, "summary": entry.summary}
