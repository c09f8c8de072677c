"""The transcript: what is said and what is seen in each beat, for those who do not see the film (WCAG 1.2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from attnviz.embed.source import Told
from attnviz.embed.words import html_text

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Transcript: {title}</title>
<style>body {{ font: 1.05rem/1.5 sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
h2 {{ font-size: 1.15rem; margin: 1.6rem 0 0.3rem; }} p {{ margin: 0.3rem 0; }}</style>
</head>
<body>
<h1>{title}</h1>
<p>Transcript of a film of {length}. Each part says what the caption says, then what comes into the picture.</p>
{parts}
</body>
</html>
"""


def transcript_page(title: str, beats: Sequence[Told]) -> str:
    """The transcript as a page of its own."""
    parts = [f"<h2>{head(beat)}</h2>\n{_paragraphs(beat)}" for beat in beats]
    return _PAGE.format(title=html_text(title), length=clock(beats[-1].end), parts="\n".join(parts))


def transcript_lines(beats: Sequence[Told]) -> list[str]:
    """The same as a few tags, a line each, to stand inside another page."""
    return [line for beat in beats for line in (f"<p><strong>{head(beat)}</strong></p>", _paragraphs(beat)) if line]


def head(beat: Told) -> str:
    """When a beat begins, and its title."""
    return f"{clock(beat.start)} {html_text(beat.title)}"


def clock(seconds: float) -> str:
    """Minutes and seconds, as 1:07."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


def _paragraphs(beat: Told) -> str:
    return "".join(f"<p>{html_text(text)}</p>" for text in (beat.caption, *beat.sentences) if text.strip())
