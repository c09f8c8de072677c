"""Slides for other programs: a manim-slides presentation, and PowerPoint. Each beat is one slide with its film.

Films are cut out of the render without encoding anything again; only what runs backwards is encoded anew.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

from attnviz.errors import EnvironmentFault
from attnviz.export.encoded import backwards, encode
from attnviz.export.source import Source, still
from attnviz.player.reel import write_reel
from attnviz.theme import theme_for

_WIDE = 12_192_000  # English metric units: 13.33 inches, as PowerPoint's own wide slides


def write_manim_slides(source: Source, folder: Path) -> None:
    """Write `slides/NAME.json` with its films into `folder`, as `manim-slides` reads them there."""
    films = folder / "slides" / "files" / source.name
    films.mkdir(parents=True)
    slides = []
    for name, beat, piece in zip(source.files, source.beats, source.pieces, strict=True):
        write_reel([piece], films / f"{name}.mp4", beat["title"])
        encode(backwards(piece), films / f"{name}_reversed.mp4", source.shown.fps, "h264")
        place = f"slides/files/{source.name}/{name}"
        slides.append({"file": f"{place}.mp4", "rev_file": f"{place}_reversed.mp4", "notes": _notes(beat),
                       "dedent_notes": False})
    background = theme_for(source.options.theme).background
    table = {"slides": slides, "resolution": source.options.pixels, "background_color": background}
    text = json.dumps(table, indent=2, ensure_ascii=False)
    (folder / "slides" / f"{source.name}.json").write_text(text, encoding="utf-8")


def write_pptx(source: Source, path: Path) -> None:
    """Write a PowerPoint file: a film a slide, which starts by itself. EnvironmentFault without python-pptx."""
    try:
        from pptx import Presentation
    except ImportError:
        raise EnvironmentFault("PowerPoint files need python-pptx: pip install 'attnviz[pptx]'") from None
    width, height = source.options.pixels
    deck: Any = Presentation()
    deck.slide_width, deck.slide_height = _WIDE, round(_WIDE * height / width)
    deck.core_properties.title = source.title
    for beat, piece in zip(source.beats, source.pieces, strict=True):
        film = path.with_name("beat.mp4")
        write_reel([piece], film, beat["title"])
        _slide(deck, film, still(source, beat), beat)
        film.unlink()
    deck.save(str(path))


def _slide(deck: Any, film: Path, picture: Any, beat: Any) -> None:
    poster = BytesIO()
    picture.save(poster, format="PNG")
    slide = deck.slides.add_slide(deck.slide_layouts[6])  # the empty one
    movie = slide.shapes.add_movie(str(film), 0, 0, deck.slide_width, deck.slide_height, poster, "video/mp4")
    movie.name = beat["title"]
    movie._element.nvPicPr.cNvPr.set("descr", beat["caption"])
    for condition in slide.element.iter("{http://schemas.openxmlformats.org/presentationml/2006/main}cond"):
        condition.set("delay", "0")  # not at a click on it, but when its slide comes
    slide.notes_slide.notes_text_frame.text = _notes(beat)


def _notes(beat: Any) -> str:
    return "\n\n".join(filter(None, [beat["caption"], beat["note"]]))
