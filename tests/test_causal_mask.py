"""The causal mask's scene: which stages its beats show, in which order, and the mobjects that it brought along."""

from __future__ import annotations

from typing import Any

import manim
import pytest

from attnviz import cases
from attnviz.errors import InputError
from attnviz.layout import FRAMES, Region, layout_for
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.next_words import NextWords
from attnviz.mobjects.pair import Pair
from attnviz.scene import LessonScene
from attnviz.theme import DARK
from tests.playing import own, played

pytestmark = pytest.mark.xdist_group("causal_mask")  # plays the scene once with those of test_scenes

WHOLE = layout_for("16:9").region("whole")


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return own("causal_mask")


def visible(scene: LessonScene, beat: str) -> list[dict[str, Any]]:
    return next(one.visible for one in scene.beats if one.id == beat)


def shown(scene: LessonScene, beat: str) -> list[str]:
    """The grids at a beat's end, by record and stage."""
    return sorted(f"{item['content']['record']}.{item['content']['stage']}" for item in visible(scene, beat)
                  if item["type"] == "grid")


@pytest.mark.parametrize(("beat", "wanted"), [
    ("next_word", []), ("all_scores", ["sdpa.scores"]), ("minus_infinity", ["sdpa.masked_scores"]),
    ("exact_zeros", ["row_sums.zeroed_sum", "sdpa.attn_weights"]),
    ("too_late", ["zeroed.zeroed_sum", "zeroed.zeroed_weights"]), ("staircase", ["sdpa.attn_weights"]),
    ("two_corners", ["bottom_right.attn_weights", "top_left.attn_weights"]),
    ("padding", ["padded.attn_weights", "padded.output"]), ("polarity", ["flipped.attn_weights", "flipped.mask"]),
    ("cached", ["sdpa.output", "shorter.output"])])
def test_each_beat_ends_with_the_stages_it_is_about(scene, beat, wanted):
    assert shown(scene, beat) == wanted


def strings(scene: LessonScene, beat: str, record: str, stage: str) -> list[list[str]]:
    [content] = [item["content"] for item in visible(scene, beat) if item["type"] == "grid"
                 and (item["content"]["record"], item["content"]["stage"]) == (record, stage)]
    return content["strings"]


def test_minus_infinity_before_the_softmax_and_nothing_after_it(scene):
    before = strings(scene, "minus_infinity", "sdpa", "masked_scores")
    after = strings(scene, "exact_zeros", "sdpa", "attn_weights")
    for row in range(8):
        assert set(before[row][row + 1:]) <= {"−∞"} and "−∞" not in before[row][: row + 1]
        assert set(after[row][row + 1:]) <= {"0.00"}
    assert strings(scene, "exact_zeros", "row_sums", "zeroed_sum") == [["1.00"]] * 8
    assert [float(one) < 1 for [one] in strings(scene, "too_late", "zeroed", "zeroed_sum")] == [True] * 7 + [False]


def test_both_alignments_and_the_convention_are_named(scene):
    said = {item["text"] for item in visible(scene, "two_corners") if item["type"] == "text"}
    assert {"top-left", "bottom-right"} <= said
    assert "a convention" in {item["text"] for item in visible(scene, "padding") if item["type"] == "text"}
    assert "convention" in next(beat.caption for beat in scene.beats if beat.id == "padding")


def test_the_two_texts_stand_on_their_own_side_of_the_softmax(scene):
    texts = {beat.id: " ".join(item["text"] for item in beat.visible if item["type"] == "text")
             for beat in scene.beats}
    assert "score minus infinity" in texts["minus_infinity"] and "weight zero" not in texts["minus_infinity"]
    assert "weight zero" in texts["exact_zeros"] and "minus infinity" not in texts["exact_zeros"]


def test_the_rows_of_the_past_are_written_alike_with_a_word_more(scene):
    before = strings(scene, "cached", "shorter", "output")
    assert strings(scene, "cached", "sdpa", "output")[:7] == before


def test_labels_are_the_words_of_each_record(scene):
    left = [[label["token"] for label in item["labels"]] for item in visible(scene, "two_corners")
            if item["type"] == "labels" and item["side"] == "left"]
    assert left == [["sits", "on", "the"]] * 2


@pytest.mark.parametrize("choice", [{"case": "lesson"}, {"case": "random"}, {"tokens": ("a", "dog", "waits")},
                                    {"frame": "9:16", "theme": "light"}, {"frame": "1:1", "case": "lesson"}])
def test_it_plays_with_every_case_that_has_a_sentence(choice):
    assert len(played("causal_mask", **choice).beats) == 10


def test_a_case_without_a_sentence_is_refused_with_a_remedy():
    with pytest.raises(InputError, match="choose trained, lesson or random"):
        played("causal_mask", case="cross")


# --- the staircase of words


@pytest.mark.parametrize("frame", FRAMES)
def test_each_line_has_a_word_more_and_asks_for_the_next(frame):
    tokens = cases.load("trained").query_tokens
    words = NextWords(tokens, layout_for(frame).region("whole"), DARK)
    said = [[word.text for word in line] for line in words.lines]
    assert said == [list(tokens[:count]) for count in range(1, 8)]
    assert [answer.text for answer in words.answers] == list(tokens[1:])
    for line, question, answer in zip(words.lines, words.questions, words.answers, strict=True):
        assert question.get_left()[0] > line.get_right()[0]
        assert answer.get_center() == pytest.approx(question.get_center(), abs=0.2)
        assert answer.width < question.width


def test_too_many_words_for_a_frame_are_refused():
    with pytest.raises(InputError, match=r"40 words cannot be read.*fewer"):
        NextWords(["because"] * 40, WHOLE, DARK)


# --- pairs of maps


def pair(region: Region, names: tuple[str, str], stage: str) -> Pair:
    bundle = cases.load("trained").bundle(is_causal=True, names=("sdpa", *names))
    tensors = [bundle[name][stage].sel(batch=0, head=1) for name in names]
    tokens = [{"row_tokens": bundle[name].provenance["query_tokens"],
               "column_tokens": bundle[name].provenance["key_tokens"]} for name in names]
    return Pair(tensors, tokens, [["before"], ["after", "a quieter line"]], region, DARK)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("names", "stage"), [(("shorter", "sdpa"), "output"),
                                              (("top_left", "bottom_right"), "masked_scores")])
def test_a_pair_stands_level_or_one_below_the_other_in_one_scale(names, stage, frame):
    region = layout_for(frame).region("whole")
    both = pair(region, names, stage)
    left, right = both.left.grid, both.right.grid
    assert left.scale_used == right.scale_used and left.pitch == pytest.approx(right.pitch)
    assert both.width <= region.width + 1e-6 and both.height <= region.height + 1e-6
    if frame == "9:16" and stage == "masked_scores":
        assert left.get_bottom()[1] > right.get_top()[1]
    else:
        assert left.get_top()[1] == pytest.approx(right.get_top()[1]) and left.get_right()[0] < right.get_left()[0]


def test_small_pairs_grow_and_their_names_keep_their_size_when_renamed():
    bundle = cases.load("lesson").bundle(is_causal=True, names=("sdpa",))
    scores, weights = (bundle["sdpa"][name].sel(batch=0, head=1) for name in ("masked_scores", "attn_weights"))
    tokens = {"row_tokens": ("a", "b", "c"), "column_tokens": ("a", "b", "c")}
    one = Pair([scores, scores], [tokens, tokens], [["one"], ["two"]], WHOLE, DARK).left.matrix
    assert one.grid.digit_size > DARK.number_size
    em, x = one.symbol.em, one.grid.get_x()
    one.rename(weights)
    assert one.symbol.em == pytest.approx(em) and one.symbol.get_x() == pytest.approx(x)


def test_a_name_beside_its_grid_stays_flush_left_when_renamed():
    bundle = cases.load("lesson").bundle(is_causal=True, names=("sdpa",))
    scores, weights = (bundle["sdpa"][name].sel(batch=0, head=1) for name in ("masked_scores", "attn_weights"))
    matrix = Matrix(Grid(scores, theme=DARK), DARK, symbol_side=manim.RIGHT)
    left = matrix.symbol.get_left()[0]
    matrix.rename(weights)
    assert matrix.symbol.get_left()[0] == pytest.approx(left)
