"""Writes docs/cases.md: `python -m attnviz.cases.page > docs/cases.md`. A test fails when the page has drifted.

Here live the page's words; its numbers come from the cases' records and are written by `attnviz.numbers`.
"""

from attnviz import cases
from attnviz.cases import grammar, train
from attnviz.numbers import format_for
from attnviz.trace import NamedTensor

HEAD = """# The cases

A case is a named input: words, the tensors Q, K and V that belong to them, and what to draw of them. This page is
written by `python -m attnviz.cases.page`; the tests compare it with the code, so its numbers cannot drift.

| case | shows | heads | queries × keys | causal | drawn head | worked row |
|---|---|---|---|---|---|---|
"""

GRAMMAR = """
## The sentences

`trained` and `lesson` were trained on the {count} sentences of a grammar (version {version}) in which, from the second
DET on, the right word depends on an earlier one:

    DET NOUN VERB PREPOSITION DET PLACE CONJUNCTION PRONOUN ACTION
    the cat  sits on          the mat   because     it      purrs

- DET is {determiners}, the same twice, so the preposition's row has to look at the first word.
- NOUN decides PRONOUN and ACTION: {nouns}.
  “it” stands for four of them, so its row has to find the noun; “he” and “she” give their noun away.
- VERB decides the CONJUNCTION, which the place's row has to look up: {conjunctions}.
- PREPOSITION decides which PLACE may follow: {places}.

`cross` was trained on {pairs} English-German pairs of 4 and 7 words, in two German word orders
(“{german}” and “ein paar Äpfel haben wir uns gekauft”).
“we” is rendered by “wir” and “uns”, “bought” by “haben” and “gekauft”, “some” by “ein” and “paar”.

## The training

`python -m attnviz.cases.train` (a few seconds on one core) writes `attnviz/cases/weights.safetensors`; on one machine
the same seed gives the same bytes. Both models have X of 8 numbers per word (word plus position embedding) and heads
of d_k = d_v = 4. Both were trained in float32 through the bundled attention, with AdamW, label smoothing {smoothing}
and a penalty of {penalty} times the mean squared score (over all pairs, hidden ones too), which keeps the rows soft.

- `trained` (and `lesson`): four heads behind a causal mask, an output projection 16 × 8, a residual, an unembedding;
  every position predicts its next word; {trained_steps} steps from seed {trained_seed}, chosen among 300 seeds for
  rows that read well.
- `cross`: one head, no mask, no residual; the weights of each English word are fitted to its German words in equal
  parts, and the blend has to name them; {cross_steps} steps from seed {cross_seed}.
- `random`: nothing was trained; N(0, 1) from `torch.Generator` with the seed asked for.

Only the layer's attention is recorded: the embeddings enter as X, the unembedding is used in training and tests alone.

"""


def text() -> str:
    """The whole page."""
    return HEAD + "".join(_row(name) for name in cases.names()) + _training() + _lesson() + _maps()


def table(tensor: NamedTensor, rows: tuple[str, ...], columns: tuple[str, ...]) -> str:
    """A Markdown table of a tensor of two axes, each number in its stage's format."""
    first, second = tensor.axes
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for place, row in enumerate(rows):
        entries = [tensor.entry(**{first: place, second: column}) for column in range(len(columns))]
        written = " | ".join(format_for(tensor.name).text(entry.value) for entry in entries)
        lines.append(f"| {row} | {written} |")
    return "\n".join(lines) + "\n"


def _row(name: str) -> str:
    case = cases.load(name)
    heads, queries, keys = case.query.shape[1], len(case.query_tokens), len(case.key_tokens)
    worked = f"{case.worked_query} ({case.query_tokens[case.worked_query]})"
    causal = "yes" if case.is_causal else "no"
    return f"| `{name}` | {case.sentence} | {heads} | {queries} × {keys} | {causal} | {case.drawn_head} | {worked} |\n"


def _training() -> str:
    nouns = [f"{noun} ({pronoun} {action})" for noun, (pronoun, action) in grammar.NOUNS.items()]
    places = [f"{preposition} the {' or '.join(words)}" for preposition, words in grammar.PLACES.items()]
    return GRAMMAR.format(
        count=len(grammar.sentences()), version=grammar.VERSION, pairs=len(grammar.pairs()),
        determiners=" or ".join(f"“{word}”" for word in grammar.DETERMINERS),
        nouns=", ".join(nouns), places=", ".join(places),
        conjunctions=", ".join(f"{verb} … {word}" for verb, word in grammar.VERBS.items()),
        german=" ".join(grammar.GERMAN), smoothing=train.LABEL_SMOOTHING, penalty=train.SCORE_PENALTY,
        trained_steps=train.TRAINED_STEPS, trained_seed=train.TRAINED_SEED,
        cross_steps=train.CROSS_STEPS, cross_seed=train.CROSS_SEED,
    )  # fmt: skip


def _lesson() -> str:
    case = cases.load("lesson")
    record = case.bundle()["sdpa"]
    words = case.query_tokens
    parts = [f"## `lesson` in numbers (head {case.drawn_head})\n\nRows are queries, columns are keys.\n"]
    for stage in ("query", "key", "value", "scores", "attn_weights", "output"):
        tensor = record[stage].sel(batch=case.batch, **{record[stage].axes[1]: case.drawn_head})
        wide = words if stage in ("scores", "attn_weights") else ("1", "2", "3", "4")
        parts.append(f"\n`{stage}`:\n\n{table(tensor, words, wide)}")
    return "".join(parts)


def _maps() -> str:
    parts = []
    for title, name, is_causal in (
        ("`trained`, causal", "trained", True), ("`trained`, without its mask", "trained", False),
        ("`cross`", "cross", False),
    ):  # fmt: skip
        case = cases.load(name)
        weights = case.bundle(is_causal=is_causal)["sdpa"]["attn_weights"].sel(batch=case.batch, head=case.drawn_head)
        parts.append(f"\n## Weights of {title} (head {case.drawn_head})\n\n")
        parts.append(table(weights, case.query_tokens, case.key_tokens))
    return "".join(parts)


if __name__ == "__main__":
    print(text(), end="")
