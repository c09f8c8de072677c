"""The lecture player in a real Chromium: the presenter's window, pointer and pen, quizzes, slides, themes, a folder."""

import numpy as np
import pytest
from PIL import Image

from tests.browsing import data_of, film_of, grabbed, needs_chromium, opened, picture_of, presented

pytestmark = [needs_chromium, pytest.mark.xdist_group("player")]
HOSTILE = "</script><img/src=x/onerror=alert(1)>", "'\"><b>&amp;", "{{7*7}}${7}`", "\u202edrow", "🙂", "-->"


@pytest.fixture(scope="module")
def renders(player_renders):
    return player_renders


@pytest.fixture(scope="module")
def path(renders):
    return presented(renders, renders / "themes.html", "two_questions", "--also", "light")


@pytest.fixture
def lecture(browser, path):
    with opened(browser, path) as there:
        yield there


def presenter_of(lecture):
    with lecture.context.expect_page() as window:
        lecture.page.keyboard.press("n")
    window.value.wait_for_selector("#desk-title:not(:empty)")
    return window.value


def test_the_presenter_sees_notes_and_what_comes_next(lecture):
    lecture.to(1)
    desk = presenter_of(lecture)
    for selector, text in (("#desk-where", "1 of 4"), ("#desk-notes", "Wait for a show of hands."),
                           ("#desk-caption", "Which key does the query match best?"),
                           ("#desk-next-title", "Next: The largest score")):
        assert desk.locator(selector).inner_text() == text
    desk.wait_for_timeout(500)
    frames, step = film_of(lecture.path), data_of(lecture.path)["steps"][2]
    picture = grabbed(desk, "#desk-next video")
    distances = [np.abs(picture[::4, ::4] - frame[::4, ::4]).mean() for frame in frames]
    assert step["rest"] <= int(np.argmin(distances)) < step["end"]
    assert ":" in desk.locator("#desk-clock").inner_text() and ":" in desk.locator("#desk-elapsed").inner_text()


def test_both_windows_steer(lecture):
    desk = presenter_of(lecture)
    desk.keyboard.press("PageDown")
    lecture.until(step=1)
    lecture.settle()
    desk.wait_for_selector("body[data-step='1'][data-phase=rest]")
    lecture.press("PageDown")
    desk.wait_for_selector("body[data-step='2'][data-phase=rest]")
    rest = data_of(lecture.path)["steps"][2]["rest"] + 0.5
    desk.wait_for_timeout(300)
    assert desk.evaluate("document.querySelector('.film').currentTime") * 15 == pytest.approx(rest, abs=0.6)
    desk.keyboard.press("b")
    lecture.page.wait_for_selector("#shade.black")
    desk.locator("footer button", has_text="Next").click()
    lecture.page.wait_for_selector("#shade", state="hidden")
    assert lecture.step == 2


def test_either_window_may_be_reloaded(lecture):
    lecture.to(3)
    desk = presenter_of(lecture)
    desk.reload()
    desk.wait_for_selector("body[data-step='3']")
    lecture.page.reload()
    lecture.until(step=3, phase="rest")
    desk.keyboard.press("PageDown")
    lecture.until(step=4)
    desk.wait_for_selector("body[data-step='4']")


@pytest.mark.slow
def test_the_clock_runs_from_the_first_beat_and_can_be_restarted(lecture):
    desk = presenter_of(lecture)
    assert desk.locator("#desk-elapsed").inner_text() == "0:00"
    lecture.to(1)
    desk.wait_for_timeout(2600)
    assert desk.locator("#desk-elapsed").inner_text() != "0:00"
    desk.locator("button", has_text="Restart clock").click()
    desk.wait_for_timeout(700)
    assert desk.locator("#desk-elapsed").inner_text() in ("0:00", "0:01")


def test_the_pointer_is_seen_in_both_windows(lecture):
    lecture.to(2)
    desk = presenter_of(lecture)
    box = desk.locator("#stage").bounding_box()
    desk.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    desk.mouse.down()
    lecture.page.wait_for_selector("#pointer", state="visible")
    spot = lecture.page.locator("#pointer").bounding_box()
    assert spot["x"] + spot["width"] / 2 == pytest.approx(854 / 4, abs=3)
    assert spot["y"] + spot["height"] / 2 == pytest.approx(240, abs=3)
    desk.mouse.up()
    lecture.page.wait_for_selector("#pointer", state="hidden")


INKED = "document.querySelector('#ink').getContext('2d').getImageData(0, 0, 854, 480).data.some((level) => level > 0)"


def test_the_pen_writes_in_both_windows_until_the_next_step(lecture):
    lecture.to(2)
    desk = presenter_of(lecture)
    lecture.page.bring_to_front()
    lecture.page.keyboard.press("d")
    lecture.page.mouse.move(100, 100)
    lecture.page.mouse.down()
    lecture.page.mouse.move(300, 200, steps=5)
    lecture.page.mouse.up()
    assert lecture.page.evaluate(INKED)
    desk.wait_for_timeout(200)
    assert desk.evaluate(INKED)
    lecture.press("PageDown")
    assert not lecture.page.evaluate(INKED)
    desk.wait_for_timeout(200)
    assert not desk.evaluate(INKED)


def test_the_inspector_is_seen_in_both_windows(lecture):
    lecture.to(3)
    desk = presenter_of(lecture)
    desk.keyboard.press("i")
    lecture.page.wait_for_selector("#inspector", state="visible")
    assert lecture.text("#inspector .value") == desk.locator("#inspector .value").inner_text()


def test_a_question_holds_takes_an_answer_and_goes_on_to_the_worked_one(lecture):
    lecture.press("PageDown")
    assert lecture.seen("#quiz") and lecture.phase == "rest"
    lecture.page.wait_for_timeout(1200)
    assert lecture.step == 1  # it waits for as long as they think
    lecture.press("a")
    lecture.page.keyboard.type("the second <b>")
    lecture.press("Enter")
    assert lecture.step == 1
    lecture.press("PageDown")
    assert lecture.step == 2 and lecture.text("#answered") == "You said: the second <b>" and not lecture.seen("#quiz")
    lecture.press("PageDown")
    lecture.press("PageDown")
    assert lecture.step == 4 and not lecture.seen("#answered")  # nobody answered the second one
    lecture.to(1)
    assert lecture.page.locator("#answer").input_value() == "the second <b>"


def test_a_clicker_goes_on_while_an_answer_is_written(lecture):
    lecture.press("PageDown", "a")
    lecture.page.locator("#answer").fill("cat")
    lecture.press("PageDown")
    assert lecture.step == 2 and lecture.text("#answered") == "You said: cat"


def test_t_shows_the_same_frame_in_the_other_theme(lecture):
    lecture.to(2)
    frame, dark = lecture.frame, lecture.grabbed().mean()
    lecture.press("t")
    lecture.page.wait_for_timeout(200)
    assert lecture.frame == frame and lecture.grabbed().mean() > dark + 100
    lecture.press("PageDown")
    assert lecture.step == 3 and lecture.grabbed().mean() > dark + 100


def test_a_change_of_themes_gives_way_to_the_next_step(lecture):
    for keys in (["t", "End"], ["t", "Home", "PageDown"], ["PageUp", "t", "PageUp", "t"], ["r", "t", "End"]):
        lecture.press(*keys)
        lecture.page.wait_for_timeout(400)
        lecture.settle()
        step = data_of(lecture.path)["steps"][lecture.step]
        assert step["end"] == 0 or step["rest"] <= lecture.frame < step["end"], keys


def test_hostile_words_are_shown_and_do_nothing(browser, renders):
    words = ("--case", "random", "--tokens", " ".join(HOSTILE))
    path = presented(renders, renders / "hostile.html", "two_questions", *words)
    with opened(browser, path) as lecture:
        lecture.to(3)
        shown = " ".join(HOSTILE).replace("\u202e", "‹U+202E›")
        assert f"the words {shown} along query pos" in lecture.page.locator("#transcript").text_content()
        assert lecture.page.evaluate("document.images.length") == 0
        for _ in HOSTILE:
            lecture.press("ArrowLeft" if lecture.seen("#inspector") else "i")
        row = [lecture.press("ArrowUp") or lecture.text("#inspector .words") for _ in HOSTILE]
        assert any(HOSTILE[0] in words for words in row)


LECTURE = """
title = "A <b>whole</b> lecture"
minutes = 3
[render]
quality = "l"
[[part]]
slide = "Welcome & hello"
lines = ["Attention", "<script>alert(1)</script>"]
note = "Say who you are."
minutes = 1
[[part]]
scene = "two_questions"
beats = "first_answer..second_question"
minutes = 2
[[part]]
picture = "cat.png"
alt = "A grey square"
[[part]]
scene = "two_questions"
beats = "first_question"
"""


def test_a_lecture_file_puts_slides_and_pictures_between_beats(browser, renders):
    (renders / "mine.toml").write_text(LECTURE)
    Image.new("RGB", (40, 30), "grey").save(renders / "cat.png")
    path = presented(renders, renders / "mine.html", str(renders / "mine.toml"))
    with opened(browser, path) as lecture:
        titles = [step["title"] for step in data_of(path)["steps"]]
        beats = ["The largest score", "How much?", "", "Which key?"]
        assert titles == ["A <b>whole</b> lecture", "Welcome & hello", *beats]
        lecture.press("PageDown")
        assert lecture.text("#slide h1") == "Welcome & hello" and "<script>" in lecture.text("#slide")
        desk = presenter_of(lecture)
        assert "of 1:00" in desk.locator("#desk-elapsed").inner_text()
        lecture.press("PageDown")
        assert lecture.seen(".film:not([hidden])") and not lecture.seen("#slide")
        assert "of 3:00" in desk.locator("#desk-elapsed").inner_text()
        lecture.to(4)
        assert lecture.page.evaluate("document.querySelector('#slide img').naturalWidth") == 40
        lecture.press("PageDown")
        frames, step = film_of(path), data_of(path)["steps"][5]
        off = [np.abs(lecture.grabbed()[::4, ::4] - frame[::4, ::4]).mean() for frame in frames]
        assert step["rest"] <= int(np.argmin(off)) < step["end"] and len(frames) == step["end"]


def test_a_folder_holds_the_page_and_its_film(browser, renders):
    path = presented(renders, renders / "folder", "two_questions", "--folder")
    assert sorted(file.name for file in path.parent.iterdir()) == ["film-0.mp4", "index.html"]
    with opened(browser, path) as lecture:
        lecture.press("PageDown")
        lecture.press("PageUp")
        lecture.to(3)
        assert lecture.frame == data_of(path)["steps"][3]["rest"]
        shot = picture_of(lecture.page.screenshot())
        assert shot[100:380].std() > 10  # the film is there: file:// pages may play it, but no canvas may read it
