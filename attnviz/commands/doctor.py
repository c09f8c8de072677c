"""`doctor`: what this machine lacks for a render, and how to get it."""

import json
from dataclasses import asdict

import click

from attnviz.commands import Folders, show
from attnviz.errors import EnvironmentFault
from attnviz.registry import printable


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array instead of lines.")
@click.pass_obj
def command(folders: Folders, as_json: bool) -> None:
    """Look at what a render needs: exit code 3, and a remedy a line, where something is missing."""
    from attnviz.doctor import examine
    from attnviz.render.undisturbed import undisturbed

    findings = []
    with undisturbed():
        for finding in examine(folders.renders):
            findings.append(finding)
            if not as_json:
                mark = "ok  " if finding.remedy is None else "FAIL"
                remedy = f" -> {finding.remedy}" if finding.remedy else ""
                show(printable(f"{mark}  {finding.name:<16} {' '.join(finding.found.split())}{remedy}"))
    if as_json:
        show(json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False))
    if lacking := [finding.name for finding in findings if finding.remedy]:
        raise EnvironmentFault(f"not ready to render: {', '.join(lacking)}")
