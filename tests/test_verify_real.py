"""The verifier against what the project's own painter draws: every theme, size and look; and whole films (slow)."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import manim
import numpy as np
import pytest

from attnviz.colors import rgb
from attnviz.mobjects.bars import Bars
from attnviz.mobjects.grid import Grid
from attnviz.theme import PIXEL, THEMES, Theme
from attnviz.trace import Bundle
from attnviz.verify import cells
from attnviz.verify.claims import Claim
from attnviz.verify.contents import content_of
from attnviz.verify.film import frames_at
from attnviz.verify.grids import shown
from attnviz.verify.picture import Picture, still
from attnviz.verify.report import Tally
from attnviz.verify.truth import Truth
from attnviz.verify.view import View
from tests import drawn
from tests.running import ROOT

FRAME = (8 * 16 / 9, 8.0)
SIZES = {480: 854, 720: 1280, 1080: 1920}
TRUTH = Truth(Bundle({"sdpa": drawn.record()}))


def tensor(stage: str) -> Any:
    whole = TRUTH.bundle["sdpa"][stage]
    return whole.sel(**{axis: 0 for axis in ("batch", "head", "kv_head") if axis in whole.axes})


def painted(grid: Grid, theme: Theme, lines: int) -> np.ndarray:
    """The grid as the camera lays it down: whole pixels over the background."""
    width = SIZES[lines]
    pixels = np.empty((lines, width, 3))
    pixels[...] = rgb(theme.background)
    with manim.tempconfig({"pixel_width": width, "pixel_height": lines, "frame_width": FRAME[0], "frame_height": 8.0}):
        picture = grid.get_pixel_array()
    corner = grid.points[0]
    x, y = corner[0] * width / FRAME[0] + width / 2, lines / 2 - corner[1] * lines / 8
    left, top = int(np.ceil(x - 0.5)), int(np.ceil(y - 0.5))
    share = picture[..., 3:] / 255
    part = pixels[top:top + picture.shape[0], left:left + picture.shape[1]]
    part[...] = np.rint(part * (1 - share) + picture[..., :3] * share)
    return pixels.astype(np.uint8)


def filmed(pixels: np.ndarray, path: Path) -> Picture:
    """The same through an encoder."""
    with av.open(path, "w") as target:
        stream = target.add_stream("libx264", rate=1, options={
            "crf": "18", "colorspace": "bt709", "color_range": "tv", "color_primaries": "bt709", "color_trc": "bt709"})
        stream.width, stream.height, stream.pix_fmt = pixels.shape[1], pixels.shape[0], "yuv420p"
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(
            format="yuv420p", src_colorspace="ITU709", dst_colorspace="ITU709", src_color_range="JPEG",
            dst_color_range="MPEG")
        frame.pts, frame.time_base = 0, Fraction(1, 1)
        for part in (frame, None):
            target.mux(stream.encode(part))
    return next(frames_at(path, [0], 1))


def looked_at(grid: Grid, theme: Theme, picture: Picture, levels: float) -> Tally:
    said, tally = json.loads(json.dumps(grid.describe())), Tally("beat")
    content = content_of(Claim(said["content"], "content"), TRUTH, theme, tally)
    view = View(picture, FRAME, levels)
    cells.look_at(shown(Claim({**said, "content": 0}, "item"), [content], view), view, theme, tally)
    return tally


@pytest.mark.parametrize(("theme", "lines"), [
    (THEMES["dark"], 480), (THEMES["dark"], 1080), *((theme, 720) for theme in THEMES.values())])
@pytest.mark.parametrize("stage", ["masked_scores", "attn_weights"])
def test_grids_of_every_theme_and_size_are_read(theme: Theme, stage: str, lines: int) -> None:
    grid = Grid(tensor(stage), cell=0.8, theme=theme).shift((0.137, -0.211, 0))
    tally = looked_at(grid, theme, still(painted(grid, theme, lines)), 2)
    assert not tally.wrongs and (tally.digits, tally.unread) == (64, 0)
    assert tally.levels <= 1


@pytest.mark.parametrize("stage", ["masked_scores", "attn_weights"])
@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_dimmed_framed_and_shrunk_cells_are_read_in_a_film(stage: str, theme: Theme, tmp_path: Path) -> None:
    grid = Grid(tensor(stage), cell=0.8, theme=theme)
    grid.focus(rows=[2, 5], columns=[1, 3, 7]).highlight(rows=[4]).scale(0.93).shift((0.3, 0.1, 0))
    tally = looked_at(grid, theme, filmed(painted(grid, theme, 720), tmp_path / "film.mp4"), 6)
    assert not tally.wrongs and tally.digits + tally.colour == 64, (tally.wrongs, tally.unreads)
    assert tally.unread == 0 and tally.digits == 64


@pytest.mark.parametrize("pixels", [7, 8, 11, 15, 16, 20, 24, 30])
def test_cells_of_few_pixels_have_their_colours(pixels: int, tmp_path: Path) -> None:
    theme = THEMES["dark"]
    grid = Grid(tensor("scores"), cell=pixels * 1.5 * PIXEL, theme=theme)
    tally = looked_at(grid, theme, filmed(painted(grid, theme, 720), tmp_path / "film.mp4"), 6)
    assert not tally.wrongs and tally.values == 64
    assert (tally.colour, sum(tally.skipped.values())) == ((0, 64) if pixels < 8 else (64, 0))


@pytest.mark.parametrize("pixels", [4, 7, 11, 24])
def test_and_exchanged_rows_of_them_are_found(pixels: int, tmp_path: Path) -> None:
    theme = THEMES["dark"]
    grid = Grid(tensor("scores"), cell=pixels * 1.5 * PIXEL, theme=theme)
    picture = painted(grid, theme, 720)
    top, side = 360 - 4 * pixels, pixels
    picture[top:top + side], picture[top + 5 * side:top + 6 * side] = (
        picture[top + 5 * side:top + 6 * side].copy(), picture[top:top + side].copy())
    tally = looked_at(grid, theme, filmed(picture, tmp_path / "film.mp4"), 6)
    assert tally.wrongs or pixels < 8  # means of blocks do not show what is exchanged inside of one


def small(lines: int, stage: str = "masked_scores") -> tuple[Grid, np.ndarray, slice]:
    """A grid of cells of 7 pixels, its picture, and where it stands in both directions of an even frame's middle."""
    grid = Grid(tensor(stage), cell=7 * 1080 / lines * PIXEL, theme=THEMES["dark"])
    return grid, painted(grid, THEMES["dark"], lines), slice(lines // 2 - 28, lines // 2 + 28)


@pytest.mark.parametrize("stage", ["masked_scores", "attn_weights", "scores"])
def test_gaps_and_hatches_of_small_cells_are_no_fault(stage: str, tmp_path: Path) -> None:
    grid, picture, _ = small(480, stage)
    tally = looked_at(grid, THEMES["dark"], filmed(picture, tmp_path / "film.mp4"), 6)
    assert not tally.wrongs and sum(tally.skipped.values()) == grid.cells.ink[..., 0].size


def test_a_line_across_small_cells_is_no_fault_and_a_tint_over_all_is_one(tmp_path: Path) -> None:
    grid, picture, rows = small(480, "attn_weights")
    left = int(np.flatnonzero((picture[240] != picture[0, 0]).any(axis=-1))[0])
    lined, tinted = picture.copy(), picture.copy()
    for step in range(56):
        lined[rows.start + step, left + max(step - 2, 0):left + step + 1] = 255
    tinted[rows, left:left + 56] = np.clip(tinted[rows, left:left + 56].astype(int) + np.array([25, 0, 0]), 0, 255)
    for drawn_over, is_wrong in ((lined, False), (tinted, True)):
        tally = looked_at(grid, THEMES["dark"], filmed(drawn_over, tmp_path / "film.mp4"), 6)
        assert bool(tally.wrongs) is is_wrong


def test_bars_describe_what_the_verifier_asks_for() -> None:
    said = Bars(tensor("query").sel(query_pos=0)).describe()
    assert set(said) >= {"record", "address", "scale", "unit", "zero", "bars"}
    assert set(said["bars"][0]) == {"at", "x", "width", "height", "color"}


@pytest.mark.slow
@pytest.mark.parametrize("options", [
    ["-q", "l"], ["--encode", "draft"], ["--encode", "archive", "--vfr"], ["--theme", "light", "--frame", "9:16"],
    ["--case", "trained"], ["-q", "l", "--case", "cross", "--frame", "9:16"], ["--format", "png"],
    ["--theme", "high-contrast", "--frame", "1:1"]], ids=" ".join)  # fmt: skip
def test_a_whole_render_of_the_pipeline_holds(options: list[str], tmp_path: Path) -> None:
    from attnviz.commands import main
    from attnviz.verify.check import verify

    with pytest.raises(SystemExit) as end:
        main(["render", "pipeline", *options, "-o", str(tmp_path / "film")])
    assert not end.value.code and (ROOT / "scenes").is_dir()
    report = verify(tmp_path / "film")
    assert [wrong.line() for wrong in report.wrongs] == [] and report.count("unread") == 0
    assert report.count("values") > 250
