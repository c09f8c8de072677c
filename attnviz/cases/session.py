"""Python itself as the dictionary: lines that are run as at Python's prompt, each with what Python answers.

A film shows these lines and these answers, so that its hard lookup is one that took place. The lines are built from
the grammar's words, never taken from outside. Nothing of tensors is known here.
"""

import code
import sys
import traceback
from collections.abc import Sequence
from types import CodeType
from typing import Any

from attnviz.cases import grammar

KEPT = ("dog", "cat", "bird")  # the nouns that the dictionary of the lesson has
HIT, NEAR_MISS = "cat", "kitten"


class Prompt(code.InteractiveInterpreter):
    """Runs one line after the other in names of its own, and keeps what each answers: a value's repr, or an error."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.said: list[str] = []
        super().__init__(self.names)

    def ask(self, line: str) -> str:
        """The answer to one line, as the prompt shows it; the last line of it where it is a traceback."""
        self.said = []
        if self.runsource(line):
            self.said.append("...")  # what the prompt answers to a line that is not over
        return self.said[-1] if self.said else ""

    def runcode(self, code: CodeType) -> None:
        """As at the prompt, but what is displayed is kept, and not printed."""
        before, sys.displayhook = sys.displayhook, self._display
        try:
            super().runcode(code)
        finally:
            sys.displayhook = before

    def showtraceback(self) -> None:
        """Keep the last line of what was raised."""
        self._keep(sys.exc_info()[1])

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """Keep the last line of what is wrong with the line itself."""
        self._keep(sys.exc_info()[1])

    def _display(self, value: object) -> None:
        if value is not None:
            self.said.append(repr(value))

    def _keep(self, error: BaseException | None) -> None:
        self.said.append("".join(traceback.format_exception_only(error)).strip().splitlines()[-1])


def lookups(asked: Sequence[str] = (HIT, NEAR_MISS)) -> dict[str, object]:
    """A dictionary made at the prompt, and what it answers to the words asked for.

    `made` is the line that makes it, `holds` its keys and values in order, and `answers` has for each word the word,
    the line, and Python's answer.
    """
    kept = {noun: grammar.NOUNS[noun][1] for noun in KEPT}
    prompt, made = Prompt(), "does = {" + ", ".join(f'"{noun}": "{does}"' for noun, does in kept.items()) + "}"
    prompt.ask(made)
    lines = [(word, f'does["{word}"]') for word in asked]
    holds = [list(pair) for pair in prompt.names["does"].items()]
    return {"made": made, "holds": holds, "answers": [[word, line, prompt.ask(line)] for word, line in lines]}
