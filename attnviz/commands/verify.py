"""`verify`: a render's folder, from its files alone; exit code 4 where something does not hold."""

import json
from pathlib import Path

import click

from attnviz.commands import Folders, show
from attnviz.errors import CheckError, InputError
from attnviz.registry import check_name, printable


@click.command()
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.pass_obj
def command(folders: Folders, folder: str, as_json: bool) -> None:
    """Check the render in FOLDER, or that of a scene: records, score, film.

    Needs numpy, Pillow and PyAV only. Exit code 4 where something shown does
    not follow from the records.
    """
    from attnviz.verify.check import verify

    report = verify(_folder(folder, folders.renders))
    if as_json:
        show(json.dumps(report.as_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        for line in [*report.table(), *report.details(), report.closing()]:
            show(printable(line))
    if report.wrongs:
        raise CheckError(f"{report.folder} does not hold: {report.wrongs[0].line().removeprefix('wrong: ')}")


def _folder(name: str, renders: Path) -> Path:
    """Return the folder of that name, or the render of the scene of that name."""
    path = Path(name)
    try:
        if path.exists() or len(path.parts) != 1:
            return path
        return renders / check_name(name)
    except (OSError, ValueError) as fault:
        if isinstance(fault, InputError):
            raise
        why = getattr(fault, "strerror", None) or fault
        raise InputError(f"{name!r:.60} cannot be a folder ({why}); name one that `render` wrote") from None
