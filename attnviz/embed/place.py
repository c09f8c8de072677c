"""From where a page sees the folder beside it: paths, as each kind of page counts them."""

from __future__ import annotations

import os
from pathlib import Path

from attnviz.embed.choice import Choice
from attnviz.embed.snippets import Page
from attnviz.errors import InputError

STATIC = "_static"  # the folder that sphinx-quickstart makes for files that are copied as they are


def page_for(choice: Choice, folder: Path) -> Page:
    """How the page that is meant sees `folder`; InputError where no page can name it.

    Without `choice.page` the page lies beside the folder; for Sphinx beside `_static`, in which the folder lies.
    """
    if not str(folder).isprintable() or "\\" in folder.name:
        raise InputError(f"{ascii(str(folder))[:60]} has letters in it that no page can name; name another with -o")
    page = choice.page or _beside(choice.target, folder)
    path = _between(page.parent, folder)
    if choice.target == "sphinx" and not choice.page and STATIC not in folder.absolute().parts:
        path = f"{STATIC}/{folder.name}"
    if choice.target == "moodle":
        return Page("@@PLUGINFILE@@", "@@PLUGINFILE@@", choice.src)
    return Page(f"../{path}" if choice.target == "mkdocs" and not _is_index(page) else path, path, choice.src)


def _beside(target: str, folder: Path) -> Path:
    """A page where one would be if nobody named one."""
    whole = folder.absolute()
    if target == "sphinx" and STATIC in whole.parts:
        depth = len(whole.parts) - whole.parts[::-1].index(STATIC) - 1
        return Path(*whole.parts[:depth], "page")
    return whole.parent / "page"


def _is_index(page: Path) -> bool:
    """Whether MkDocs gives the page its folder's address, and not one below it."""
    return page.stem.lower() in ("index", "readme")


def _between(start: Path, end: Path) -> str:
    try:
        return Path(os.path.relpath(end.resolve(), start.resolve())).as_posix()
    except ValueError:
        raise InputError(f"{end} and {start} lie on two drives: no path leads from one to the other") from None
