"""Words: read from their file, filled from the records, refused when they cannot be read in time."""

from __future__ import annotations

import pytest

from attnviz import cases
from attnviz.errors import InputError
from attnviz.quoting import LONGEST_TOKEN
from attnviz.registry import SCENES
from attnviz.words import Words, fill_in, position

GOOD = """
title = "A scene"
[text]
row = "token {token[1]}"
[[beat]]
id = "one"
title = "First"
caption = "The weight is {attn_weights[q,0]}."
note = "Say {attn_weights[2, 0]} aloud."
[[beat]]
id = "two"
title = "Second"
caption = "Largest difference {max_abs_difference}."
kind = "question"
"""


def load(tmp_path, text):
    path = tmp_path / "scene.en.toml"
    path.write_text(text, encoding="utf-8")
    return Words.load(path)


def test_numbers_and_tokens_are_filled_from_what_the_scene_says_they_are(tmp_path):
    words = load(tmp_path, GOOD).filled(lambda name, coords: f"<{name} {'|'.join(coords)}>")
    assert words.beats[0].caption == "The weight is <attn_weights q|0>."
    assert words.beats[0].note == "Say <attn_weights 2|0> aloud."
    assert words.beats[1].caption == "Largest difference <max_abs_difference >."
    assert words.text["row"] == "token <token 1>"
    assert [beat.kind for beat in words.beats] == ["show", "question"]


@pytest.mark.parametrize(("change", "message"), [
    (("[[beat]]", "[[bat]]"), "at least one"),
    (('title = "A scene"', ""), "needs a title"),
    (('id = "two"', 'id = "one"'), "share an id"),
    (('kind = "question"', 'kind = "quiz"'), "'quiz' is none of show, question, answer"),
    (('title = "Second"', 'titel = "Second"'), "beat 2: needs id, title and caption"),
    (("[text]", "[text"), "scene.en.toml"),
])
def test_a_file_that_is_wrong_is_refused_in_one_line(tmp_path, change, message):
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path, GOOD.replace(*change))
    assert "\n" not in str(caught.value)


OTHERS = GOOD + """
[beat.when.random]
caption = "Random: {max_abs_difference}."
"""


def test_what_is_not_always_so_is_said_in_other_words(tmp_path):
    words = load(tmp_path, OTHERS)
    assert [beat.caption for beat in words.suited({"random"}).beats] == [words.beats[0].caption,
                                                                         "Random: {max_abs_difference}."]
    assert words.suited({"trained"}).beats[1].caption == words.beats[1].caption
    assert words.suited({"random"}).beats[1].title == "Second"


@pytest.mark.parametrize(("when", "message"), [('when = "random"', "when is 'random'; give a table"),
                                               ('when = {random = "so"}', r"when\.random may only have")])
def test_other_words_that_are_no_table_are_refused(tmp_path, when, message):
    with pytest.raises(InputError, match=message):
        load(tmp_path, GOOD + when)


def test_other_words_for_what_a_beat_does_not_say_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"beat two: when\.random may only have title, caption, note"):
        load(tmp_path, OTHERS.replace('caption = "Random', 'id = "Random'))


@pytest.mark.parametrize(("change", "message"), [
    (('title = "Second"', "title = 2"), r"words scene\.en\.toml, beat 2: title is 2; write it in quotes"),
    (('id = "two"', "id = [2]"), r"beat 2: id is \[2\]; write it in quotes"),
    (('caption = "Random: {max_abs_difference}."', "caption = 0.62"), r"when\.random: caption is 0\.62; write it"),
    (("[text]", "[text]\nshare = 0.5"), r"text: share is 0\.5; write it in quotes"),
    (("[text]", "[[text]]"), r"text is .*; make it a table, \[text\]"),
])
def test_what_is_no_text_is_refused(tmp_path, change, message):
    assert change[0] in OTHERS
    with pytest.raises(InputError, match=message):
        load(tmp_path, OTHERS.replace(*change))


def test_beats_that_are_no_list_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"beat is \{.*; write \[\[beat\]\] before each"):
        load(tmp_path, 'title = "A film"\n[beat]\nid = "one"')


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.en.toml")), ids=lambda path: path.name)
def test_captions_have_room_for_the_longest_tokens_that_they_quote(path):
    """Whatever the words of a case are, and in each situation: a user cannot shorten our captions."""
    words = Words.load(path)
    for situations in ({"trained"}, *({name} for beat in words.beats for name in beat.when)):
        words.suited(situations).filled(lambda name, coords: "w" * LONGEST_TOKEN if name.endswith("token") else "−0.00")


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.en.toml")), ids=lambda path: path.name)
def test_situations_that_words_name_are_some_that_a_scene_can_be_in(path):
    known = {*cases.names(), "nothing_skipped", "much_saved", "rough"}
    assert {name for beat in Words.load(path).beats for name in beat.when} <= known


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"absent\.en\.toml"):
        Words.load(tmp_path / "absent.en.toml")


def test_a_caption_too_long_to_read_is_refused_once_it_is_filled(tmp_path):
    words = load(tmp_path, GOOD)
    with pytest.raises(InputError, match="beat one: its caption has"):
        words.filled(lambda name, coords: "x" * 90)


def test_braces_that_are_no_field_stay_as_they_are():
    assert fill_in("a {} {1} {b c}", lambda name, coords: "?") == "a {} {1} {b c}"


def test_a_coordinate_is_a_number_or_a_name_that_the_scene_chose():
    assert position("2", {"q": 1}) == 2
    assert position("q", {"q": 1}) == 1
    for wrong in ("-1", "x", "1.5"):
        with pytest.raises(InputError, match="neither a number nor one of q"):
            position(wrong, {"q": 1})
