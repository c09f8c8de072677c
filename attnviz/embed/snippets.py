"""The text to paste, one function a target, each from the same tags or in the target's own syntax.

A function takes what is shown and where the folder lies, and returns lines. Nothing here reads or writes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attnviz.embed.markup import Shown, film_figure, links, picture_figure, player_figure, video
from attnviz.embed.words import address, html_text, one_line, path_in_url, rst_text

EMBEDDED = 5_000_000  # bytes of films up to which a notebook holds them itself
_KINDS = {".mp4": "video/mp4", ".png": "image/png", ".vtt": "text/vtt"}
_MARK = "\0"  # around a name that the notebook's code replaces: no word holds it any more
_HELD = """from base64 import b64encode
from pathlib import Path

def held(name, kind):
    content = b64encode((Path({folder!r}) / name).read_bytes()).decode()
    return f"data:{{kind}};base64,{{content}}"
"""


@dataclass(frozen=True)
class Still:
    """A picture: its file's name, and what it shows in words."""

    name: str
    alt: str


@dataclass(frozen=True)
class Page:
    """A place for a snippet: the path of the folder as the browser counts it, and as the source file does."""

    seen: str
    written: str
    src: str = ""

    def link(self, name: str) -> str:
        """The address of a file in the folder; that of a film elsewhere is its own."""
        return name if name == self.src else path_in_url(f"{self.seen}/{name}")


def html(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """The tags alone: for HTML, and for every Markdown that lets HTML through."""
    if still:
        return picture_figure(shown, still.name, still.alt, page.link)
    return (player_figure if is_player else film_figure)(shown, page.link)


def markdown(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """The tags, or an image of Markdown's."""
    if still:
        return [f"![{html_text(still.alt)}]({path_in_url(f'{page.written}/{still.name}')})"]
    return html(shown, page, None, is_player)


def quarto(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """A raw block: the shortcode for videos knows neither tracks nor a poster. Or a figure of Quarto's."""
    if still:
        path = path_in_url(f"{page.written}/{still.name}")
        return [f'![{html_text(shown.title)}]({path}){{fig-alt="{html_text(still.alt)}"}}']
    return ["```{=html}", *html(shown, page, None, is_player), "```"]


def sphinx(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """A raw directive, whose files Sphinx copies from `_static`; or a figure, which it copies itself."""
    if still:
        return [f".. figure:: {page.written}/{still.name}", f"   :alt: {one_line(still.alt)}",
                "   :width: 100%", "", f"   {rst_text(shown.title)}"]
    lines = html(shown, page, None, is_player)
    return [".. raw:: html", "", *(f"   {line}" for line in lines)]


def moodle(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """Tags that Moodle's cleaning leaves alone: no figure, no details, no frame of one's own."""
    if still:
        return picture_figure(shown, still.name, still.alt, page.link)[1:2]
    if is_player:
        below = f"<a href={address(page.link(shown.films[0][0]))}>{html_text(shown.title)}</a>"
        return [f"<p>{below}</p>"]
    return ["<div>", *video(shown, page.link), "</div>", f"<p><strong>{html_text(shown.title)}</strong><br>",
            *links(shown, page.link), "</p>"]


def jupyter(shown: Shown, page: Page, still: Still | None, is_player: bool) -> list[str]:
    """A code cell. It holds films up to EMBEDDED bytes, and always pictures and tracks; a larger film stays beside it.

    A still is a figure too: of an `Image`, nbconvert's pages lose what it shows in words.
    """
    inside = sum(size for _, _, size in shown.films) <= EMBEDDED

    def link(name: str) -> str:
        is_held = name.endswith((".vtt", ".png")) or (inside and name.endswith(".mp4") and name != page.src)
        return f"{_MARK}{name}{_MARK}" if is_held else page.link(name)

    if still:
        tags = picture_figure(shown, still.name, still.alt, link)
    else:
        tags = (player_figure if is_player else film_figure)(shown, link)
    held = _HELD.format(folder=page.written).splitlines() if any(_MARK in tag for tag in tags) else []
    return [*held, "from IPython.display import HTML", "", 'HTML("\\n".join([',
            *(f"    {_python(_unheld(tag, page))}," for tag in tags), "]))"]


def _unheld(line: str, page: Page) -> str:
    """The line; as a link, with the file's address: what is linked to is not held."""
    if not line.startswith("<a "):
        return line
    return "".join(page.link(part) if number % 2 else part for number, part in enumerate(line.split(_MARK)))


def _python(line: str) -> str:
    """A line of tags as an expression: literals, and calls for the files that the notebook holds."""
    parts = [f"held({part!r}, {_KINDS['.' + part.rpartition('.')[2]]!r})" if number % 2 else repr(part)
             for number, part in enumerate(line.split(_MARK))]
    return " + ".join(parts)


Snippet = Callable[[Shown, Page, Still | None, bool], list[str]]
SNIPPETS: Mapping[str, Snippet] = {
    "html": html, "markdown": markdown, "mkdocs": markdown, "quarto": quarto, "sphinx": sphinx, "jupyter": jupyter,
    "moodle": moodle, "iframe": html,
}
