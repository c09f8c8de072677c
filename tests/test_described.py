"""What a picture shows, told in words."""

from attnviz.player.described import described, numbers

SCORE = {"contents": [{"stage": "scores", "shape": [1, 3]}]}
GRID = {"type": "grid", "content": 0}
TITLE = {"type": "text", "text": "One row of scores"}
RELATION = {"type": "relation", "operation": "sum", "sign": "≈",
            "lines": [{"terms": ["0.10", "−0.25"], "total": "−0.15"}]}  # fmt: skip


def beat(*visible):
    return {"title": "One row of scores", "caption": "A row.", "visible": list(visible)}


def test_what_is_there_is_told_without_the_title_that_is_said_anyway():
    told = described(beat(TITLE, GRID), {}, SCORE)
    assert told == ["In the picture: scaled scores as a grid of 1 row and 3 columns."]


def test_what_came_and_what_left_is_told():
    words = {"type": "text", "text": "what “cat” takes"}
    assert described(beat(words), beat(GRID), SCORE) == [
        "New in the picture: the words: what “cat” takes.",
        "No longer there: scaled scores as a grid of 1 row and 3 columns."]


def test_sums_are_told_as_they_are_shown():
    assert numbers(beat(RELATION)) == ["0.10 + (−0.25) ≈ −0.15"]
    number = {"type": "number", "text": "0.62", "address": "attn_weights[query_pos=0]", "opacity": 1.0}
    assert numbers(beat(number)) == ["attention weights: 0.62"]
    assert numbers(beat({**number, "opacity": 0.3})) == []  # dimmed: the beat does not speak of it
