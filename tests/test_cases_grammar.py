"""The two small languages: what the training may rely on."""

from attnviz.cases import grammar


def test_the_default_sentence_begins_a_sentence_of_the_grammar() -> None:
    begun = [text for text in grammar.sentences() if text[:-1] == grammar.SENTENCE]
    assert begun == [(*grammar.SENTENCE, "purrs")]
    assert len(grammar.SENTENCE) <= 8


def test_every_sentence_is_there_once() -> None:
    assert len(set(grammar.sentences())) == len(grammar.sentences()) == 288


def test_only_the_noun_tells_what_it_does() -> None:
    possible: dict[tuple[str, ...], set[str]] = {}
    for text in grammar.sentences():
        if text[-2] == "it":
            possible.setdefault((text[0], *text[2:-1]), set()).add(text[-1])  # all but the noun
    assert all(actions == {"purrs", "barks", "sings", "quacks"} for actions in possible.values())


def test_every_german_word_renders_exactly_one_english_word() -> None:
    for pair in grammar.pairs():
        places = sorted(place for group in pair.german_of for place in group)
        assert places == list(range(len(pair.german))) == list(range(7))
        assert len(pair.german_of) == len(pair.english) == 4


def test_both_german_orders_hold_the_same_words_for_the_same_english() -> None:
    rendered: dict[tuple[str, ...], set[tuple[frozenset[str], ...]]] = {}
    for pair in grammar.pairs():
        groups = tuple(frozenset(pair.german[place] for place in group) for group in pair.german_of)
        rendered.setdefault(pair.english, set()).add(groups)
    assert len(rendered) == 192 and all(len(groups) == 1 for groups in rendered.values())


def test_the_shown_pair_is_one_of_the_pairs() -> None:
    assert any(pair.english == grammar.ENGLISH and pair.german == grammar.GERMAN for pair in grammar.pairs())


def test_a_vocabulary_holds_each_word_once_in_order() -> None:
    assert grammar.vocabulary([("b", "a"), ("a", "c")]) == ("a", "b", "c")
