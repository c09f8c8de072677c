"""The causal mask's scene: which stages its beats show, in which order, and the mobjects that it brought along."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import manim
import pytest

from attnviz import cases, text
from attnviz.errors import CheckError, InputError
from attnviz.layout import FRAMES, Region, layout_for
from attnviz.mobjects.booleans import BooleanMask
from attnviz.mobjects.grid import Grid
from attnviz.mobjects.matrix import Matrix
from attnviz.mobjects.new_words import NewWords
from attnviz.mobjects.next_words import NextWords
from attnviz.mobjects.pair import Pair
from attnviz.mobjects.stages import stage_format
from attnviz.mobjects.staircase import Staircase
from attnviz.scene import LessonScene
from attnviz.text.typed import LINE_WIDTH
from attnviz.theme import DARK, PIXEL
from tests.acting import Staged, stage
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
    ("padding", ["padded.attn_weights", "padded.output"]),
    ("polarity", ["flipped.attn_weights", "right_way.attn_weights"]),
    ("cached", ["sdpa.key", "sdpa.value"])])
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


def test_a_sign_tells_rows_whose_digits_add_up_from_those_that_are_rounded(scene):
    for beat, record in (("exact_zeros", "sdpa"), ("too_late", "zeroed")):
        sums = [one for [one] in strings(scene, beat, "row_sums" if record == "sdpa" else record, "zeroed_sum")]
        rows = strings(scene, beat, record, "attn_weights" if record == "sdpa" else "zeroed_weights")
        signs = {item["lines"][0]["total"]: item["sign"] for item in visible(scene, beat)
                 if item["type"] == "relation" and item["operation"] == "sum"}
        added = {total: sum(map(Decimal, row)) for total, row in zip(sums, rows, strict=True)}
        assert len(sums) == 8 and set(signs) == set(sums)
        if record == "zeroed":
            assert signs == {total: "=" if added[total] == Decimal(total) else "≈" for total in sums}
            assert set(signs.values()) == {"=", "≈"}


def test_five_words_of_which_four_stand_under_a_mask_in_two_ways():
    """The sentence less its last word is as long as that of the boolean masks: the same map, not one without a mask."""
    scene = played("causal_mask", tokens=("the", "cat", "sits", "on", "the"))
    assert shown(scene, "cached") == ["sdpa.key", "sdpa.value"]


def test_a_row_that_lost_too_little_to_show_is_not_said_to_add_up_to_less():
    def said(**choices: Any) -> str:
        return " ".join(item["text"] for item in visible(played("causal_mask", **choices), "too_late")
                        if item["type"] == "text")

    choices = {"case": "random", "tokens": ("a", "b", "c")}
    assert "too little to show" in said(seed=208, **choices) and "too little" not in said(**choices)


@pytest.mark.slow
def test_no_sign_speaks_of_digits_that_are_not_drawn():
    scene = played("causal_mask", case="random", tokens=[f"w{place}" for place in range(20)])
    assert not [item for item in visible(scene, "too_late") if item["type"] == "relation"]


def test_both_alignments_and_the_convention_are_named(scene):
    said = {item["text"] for item in visible(scene, "two_corners") if item["type"] == "text"}
    assert {"top-left", "bottom-right"} <= said
    assert "a convention" in {item["text"] for item in visible(scene, "padding") if item["type"] == "text"}
    assert "convention" in next(beat.caption for beat in scene.beats if beat.id == "padding")


def test_cache_and_padding_are_not_named_before_they_are_explained(scene):
    said = {beat.id: " ".join([beat.title, beat.caption, *(item["text"] for item in beat.visible
                                                           if item["type"] == "text")]) for beat in scene.beats}
    assert "cache" not in said["two_corners"].lower() and "decoding" not in said["two_corners"].lower()
    assert "filler" in next(beat.caption for beat in scene.beats if beat.id == "padding")
    assert "<pad>: filler" in said["padding"]


def test_the_row_that_came_with_the_last_word_is_framed(scene):
    grids = [part for part in scene.mobjects for part in part.get_family() if isinstance(part, Grid)]
    assert {grid.cells.tensor.name for grid in grids} == {"key", "value"}
    for grid in grids:
        assert grid.cells.highlight[-1].all() and not grid.cells.highlight[:-1].any()


def test_the_mask_stands_by_itself_before_it_is_added(monkeypatch):
    told: list[set[str]] = []
    rest = LessonScene.wait

    def wait(scene: LessonScene, *args: Any, **kwargs: Any) -> None:
        if scene.beat_id == "minus_infinity":
            told.append({item.get("stage") or item["content"]["stage"] for item in scene._visible()
                         if item["type"] in ("grid", "name")})
        rest(scene, *args, **kwargs)

    monkeypatch.setattr(LessonScene, "wait", wait)
    played("causal_mask", tokens=("a", "dog", "waits"))
    assert told[0] == {"mask"} and told[1] == {"masked_scores"}


def test_the_staircase_ends_bright_up_to_each_words_own(scene):
    [grid] = [item for item in visible(scene, "staircase") if item["type"] == "grid"]
    for row, opacity in enumerate(grid["opacity"]):
        each = opacity if isinstance(opacity, list) else [opacity] * 8
        assert set(each[: row + 1]) == {1.0} and (row == 7 or max(each[row + 1:]) < 0.5)


def test_the_two_texts_stand_on_their_own_side_of_the_softmax(scene):
    texts = {beat.id: " ".join(item["text"] for item in beat.visible if item["type"] == "text")
             for beat in scene.beats}
    assert "minus infinity hides it" in texts["minus_infinity"] and "weight zero" not in texts["minus_infinity"]
    assert "weight zero" in texts["exact_zeros"] and "minus infinity" not in texts["exact_zeros"]


def test_the_rows_of_the_past_are_written_alike_with_a_word_more(scene):
    for name in ("output", "key", "value"):
        short, whole = (scene.tensor(name, record) for record in ("shorter", "sdpa"))
        fmt = stage_format(whole)
        written = [[[fmt.text(value) for value in row] for row in tensor.values] for tensor in (short, whole)]
        assert written[1][:7] == written[0]


def test_the_future_is_framed_and_the_past_dim_while_it_is_spoken_of(scene):
    [grid] = [item for item in visible(scene, "all_scores") if item["type"] == "grid"]
    for row, opacity in enumerate(grid["opacity"]):
        each = opacity if isinstance(opacity, list) else [opacity] * 8
        assert max(each[: row + 1]) < 0.5 and set(each[row + 1:]) <= {1.0}


def test_one_line_runs_around_the_future_and_leaves_with_it():
    grid = Grid(cases.load("trained").bundle(is_causal=True)["sdpa"]["scores"].sel(batch=0, head=0), theme=DARK)
    line = Staircase(grid, DARK)
    assert line.get_right()[0] == pytest.approx(grid.get_right()[0])
    assert line.get_top()[1] == pytest.approx(grid.get_top()[1])
    assert line.get_left()[0] == pytest.approx(grid.cell(0, 1).get_left()[0])
    assert line.get_bottom()[1] == pytest.approx(grid.cell(6, 7).get_bottom()[1])
    small = Staircase(grid.scale(0.1), DARK)
    assert small.stroke_width * LINE_WIDTH < 0.4 * min(grid.pitch) < line.stroke_width * LINE_WIDTH


MANY = tuple(f"w{place}" for place in range(64))


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [13, 40, 64])
def test_films_of_many_words_last_two_minutes_at_most(count, frame):
    scene = played("causal_mask", case="random", tokens=MANY[:count], frame=frame)
    assert len(scene.beats) == 10 and 45 <= scene.renderer.time <= 120


@pytest.mark.parametrize("size", [0.05, 0.08, 0.15, 0.4])
def test_a_name_in_the_corner_stands_above_the_lines_that_spare_words(size):
    scores = cases.load("trained").bundle(is_causal=True)["sdpa"]["scores"].sel(batch=0, head=0)
    matrix = Matrix(Grid(scores, theme=DARK, cell=size), DARK, row_tokens=MANY[:8], column_tokens=MANY[:8])
    matrix.symbol_to_corner(1.05)
    notices = [one.notice for one in matrix.labels if one.notice]
    assert len(notices) == (0 if size == 0.4 else 2)
    above = max(one.get_top()[1] for one in (matrix.grid, *notices))
    assert above < matrix.symbol.get_bottom()[1] < above + 0.2
    assert matrix.symbol.get_left()[0] == pytest.approx(matrix.grid.get_left()[0] - 1.05)


@pytest.mark.parametrize(("beat", "masked"), [("all_scores", True), ("too_late", False), ("staircase", True)])
def test_the_formula_has_the_mask_only_where_the_picture_has_it(scene, beat, masked):
    [formula] = [item["text"] for item in visible(scene, beat) if "softmax" in item.get("text", "")
                 and item["text"].startswith("part(")]
    assert ('part("mask"' in formula) is masked


def test_labels_are_the_words_of_each_record(scene):
    left = [[label["token"] for label in item["labels"]] for item in visible(scene, "two_corners")
            if item["type"] == "labels" and item["side"] == "left"]
    assert left == [["sits", "on", "the"]] * 2


@pytest.mark.parametrize("choice", [
    {"tokens": ("a", "dog", "waits")},
    *(pytest.param(choice, marks=pytest.mark.slow) for choice in (
        {"case": "lesson"}, {"case": "random"}, {"frame": "9:16", "theme": "light"},
        {"frame": "1:1", "case": "lesson"}))])
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


def test_of_many_words_the_first_stand_and_dots_say_that_it_goes_on():
    tokens = [f"word{place}" for place in range(64)]
    words = NextWords(tokens, WHOLE, DARK)
    said = [[word.text for word in line] for line in words.lines]
    count = len(said)
    assert 4 <= count < 63 and said[:-1] == [tokens[:place] for place in range(1, count)]
    assert said[-1] == [*tokens[:count], "…"] and len(words.answers) == len(words.questions) == count
    assert words.lines[-1][-1].get_top()[1] < words.lines[-1][0].get_bottom()[1]
    assert words.get_bottom()[1] >= WHOLE.y - WHOLE.height / 2 and words.width <= WHOLE.width


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [9, 24, 64])
def test_beginnings_of_a_cut_sentence_are_read_with_ease(count, frame):
    words = NextWords(MANY[:count], layout_for(frame).region("whole"), DARK)
    is_cut = len(words.lines) < count - 1
    assert words.lines[0][0].em >= (DARK.body_size if is_cut else DARK.minimum_size) * PIXEL - 1e-6


def test_words_too_long_for_a_frame_are_refused():
    with pytest.raises(InputError, match=r"40 words cannot be read.*shorter"):
        NextWords(["because" * 20] * 40, WHOLE, DARK)


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


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("count", [6, 8, 24, 64])
def test_words_below_a_map_of_many_rows_stand_whole(count, frame):
    values = cases.load("random", tokens=MANY[:count]).bundle(is_causal=True)["sdpa"]["key"].sel(batch=0, kv_head=0)
    tokens = {"row_tokens": MANY[:count], "column_tokens": MANY[:count]}
    said, region = ["keys", "one row more, the rest stays"], layout_for(frame).region("whole")
    both = Pair([values, values], [tokens, tokens], [said, said], region, DARK)
    for part in (both.left, both.right):
        assert [line.text for line in part.words] == said
        assert all(line.em >= DARK.small_size * PIXEL for line in part.words)
    assert both.width <= region.width + 1e-6 and both.height <= region.height + 1e-6
    assert both.left.words.get_right()[0] < both.right.words.get_left()[0]


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


def test_labels_of_the_second_map_keep_clear_of_the_first():
    both = pair(layout_for("1:1").region("whole"), ("top_left", "bottom_right"), "attn_weights")
    assert both.left.grid.get_right()[0] < both.right.matrix.get_left()[0] - 0.4
    assert both.left.words.get_right()[0] < both.right.words.get_left()[0] - 0.2


def test_headings_below_a_pair_are_level_where_one_has_more_lines():
    said = [["one"], ["two", "a quieter line", "and another"]]
    for words in (said, said[::-1]):
        bundle = cases.load("lesson").bundle(is_causal=True, names=("sdpa",))
        scores = bundle["sdpa"]["scores"].sel(batch=0, head=1)
        tokens = {"row_tokens": ("a", "b", "c"), "column_tokens": ("a", "b", "c")}
        both = Pair([scores, scores], [tokens, tokens], words, WHOLE, DARK)
        assert both.left.words.get_top()[1] == pytest.approx(both.right.words.get_top()[1])
        assert both.left.words.get_top()[1] < both.left.grid.get_bottom()[1]


# --- words that were there before, and new ones


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("tokens", "count"), [(("the", "cat", "sits", "on", "the"), 3), (("because" * 4,) * 3, 2)])
def test_known_words_stand_before_the_new_ones_that_ask(frame, tokens, count):
    region = layout_for(frame).region("whole")
    words = NewWords(tokens, count, ("earlier words: their keys were kept", "new words: only these ask"), region, DARK)
    assert [len(words.known[1]), len(words.new[1])] == [len(tokens) - count, count]
    assert words.known.get_right()[0] < words.new.get_left()[0] and words.width <= region.width + 1e-6
    assert all(line.em >= DARK.small_size * PIXEL for line in (words.known[2], words.new[2]))
    roles = [str(card[1][0][0].get_fill_color()).lower() for card in (words.known, words.new)]
    assert roles == [DARK.role("key"), DARK.role("query")]


# --- a boolean mask in words


def boolean(record: str, stage: str = "mask") -> BooleanMask:
    bundle = cases.load("trained").bundle(is_causal=True, names=("sdpa", "right_way", "flipped"))
    tensors = [bundle[record][name].sel(batch=0, head=1) for name in ("attn_weights", stage)]
    tokens = ("the", "cat", "sits", "on")
    matrix = Matrix(Grid(tensors[0], theme=DARK), DARK, row_tokens=tokens, column_tokens=tokens)
    return BooleanMask(tensors[1], matrix, DARK)


@pytest.mark.parametrize(("record", "rows", "empty"), [
    ("right_way", ["TFFF", "TTFF", "TTTF", "TTTT"], ()), ("flipped", ["FTTT", "FFTT", "FFFT", "FFFF"], (3,))])
def test_true_stands_where_a_query_may_attend(record, rows, empty):
    mask = boolean(record)
    assert ["".join(word.text[0] for _, word in row) for row in mask.rows] == rows
    assert mask.empty == empty
    first, last = mask.rows[0][0].get_center(), mask.rows[-1][-1].get_center()
    assert first[0] < last[0] and first[1] > last[1], "queries are rows, keys are columns"


def test_what_is_neither_true_nor_false_is_refused():
    with pytest.raises(InputError, match="neither True nor False"):
        boolean("right_way", "scores")


def test_keys_and_values_have_the_words_of_keys_in_their_own_colours():
    bundle = cases.load("trained").bundle(is_causal=True, names=("sdpa",))
    tensors = [bundle["sdpa"][name].sel(batch=0, kv_head=1) for name in ("key", "value")]
    tokens = {"row_tokens": ("q",) * 8, "column_tokens": tuple("abcdefgh")}
    pair = Pair(tensors, [tokens, tokens], [["keys"], ["values"]], WHOLE, DARK)
    for part, role in ((pair.left, "key"), (pair.right, "value")):
        [labels] = part.matrix.labels
        assert labels.tokens == list("abcdefgh")
        assert str(labels.labels[0][0].get_fill_color()).lower() == DARK.role(role)


def words_lie(change: Callable[[BooleanMask], None]) -> None:
    """Play a scene that shows a mask in words, which are not those of its record."""
    record = cases.load("trained").bundle(is_causal=True, names=("sdpa", "flipped"))["flipped"]

    def act(scene: Staged) -> None:
        tensors = [record[name].sel(batch=0, head=1) for name in ("attn_weights", "mask")]
        mask = BooleanMask(tensors[1], Matrix(Grid(tensors[0], theme=DARK), DARK), DARK)
        change(mask)
        scene.reveal(mask)

    stage(act, records={"flipped": record})


def exchange(mask: BooleanMask) -> None:
    card, false = mask.rows[0][0]
    mask.rows[0][0].remove(false)
    mask.rows[0][0].add(text.line("True").move_to(card))


def test_the_audit_reads_true_and_false():
    words_lie(lambda mask: None)
    with pytest.raises(CheckError, match=r"mask\[.*query_pos=0, key_pos=0\] says True, the record means False"):
        words_lie(exchange)


def test_weights_of_a_mask_that_was_shown_in_words_know_it_and_others_do_not():
    bundle = cases.load("lesson").bundle(is_causal=True, names=("sdpa", "right_way", "flipped"))

    def act(scene: Staged, name: str) -> None:
        mask, weights, other = (bundle[record][stage].sel(batch=0, head=1) for record, stage in (
            ("flipped", "mask"), ("flipped", "attn_weights"), (name, "attn_weights")))
        grid = Grid(other, theme=DARK)
        words = BooleanMask(mask, Matrix(Grid(weights, theme=DARK), DARK), DARK)
        scene.reveal(words)
        scene.play(manim.FadeOut(words))
        scene.reveal(grid)

    records = {name: bundle[name] for name in ("right_way", "flipped")}
    stage(lambda scene: act(scene, "flipped"), case="lesson", records=records)
    with pytest.raises(CheckError, match="shown after the mask of flipped, but knows nothing of it"):
        stage(lambda scene: act(scene, "right_way"), case="lesson", records=records)
