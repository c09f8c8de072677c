"""A render's folder made without Manim, for tests of `verify`: painted with numpy and Pillow, encoded with PyAV.

`honest()` is a film that says the truth. A test changes one thing in it and writes it, with hashes that fit as a forger
would have it, or without.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from attnviz.colors import contrast, rgb
from attnviz.numbers import format_for
from attnviz.render.manifest import write_manifest
from attnviz.theme import DARK, scale_for
from attnviz.trace import Bundle
from tests.drawn import record

WIDTH, HEIGHT, FPS, FRAMES = 1280, 720, 4, 4  # frames a beat
UNIT = HEIGHT / 8
TOKENS = ["the", "cat", "sits", "on", "a", "red", "mat", "now"]
FONT = Path(__file__).resolve().parent.parent / "attnviz" / "fonts" / "IBMPlexSans-Regular.ttf"
CELL, EM = 48 / UNIT, 17.3 / UNIT
AT = {"batch": 0, "head": 0}
Pixels = Any


@dataclass
class Forged:
    """A film that can be tampered with: its records, its score, the pictures at the ends of its beats."""

    bundle: Bundle
    score: dict[str, Any]
    pictures: list[Pixels]
    captions: list[str]
    encode: str = "default"
    comment: str | None = None
    kind: str = "mp4"
    facts: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write all files, with a manifest that fits."""
        folder.mkdir(parents=True, exist_ok=True)
        self.bundle.save(folder / "trace.npz")
        (folder / "score.json").write_text(json.dumps(self.score, ensure_ascii=False), encoding="utf-8")
        for name in ("poster.png", "sheet.png"):
            Image.fromarray(self.pictures[-1]).save(folder / name, compress_level=1)
        if self.kind == "mp4":
            self._write_film(folder)
        else:
            for number, (beat, picture) in enumerate(zip(self.score["beats"], self.pictures, strict=True), start=1):
                Image.fromarray(picture).save(folder / f"{number:02}-{beat['id']}.png")
        return self.seal(folder)

    def seal(self, folder: Path) -> Path:
        """Write the manifest anew: every hash fits what lies there now."""
        (folder / "manifest.json").unlink(missing_ok=True)
        options = {"theme": "dark", "frame": "16:9", "encode": self.encode, "kind": self.kind,
                   "vfr": False}
        provenance = {name: one.described() for name, one in self.bundle.items()}
        film = {"file": "tiny.mp4", "width": WIDTH, "height": HEIGHT, "fps": FPS,
                "frames": FRAMES * len(self.pictures), "duration": FRAMES * len(self.pictures) / FPS}
        facts = {"film": film | self.facts} if self.kind == "mp4" else {"stills": len(self.pictures)}
        write_manifest(folder, {"scene": "tiny", "title": self.score["title"], "options": options,
                                "provenance": provenance, **facts})
        return folder

    def _write_film(self, folder: Path) -> None:
        comment = self.comment or hashlib.sha256((folder / "trace.npz").read_bytes()).hexdigest()
        chapters = [(beat["title"], number * FRAMES) for number, beat in enumerate(self.score["beats"])]
        encode(folder / "tiny.mp4", self.pictures, f"trace.npz sha256:{comment}", self.score["title"], chapters)
        cues = [f"{clock(n * FRAMES / FPS)} --> {clock((n + 1) * FRAMES / FPS)}\n{text}\n"
                for n, text in enumerate(self.captions)]
        (folder / "tiny.en.vtt").write_text("\n".join(["WEBVTT\n", *cues]), encoding="utf-8")

    def beat(self, number: int) -> list[dict[str, Any]]:
        """What a beat's score says is visible."""
        visible: list[dict[str, Any]] = self.score["beats"][number]["visible"]
        return visible

    def item(self, kind: str) -> dict[str, Any]:
        """The first thing of a type in the score."""
        return next(item for beat in self.score["beats"] for item in beat["visible"] if item["type"] == kind)


def clock(seconds: float) -> str:
    return f"00:00:{int(seconds):02}.{round(seconds % 1 * 1000):03}"


_films: dict[object, bytes] = {}


def encode(path: Path, pictures: list[Pixels], comment: str, title: str, chapters: list[tuple[str, int]],
           **codec: str) -> None:
    """The film of `_encode`, made once: most tests change something else."""
    key = (comment, title, *chapters, *codec.items(), *(hashlib.sha256(one.tobytes()).digest() for one in pictures))
    if key not in _films:
        _encode(path, pictures, comment, title, chapters, **codec)
        _films[key] = path.read_bytes()
    path.write_bytes(_films[key])


def _encode(path: Path, pictures: list[Pixels], comment: str, title: str, chapters: list[tuple[str, int]],
           **codec: str) -> None:
    """An H.264 film of pictures, each for a beat: crf 18, BT.709 and tagged so."""
    with av.open(path, "w", options={"movflags": "+faststart"}) as target:
        target.metadata.update(title=title, comment=comment)
        target.set_chapters([{"id": n, "start": start, "end": start + FRAMES, "time_base": Fraction(1, FPS),
                              "metadata": {"title": name}} for n, (name, start) in enumerate(chapters)])
        stream = target.add_stream("libx264", rate=FPS, options={
            "crf": "18", "preset": "veryfast", "colorspace": "bt709", "color_primaries": "bt709",
            "color_trc": "bt709", "color_range": "tv", **codec})
        stream.width, stream.height, stream.pix_fmt = pictures[0].shape[1], pictures[0].shape[0], "yuv420p"
        for number in range(FRAMES * len(pictures)):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pictures[number // FRAMES]), format="rgb24")
            frame = frame.reformat(format="yuv420p", src_colorspace="ITU709", dst_colorspace="ITU709",
                                   src_color_range="JPEG", dst_color_range="MPEG")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))


# --- painting


def x_of(units: float) -> float:
    return units * UNIT + WIDTH / 2


def y_of(units: float) -> float:
    return HEIGHT / 2 - units * UNIT


def write(picture: Pixels, text: str, x: float, baseline: float, em: float, color: str) -> None:
    """Digits with the pen at x on a baseline, in pixels; drawn much larger, as outlines have no pixels."""
    left, top = int(x) - 2, int(baseline - em)
    wide, high = int(advance(text) * em) + 6, int(1.3 * em) + 2
    mask = Image.new("L", (16 * wide, 16 * high))
    font = ImageFont.truetype(FONT, 16 * em, layout_engine=ImageFont.Layout.BASIC)
    for character in text:
        ImageDraw.Draw(mask).text((16 * (x - left), 16 * (baseline - top)), character, fill=255, font=font, anchor="ls")
        x += advance(character) * em
    share = np.asarray(mask.reduce(16), np.float64)[..., None] / 255
    part = picture[top:top + high, left:left + wide]
    part[...] = np.rint(part * (1 - share) + np.array(rgb(color)) * share)


def advance(text: str) -> float:
    font = ImageFont.truetype(FONT, 1000, layout_engine=ImageFont.Layout.BASIC)
    return sum(font.getlength(character) for character in text) / 1000


def cell_box(grid: dict[str, Any], row: int, column: int) -> tuple[int, int, int, int]:
    left, top = round(x_of(grid["origin"][0])), round(y_of(grid["origin"][1]))
    side = round(grid["pitch"][0] * UNIT)
    gap = 1 if side >= 8 else 0
    return (left + side * column + gap, top + side * row + gap, left + side * (column + 1) - gap,
            top + side * (row + 1) - gap)


def paint_cell(picture: Pixels, grid: dict[str, Any], content: dict[str, Any], row: int, column: int) -> None:
    left, top, right, bottom = cell_box(grid, row, column)
    fill = f"#{content['fill'][row][column]}"
    picture[top:bottom, left:right] = rgb(fill)
    if grid["em"]:
        text, em = content["strings"][row][column], grid["em"] * UNIT
        inks = [DARK.ink, DARK.background, "#000000", "#ffffff"]
        ink = next((one for one in inks if contrast(fill, one) >= 4.5), max(inks, key=lambda one: contrast(fill, one)))
        width = advance(text) * em
        write(picture, text, (left + right - width) / 2, round((top + bottom) / 2 + 0.349 * em), em, ink)


def paint_grid(picture: Pixels, grid: dict[str, Any], content: dict[str, Any]) -> None:
    for row, column in np.ndindex(*content["shape"]):
        paint_cell(picture, grid, content, row, column)


def paint_number(picture: Pixels, item: dict[str, Any]) -> None:
    em = item["em"] * UNIT
    x = x_of(item["center"][0]) - item["width"] * UNIT / 2
    baseline = y_of(item["center"][1] - item["height"] / 2) - 0.251 * em
    write(picture, item["text"], x, baseline, em, item["color"])


def paint_bars(picture: Pixels, item: dict[str, Any]) -> None:
    image = Image.fromarray(picture)
    pen, zero = ImageDraw.Draw(image), y_of(item["zero"])
    for bar in filter(None, item["bars"]):
        sides = x_of(bar["x"] - bar["width"] / 2), x_of(bar["x"] + bar["width"] / 2)
        ends = sorted((zero, zero - bar["height"] * UNIT))
        pen.rectangle((round(sides[0]), round(ends[0]), round(sides[1]) - 1, round(ends[1]) - 1), fill=bar["color"])
    first, last = (x_of(bar["x"]) for bar in (item["bars"][0], item["bars"][-1]))
    pen.line((first, zero, last, zero), fill=DARK.muted, width=2)
    picture[...] = np.asarray(image)


def paint_color_bar(picture: Pixels, item: dict[str, Any], ends: tuple[float, float]) -> None:
    colors = np.array([rgb(color) for color in scale_for(item["stage"], *ends, DARK).table])
    wide, high = (round(side * UNIT) for side in item["size"])
    left, top = round(x_of(item["origin"][0])), round(y_of(item["origin"][1]))
    picture[top:top + high, left:left + wide] = colors[np.rint(np.linspace(0, len(colors) - 1, wide)).astype(int)]


def paint_strand(picture: Pixels, item: dict[str, Any]) -> None:
    """A straight line down: its control points lie on one vertical."""
    (x, top), *_, (_, bottom) = item["points"]
    half, middle = item["stroke_width"] * 0.01 * UNIT / 2, x_of(x)
    columns = np.arange(WIDTH) + 0.5
    share = np.clip(half + 0.5 - np.abs(columns - middle), 0, 1)[None, :, None]
    rows = slice(round(y_of(top)), round(y_of(bottom)))
    picture[rows] = np.rint(picture[rows] * (1 - share) + np.array(rgb(item["color"])) * share)


# --- an honest film


def words(item: str, text: str, center: tuple[float, float], em: float, **more: Any) -> dict[str, Any]:
    return {"type": item, "text": text, "center": list(center), "width": advance(text) * em, "height": 1.2 * em,
            "em": em, "opacity": 1.0, **more}


def content_of(stage: str, low: float, high: float, positions: list[int]) -> dict[str, Any]:
    """The score's words for rows and columns of a stage of the record."""
    whole = record()[stage].sel(**AT)
    values = whole.values[np.ix_(positions, positions)]
    scale, fmt = scale_for(stage, low, high, DARK), format_for(stage, whole.values.ravel().tolist())
    return {"record": "sdpa", "address": whole.address, "stage": stage, "at": AT, "axes": list(whole.axes),
            "positions": [positions, positions], "shape": [len(positions)] * 2, "scale": list(scale.ends),
            "format": [fmt.style, fmt.digits], "strings": [[fmt.text(v) for v in row] for row in values],
            "fill": [[scale.color(float(v))[1:] for v in row] for row in values]}


def grid_of(content: int, x: float, y: float, cell: float = CELL, em: float = EM) -> dict[str, Any]:
    return {"type": "grid", "content": content, "origin": [x, y], "pitch": [cell, cell], "opacity": 1.0,
            "digit_opacity": 1.0, "em": em}


def labels_of(side: str, axis: str, x: float, y: float) -> dict[str, Any]:
    step = (0.0, -CELL) if side == "left" else (CELL, 0.0)
    return {"type": "labels", "side": side, "axis": axis, "every": 1, "labels": [
        {"token": token, "shown": token, "center": [x + n * step[0], y + n * step[1]], "position": n}
        for n, token in enumerate(TOKENS)]}


def bars_of(row: int) -> dict[str, Any]:
    one = record()["query"].sel(**AT, query_pos=row)
    scale = scale_for("query", float(one.values.min()), float(one.values.max()), DARK)
    unit = 2.0 / (scale.high - scale.low)
    bars = [{"at": n, "x": -5.0 + n, "width": 0.5, "height": float(v) * unit, "color": scale.table[0 if v < 0 else -1]}
            for n, v in enumerate(one.values)]
    return {"type": "bars", "record": "sdpa", "address": one.address, "scale": list(scale.ends), "unit": unit,
            "zero": 0.5, "bars": bars}


def strand_of(row: int, column: int, x: float) -> dict[str, Any]:
    entry = record()["attn_weights"].entry(**AT, query_pos=row, key_pos=column)
    return {"type": "strand", "record": "sdpa", "address": entry.address, "stroke_width": 1 + 21 * entry.value,
            "color": DARK.role("weights"), "points": [[x, y] for y in (3.0, 2.0, 1.0, 0.0)]}


def number_of(stage: str, center: tuple[float, float], em: float, **at: int) -> dict[str, Any]:
    entry = record()[stage].entry(**AT, **at)
    text = format_for(stage).text(entry.value)
    return words("number", text, center, em, record="sdpa", address=entry.address, color=DARK.ink)


def _score() -> dict[str, Any]:
    every = list(range(8))
    contents = [content_of("attn_weights", 0, 1, every), content_of("scores", -4, 4, every[:4])]
    pair = {"query_pos": 2, "key_pos": 1}
    bar = {"type": "color_bar", "stage": "attn_weights", "kind": "sequential", "ends": [0.0, 1.0],
           "origin": [-5.0, -2.6], "size": [3.0, 0.2]}
    first = [words("text", "Weights", (-5.0, 3.4), 0.3), grid_of(0, -5.0, 2.0), bar,
             labels_of("left", "query_pos", -5.4, 1.7), labels_of("top", "key_pos", -4.7, 2.3),
             grid_of(0, 2.0, 2.0, cell=10 / UNIT, em=0.0)]
    numbers = [number_of(stage, (3.0, y), 0.35, **pair) for stage, y in (("exp_scores", 2.0), ("attn_weights", 1.2))]
    relation = {"type": "relation", "sign": "≈", "operation": "quotient",
                "lines": [{"terms": [numbers[0]["text"], numbers[0]["text"]], "total": numbers[1]["text"]}]}
    arrow = {"type": "arrow", "source": {"record": "sdpa", "stage": "exp_scores"},
             "target": {"record": "sdpa", "stage": "attn_weights"}}
    second = [*numbers, relation, arrow, bars_of(3), strand_of(1, 0, 5.0), strand_of(1, 1, 6.0),
              grid_of(1, -5.0, -1.5), words("literal", "8 × 8", (3.0, 0.4), 0.3, reason="shape", color=DARK.muted)]
    note = f"The weight is {numbers[1]['text']}."
    beats = [("weights", "All weights", "Every row adds up to a whole.", "", first),
             ("row", "One row", "A row, and its bars.", note, second)]
    return {"scene": "tiny", "title": "Tiny", "case": "drawn", "frame": "16:9", "theme": "dark",
            "frame_size": [8 * 16 / 9, 8.0], "contents": contents,
            "beats": [{"id": name, "title": title, "caption": caption, "note": text, "kind": "show",
                       "start": n * FRAMES / FPS, "last_change": n * FRAMES / FPS, "end": (n + 1) * FRAMES / FPS,
                       "visible": visible} for n, (name, title, caption, text, visible) in enumerate(beats)]}


PAINTERS = {"number": paint_number, "bars": paint_bars, "strand": paint_strand}


def picture_of(score: dict[str, Any], beat: int) -> Pixels:
    """The picture that shows what the score says of a beat."""
    picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    picture[...] = rgb(DARK.background)
    for item in score["beats"][beat]["visible"]:
        if item["type"] == "grid":
            paint_grid(picture, item, score["contents"][item["content"]])
        elif item["type"] == "color_bar":
            paint_color_bar(picture, item, item["ends"])
        elif item["type"] in PAINTERS:
            PAINTERS[item["type"]](picture, item)
    return picture


@cache
def _once() -> Forged:
    provenance = {"query_tokens": tuple(TOKENS), "key_tokens": tuple(TOKENS)}
    bundle = Bundle({"sdpa": dataclasses.replace(record(), provenance=MappingProxyType(provenance))})
    score = _score()
    captions = [beat["caption"] for beat in score["beats"]]
    return Forged(bundle, score, [picture_of(score, beat) for beat in (0, 1)], captions)


def honest() -> Forged:
    """A fresh copy of a film in which all is true."""
    film = _once()
    return Forged(film.bundle, copy.deepcopy(film.score), [picture.copy() for picture in film.pictures],
                  list(film.captions))
