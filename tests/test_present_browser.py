"""The lecture player in a real Chromium: keys, exact frames, reload, touch, reduced motion, and no request at all."""

import re

import numpy as np
import pytest

from tests.browsing import data_of, film_of, needs_chromium, opened, presented

pytestmark = [needs_chromium, pytest.mark.xdist_group("player")]
NEAR = 0.5  # levels that a grabbed picture may be off the decoded one on average: two programs convert colours


@pytest.fixture(scope="module")
def renders(player_renders):
    return player_renders


@pytest.fixture(scope="module")
def path(renders):
    return presented(renders, renders / "two.html", "two_questions")


@pytest.fixture
def lecture(browser, path):
    with opened(browser, path) as there:
        yield there


def test_it_begins_with_a_cover_and_steps_beat_by_beat(lecture):
    assert lecture.seen("#slide") and lecture.text("#slide h1") == "Two questions" and lecture.frame == -1
    steps = data_of(lecture.path)["steps"]
    for key, number in (("ArrowRight", 1), ("PageDown", 2), (" ", 3), ("Enter", 4)):
        lecture.press(key)
        assert (lecture.step, lecture.phase, lecture.frame) == (number, "rest", steps[number]["rest"])
        assert lecture.text("#caption") == steps[number]["caption"] and not lecture.seen("#slide")
    lecture.press("ArrowRight")
    assert lecture.step == 4 and "the end" in lecture.text("#toast")


def test_back_shows_the_end_of_the_beat_before_at_once_and_then_replays_it(lecture):
    lecture.to(3)
    lecture.page.keyboard.press("PageUp")
    lecture.until(step=2)
    assert lecture.phase == "rest" and lecture.frame == data_of(lecture.path)["steps"][2]["rest"]
    lecture.page.keyboard.press("ArrowLeft")
    lecture.until(phase="playing")
    lecture.settle()
    assert lecture.step == 2
    lecture.press("ArrowLeft", "ArrowLeft")
    assert lecture.step == 1


def test_next_during_a_beat_ends_it_at_once(lecture):
    lecture.to(1)
    lecture.page.keyboard.press("ArrowRight")
    lecture.until(phase="playing")
    lecture.press("ArrowRight")
    assert (lecture.step, lecture.phase) == (2, "rest")


def test_other_keys(lecture):
    page = lecture.page
    lecture.press("End")
    assert lecture.step == 4 and lecture.phase == "rest"
    lecture.press("Home")
    assert lecture.step == 0
    lecture.to(2)
    page.keyboard.press("r")
    lecture.until(phase="playing")
    page.keyboard.press("p")
    assert lecture.phase == "paused"
    lecture.press("p")
    assert lecture.phase == "rest" and lecture.frame == data_of(lecture.path)["steps"][2]["rest"]
    for key, shade in (("b", "black"), ("w", "white"), (".", "black")):
        lecture.press(key)
        assert page.locator("#shade").get_attribute("class") == shade and lecture.seen("#shade")
        lecture.press("ArrowRight")
        assert not lecture.seen("#shade") and lecture.step == 2  # what covers the picture goes first
    lecture.press("c")
    assert not lecture.seen("#caption")
    lecture.press("c")
    assert lecture.seen("#caption")
    lecture.press("+", "+")
    assert page.evaluate("document.querySelector('.film').playbackRate") == 1.5
    lecture.press("-", "-", "-")
    assert page.evaluate("document.querySelector('.film').playbackRate") == 0.75
    lecture.press("f")
    assert page.evaluate("Boolean(document.fullscreenElement)")
    lecture.press("f")
    lecture.press("t")
    assert "one theme" in lecture.text("#toast")


@pytest.mark.slow
def test_a_beat_loops_until_it_is_told_otherwise(lecture):
    lecture.press("+", "+", "+")
    lecture.to(2)
    lecture.page.keyboard.press("l")
    for _ in range(2):
        lecture.until(phase="playing")
        lecture.until(phase="rest")
    lecture.page.keyboard.press("l")
    lecture.page.wait_for_timeout(1200)
    assert (lecture.step, lecture.phase) == (2, "rest")


def test_help_and_the_list_of_beats(lecture):
    lecture.press("?")
    assert lecture.seen("#help") and "replay" in lecture.text("#help")
    lecture.press("?")
    assert not lecture.seen("#help")
    lecture.press("g")
    lecture.page.keyboard.type("weight")
    lecture.press("Enter")
    assert (lecture.step, lecture.phase, lecture.seen("#contents")) == (4, "rest", False)
    lecture.press("g", "PageDown")  # a clicker goes on whatever lies over the picture
    assert not lecture.seen("#contents") and "the end" in lecture.text("#toast")


def test_a_number_that_is_no_beat_is_said(lecture):
    lecture.press("9", "9", "Enter")
    assert lecture.step == 0 and "no beat 99" in lecture.text("#toast")


def nearest(grab, frames):
    """The frame that a grabbed picture is nearest to, and how far it is from it, in levels on average."""
    distances = [float(np.abs(grab[::4, ::4] - frame[::4, ::4]).mean()) for frame in frames]
    return int(np.argmin(distances)), min(distances)


def test_every_stop_shows_the_very_frame(lecture):
    frames, steps = film_of(lecture.path), data_of(lecture.path)["steps"]
    for keys in (["ArrowRight"] * 4, ["ArrowLeft", "ArrowLeft"] * 2, ["End"], ["r"], ["2", "Enter"]):
        for key in keys:
            lecture.press(key)
            if key == "2":
                continue
            at, off = nearest(lecture.grabbed(), frames)
            step = steps[lecture.step]
            assert step["rest"] <= at < step["end"] and off < NEAR, (key, lecture.step, at, off)


WATCH = """() => {
    const video = document.querySelector('.film');
    window.shown = [];
    const hear = (now, facts) => { window.shown.push(facts.mediaTime); video.requestVideoFrameCallback(hear); };
    video.requestVideoFrameCallback(hear);
}"""


def shown_by(lecture, *keys):
    """The frames that the browser showed meanwhile."""
    lecture.page.evaluate("window.shown.length = 0")
    lecture.press(*keys)
    lecture.page.wait_for_timeout(150)
    fps = data_of(lecture.path)["fps"]
    return [round(time * fps) for time in lecture.page.evaluate("window.shown")]


def test_no_other_frame_flashes_up(lecture):
    steps = data_of(lecture.path)["steps"]
    lecture.to(1)
    lecture.page.evaluate(WATCH)
    for number in (2, 3, 4):
        before, now = steps[number - 1], steps[number]
        frames = shown_by(lecture, "ArrowRight")
        held = [frame for frame in frames if frame < before["end"]]
        new = frames[len(held):]
        assert all(before["rest"] <= frame for frame in held) and len(held) <= 2, frames  # and it begins at once
        assert new and new == sorted(new) and now["start"] == new[0] and new[-1] < now["end"], frames
        assert set(range(now["start"] + 1, now["rest"])) & set(new), "nothing moved"
    for number in (3, 2):
        frames = shown_by(lecture, "ArrowLeft")
        allowed = [set(range(steps[at]["rest"], steps[at]["end"])) for at in (number, number + 1)]
        assert frames and set(frames) <= allowed[0] | allowed[1], frames
        lecture.press("p")  # not back again: the next step back goes further
        lecture.press("ArrowRight")
        lecture.to(number)


def test_a_reload_stays_where_it_was(lecture):
    lecture.to(3)
    lecture.press("c")
    lecture.page.reload()
    lecture.page.wait_for_selector("body[data-step='3'][data-phase=rest]")
    assert not lecture.seen("#caption") and lecture.frame == data_of(lecture.path)["steps"][3]["rest"]


def test_an_address_may_name_a_beat(browser, path):
    with opened(browser, path, address="#2") as lecture:
        assert (lecture.step, lecture.phase) == (2, "rest")


def test_touch_in_thirds_and_by_swiping(browser, path):
    with opened(browser, path, has_touch=True) as lecture:
        tap = lecture.page.touchscreen.tap
        tap(800, 30)
        lecture.settle()
        assert lecture.step == 1
        tap(800, 30)
        lecture.until(phase="playing")
        tap(427, 30)
        lecture.until(phase="paused")
        tap(427, 30)
        lecture.settle()
        assert (lecture.step, lecture.phase) == (2, "rest")
        tap(60, 30)
        lecture.until(step=1)


def test_reduced_motion_jumps_between_ends(browser, path):
    with opened(browser, path, reduced_motion="reduce") as lecture:
        lecture.page.evaluate("""() => {
            window.phases = [];
            const note = () => window.phases.push(document.body.dataset.phase);
            new MutationObserver(note).observe(document.body, {attributes: true});
        }""")
        for number in (1, 2):
            lecture.press("ArrowRight")
            assert (lecture.step, lecture.frame) == (number, data_of(path)["steps"][number]["rest"])
        assert "playing" not in lecture.page.evaluate("window.phases")


def test_a_screen_reader_is_told_each_beat_and_finds_a_transcript(lecture):
    lecture.press("ArrowRight")
    assert lecture.page.locator("#said").text_content() == (
        "Beat 1 of 4. Which key? Which key does the query match best?")
    told = lecture.page.locator("#transcript").text_content()
    assert "queries as a grid of 3 rows and 4 columns" in told and "As much as its weight." in told
    assert lecture.page.locator("#bar button:not([aria-label])").count() == 0


def test_the_bar_works_with_the_mouse(lecture):
    lecture.page.mouse.move(400, 300)
    lecture.page.locator("[data-act=next]").click()
    lecture.settle()
    lecture.page.locator(".mark").nth(2).click()
    lecture.settle()
    assert (lecture.step, lecture.phase) == (3, "rest")
    assert lecture.text("#where") == "3 of 4"


def test_where_the_film_cannot_be_played_the_lecture_goes_on_in_words(browser, path, tmp_path):
    text = path.read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(re.sub(r'(id="film-0">).*?(</script>)', r"\1AAAA\2", text, flags=re.DOTALL), encoding="utf-8")
    with opened(browser, broken) as lecture:
        lecture.press("PageDown")
        assert (lecture.step, lecture.phase) == (1, "rest") and lecture.seen("#slide")
        assert "queries as a grid of 3 rows and 4 columns" in lecture.text("#slide")
        lecture.press("PageDown")
        assert lecture.step == 2 and lecture.text("#caption") == "The largest score of a row."
