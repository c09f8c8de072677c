"""The picture at a beat's end as SVG: outlines stay outlines, numbers too. The scene is played once more for it.

Grids are drawn here from the very arrays that the painter of films reads; nothing decides here what a scene shows.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from html import escape
from typing import Any

import cairo
import manim
import numpy as np

from attnviz.colors import rgb
from attnviz.looks.play import Sighting, visit
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.raster import Raster
from attnviz.onscreen import HIDDEN, in_order, opacity_of
from attnviz.registry import SceneEntry
from attnviz.render.job import RenderOptions
from attnviz.text.numerals import compose
from attnviz.text.typeset import ASCENT, DESCENT
from attnviz.theme import PIXEL

LINES = 1080  # of the shorter side: what a pixel of themes is
FRAME_WIDTH, HATCH_PERIOD, HATCH_WIDTH = 3, 9, 2  # pixels, as in films
SHARPER = 3  # times the resolution of a film that a picture in an SVG has

Words = Callable[[int], tuple[str, str]]


def vectors(entry: SceneEntry, options: RenderOptions, words: Words) -> dict[int, bytes]:
    """The SVG of every beat's end, by its index; `words` gives a beat's title and what its picture shows."""
    found: dict[int, bytes] = {}

    def keep(scene: Any, frame: Any) -> None:
        title, shown = words(len(found))
        found[len(found)] = _named(_drawn(scene), title, shown)

    chosen = {name: getattr(options, name) for name in ("case", "theme", "frame", "seed", "tokens", "burn_captions")}
    visit(entry, Sighting(lines=LINES, **chosen), keep, lambda scene, beat, share: None)
    return found


def _drawn(scene: Any) -> bytes:
    camera, buffer = _Camera(), io.BytesIO()
    width, height = (manim.config[f"frame_{side}"] / PIXEL for side in ("width", "height"))
    surface = cairo.SVGSurface(buffer, width, height)
    surface.set_document_unit(cairo.SVGUnit.PX)
    context = cairo.Context(surface)
    context.set_source_rgb(*(channel / 255 for channel in rgb(scene.theme.background)))
    context.paint()
    context.set_matrix(cairo.Matrix(1 / PIXEL, 0, 0, -1 / PIXEL, width / 2, height / 2))
    for mobject in in_order([*scene.mobjects, *scene.foreground_mobjects]):
        if opacity_of(mobject) >= HIDDEN:
            _draw(mobject, context, camera)
    surface.finish()
    return buffer.getvalue()


def _draw(mobject: Any, context: Any, camera: Any) -> None:
    if isinstance(mobject, Grid) and mobject.is_upright():
        _draw_grid(mobject, context)
    elif isinstance(mobject, Raster):
        _draw_picture(mobject, context)
    elif isinstance(mobject, manim.VMobject):
        camera.display_vectorized(mobject, context)
        context.new_path()  # Manim leaves the outline there


class _Camera(manim.Camera):
    """Manim's own drawing of outlines, with colours in the order that a page has them."""

    def set_cairo_context_color(self, ctx: Any, rgbas: Any, vmobject: Any) -> Any:
        """As in Manim, whose own pictures have blue first."""
        return super().set_cairo_context_color(ctx, np.asarray(rgbas)[:, [2, 1, 0, 3]], vmobject)


def _draw_picture(mobject: Raster, context: Any) -> None:
    """A picture of ours, sharper than in a film."""
    painted = mobject.painted(SHARPER / PIXEL)
    pixels = np.ascontiguousarray(painted.pixels[..., [2, 1, 0, 3]])
    height, width = pixels.shape[:2]
    surface = cairo.ImageSurface.create_for_data(pixels.data, cairo.FORMAT_ARGB32, width, height)
    corner, along, down = mobject.corner_and_sides()
    context.save()
    context.transform(cairo.Matrix(along[0] / width, along[1] / width, down[0] / height, down[1] / height,
                                   corner[0], corner[1]))
    context.set_source_surface(surface)
    context.paint_with_alpha(mobject.opacity)
    context.restore()


def _draw_grid(grid: Grid, context: Any) -> None:
    """Each cell as a rectangle, its hatching, its digits and its frame."""
    cells, (corner, _, _), (wide, high) = grid.cells, grid.corner_and_sides(), grid.pitch
    gap = PIXEL if min(wide, high) >= 8 * PIXEL else 0.0
    has_digits = grid.painted(1 / PIXEL).layout.has_digits  # type: ignore[attr-defined]
    for row, column in np.ndindex(cells.shape):
        left, top = corner[0] + column * wide + gap, corner[1] - row * high - gap
        box = left, top, wide - 2 * gap, high - 2 * gap
        opaque, inked, framed = (grid.opacity * float(side[row, column])
                                 for side in (cells.opacity, cells.digit_opacity, cells.highlight))
        _fill(context, box, cells.fill[row, column], opaque)
        if cells.masked[row, column]:
            _hatch(context, box, rgb(cells.theme.hatch), opaque)
        if has_digits:
            text, look = cells.digits(row, column), (cells.ink[row, column], inked)
            _digits(context, box, text, grid.digit_size * PIXEL, look)
        if framed:
            _frame(context, box, rgb(cells.theme.accent), framed)


def _source(context: Any, color: Any, opacity: float) -> None:
    context.set_source_rgba(*(float(channel) / 255 for channel in color), float(opacity))


def _fill(context: Any, box: tuple[float, ...], color: Any, opacity: float) -> None:
    left, top, wide, high = box
    _source(context, color, opacity)
    context.rectangle(left, top - high, wide, high)
    context.fill()


def _hatch(context: Any, box: tuple[float, ...], color: Any, opacity: float) -> None:
    left, top, wide, high = box
    context.save()
    context.rectangle(left, top - high, wide, high)
    context.clip()
    context.new_path()
    _source(context, color, opacity)
    context.set_line_width(HATCH_WIDTH * PIXEL / 2**0.5)
    for start in np.arange(left - high, left + wide, HATCH_PERIOD * PIXEL):
        context.move_to(start, top - high)
        context.line_to(start + high, top)
    context.stroke()
    context.restore()


def _digits(context: Any, box: tuple[float, ...], text: str, em: float, look: tuple[Any, float]) -> None:
    """A number in the middle of its cell: the middle of a line's box is that of its digits."""
    (left, top, wide, high), (marks, width) = box, compose(text)
    x, y = left + wide / 2 - width * em / 2, top - high / 2 - (ASCENT - DESCENT) / 2 * em
    _source(context, *look)
    for mark in marks:
        for curves in _closed(mark.points * em + np.array([x, y])):
            context.move_to(*curves[0][0])
            for _, one, two, end in curves:
                context.curve_to(*one, *two, *end)
            context.close_path()
    context.fill()


def _closed(points: Any) -> list[list[Any]]:
    """The curves of an outline by its closed parts: one begins where a curve does not go on from the one before."""
    parts: list[list[Any]] = []
    for curve in points.reshape(-1, 4, 2):
        if not parts or not np.allclose(parts[-1][-1][3], curve[0]):
            parts.append([])
        parts[-1].append(curve)
    return parts


def _frame(context: Any, box: tuple[float, ...], color: Any, opacity: float) -> None:
    left, top, wide, high = box
    half = FRAME_WIDTH * PIXEL / 2
    _source(context, color, opacity)
    context.set_line_width(2 * half)
    context.rectangle(left + half, top - high + half, wide - 2 * half, high - 2 * half)
    context.stroke()


def _named(svg: bytes, title: str, shown: str) -> bytes:
    """With its words in it, for those who do not see it."""
    head, opening, rest = svg.decode("utf-8").partition("<svg ")
    tag, end, inside = rest.partition(">")
    words = f'\n<title>{escape(title)}</title>\n<desc>{escape(shown)}</desc>'
    return f'{head}{opening}role="img" {tag}{end}{words}{inside}'.encode()
