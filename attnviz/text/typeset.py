"""Typst itself: pages in, outlines out, every page set once a process.

All strings that are asked for together become one document with a page each. Setting fifty strings takes a few
hundredths of a second, less than reading fifty files, so nothing is kept on disk and nothing there can go stale.
"""

from collections.abc import Iterable
from functools import cache

import typst

from attnviz.errors import RenderError
from attnviz.text.fonts import FALLBACKS, MATHS, bundled_fonts
from attnviz.text.outline import Page, read_page

EM = 100.0  # points that text is set at; Typst writes hundredths of a point
ASCENT, DESCENT = 0.949, 0.251  # of a line's box, in em: its middle is the middle of capitals and digits
_PREAMBLE = f"""
#set page(width: auto, height: auto, margin: 0pt, fill: none)
#set par(leading: 0.18em, justify: false)
#set text(size: {EM}pt, top-edge: {ASCENT}em, bottom-edge: -{DESCENT}em, hyphenate: false, ligatures: false,
  fallback: true, lang: "en")
#show math.equation: set text(font: "{MATHS[0]}", weight: {MATHS[2]})
#let fonts(family) = (family, {", ".join(f'"{family}"' for family, _, _ in FALLBACKS)})
#let softmax = math.op("softmax")
#let part(color, body) = text(fill: rgb(color), body)
#let balanced(width, side, body) = context {{
  let lines(width) = measure(block(width: width, body)).height
  let (low, high) = (0pt, width)
  while high - low > {EM / 20}pt {{
    let middle = (low + high) / 2
    if lines(middle) > lines(width) {{ low = middle }} else {{ high = middle }}
  }}
  block(width: width, align(side, block(width: high, align(side, body))))
}}
"""
_pages: dict[str, Page] = {}


@cache
def _compiler() -> typst.Compiler:
    return typst.Compiler(font_paths=bundled_fonts(), ignore_system_fonts=True)


def pages(sources: Iterable[str]) -> list[Page]:
    """One page for each Typst source, in order; RenderError naming what Typst says if one cannot be set."""
    wanted = list(sources)
    new = list(dict.fromkeys(source for source in wanted if source not in _pages))
    if new:
        for source, svg in zip(new, _compiled(new), strict=True):
            _pages[source] = read_page(svg)
    return [_pages[source] for source in wanted]


def _compiled(sources: list[str]) -> list[bytes]:
    # A label of its own keeps a page that draws nothing from being dropped.
    document = _PREAMBLE + "\n#pagebreak(weak: false)\n".join(sources)
    try:
        svg, warnings = _compiler().compile_with_warnings(input=document.encode(), format="svg")
    except typst.TypstError as error:
        raise RenderError(f"Typst cannot set this text: {error.message}") from error
    if warnings:
        raise RenderError(f"Typst warns: {warnings[0].message}")
    return [svg] if isinstance(svg, bytes) else list(svg or ())
