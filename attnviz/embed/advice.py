"""What is to be done with the snippet and the folder, said to whoever called: a line for each step."""

from __future__ import annotations

from pathlib import Path

from attnviz.embed.choice import Choice
from attnviz.embed.place import STATIC, page_for


def advice(choice: Choice, folder: Path, snippet: str) -> list[str]:
    """The steps that are left, for the kind of page that was chosen; files are named as far as the snippet does."""
    seen = page_for(choice, folder).written
    if choice.target == "moodle":
        return _moodle(choice, folder, snippet)
    is_static = choice.target == "sphinx" and not choice.still
    lines = [f"the files are in {folder}; the page finds them at {seen}"]
    if is_static and STATIC not in folder.absolute().parts:
        lines = [f"put the folder {folder} into Sphinx's {STATIC}: the page finds the files at {seen}"]
    if is_static:
        lines.append(f'conf.py needs html_static_path = ["{STATIC}"], which sphinx-quickstart writes there')
    if choice.target == "quarto" and not choice.still:
        lines.append(f"in a Quarto project, have the folder copied: resources: [{folder.name}]")
    return lines


def _moodle(choice: Choice, folder: Path, snippet: str) -> list[str]:
    names = ", ".join(sorted(path.name for path in folder.iterdir() if f"/{path.name}\"" in snippet))
    return [f"1. in the editor choose “Manage files”, and upload from {folder}: {names}",
            "2. open its source code, paste the snippet, save",
            *(["or add player.html as a resource of the kind File, and let it be embedded"] * choice.is_player)]
