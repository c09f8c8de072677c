"""Cross-attention's scene: two sentences of two lengths, whose words label what, and which cases it can be about."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from attnviz.errors import InputError
from attnviz.layout import FRAMES
from attnviz.scene import LessonScene
from tests.playing import own, played
from tests.shown import digits, grids, items, names, shapes, texts, wrong_labels, wrong_numbers

pytestmark = pytest.mark.xdist_group("cross_attention")  # plays the scene once with those of test_scenes

ENGLISH = ["we", "bought", "some", "apples"]
GERMAN = ["wir", "haben", "uns", "ein", "paar", "Äpfel", "gekauft"]
BLEND = ["attn_weights", "output", "value"]


@pytest.fixture(scope="module")
def scene() -> LessonScene:
    return own("cross_attention")


@pytest.mark.parametrize(("beat", "stages", "named"), [
    ("one_sentence", [], []), ("two_sentences", [], []),
    ("inputs", ["key", "query", "value"], ["key", "query", "value"]),
    ("scores", ["dot_products", "key", "query"], ["dot_products", "keyᵀ", "query"]),
    ("weights", ["attn_weights", "key", "query"], ["attn_weights", "keyᵀ", "query"]), ("one_word", [], []),
    ("output", BLEND, BLEND), ("shapes", BLEND, BLEND), ("check", [], [])])
def test_each_beat_ends_with_the_stages_it_is_about_and_their_names(scene, beat, stages, named):
    assert grids(scene, beat) == stages
    assert names(scene, beat) == named


def test_every_number_is_that_of_the_record(scene):
    assert wrong_numbers(scene) == []


def test_rows_are_labelled_by_the_queries_words_and_columns_by_the_keys_words(scene):
    assert wrong_labels(scene) == []
    labels = {beat.id: sorted((item["side"], item["axis"], [label["shown"] for label in item["labels"]])
                              for item in items(scene, beat.id, "labels")) for beat in scene.beats}
    asking, answering = ("left", "query_pos", ENGLISH), ("left", "key_pos", GERMAN)
    above = ("top", "key_pos", GERMAN)
    assert labels["inputs"] == [answering, answering, asking]
    assert labels["scores"] == labels["weights"] == [asking, above]
    assert labels["output"] == labels["shapes"] == [answering, asking, above]


def test_the_table_is_the_formula_of_two_lengths(scene):
    """What is written on screen, against attention worked out here from the case, by torch in float64."""
    data = scene.data
    query, key, value = (part[0, 0].double() for part in (data.query, data.key, data.value))
    dots = query @ key.T
    weights = torch.softmax(dots / query.shape[1] ** 0.5, dim=1)
    assert weights.shape == (len(ENGLISH), len(GERMAN))
    for beat, stage, wanted in (("scores", "dot_products", dots), ("weights", "attn_weights", weights),
                                ("output", "attn_weights", weights), ("output", "output", weights @ value),
                                ("scores", "key", key.T), ("inputs", "key", key)):
        np.testing.assert_allclose(digits(scene, beat, stage), wanted.numpy(), atol=0.0051)


def test_all_arrows_are_from_one_sentence_then_two_of_them_from_another(scene):
    one, two = texts(scene, "one_sentence"), texts(scene, "two_sentences")
    assert " ".join(ENGLISH) in one and " ".join(GERMAN) not in one
    assert {" ".join(ENGLISH), " ".join(GERMAN), "Q", "K", "V", "asks", "is matched", "passes on"} <= two
    picture = scene.sources
    upper, lower = picture.asking.get_y(), picture.answering.get_y()
    middle = picture.boxes.get_y()
    assert upper > middle > lower
    assert all(arrow.get_start()[1] > middle for arrow in picture.arrows) and len(picture.arrows) == 3
    assert all(arrow.get_start()[1] < middle for arrow in picture.others) and len(picture.others) == 2


def test_the_shapes_written_are_those_of_the_tensors(scene):
    data = scene.data
    query, key, value = (tuple(part.shape[2:]) for part in (data.query, data.key, data.value))
    assert shapes(scene, "inputs") == [query, key, value] == [(4, 4), (7, 4), (7, 4)]
    for written, grid in zip(sorted(items(scene, "inputs", "literal"), key=lambda one: one["center"][0]),
                             sorted(items(scene, "inputs", "grid"), key=lambda one: one["origin"][0]), strict=True):
        middle = grid["origin"][0] + grid["content"]["shape"][1] * grid["pitch"][0] / 2
        assert written["center"][0] == pytest.approx(middle, abs=0.02)
    assert shapes(scene, "shapes") == [(query[0], key[0]), value, (query[0], value[1])]


def test_one_word_shares_out_its_row_by_lines_to_every_answering_word(scene):
    row = scene.tensor("attn_weights").values[scene.data.worked_query]
    numbers = items(scene, "one_word", "number")
    assert [float(one["text"]) for one in numbers] == pytest.approx(row.tolist(), abs=0.0051)
    assert len(items(scene, "one_word", "strand")) == len(GERMAN) and {"bought", *GERMAN} <= texts(scene, "one_word")
    assert f"“bought” looks at “{GERMAN[int(row.argmax())]}” most" in caption(scene, "one_word")


def caption(scene: LessonScene, beat: str) -> str:
    return next(one.caption for one in scene.beats if one.id == beat)


def test_the_difference_from_torchs_own_attention_is_shown_and_said(scene):
    """As large as torch's own function says, on the case's tensors."""
    data = scene.data
    theirs = torch.nn.functional.scaled_dot_product_attention(data.query, data.key, data.value)
    [number] = items(scene, "check", "number")
    assert number["text"].replace("−", "-") in caption(scene, "check").replace("−", "-")
    np.testing.assert_allclose(digits(scene, "output", "output"), theirs[0, 0].numpy(), atol=0.0051)
    assert 0 <= float(number["text"].replace("−", "-")) < 1e-5


def test_nothing_is_masked_and_no_note_counts_the_words_of_another_sentence(scene):
    assert not np.isneginf(scene.bundle["sdpa"].arrays["mask"]).any()
    said = " ".join(beat.caption + beat.note for beat in scene.beats).lower().split()
    assert not {"three", "four", "five", "six", "seven", "eight"} & {*said}


TRANSLATION = "the German translation, word for word: we have us a few apples bought"
GLOSS = "in English, word for word: we have us a few apples bought"


def test_what_the_german_words_mean_is_said_and_that_they_translate_only_of_the_sentence_they_do(scene):
    for beat in ("two_sentences", "one_word"):
        assert TRANSLATION in texts(scene, beat)
    other = played("cross_attention", tokens=("they", "picked", "many", "plums"))
    for beat in ("two_sentences", "one_word"):
        assert GLOSS in texts(other, beat) and TRANSLATION not in texts(other, beat)
    told, spoken = TRANSLATION.rpartition(": ")[2].split(), scene.words.text["glossed"].split()
    assert len(told) == len(spoken) and tuple(spoken) == scene.data.key_tokens


def test_the_film_ends_with_both_sentences_and_what_comes_of_each(scene):
    assert {" ".join(ENGLISH), " ".join(GERMAN), "Q", "K", "V"} <= texts(scene, "check")
    last = scene.beats[-1]
    assert last.end - last.last_change >= scene.theme.read


def test_a_shorter_sentence_asks_with_its_own_words_and_shapes():
    scene = played("cross_attention", tokens=("we", "bought", "apples"))
    assert wrong_numbers(scene) == [] and wrong_labels(scene) == []
    assert shapes(scene, "inputs") == [(3, 4), (7, 4), (7, 4)] and shapes(scene, "shapes") == [(3, 7), (7, 4), (3, 4)]
    assert "we bought apples" in texts(scene, "one_sentence") and "some" not in texts(scene, "weights")
    assert np.allclose(scene.tensor("attn_weights").values.sum(axis=1), 1)


@pytest.mark.parametrize(("case", "why"), [
    ("trained", "is self-attention, of one sentence"), ("lesson", "is self-attention, of one sentence"),
    ("random", "has no sentences")])
def test_a_case_of_one_sentence_or_of_none_is_refused_with_a_remedy(case, why):
    with pytest.raises(InputError, match=rf"^case '{case}' {why}.*as in the case 'cross'$") as said:
        played("cross_attention", case=case)
    assert "\n" not in str(said.value)


@pytest.mark.slow
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("tokens", [(), ("we",), ("we", "bought", "apples")], ids=" ".join)
def test_it_plays_in_every_frame_with_one_word_or_more(tokens, frame):
    scene = played("cross_attention", tokens=tokens, frame=frame, theme="light")
    assert len(scene.beats) == 9 and wrong_numbers(scene) == [] and wrong_labels(scene) == []
