"""Painting fast and in part: the pixels are those of a plain painter, and what is said to have changed is all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import manim
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.mobjects import Grid
from attnviz.mobjects import painter as painting
from attnviz.mobjects.animations import FillCells, FillRows, Swap
from attnviz.mobjects.cells import DIM, Cells, bind
from attnviz.mobjects.painter import PaintedCells, painted
from attnviz.mobjects.raster import Painted, Picture
from attnviz.mobjects.stages import stage_format, stage_scale
from attnviz.theme import THEMES
from tests.drawn import tensor
from tests.slow_painter import paint

LINES = 135  # pixels for a unit at 1080 lines
SHARES = st.sampled_from([0.0, 1.0, DIM, 0.05, 0.5, 0.999])
CELL = st.one_of(st.sampled_from([0.4, 1.0, 3.0, 7.9, 8.3, 12.5]), st.sampled_from([40.0, 52.3, 70.0, 96.0]))  # pixels


@st.composite
def looks(draw: st.DrawFn, cells: Cells) -> Cells:
    """The same numbers, otherwise coloured, masked, dimmed and framed."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    changed: dict[str, Any] = {}
    for name in ("opacity", "digit_opacity", "highlight"):
        kind = draw(st.sampled_from(["as it is", "alike", "two", "any"]))
        one, two = np.float32(draw(SHARES)), np.float32(draw(SHARES))
        mixed = np.where(random.random(cells.shape) < 0.5, one, two)
        values = {"alike": np.full(cells.shape, one), "two": mixed, "any": random.random(cells.shape, np.float32)}
        changed[name] = values.get(kind, getattr(cells, name))
    if draw(st.booleans()):
        changed["fill"] = random.integers(0, 256, cells.fill.shape, np.uint8)
    if draw(st.booleans()):
        changed["masked"] = random.random(cells.shape) < draw(SHARES)
    return replace(cells, **changed)


@st.composite
def grids(draw: st.DrawFn) -> Cells:
    """Up to six by six numbers of any size, minus infinity among them, in any theme."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = random.normal(size=(8, 8)) * draw(st.sampled_from([1, 1, 10, 1e5]))
    values[random.random((8, 8)) < draw(st.sampled_from([0.0, 0.4]))] = -np.inf
    shown, theme = replace(tensor("masked_scores"), values=values), THEMES[draw(st.sampled_from(sorted(THEMES)))]
    positions = tuple(tuple(range(draw(st.integers(1, 6)))) for _ in range(2))
    return draw(looks(bind(shown, shown.axes, positions, stage_scale(shown, theme), stage_format(shown), theme)))


@st.composite
def measures(draw: st.DrawFn, cells: Cells) -> tuple[tuple[int, int], float, float]:
    """Size in pixels (cells may be tall, wide, of broken pixels), zoom, and the digits' em as a share of a cell."""
    height = draw(CELL)
    width = draw(st.one_of(st.just(height), CELL))
    size = max(1, round(width * cells.shape[1])), max(1, round(height * cells.shape[0]))
    zoom = draw(st.sampled_from([1 / 3, 2 / 3, 1.0, 1.7, 2.0, 4.0]))
    return size, zoom, draw(st.sampled_from([0.2, 0.25, 0.3, 0.45, 0.0]))


def multiplied(picture: Picture) -> Picture:
    """Colours multiplied by alpha, rounded."""
    colors, alpha = picture[..., :3].astype(int), picture[..., 3:].astype(int)
    return np.concatenate([(colors * alpha + 127) // 255, alpha], axis=-1).astype(np.uint8)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_pixels_are_those_of_a_plain_painter(data: st.DataObject) -> None:
    cells = data.draw(grids())
    size, zoom, em = data.draw(measures(cells))
    assert_as_plain(cells, size, zoom, em)


def assert_as_plain(cells: Cells, size: tuple[int, int], zoom: float, em: float) -> None:
    """Every pixel is that of the plain painter; where its alpha is between none and all, it may be one level off."""
    slow, fast = paint(cells, size, zoom, em), painted(cells, size, zoom, em, None, None)
    alike, opaque = fast.pixels[..., 3] == slow[..., 3], slow[..., 3] == 255
    assert np.array_equal(fast.pixels[alike], multiplied(slow)[alike]) and alike[slow[..., 3] % 255 == 0].all()
    assert np.array_equal(fast.picture[opaque], slow[opaque])
    for pixels in (fast.pixels, multiplied(fast.picture)):
        assert np.abs(pixels.astype(int) - multiplied(slow)).max(initial=0) <= 1


@pytest.mark.parametrize("zoom", [1.0, 4.0])
@pytest.mark.parametrize(("opacity", "digits", "frames"), [
    (1.0, 0.0, 0.0),  # masked cells whose digits are not drawn are hatched all over
    (1.0, 0.0, 0.5), (0.0, 0.0, 0.5), (0.0, 1.0, 0.3), (0.3, 0.0, 0.0), (0.5, 0.2, 1.0), (1.0, 1.0, 0.7),
])  # fmt: skip
def test_states_that_a_film_seldom_stops_at(opacity: float, digits: float, frames: float, zoom: float) -> None:
    cells = Grid(tensor("masked_scores"), row_positions=[1, 2, 3], column_positions=[2, 3]).cells
    shares = (np.full(cells.shape, share, np.float32) for share in (opacity, digits, frames))
    cells = replace(cells, **dict(zip(("opacity", "digit_opacity", "highlight"), shares, strict=True)))
    assert cells.masked.any()
    assert_as_plain(cells, (160, 160), zoom, 0.36)


@pytest.mark.parametrize("side", [50, 64, 500, 576, 640])
def test_a_large_grid_too(side: int) -> None:
    cells = Grid(tensor("masked_scores", 64)).focus(rows=[20]).highlight(columns=[3]).cells
    assert_as_plain(cells, (side, 576), 1.0, 0.0)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_a_part_painted_again_leaves_what_a_whole_picture_has(data: st.DataObject) -> None:
    cells = data.draw(grids())
    size, zoom, em = data.draw(measures(cells))
    old = painted(cells, size, zoom, em, None, None)
    for many in data.draw(st.lists(st.sampled_from([1, painting.MANY]), min_size=3, max_size=3)):
        cells = data.draw(partly_changed(cells))
        with patch.object(painting, "MANY", many):
            new = painted(cells, size, zoom, em, None, old)
        assert np.array_equal(new.pixels, painted(cells, size, zoom, em, None, None).pixels)
        assert_only_there(new, old)
        old = new


@st.composite
def partly_changed(draw: st.DrawFn, cells: Cells) -> Cells:
    """Some cells, a row, or all take another look, or another number's digits."""
    other, where = draw(looks(cells)), np.zeros(cells.shape, dtype=bool)
    row, column = (draw(st.integers(0, length - 1)) for length in cells.shape)
    where[draw(st.sampled_from([(row, column), (row,), (slice(None), column), (), (slice(0, 0),)]))] = True
    changed = draw(st.sets(st.sampled_from(["fill", "opacity", "digit_opacity", "highlight", "masked", "sprite_ids"])))
    mixed = {name: np.where(where[..., None] if name == "fill" else where, getattr(other, name), getattr(cells, name))
             for name in changed}  # fmt: skip
    if "sprite_ids" in changed:
        mixed["sprite_ids"] = np.where(where, cells.sprite_ids[::-1, ::-1], cells.sprite_ids)
    return replace(cells, **mixed)


def assert_only_there(new: Painted, old: Painted) -> None:
    """What is said of a change is true: nothing else differs."""
    differs = (new.pixels != old.pixels).any(axis=-1)
    if new == old:
        assert not differs.any()
    elif new.changed is not None:
        left, top, right, bottom = new.changed
        differs[top:bottom, left:right] = False
        assert new.since == old.serial and not differs.any()


def grid() -> Grid:
    return Grid(tensor("masked_scores"), cell=0.7)


@pytest.mark.parametrize("many", [1, painting.MANY])
def test_only_cells_that_differ_are_painted(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    parts, real = [], painting.palette

    def watched(cells: Cells, part: tuple[slice, slice], colors: int) -> Any:
        parts.append((part[0].start, part[0].stop, part[1].start, part[1].stop))
        return real(cells, part, colors)

    for name, value in (("palette", watched), ("MANY", many)):
        monkeypatch.setattr(painting, name, value)
    shown = grid()
    for change in (lambda: shown, lambda: shown.highlight(rows=[2]), lambda: shown.dim_cells(rows=[4, 5], columns=[1]),
                   lambda: shown.dim_cells(rows=[4], columns=[1]), shown.focus,
                   lambda: shown.highlight(rows=[0, 3], columns=[0, 4])):  # fmt: skip
        change()
        shown.painted(LINES)
    assert parts == [(0, 8, 0, 8), (2, 3, 0, 8), (4, 6, 1, 2), (4, 6, 1, 2), (0, 4, 0, 5)]


def test_the_rectangle_is_that_of_the_cells() -> None:
    shown = grid()
    first, second = shown.painted(LINES), shown.dim_cells(rows=[2, 3], columns=[5]).painted(LINES)
    assert (first.changed, first.since) == (None, None)
    assert second.changed == (5 * 90 + 1, 2 * 90 + 1, 6 * 90 - 1, 4 * 90 - 1) and second.since == first.serial


def test_what_looks_the_same_is_the_same_picture() -> None:
    shown = grid()
    first = shown.painted(LINES)
    second = shown.dim_cells(to=1.0).painted(LINES)
    assert first == second and first.serial == second.serial and shown.painted(LINES) is second
    assert shown.highlight(rows=[1]).painted(LINES) != first
    assert np.array_equal(shown.highlight(rows=[1], strength=0).painted(LINES).pixels, first.pixels)


def test_copies_do_not_see_each_others_changes() -> None:
    shown = grid()
    first = shown.painted(LINES)
    before, copy = first.pixels.copy(), shown.copy()
    one, other = shown.highlight(rows=[1]).painted(LINES), copy.dim_cells(rows=[6]).painted(LINES)
    assert one.since == other.since == first.serial and np.array_equal(first.pixels, before) and one != other
    assert np.array_equal(other.pixels, grid().dim_cells(rows=[6]).painted(LINES).pixels)
    assert shown.highlight(rows=[2]).painted(LINES).since == one.serial != other.serial


CHANGES: dict[str, Callable[[Grid], object]] = {
    "framed": lambda shown: shown.highlight(rows=[1], columns=[2, 3]),
    "dimmed": lambda shown: shown.focus(rows=[2]),
    "hidden": lambda shown: shown.dim_cells(rows=[5], to=0),
    "moved": lambda shown: shown.shift((0.1234, 0.4321, 0)),
    "mirrored": lambda shown: shown.flip(),
    "wide": lambda shown: shown.stretch(1.3, 0),
    "tall": lambda shown: shown.stretch(1.0173, 1),
    "small": lambda shown: shown.scale(0.31),
    "a little larger": lambda shown: shown.scale(1.001),
    "turned": lambda shown: shown.rotate(0.3),
    "swapped": lambda shown: setattr(shown, "cells", shown.bound_to(tensor("attn_weights"))),
    "swapping": lambda shown: _halfway(Swap(shown, tensor("scores")), 0.7),
    "at the middle": lambda shown: _halfway(Swap(shown, tensor("masked_scores"), rate_func=manim.linear), 0.5),
    "coming": lambda shown: _halfway(FillCells(shown.dim_cells(to=0)), 0.4),
    "coming by rows": lambda shown: _halfway(FillRows(shown.dim_cells(rows=[3, 4], to=0)), 0.4),
}


def _halfway(animation: manim.Animation, alpha: float) -> None:
    animation.begin()
    animation.interpolate(alpha)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=6), st.sampled_from([45.0, 90.0, 135.0, 136.7]))
def test_a_grid_that_is_changed_again_and_again_is_painted_as_a_new_one(names: list[str], lines: float) -> None:
    shown = grid()
    old = shown.painted(lines)
    for name in names:
        CHANGES[name](shown)
        new, fresh = shown.painted(lines), shown.copy()
        fresh._painted = None
        assert np.array_equal(new.pixels, fresh.painted(lines).pixels)
        if new.pixels.shape == old.pixels.shape:
            assert_only_there(new, old)
        old = new


def test_a_picture_cannot_be_written_and_cairo_reads_it_in_place() -> None:
    one = grid().focus(rows=[3]).painted(LINES)
    for pixels in (one.pixels, one.picture):
        with pytest.raises(ValueError, match="read-only"):
            pixels[0, 0] = 1
    assert isinstance(one, PaintedCells) and bytes(one.surface.get_data()) == one.pixels.tobytes()
    part = np.zeros((6, 4, 4), np.uint8) + np.arange(6, dtype=np.uint8)[:, None, None]
    for pixels in (part[2:5], part[::-1], part[:, :2], np.frombuffer(bytes(96), np.uint8).reshape(6, 4, 4)):
        assert bytes(Painted(None, pixels).surface.get_data()) == pixels.tobytes()
