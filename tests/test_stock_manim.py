"""A scene is a Manim scene: the stock command line draws the same picture with the stock camera."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str, cwd: Path) -> None:
    done = subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def blocks(path: Path, size: int = 7) -> np.ndarray:
    """Mean colours of blocks: a text one pixel aside does not matter, a number or a cell elsewhere does."""
    pixels = np.asarray(Image.open(path).convert("RGB"), dtype=float)
    height, width = (length // size * size for length in pixels.shape[:2])
    return pixels[:height, :width].reshape(height // size, size, width // size, size, 3).mean(axis=(1, 3))


@pytest.mark.slow
def test_manim_s_own_command_draws_the_last_picture_of_the_pipeline(tmp_path):
    scene, low = str(ROOT / "scenes" / "pipeline.py"), ("-q", "l", "--format", "png")
    run("-m", "manim", "-ql", "-s", "--media_dir", "stock", scene, "Pipeline", cwd=tmp_path)
    run(str(ROOT / "cli.py"), "render", "pipeline", *low, "-o", "ours", cwd=tmp_path)
    [stock] = (tmp_path / "stock").rglob("Pipeline*.png")
    ours = max((tmp_path / "ours").glob("12-*.png"))
    gap = np.abs(blocks(stock) - blocks(ours))
    assert gap.mean() < 1
    assert np.quantile(gap, 0.999) < 24
