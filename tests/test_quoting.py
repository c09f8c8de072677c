"""What a field in the words means where several records hold a stage."""

from __future__ import annotations

import pytest

from attnviz import cases
from attnviz.errors import InputError
from attnviz.quoting import Quoting, quotable
from attnviz.trace import Bundle, NamedTensor


@pytest.fixture(scope="module")
def quoting() -> Quoting:
    case = cases.load("lesson")
    bundle = Bundle({"causal": case.bundle(is_causal=True)["sdpa"], "unmasked": case.bundle()["sdpa"]})

    def tensor(stage: str, record: str) -> NamedTensor:
        whole = bundle[record][stage]
        return whole.sel(**{axis: {"head": case.drawn_head}.get(axis, 0) for axis in ("batch", "head")
                            if axis in whole.axes})

    return Quoting("Tried", case, bundle, tensor)


def test_the_first_record_is_meant_unless_another_is_named(quoting):
    first, named = quoting.resolve("attn_weights", ["0", "1"]), quoting.resolve("unmasked.attn_weights", ["0", "1"])
    assert (first.record, named.record) == ("causal", "unmasked")
    assert first.value == 0 < named.value
    assert quoting.resolve("attn_weights", ["q", "k"]).coords["query_pos"] == quoting.data.worked_query


def test_what_is_not_there_is_refused(quoting):
    for name, coords, message in (("atn_weights", ["0"], "no record of the case holds"),
                                  ("masked.attn_weights", ["0", "0"], "no record 'masked'"),
                                  ("attn_weights", ["0"], "needs query_pos, key_pos")):
        with pytest.raises(InputError, match=message):
            quoting.resolve(name, coords)


def test_a_long_token_is_quoted_by_its_beginning():
    assert quotable("cat") == "cat"
    assert quotable("x" * 12) == "x" * 10 + "…"
