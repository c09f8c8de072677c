"""A real Chromium for tests of pages: whatever a page asks of a network, or complains of, fails the test."""

import base64
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from tests.running import TESTS, run_here

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: see docs/present.md")
SCENES = TESTS / "player_scenes"
SIZE = {"width": 854, "height": 480}


@contextmanager
def started() -> Iterator:
    """A Chromium of its own, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process: a lecture opens a window of its own in it."""
    with started() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def player_renders(tmp_path_factory):
    """Where the pages of the tests lie, and the renders they were made from."""
    return tmp_path_factory.mktemp("renders")


class Lecture:
    """A page of the player in a browser, and what a lecturer does with it."""

    def __init__(self, browser, path, *, address="", **options):
        self.path, self.complaints = path, []
        self.context = browser.new_context(**{"viewport": SIZE, "offline": True, **options})
        self.context.on("page", self._listen)
        self.page = self.context.new_page()
        self.page.goto(path.as_uri() + address)
        self.page.wait_for_selector("body[data-step]")

    def _listen(self, page):
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: self._requested(request.url))
        page.on("dialog", lambda dialog: (self.complaints.append(f"a dialog: {dialog.message}"), dialog.dismiss()))

    def _requested(self, url):
        if not url.startswith((self.path.as_uri(), self.path.parent.as_uri() + "/film-", "blob:", "data:")):
            self.complaints.append(f"a request to {url}")

    def press(self, *keys):
        """Press keys one after the other, and wait until nothing plays."""
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def settle(self):
        self.page.wait_for_timeout(60)
        self.page.wait_for_selector("body:not([data-phase=playing])")

    def until(self, **facts):
        """Wait until the page says so of itself, as `until(phase="rest", step=2)`."""
        self.page.wait_for_selector("body" + "".join(f"[data-{name}='{value}']" for name, value in facts.items()))

    def to(self, step):
        """Go to a step by its number, and to its end."""
        for digit in str(step):
            self.page.keyboard.press(digit)
        self.press("Enter")
        self.until(step=step)
        self.settle()

    @property
    def step(self):
        return int(self.page.evaluate("document.body.dataset.step"))

    @property
    def phase(self):
        return self.page.evaluate("document.body.dataset.phase")

    @property
    def frame(self):
        """The frame of the film that is not hidden; -1 where a slide is shown."""
        time = self.page.evaluate("document.querySelector('.film:not([hidden])')?.currentTime ?? -1")
        return int(time * data_of(self.path)["fps"] + 1e-3) if time >= 0 else -1

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def seen(self, selector):
        return self.page.locator(selector).is_visible()

    def grabbed(self):
        """The picture of the film as the browser shows it: rows, columns, red green blue."""
        return grabbed(self.page, ".film:not([hidden])")

    def close(self):
        """End it; AssertionError where the page complained, or asked for anything."""
        self.context.close()
        assert self.complaints == []


@contextmanager
def opened(browser, path, **options) -> Iterator[Lecture]:
    """A lecture in a window of its own, looked at for complaints at its end."""
    lecture = Lecture(browser, path, **options)
    yield lecture
    lecture.close()


def grabbed(page, selector):
    """The picture of a video as the browser shows it: rows, columns, red green blue."""
    url = page.evaluate("""(selector) => {
        const video = document.querySelector(selector), canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
        canvas.getContext('2d').drawImage(video, 0, 0);
        return canvas.toDataURL();
    }""", selector)
    return picture_of(base64.b64decode(url.partition(",")[2]))


def picture_of(content):
    with av.open(io.BytesIO(content)) as image:
        return next(image.decode(video=0)).to_ndarray(format="rgb24").astype(int)


def presented(renders, target, *arguments):
    """Write a page from the tests' scenes, in the smallest quality; its path."""
    assert run_here(renders, "present", *arguments, "-q", "l", "--no-open", "-o", str(target), scenes=SCENES) == 0
    return target / "index.html" if target.is_dir() else target


def data_of(path: Path):
    """What the page knows."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)[1])


def film_of(path: Path, number=0):
    """All frames of a film in the page, in the colours that a browser makes of them."""
    text = path.read_text(encoding="utf-8")
    content = base64.b64decode(re.search(rf'id="film-{number}">(.*?)</script>', text, re.DOTALL)[1])
    with av.open(io.BytesIO(content)) as film:
        return [np.asarray(frame.reformat(format="rgb24", src_colorspace="ITU709", dst_colorspace="ITU709")
                           .to_ndarray(format="rgb24"), int) for frame in film.decode(video=0)]
