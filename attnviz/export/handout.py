"""The handout: a PDF with a beat a row, its picture, its words, and the numbers that are worked out in it.

Set by Typst with the bundled fonts. Words come in as string literals, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attnviz.errors import RenderError
from attnviz.export.source import Source, still
from attnviz.player.described import numbers

_HEAD = """
#set page(paper: "a4", margin: (x: 16mm, y: 15mm), footer: context [
  #set text(8pt, fill: luma(110))
  #title #h(1fr) #counter(page).display("1 / 1", both: true)])
#set text(font: ("IBM Plex Sans", "IBM Plex Sans Arabic", "Noto Sans SC"), size: 10pt, lang: "en")
#set par(leading: 0.55em)
#set document(title: title)
#let bold(it) = text(font: ("IBM Plex Sans SmBld", "IBM Plex Sans Arabic", "Noto Sans SC"), weight: 600, it)
#let beat(number, name, caption, worked, picture, alt) = block(breakable: false, below: 7mm, grid(
  columns: (82mm, 1fr), column-gutter: 6mm,
  box(stroke: 0.4pt + luma(180), image(picture, width: 82mm, alt: alt)),
  [
    #text(12pt)[#text(fill: luma(110))[#number] #h(2mm) #bold(name)]
    #v(1mm)
    #caption
    #if worked.len() > 0 { v(1mm); for line in worked { block(above: 0.7em, text(8.5pt, fill: luma(70), line)) } }
  ]))
#text(18pt, bold(title))
#v(4mm)
"""


def write_handout(source: Source, path: Path) -> None:
    """Write the PDF. RenderError with what Typst says, where it cannot be set."""
    import typst

    from attnviz.escape import literal
    from attnviz.text.fonts import bundled_fonts

    with TemporaryDirectory(prefix="attnviz-") as folder:
        text = f"#let title = {literal(source.title)}{_HEAD}"
        for number, (name, beat) in enumerate(zip(source.files, source.beats, strict=True), source.selection.first + 1):
            _saved(source, beat, Path(folder) / f"{name}.png")
            worked = "".join(f"{literal(line)}, " for line in numbers(beat))
            words = ", ".join(literal(text) for text in (str(number), beat["title"], beat["caption"]))
            text += f"#beat({words}, ({worked}), {literal(name + '.png')}, {literal(beat['caption'])})\n"
        (Path(folder) / "handout.typ").write_text(text, encoding="utf-8")
        try:
            content = typst.compile(Path(folder) / "handout.typ", root=Path(folder), font_paths=bundled_fonts(),
                                    ignore_system_fonts=True, format="pdf")
        except typst.TypstError as fault:
            raise RenderError(f"the handout cannot be set: {fault.message}") from fault
    path.write_bytes(content)


def _saved(source: Source, beat: Mapping[str, Any], path: Path) -> None:
    buffer = BytesIO()
    still(source, beat).save(buffer, format="PNG")
    path.write_bytes(buffer.getvalue())
