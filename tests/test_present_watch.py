"""`present --watch` with a real Chromium: a save draws the beat anew, and the open page shows it where it was."""

import shutil
import subprocess
import sys

import pytest

from tests.browsing import SCENES, needs_chromium
from tests.running import ROOT

pytestmark = [needs_chromium, pytest.mark.xdist_group("player")]
START = """
import sys
from pathlib import Path
from attnviz.commands import Folders, main
main(sys.argv[2:], Folders(Path(sys.argv[1]), Path(sys.argv[1]) / "renders"))
"""


@pytest.fixture
def child(tmp_path):
    for name in ("inputs_and_score.py", "inputs_and_score.en.toml"):
        shutil.copy(SCENES / name, tmp_path)
    arguments = ["present", "inputs_and_score", "-q", "l", "--watch", "--no-open"]
    process = subprocess.Popen([sys.executable, "-c", START, str(tmp_path), *arguments], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    yield process
    process.kill()


@pytest.mark.slow
def test_a_save_shows_in_the_open_page(browser, child, tmp_path):
    address = child.stdout.readline().strip()
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("body[data-step='1'][data-phase=rest]")
        words = tmp_path / "inputs_and_score.en.toml"
        words.write_text(words.read_text().replace("A row, a row", "Two rows"))
        page.wait_for_selector("#caption:has-text('Two rows, and their product.')")
        assert page.evaluate("document.body.dataset.step") == "1"
        words.write_text("title = ")
        while "inputs_and_score.en.toml" not in (line := child.stderr.readline()):
            assert line, "it ended"
        assert line.startswith("error: ")
        assert page.request.get(address).ok
        assert page.request.get(address, headers={"Host": "evil.example"}).status == 403
