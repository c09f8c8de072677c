"""The inspector in a real Chromium: what it says of a number is what the trace holds, wherever one points."""

import itertools
import json
import random

import numpy as np
import pytest

from attnviz.player.rendered import own_folder
from attnviz.registry import find_scene
from attnviz.render.job import RenderOptions
from attnviz.trace import Bundle
from tests.browsing import SCENES, needs_chromium, opened, presented

pytestmark = [needs_chromium, pytest.mark.xdist_group("player")]
CELLS = 100


@pytest.fixture(scope="module")
def renders(player_renders):
    return player_renders


@pytest.fixture(scope="module")
def path(renders):
    return presented(renders, renders / "two.html", "two_questions")


@pytest.fixture(scope="module")
def folder(renders, path):
    return own_folder(find_scene("two_questions", SCENES), RenderOptions(quality="l"), renders)


@pytest.fixture
def lecture(browser, path):
    with opened(browser, path) as there:
        yield there


def every_cell(folder):
    """All cells of all grids: the beat's number, where in the window it is, and what the trace says is there."""
    score, bundle = json.loads((folder / "score.json").read_text()), Bundle.load(folder / "trace.npz")
    wide, high = score["frame_size"]
    for number, beat in enumerate(score["beats"], start=1):
        for item in (item for item in beat["visible"] if item["type"] == "grid"):
            content = score["contents"][item["content"]]
            record, stage = bundle[content["record"]], content["stage"]
            for row, column in itertools.product(*map(range, content["shape"])):
                x = item["origin"][0] + (column + 0.5) * item["pitch"][0]
                y = item["origin"][1] - (row + 0.5) * item["pitch"][1]
                at = {**content["at"], **dict(zip(content["axes"], (row, column), strict=True))}
                value = record.arrays[stage][tuple(at[axis] for axis in record.kind.stage(stage).axes)]
                pairs = zip(content["axes"], (row, column), strict=True)
                coords = ", ".join(f"{axis}={place}" for axis, place in pairs)
                shown = content["strings"][row][column]
                yield number, ((x / wide + 0.5) * 854, (0.5 - y / high) * 480), value, f"{stage}[{coords}]", shown


PANEL = """() => ({
    value: document.querySelector('#inspector .value').textContent,
    address: document.querySelector('#inspector .address').textContent,
    results: [...document.querySelectorAll('#inspector .how .result')].map((line) => line.textContent),
    signs: [...document.querySelectorAll('#inspector .result')].map((line) => line.textContent[0]).join(""),
    marks: document.querySelectorAll('#marks .looked').length,
})"""


def number_of(text):
    return float(text.replace("−", "-").replace("∞", "inf"))


def test_a_hundred_cells_say_what_the_trace_holds(lecture, folder):
    cells = list(every_cell(folder))
    chosen = sorted(random.Random(7).choices(cells, k=CELLS), key=lambda cell: cell[0])
    for number, cells_of in itertools.groupby(chosen, key=lambda cell: cell[0]):
        lecture.to(number)
        for _, (x, y), value, address, shown in cells_of:
            lecture.page.keyboard.press("Escape")  # the panel may lie over the next cell
            lecture.page.mouse.click(x, y)
            told = lecture.page.evaluate(PANEL)
            said = number_of(told["value"])
            assert np.float32(said) == value and told["address"] == address
            assert f"{said:.{len(shown.partition('.')[2])}f}".replace("-", "−") == shown
            assert all(text == f"= {lecture.text('#inspector .value')}" for text in told["results"]), told
            assert told["marks"] == 1 and not told["signs"].strip("="), told  # the page's own sums agree


def test_a_score_is_worked_out_term_by_term_and_its_inputs_light_up(lecture, folder):
    bundle = Bundle.load(folder / "trace.npz")["sdpa"]
    number, (x, y), *_ = next(cell for cell in every_cell(folder) if cell[3] == "attn_weights[query_pos=1, key_pos=2]")
    lecture.to(number)
    lecture.page.mouse.click(x, y)
    told = lecture.text("#inspector")
    assert "attention weights" in told and "query cat" in told and "key sits" in told
    weight, total = (bundle.arrays[name] for name in ("attn_weights", "row_sum"))
    where = [*weight.shape[:2], 1]
    assert f"{bundle.arrays['exp_scores'][0, 1, 1, 2]}" in told and str(total[0, 1, 1]) in told, where
    lecture.press("Enter")  # into the exponential, which is no longer in the picture
    assert "exp_scores[query_pos=1, key_pos=2]" in lecture.text("#inspector .address")
    lecture.press("Backspace")
    assert lecture.text("#inspector .address") == "attn_weights[query_pos=1, key_pos=2]"


def test_inputs_light_up_where_they_are_in_the_picture(lecture, folder):
    lecture.to(4)
    bars = lecture.page.locator("#marks .input")
    x, y = next(cell[1] for cell in every_cell(folder) if cell[0] == 4)
    lecture.page.mouse.click(x, y)
    assert bars.count() == 0  # what a weight is made of is gone from the picture
    lecture.to(1)
    x, y = next(cell[1] for cell in every_cell(folder) if cell[3] == "query[query_pos=0, head_dim=0]")
    lecture.page.mouse.click(x, y)
    assert "W^Q" in lecture.text("#inspector")  # the query of the attention is what the projection computed


def test_a_dot_product_lights_its_row_and_column(browser, renders):
    path = presented(renders, renders / "pair.html", "inputs_and_score")
    with opened(browser, path) as lecture:
        lecture.press("ArrowRight")
        lecture.press("i")
        assert lecture.text("#inspector .address") == "dot_products[query_pos=1, key_pos=0]"
        assert lecture.page.locator("#marks .input").count() == 8
        rows = lecture.page.locator("#inspector .how tr")
        parts = [number_of(text.removeprefix("= ")) for text in rows.locator(".part").all_inner_texts()]
        assert len(parts) == 4 and sum(parts) == pytest.approx(number_of(lecture.text("#inspector .value")), rel=1e-6)


def test_arrow_keys_walk_from_cell_to_cell(lecture):
    lecture.to(3)
    lecture.press("i")
    assert lecture.text("#inspector .address") == "attn_weights[query_pos=2, key_pos=2]"
    for key, address in (("ArrowLeft", "query_pos=2, key_pos=1"), ("ArrowUp", "query_pos=1, key_pos=1"),
                         ("ArrowRight", "query_pos=1, key_pos=2"), ("ArrowDown", "query_pos=2, key_pos=2")):
        lecture.press(key)
        assert address in lecture.text("#inspector .address")
    lecture.press("Escape")
    assert not lecture.seen("#inspector") and lecture.step == 3
    lecture.press("i", "PageDown")  # a clicker goes on, whatever lies over the picture
    assert not lecture.seen("#inspector") and lecture.step == 4


def test_z_makes_it_large(lecture):
    lecture.to(3)
    lecture.press("i")
    size = "parseFloat(getComputedStyle(document.querySelector('#inspector .value')).fontSize)"
    before = lecture.page.evaluate(size)
    lecture.press("z")
    assert lecture.page.evaluate(size) > 1.4 * before


def test_hovering_opens_it_and_leaving_closes_it(lecture, folder):
    lecture.to(2)
    x, y = next(cell[1] for cell in every_cell(folder) if cell[0] == 2)
    lecture.page.mouse.move(x, y)
    lecture.page.wait_for_selector("#inspector", state="visible")
    lecture.page.mouse.move(840, 240)
    lecture.page.wait_for_selector("#inspector", state="hidden")


def test_a_tap_on_a_cell_inspects_it_and_one_beside_it_closes_it(browser, path, folder):
    with opened(browser, path, has_touch=True) as lecture:
        lecture.to(2)
        lecture.page.touchscreen.tap(*next(cell[1] for cell in every_cell(folder) if cell[0] == 2))
        assert lecture.seen("#inspector") and lecture.step == 2
        lecture.page.touchscreen.tap(20, 20)
        assert not lecture.seen("#inspector") and lecture.step == 2


def test_words_and_bars_can_be_asked_too(lecture, folder):
    score = json.loads((folder / "score.json").read_text())
    wide, high = score["frame_size"]
    items = {item["type"]: item for item in score["beats"][3]["visible"]}
    (x, y), bar = items["labels"]["labels"][0]["center"], items["bars"]["bars"][0]
    lecture.to(4)
    lecture.page.mouse.click((x / wide + 0.5) * 854, (0.5 - y / high) * 480)
    assert lecture.text("#inspector .value") == items["labels"]["labels"][0]["token"]
    middle = items["bars"]["zero"] + bar["height"] / 2
    lecture.page.mouse.click((bar["x"] / wide + 0.5) * 854, (0.5 - middle / high) * 480)
    assert lecture.text("#inspector .address") == "attn_weights[query_pos=1, key_pos=0]"


def test_nothing_is_said_while_the_film_moves(lecture, folder):
    lecture.to(1)
    lecture.page.keyboard.press("ArrowRight")
    lecture.page.keyboard.press("i")
    assert not lecture.seen("#inspector") and "stands still" in lecture.text("#toast")
    lecture.settle()


def test_at_a_pause_on_the_way_what_stays_can_be_asked_and_what_moves_cannot(lecture, folder):
    cells = {(cell[0], cell[3]): cell[1] for cell in every_cell(folder)}
    lecture.to(3)
    lecture.page.keyboard.press("ArrowRight")
    lecture.page.wait_for_timeout(150)
    lecture.page.keyboard.press("p")
    lecture.until(phase="paused", step=4)
    lecture.page.mouse.click(*cells[4, "attn_weights[query_pos=2, key_pos=0]"])  # the map stays where it was
    assert lecture.text("#inspector .address") == "attn_weights[query_pos=2, key_pos=0]"
    lecture.press("Escape")
    score = json.loads((folder / "score.json").read_text())
    [bars] = [item for item in score["beats"][3]["visible"] if item["type"] == "bars"]
    x, y = bars["bars"][2]["x"] / score["frame_size"][0] + 0.5, 0.5 - (bars["zero"] + 0.1) / score["frame_size"][1]
    lecture.page.mouse.click(x * 854, y * 480)  # these bars are still on their way
    assert not lecture.seen("#inspector")
    lecture.press("p")
    lecture.page.mouse.click(x * 854, y * 480)
    assert lecture.seen("#inspector")
