"""The records of a lookup made soft: one query at every temperature, its two limits, and how it answers to a push.

All are of the worked query in the drawn head, without a mask: every key may be compared.
"""

from collections.abc import Mapping

import torch

from attnviz.cases.records.making import Maker, Making
from attnviz.cases.session import lookups
from attnviz.errors import InputError
from attnviz.sdpa import trace_gradient, trace_limits, trace_sweep
from attnviz.trace import Record

OCTAVES = range(-4, 7)  # powers of two of the temperature: a sixteenth to 64
STEPS_IN_OCTAVE = 60  # so that at 60 frames a second a slide has a step of its own for most of them
STEPS_OF_NUDGE = 180
LENGTH = 0.5  # of the push, in units of the query


def worked(making: Making) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The worked query (head_dim,), and the keys and values that it meets; InputError for a single key."""
    query, key, value = making.drawn()
    if len(key) < 2:
        raise InputError("a lookup needs two keys or more to choose from: give --tokens with more words")
    return query[making.case.worked_query], key, value


def temperature(making: Making) -> Record:
    """The worked query at every temperature from cold to hot, evenly on a logarithmic scale; 1 is one of them."""
    query, key, value = worked(making)
    first, last = OCTAVES[0] * STEPS_IN_OCTAVE, OCTAVES[-1] * STEPS_IN_OCTAVE
    steps = 2.0 ** (torch.arange(first, last + 1, dtype=torch.float64) / STEPS_IN_OCTAVE)
    scale = (len(query) ** -0.5 / steps).tolist()
    queries = query.expand(len(steps), 1, -1)
    return trace_sweep(steps.to(query.dtype), queries, key, value, scale=scale, name="temperature",
                       notes={**making.notes, "first_shown": -first})


def limits(making: Making) -> Record:
    """The coldest and the hottest blend beside what they tend to; its notes hold the lookup in a real dictionary."""
    cold, hot = 2.0 ** OCTAVES[0], 2.0 ** OCTAVES[-1]
    return trace_limits(*worked(making), cold=cold, hot=hot, notes={**making.notes, "dictionary": lookups()})


def gradient(making: Making) -> Record:
    """The worked query pushed from its best key towards the next best."""
    query, key, value = worked(making)
    towards = int((key @ query).argsort(descending=True, stable=True)[1])
    return trace_gradient(query, key, value, towards=towards, length=LENGTH, notes=making.notes)


def nudge(making: Making) -> Record:
    """The same push, step by step: from the query itself to the pushed one."""
    query, key, value = worked(making)
    shares = torch.linspace(0, 1, STEPS_OF_NUDGE + 1, dtype=query.dtype)
    queries = query + shares[:, None, None] * making.tensor("gradient", "nudge")
    return trace_sweep(shares, queries, key, value, name="share of the nudge",
                       notes={**making.notes, "first_shown": 0})


MAKERS: Mapping[str, Maker] = {"temperature": temperature, "limits": limits, "gradient": gradient, "nudge": nudge}
