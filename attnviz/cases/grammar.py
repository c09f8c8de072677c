"""The two tiny languages that the shipped weights were trained on: sentences, and a word alignment.

Here live word lists and the sentences they make. Nothing here knows of tensors or of training.
"""

from itertools import product
from typing import NamedTuple

VERSION = 1  # goes into the weights' metadata: raise it when a sentence changes

# noun -> the pronoun that stands for it, and what only this noun does
NOUNS = {
    "cat": ("it", "purrs"),
    "dog": ("it", "barks"),
    "bird": ("it", "sings"),
    "duck": ("it", "quacks"),
    "boy": ("he", "laughs"),
    "girl": ("she", "dances"),
}
VERBS = {"sits": "because", "waits": "because", "sleeps": "while", "hides": "while"}
PLACES = {"on": ("mat", "roof"), "under": ("bed", "tree"), "by": ("pond", "door")}
DETERMINERS = ("the", "a")

SENTENCE = ("the", "cat", "sits", "on", "the", "mat", "because", "it")


def sentences() -> list[tuple[str, ...]]:
    """All 288 sentences of nine words, "the cat sits on the mat because it purrs" among them."""
    return [
        (det, noun, verb, preposition, det, place, VERBS[verb], *NOUNS[noun])
        for det, noun, verb, preposition in product(DETERMINERS, NOUNS, VERBS, PLACES)
        for place in PLACES[preposition]
    ]


class Pair(NamedTuple):
    """An English and a German sentence; `german_of[i]` are the German positions that render English word i."""

    english: tuple[str, ...]
    german: tuple[str, ...]
    german_of: tuple[tuple[int, ...], ...]


PRONOUNS = {
    "we": ("wir", "haben", "uns"),
    "I": ("ich", "habe", "mir"),
    "you": ("du", "hast", "dir"),
    "they": ("sie", "haben", "sich"),
}
PARTICIPLES = {"bought": "gekauft", "cooked": "gekocht", "ordered": "bestellt", "picked": "gepflückt"}
AMOUNTS = {"some": ("ein", "paar"), "few": ("nur", "wenige"), "many": ("sehr", "viele")}
THINGS = {"apples": "Äpfel", "pears": "Birnen", "plums": "Pflaumen", "beans": "Bohnen"}

ENGLISH = ("we", "bought", "some", "apples")
GERMAN = ("wir", "haben", "uns", "ein", "paar", "Äpfel", "gekauft")


def pairs() -> list[Pair]:
    """All 384 pairs: each English sentence with both German word orders, subject first and object first."""
    return [_pair(*words, object_first) for words in product(PRONOUNS, PARTICIPLES, AMOUNTS, THINGS)
            for object_first in (False, True)]  # fmt: skip


def _pair(pronoun: str, verb: str, amount: str, thing: str, object_first: bool) -> Pair:
    subject, auxiliary, reflexive = PRONOUNS[pronoun]
    noun_phrase = (*AMOUNTS[amount], THINGS[thing])
    if object_first:
        german = (*noun_phrase, auxiliary, subject, reflexive, PARTICIPLES[verb])
        german_of = ((4, 5), (3, 6), (0, 1), (2,))
    else:
        german = (subject, auxiliary, reflexive, *noun_phrase, PARTICIPLES[verb])
        german_of = ((0, 2), (1, 6), (3, 4), (5,))
    return Pair((pronoun, verb, amount, thing), german, german_of)


def vocabulary(texts: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Each word of `texts` once, in alphabetical order: a word's place is its row in the embedding."""
    return tuple(sorted({word for text in texts for word in text}))
