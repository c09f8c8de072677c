"""The HTML of a film, of the player and of a picture: one tag a line, nothing indented, no line empty.

So it stays HTML in every Markdown: an empty line would end it, an indented one could become code. There are no ids,
so that two films stand on one page. Addresses come from `link`, which knows the page; here are only tags.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from attnviz.embed.words import address, attribute, html_text

Link = Callable[[str], str]  # from the name of a file beside the page to its address
_FIGURE = '<figure class="attnviz" style="margin:1em 0">'


@dataclass(frozen=True)
class Shown:
    """What the tags need: words, measures in pixels, and names of files or addresses.

    `films` are (name or address, MIME type or empty, size in bytes or 0), best first; `told` the transcript's lines.
    """

    scene: str
    title: str
    width: int
    height: int
    films: Sequence[tuple[str, str, int]] = ()
    autoplay: bool = False
    has_captions: bool = True
    told: Sequence[str] = field(default=())

    @property
    def fits(self) -> str:
        """A style that keeps the proportions: no wider than the page, and no higher than the window if upright."""
        if self.height < self.width:
            return "max-width:100%;height:auto"
        return f"max-width:min(100%,calc(85vh*{self.width}/{self.height}));height:auto"


def film_figure(shown: Shown, link: Link) -> list[str]:
    """The film with its tracks, a line of links below it, and the transcript where it is given."""
    return [_FIGURE, *video(shown, link), f"<figcaption>{_title(shown)}<br>",
            *links(shown, link), *_details(shown), "</figcaption>", "</figure>"]


def video(shown: Shown, link: Link) -> list[str]:
    """The video tag, with what to do where a browser knows none."""
    moving = ' autoplay muted loop' if shown.autoplay else ""
    default = " default" if shown.has_captions else ""
    size = f'width="{shown.width}" height="{shown.height}" style="{shown.fits}"'
    films = [f"<source src={address(link(name))}{f' type={_kind(kind)}' if kind else ''}>"
             for name, kind, _ in shown.films]
    track = f"{address(link(f'{shown.scene}.en.vtt'))} srclang=\"en\""
    return [
        f'<video controls playsinline preload="metadata"{moving} {size} poster={address(link("poster.png"))} '
        f"aria-label={attribute(shown.title)}>",
        *films,
        f'<track kind="captions" src={track} label="English"{default}>',
        f'<track kind="chapters" src={address(link(f"{shown.scene}.chapters.vtt"))} srclang="en" label="Chapters">',
        f"<a href={address(link(shown.films[-1][0]))}>Download the film</a>",
        "</video>",
    ]


def links(shown: Shown, link: Link) -> list[str]:
    """The film to download, and its transcript where that is not inside the page."""
    name, _, size = shown.films[-1]
    weight = f" ({_weight(size)})" if size else ""
    found = [f"<a href={address(link(name))}{' download' if size else ''}>Download the film{weight}</a>"]
    if not shown.told:
        found.append(f"<a href={address(link('transcript.html'))}>Transcript</a>")
    return [" · ".join(found)]


def player_figure(shown: Shown, link: Link) -> list[str]:
    """The lecture player in a frame of the film's proportions; `films` holds its address alone."""
    where = address(link(shown.films[0][0]))
    style = f"width:100%;max-width:{shown.width}px;height:auto;aspect-ratio:{shown.width}/{shown.height};border:0"
    below = f"<a href={where}>Open it alone</a> · <a href={address(link('transcript.html'))}>Transcript</a>"
    return [
        _FIGURE,
        f'<iframe src={where} title={attribute(shown.title)} width="{shown.width}" height="{shown.height}" '
        f'allow="fullscreen" loading="lazy" style="{style}"></iframe>',
        f"<figcaption>{_title(shown)}<br>", below, "</figcaption>", "</figure>",
    ]


def picture_figure(shown: Shown, name: str, alt: str, link: Link) -> list[str]:
    """One still with its caption."""
    size = f'width="{shown.width}" height="{shown.height}" style="{shown.fits}"'
    return [_FIGURE, f"<img src={address(link(name))} {size} alt={attribute(alt)}>",
            f"<figcaption>{_title(shown)}</figcaption>", "</figure>"]


def _title(shown: Shown) -> str:
    """The title in a tag of its own: at the start of a line, some Markdown would take `1.` for a list."""
    return f"<span>{html_text(shown.title)}</span>"


def _details(shown: Shown) -> list[str]:
    if not shown.told:
        return []
    return ["<details>", "<summary>Transcript</summary>", *shown.told, "</details>"]


def _weight(size: int) -> str:
    """Bytes as a reader counts them."""
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def _kind(kind: str) -> str:
    """A MIME type in quotes that its own do not end."""
    return f"'{kind}'" if '"' in kind else f'"{kind}"'
