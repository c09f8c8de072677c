"""The contact sheet: one picture a beat, numbered, with its title and its time, for looking at a film at a glance.

Pillow only. The pictures come from outside; nothing here knows a scene or decodes a film.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import ceil, sqrt
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from attnviz.errors import EnvironmentFault
from attnviz.theme import Theme

FONTS = Path(__file__).resolve().parent.parent / "fonts"
AREA = 480 * 270  # pixels of a picture on the sheet, whatever its shape
ASPECT = 1.5  # width to height that the whole sheet comes nearest to
MARGIN, GUTTER, HEAD, GAP, INDENT, LINE = 48, 32, 108, 12, 34, 28  # pixels
MOST_LINES = 3  # of a title under its picture


@dataclass(frozen=True)
class Shot:
    """One beat on the sheet: its small picture, the lines of its title, the time at which it starts."""

    picture: Image.Image
    lines: list[str]
    time: str


@dataclass
class Sheet:
    """Takes a picture a beat, in order, and draws them all into one image."""

    theme: Theme
    shots: list[Shot] = field(default_factory=list)

    def add(self, picture: Image.Image, title: str, start: float) -> None:
        """Keep a small copy of the picture of the beat that starts at `start` seconds; all pictures have one shape."""
        small = thumbnail(picture)
        room = small.width - INDENT - _font("Regular", 22).getlength(_clock(start) + "  ")
        self.shots.append(Shot(small, _lines(title, _font("SemiBold", 22), room, MOST_LINES), _clock(start)))

    def draw(self, title: str, seconds: float) -> Image.Image:
        """Return the sheet, headed by the film's title, its number of beats and its length."""
        width, height = self.shots[0].picture.size
        lines = max(len(shot.lines) for shot in self.shots)
        step_x, step_y = width + GUTTER, height + GAP + lines * LINE + GUTTER
        columns = _columns(len(self.shots), step_x, step_y)
        rows = ceil(len(self.shots) / columns)
        size = (2 * MARGIN + columns * step_x - GUTTER, 2 * MARGIN + HEAD + rows * step_y - GUTTER)
        image = Image.new("RGB", size, self.theme.background)
        self._head(ImageDraw.Draw(image), size[0], title, seconds)
        for index, shot in enumerate(self.shots):
            row, column = divmod(index, columns)
            self._place(image, (MARGIN + column * step_x, MARGIN + HEAD + row * step_y), index + 1, shot)
        return image

    def _head(self, pen: ImageDraw.ImageDraw, width: int, title: str, seconds: float) -> None:
        text = _lines(title, _font("SemiBold", 40), width - 2 * MARGIN, most=1)[0]
        pen.text((MARGIN, MARGIN - 10), text, self.theme.ink, _font("SemiBold", 40))
        count = f"{len(self.shots)} beat{'s' if len(self.shots) > 1 else ''}, {_clock(seconds)}"
        pen.text((MARGIN, MARGIN + 44), count, self.theme.muted, _font("Regular", 24))

    def _place(self, image: Image.Image, at: tuple[int, int], number: int, shot: Shot) -> None:
        """Draw one picture with a thin frame, and number, title and time under it."""
        pen = ImageDraw.Draw(image)
        x, y = at
        width, height = shot.picture.size
        image.paste(shot.picture, at)
        pen.rectangle((x - 1, y - 1, x + width, y + height), outline=self.theme.grid_line)
        y += height + GAP
        bold, plain = _font("SemiBold", 22), _font("Regular", 22)
        pen.text((x, y), str(number), self.theme.muted, bold)
        pen.text((x + width, y), shot.time, self.theme.muted, plain, anchor="ra")
        for line in shot.lines:
            pen.text((x + INDENT, y), line, self.theme.ink, bold)
            y += LINE


def thumbnail(picture: Image.Image) -> Image.Image:
    """Return `picture` in the size of the sheet's; one that has it already stays as it is."""
    factor = sqrt(AREA / (picture.width * picture.height))
    size = (round(picture.width * factor), round(picture.height * factor))
    return picture if size == picture.size else picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)


def _columns(count: int, step_x: int, step_y: int) -> int:
    """Return the number of columns that brings the sheet's shape near to ASPECT and leaves few places empty."""

    def miss(columns: int) -> float:
        rows = ceil(count / columns)
        shape = columns * step_x / (rows * step_y + HEAD)
        return max(shape / ASPECT, ASPECT / shape) * rows * columns / count

    return min(range(1, count + 1), key=miss)


def _lines(text: str, font: ImageFont.FreeTypeFont, width: float, most: int) -> list[str]:
    """Break `text` into at most `most` lines of `width` pixels; what does not fit ends in an ellipsis."""
    lines = list(_broken(" ".join(text.split()), font, width)) or [""]
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and font.getlength(last + "…") > width:
        last = last[:-1]
    return [*lines[: most - 1], last.rstrip() + "…"]


def _broken(text: str, font: ImageFont.FreeTypeFont, width: float) -> Iterator[str]:
    """Yield lines that fit, broken at spaces, or inside a word that is too long for a line of its own."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if font.getlength(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while font.getlength(line) > width and len(line) > 1:
            fits = bisect_right(range(2, len(line)), width, key=lambda size: font.getlength(line[:size])) + 1
            yield line[:fits]
            line = line[fits:]
    if line:
        yield line


@cache
def _font(weight: str, size: int) -> ImageFont.FreeTypeFont:
    path = next(iter(sorted(FONTS.glob(f"IBMPlexSans-{weight}.*"))), None)
    if path is None:
        raise EnvironmentFault(f"the font IBMPlexSans-{weight} is missing from {FONTS}; install attnviz again")
    return ImageFont.truetype(path, size)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
