"""The frame of a failing check, with its places marked and a line for each below it. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from attnviz.errors import RenderError
from attnviz.layout import layout_for
from attnviz.looks.finding import Complaint
from attnviz.looks.view import Array
from attnviz.onscreen import Box
from attnviz.text import FONT_DIR

RED, PAPER, INK = "#ff2020", "#ffffff", "#202020"
LETTERS = 20  # pixels
LEAST = 960  # pixels of width that a line of words needs


def picture_name(complaint: Complaint, part: str = "") -> str:
    """The file name of a complaint's picture: no sign in it that a file system refuses."""
    frame = complaint.frame.replace(":", "x")
    return f"{complaint.scene}-{complaint.beat}-{complaint.theme}-{frame}{part}.png"


def write_marked(path: Path, frame: Array, complaints: Sequence[Complaint]) -> None:
    """Write a frame with a numbered red rectangle at the place of each complaint, and the complaints below it."""
    picture = Image.fromarray(np.ascontiguousarray(frame[..., :3]))
    if picture.width < LEAST:
        picture = picture.resize((LEAST, round(picture.height * LEAST / picture.width)))
    font = ImageFont.truetype(FONT_DIR / "IBMPlexSans-Regular.ttf", LETTERS)
    draw = ImageDraw.Draw(picture)
    for number, complaint in enumerate(complaints, start=1):
        if complaint.box:
            corners = _pixels(complaint.box, complaint.frame, picture.size)
            draw.rectangle(corners, outline=RED, width=3)
            draw.text((corners[0] + 4, corners[1] - LETTERS - 6), str(number), RED, font)
    lines = [line for number, complaint in enumerate(complaints, start=1)
             for line in _broken(f"{number}. {complaint.line()}", font, picture.width - 20)]
    whole = Image.new("RGB", (picture.width, picture.height + (len(lines) + 1) * (LETTERS + 6)), PAPER)
    whole.paste(picture)
    draw = ImageDraw.Draw(whole)
    for place, line in enumerate(lines):
        draw.text((10, picture.height + 6 + place * (LETTERS + 6)), line, INK, font)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole.save(path)
    except OSError as fault:
        raise RenderError(f"{path} cannot be written: {fault.strerror}; name another folder with -o") from fault


def _pixels(box: Box, frame: str, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """A box on the picture, a little larger, and inside of it."""
    layout = layout_for(frame)
    zoom = size[1] / layout.height
    x, y = np.clip(np.array([box.left, box.right]) + layout.width / 2, 0, layout.width) * zoom, \
        np.clip(layout.height / 2 - np.array([box.top, box.bottom]), 0, layout.height) * zoom
    return (float(max(x[0] - 4, 0)), float(max(y[0] - 4, 0)),
            float(min(x[1] + 4, size[0] - 1)), float(min(y[1] + 4, size[1] - 1)))


def _broken(text: str, font: ImageFont.FreeTypeFont, width: float) -> list[str]:
    """A text as lines no wider than `width`."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        lines[-1:] = [longer] if font.getlength(longer) <= width or not lines[-1] else [lines[-1], word]
    return lines
