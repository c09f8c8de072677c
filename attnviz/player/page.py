"""The page: template, style, script and data put together into one HTML text.

Everything that is somebody's words is data or escaped text. The policy in the page allows its own script, by its
hash, and no request: what slipped through here could still neither run nor call home.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from string import Template
from typing import Any

from attnviz.escape import visible
from attnviz.player.cues import Step
from attnviz.theme import Theme

_SCRIPTS = ("base", "film", "steps", "screen", "keys", "link", "pen", "quiz", "numbers", "worked", "inspector",
            "presenter", "start")
_STYLES = ("style", "inspector", "presenter")
GENERATOR = '<meta name="generator" content="attnviz player">'


def page(data: Mapping[str, Any], steps: Sequence[Step], theme: Theme, films: Sequence[bytes], *,
         is_watched: bool = False) -> str:
    """Return the page. `films` are MP4s that lie inside it; without any, `data` says where they lie beside it.

    One that `is_watched` asks the server that it came from for news of itself, and nobody else.
    """
    script, style = _script(is_watched), _style(theme)
    policy = _policy(script, style, beside=not films, is_watched=is_watched)
    holder = '<script type="text/plain" id="film-{}">{}</script>'
    inside = [holder.format(number, base64.b64encode(film).decode()) for number, film in enumerate(films)]
    return Template(_web("page.html")).substitute(
        title=_shown(data["title"]), policy=policy, style=style, transcript=_transcript(steps),
        films="\n".join(inside), data=as_json(data), script=script)


def as_json(data: object) -> str:
    """JSON that no reader of HTML takes for an end of the script that holds it; what works unseen is spelled out."""
    text = json.dumps(_visible(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _visible(data: Any) -> Any:
    """The same with every text as it is shown: lines stay lines."""
    if isinstance(data, str):
        return "\n".join(visible(line) for line in data.split("\n"))
    if isinstance(data, Mapping):
        return {name: _visible(value) for name, value in data.items()}
    return [_visible(value) for value in data] if isinstance(data, list | tuple) else data


def _policy(script: str, style: str, *, beside: bool, is_watched: bool) -> str:
    near = " 'self' file:" if beside else ""
    news = "connect-src 'self'; " if is_watched else ""
    return (f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; font-src data:; img-src data:; "
            f"{news}media-src blob:{near}; base-uri 'none'; form-action 'none'")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _script(is_watched: bool) -> str:
    parts = "\n".join(_web(f"{name}.js") for name in (*_SCRIPTS, *(["watch"] if is_watched else [])))
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _style(theme: Theme) -> str:
    colors = {"background": theme.background, "panel": theme.panel, "ink": theme.ink, "muted": theme.muted,
              "accent": theme.accent, "line": theme.grid_line, "warn": theme.hues["scores"],
              "pen": theme.marker}
    names = "".join(f"--{name}: {color}; " for name, color in colors.items())
    fonts = {name: base64.b64encode(_font(f"IBMPlexSans-{cut}")).decode()
             for name, cut in (("regular", "Regular"), ("semibold", "SemiBold"))}
    return f":root {{ {names}}}\n" + "\n".join(Template(_web(f"{name}.css")).safe_substitute(fonts) for name in _STYLES)


def _font(name: str) -> bytes:
    return (files("attnviz") / "fonts" / f"{name}.ttf").read_bytes()


def _web(name: str) -> str:
    return (files("attnviz.player") / "web" / name).read_text(encoding="utf-8")


def _transcript(steps: Sequence[Step]) -> str:
    """Every step as a heading and paragraphs."""
    told = []
    for number, step in enumerate(steps):
        said = [step.caption, *step.lines, step.alt, *step.described]
        head = f"{number}. {step.title}" if number else step.title
        told += [f"<h2>{_shown(head)}</h2>", *(f"<p>{_shown(text)}</p>" for text in said if text)]
    return "\n".join(told)


def _shown(text: str) -> str:
    return html.escape(visible(text))
