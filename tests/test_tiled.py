"""The tiled scene, played without a film: what its beats show, that no whole matrix comes back, cases and frames."""

from __future__ import annotations

import math
from typing import Any

import pytest

from attnviz import text
from attnviz.errors import InputError
from attnviz.layout import Region
from attnviz.mobjects.bench import Bench
from attnviz.scene import LessonScene
from attnviz.theme import DARK, PIXEL
from tests.playing import own, played

pytestmark = pytest.mark.xdist_group("tiled")  # plays the scene once with those of test_scenes

STEP = {"tile_scores", "tile_row_max", "running_max", "tile_exp", "rescale", "running_sum", "accumulator"}
MEMORIES = ("two_memories", "first_tile", "next_tile", "write_back")


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return own("tiled")


def visible(scene: LessonScene, beat: str, *types: str) -> list[dict[str, Any]]:
    return [item for one in scene.beats if one.id == beat for item in one.visible if item["type"] in types]


def contents(scene: LessonScene, beat: str) -> list[dict[str, Any]]:
    return [item["content"] for item in visible(scene, beat, "grid") if item["opacity"] != 0]


def stages(scene: LessonScene, beat: str) -> set[str]:
    return {content["stage"] for content in contents(scene, beat)}


def numbers(scene: LessonScene, beat: str) -> dict[str, str]:
    return {item["address"]: item["text"] for item in visible(scene, beat, "number")}


def test_after_the_problem_no_matrix_of_scores_is_on_screen(scene):
    assert "scores" in stages(scene, "problem")
    for beat in scene.beats[1:]:
        for content in contents(scene, beat.id):
            assert set(content["axes"]) != {"query_pos", "key_pos"}, (beat.id, content["address"])


def test_a_step_shows_what_the_kernel_carries_along_from_its_own_record(scene):
    carried = {"tile_exp", "running_max", "running_sum", "accumulator"}
    assert {"query", "key", "value"} | carried <= stages(scene, "first_tile")
    assert "rescale" not in stages(scene, "first_tile")
    assert "rescale" in stages(scene, "next_tile")
    for beat in MEMORIES:
        assert {content["record"] for content in contents(scene, beat)} == {"tiled"}, beat


def test_the_bytes_of_a_step_are_those_of_the_tiles_that_came(scene):
    """A viewer who counts the numbers on screen gets the count: four bytes each, Q only once."""
    cells = {content["stage"]: content for content in contents(scene, "first_tile") if content["strings"]}
    [size] = [int(text) for address, text in numbers(scene, "first_tile").items() if "element_size" in address]
    came = [math.prod(cells[stage]["shape"]) for stage in ("query", "key", "value")]
    read = cells["bytes_read"]["strings"][0]
    assert int(read[0]) == size * sum(came) and int(read[1]) == size * sum(came[1:])


@pytest.mark.slow
def test_what_is_said_of_skipped_tiles_and_of_what_is_saved_is_so(scene):
    def said(one: LessonScene) -> str:
        return " ".join(f"{beat.caption} {beat.note}" for beat in one.beats)

    assert "is skipped" in said(scene) and "little is saved here" in said(scene)
    cross = said(played("tiled", case="cross"))
    assert "skips no tile" in cross and "is skipped" not in cross and "Hatched" not in cross
    assert "little is saved" not in said(played("tiled", case="random", tokens=tuple(map(str, range(20)))))


def test_one_long_word_leaves_the_name_of_the_scores_beside_them():
    played("tiled", case="random", tokens=("Donaudampfschifffahrtsgesellschaft", "b", "c"))


def test_the_steps_come_in_the_order_of_the_loop(scene):
    seen = [{content["at"]["key_tile"] for content in contents(scene, beat) if content["stage"] in STEP}
            for beat in ("first_tile", "next_tile", "write_back")]
    assert seen == [{0}, {1}, {1}]


def test_a_row_whose_maximum_rises_is_rescaled(scene):
    alpha = next(content for content in contents(scene, "next_tile") if content["stage"] == "rescale")
    assert alpha["strings"] == [["1.00"], ["0.81"], ["1.00"]]


def test_bytes_are_counted_step_by_step_and_a_skipped_tile_reads_none(scene):
    read = [content["strings"][0] for content in contents(scene, "write_back") if content["stage"] == "bytes_read"]
    assert read == [["144", "96", "0"]]
    assert numbers(scene, "write_back")["bytes_written[batch=0, head=1, query_tile=1, key_tile=1]"] == "48"


def test_the_map_has_all_tiles_and_a_sample_of_every_sort(scene):
    tiles = visible(scene, "tiles", "tile")
    assert len(tiles) == 9 + 4
    assert {item["kind"] for item in tiles} == {0, 1, 2, 3, 4}
    assert {item["opacity"] for item in tiles} == {1.0}


def test_all_programs_end_and_nobody_says_in_which_order(scene):
    at = {content["at"]["query_tile"]: content["at"]["key_tile"] for content in contents(scene, "parallel")
          if content["stage"] == "accumulator"}
    assert at == {0: 0, 1: 1, 2: 2}
    assert [item["text"] for item in visible(scene, "parallel", "text")].count("done") == len(at)
    assert any("no order" in item["text"] for item in visible(scene, "parallel", "text"))


def test_the_lesson_s_figures_are_on_screen(scene):
    figures = numbers(scene, "traffic_large")
    assert [figures[f"bytes_moved_mib[setting=1, way={way}]"] for way in (0, 1)] == ["516", "130"]
    assert [figures[f"bytes_held_mib[setting=1, way={way}]"] for way in (0, 1)] == ["128", "0"]
    assert figures["query_count[setting=1]"] == "8192"
    signs = [item["sign"] for beat in ("traffic_here", "traffic_large") for item in visible(scene, beat, "relation")]
    assert signs == ["="] * 4


@pytest.mark.parametrize("beat", ["traffic_here", "traffic_large"])
def test_bars_of_bytes_have_one_scale_and_one_zero_line(scene, beat):
    bars = visible(scene, beat, "bars")
    assert len(bars) == 3
    for key in ("unit", "zero"):
        assert [item[key] for item in bars] == pytest.approx([bars[0][key]] * 3), key


def test_the_end_says_what_ran_and_how_far_it_is_from_torch(scene):
    about = scene.bundle["tiled"].provenance
    ran = scene.words.text["stand_in" if about["stand_in"] else "interpreted" if about["interpreted"] else "compiled"]
    assert " ".join(ran.split()) in {" ".join(item["text"].split()) for item in visible(scene, "same", "text")}
    assert {"output", "theirs"} <= stages(scene, "same")
    assert numbers(scene, "same")["max_abs_difference"].endswith("e-07")


@pytest.mark.parametrize(("case", "frame", "tokens"), [
    ("cross", "16:9", ()), pytest.param("trained", "9:16", (), marks=pytest.mark.slow),
    *(pytest.param(case, frame, (), marks=pytest.mark.slow)
      for case in ("cross", "lesson", "random") for frame in ("9:16", "1:1")),
    *(pytest.param(*choice, marks=pytest.mark.slow) for choice in (
        ("lesson", "16:9", ()), ("random", "16:9", ()), ("trained", "16:9", ("a", "dog", "waits")),
        ("trained", "1:1", ()))),
])
def test_it_plays_with_every_case_and_in_every_frame(case, frame, tokens):
    scene = played("tiled", case=case, frame=frame, tokens=tokens)
    assert {"tile_exp", "running_max", "rescale", "accumulator"} <= stages(scene, "next_tile")
    digits = [item["em"] for item in visible(scene, "next_tile", "grid") if item["content"]["stage"] in STEP]
    assert all(digits) or (case, frame) not in {("trained", "1:1"), ("trained", "9:16")}


@pytest.mark.parametrize(("words", "frame"), [
    *(pytest.param(words, "16:9", marks=pytest.mark.slow) for words in (9, 40, 64)),
    pytest.param(64, "9:16", marks=pytest.mark.slow), pytest.param(64, "1:1", marks=pytest.mark.slow),
    pytest.param(13, "16:9", marks=pytest.mark.slow),
])
def test_many_words_are_cut_into_few_tiles_and_take_no_longer(words, frame):
    scene = played("tiled", case="random", frame=frame, tokens=tuple(f"w{place}" for place in range(words)))
    assert scene.renderer.time <= 120
    assert {item["kind"] for item in visible(scene, "tiles", "tile")} >= {0, 1, 2, 4}  # 3: cut and at the end, too
    shortened = [item["text"] for item in visible(scene, "parallel", "text")].count("…")
    assert shortened == 3 or (words < 40 and shortened < 3)


def test_where_words_are_thinned_out_the_line_that_says_so_stays_in_the_small_memory():
    region = Region(0.0, 0.0, 6.0, 3.6)
    sizes = {"row": 24, "column": 24, "head_dim": 4, "value_dim": 4}
    bench = Bench.fitting(region, sizes, ["w1"], DARK)
    told = text.width_of("every 4th word") * DARK.minimum_size * PIXEL
    assert bench.at["query"][0] - 2 * bench.cell[0] - told >= region.left


def test_too_few_words_are_refused_in_one_line():
    with pytest.raises(InputError, match="2 queries and 2 keys cannot be cut into tiles that can be followed: give 3"):
        played("tiled", tokens=("a", "dog"))
