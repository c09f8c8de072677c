"""The picture at the end of each beat, as a file: PNG from the film's own frame, or SVG."""

from __future__ import annotations

from pathlib import Path

from attnviz.export.source import Source, still


def write_stills(source: Source, kind: str, folder: Path) -> None:
    """Write a file a beat (`kind` png or svg) into a folder."""
    if kind == "svg":
        made = svgs(source)
        for name, content in zip(source.files, made, strict=True):
            (folder / f"{name}.svg").write_bytes(content)
        return
    for name, beat in zip(source.files, source.beats, strict=True):
        still(source, beat).save(folder / f"{name}.png", format="PNG")


def svgs(source: Source) -> list[bytes]:
    """The SVG of each chosen beat."""
    from attnviz.export.vector import vectors

    beats = source.shown.score["beats"]
    words = [(beat["title"], beat["caption"]) for beat in beats]
    made = vectors(source.selection.entry, source.options, words.__getitem__)
    return [made[index] for index in range(source.selection.first, source.selection.stop)]
