"""`list`: the scenes there are, without importing one of them."""

import json

import click

from attnviz.commands import Folders, show
from attnviz.registry import SceneEntry, find_scenes, printable

LONGEST = 86_400  # seconds; a film of more than a day is a slip in a manifest


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array instead of a table.")
@click.pass_obj
def command(folders: Folders, as_json: bool) -> None:
    """List the scenes: name, length of the last render, what it shows."""
    rows = [_row(entry, folders) for entry in find_scenes(folders.scenes)]
    if as_json:
        show(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    width = max((len(str(row["name"])) for row in rows), default=0)
    for row in rows:
        length = "-" if row["seconds"] is None else f"{row['seconds']:.1f} s"
        show(printable(f"{row['name']:<{width}}  {length:>8}  {row['summary']}"))


def _row(entry: SceneEntry, folders: Folders) -> dict[str, str | float | None]:
    """Return one scene's row; `seconds` is the length of its film in the renders folder, None where there is none."""
    from attnviz.render.manifest import read_manifest

    facts = read_manifest(folders.renders / entry.name).get("film")
    seconds = _length(facts.get("duration")) if isinstance(facts, dict) else None
    return {"name": entry.name, "seconds": seconds, "summary": entry.summary}


def _length(found: object) -> float | None:
    """Return what a manifest has as a film's length where it can be one."""
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 < found < LONGEST else None
