"""Outlines compared with outlines: whether a text is drawn as itself, and whether a shape reads as a digit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import manim
import numpy as np
from numpy.typing import NDArray

from attnviz import text
from attnviz.text.fonts import CUTS
from attnviz.text.outline import Mark
from attnviz.text.setting import glyphs_of, page_of

Points = NDArray[Any]
OFF = 0.004  # of an em: how far an outline may lie from its text's
NEAR = 0.035  # of a shape's height: how far a point may lie from the outline of a digit that it is taken for
TALLEST, WIDEST = 3.2, 1.3  # height over width and width over height that a digit may have
SAMPLES = np.linspace(0, 1, 5)[:-1]
SIGNS = "=≈"


def is_like(glyphs: Sequence[Any], marks: tuple[Mark, ...], *, upright: bool = True) -> bool:
    """Whether outlines are those of `marks`: moved, turned (not upside down) and scaled alike, not mirrored."""
    if len(glyphs) != len(marks) or not marks:
        return len(glyphs) == len(marks)
    if [len(glyph.points) for glyph in glyphs] != [len(mark.points) for mark in marks]:
        return False
    wanted, points = _plane(marks), np.concatenate([glyph.points for glyph in glyphs])
    found = points[:, 0] + 1j * points[:, 1]
    centred, aim = found - found.mean(), wanted - wanted.mean()
    factor = np.vdot(aim, centred) / float(np.vdot(aim, aim).real)
    if abs(factor) < 1e-6:
        return True
    is_near = bool(np.abs(centred - factor * aim).max() <= OFF * abs(factor))
    return is_near and (not upright or factor.real > -0.2 * abs(factor))


def digit_in(leaf: manim.VMobject) -> str:
    """The digit that a filled outline reads as, however its curves are divided; nothing where it is none."""
    return _reading(leaf, "0123456789")


def sign_in(leaf: manim.VMobject) -> str:
    """The sign (= or ≈) that an outline reads as."""
    return _reading(leaf, SIGNS)


def _reading(leaf: manim.VMobject, characters: str) -> str:
    if len(leaf.points) < 12 or len(leaf.points) > 4000 or float(np.max(leaf.fill_rgbas[:, 3], initial=0.0)) == 0:
        return ""
    low, high = leaf.points[:, :2].min(axis=0), leaf.points[:, :2].max(axis=0)
    width, height = (float(side) for side in high - low)
    if height < 1e-6 or width < 1e-6:
        return ""
    shape = np.round((leaf.points[:, :2] - low) / height, 4)
    return _read(shape.astype(np.float32).tobytes(), len(shape), width / height, characters)


@lru_cache(maxsize=8192)
def _read(shape: bytes, count: int, aspect: float, characters: str) -> str:
    points = np.frombuffer(shape, np.float32).reshape(count, 2)
    found = None
    for character, outline in _outlines(characters):
        if abs(outline[:, 0].max() / aspect - 1) > 0.06:
            continue
        found = _sampled(points) if found is None else found
        gaps = np.hypot(*(found[:, None] - outline[None]).transpose(2, 0, 1))
        if max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < NEAR:
            return character
    return ""


@cache
def _outlines(characters: str) -> tuple[tuple[str, Points], ...]:
    """Each character in every cut that texts are set in, and in formulas: points in units of its height."""
    cuts = [(one, glyphs_of(page_of(one, weight))) for one in characters for weight in CUTS]
    formulas = [(one, glyphs_of(text.math(one if one != "≈" else "approx").source)) for one in characters]
    found = []
    for one, marks in (*cuts, *formulas):
        points = np.concatenate([_sampled(mark.points) for mark in marks])
        low = points.min(axis=0)
        found.append((one, (points - low) / (points.max(axis=0) - low)[1]))
    return tuple(found)


def _sampled(points: Points) -> Points:
    """Points along cubic curves, (n, 2)."""
    first, one, two, last = (points[: len(points) // 4 * 4].reshape(-1, 4, 2)[None, :, place] for place in range(4))
    t = SAMPLES[:, None, None]
    along = (1 - t) ** 3 * first + 3 * (1 - t) ** 2 * t * one + 3 * (1 - t) * t**2 * two + t**3 * last
    return np.asarray(along.reshape(-1, 2))


@lru_cache(maxsize=2048)
def _plane(marks: tuple[Mark, ...]) -> Points:
    points = np.concatenate([mark.points for mark in marks])
    return np.asarray(points[:, 0] + 1j * points[:, 1])
