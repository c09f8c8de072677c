"""From a case to its bundle: which records a film of a case may draw on, by the name under which the bundle holds them.

One file a subject; each has `MAKERS`, from names to functions that make one record of a case. Nothing is computed here:
the producers of `attnviz.sdpa` do that.
"""

from collections.abc import Mapping, Sequence

from attnviz.cases.case import Case
from attnviz.cases.records import attention, lookup, masks, online, scaling, tiled
from attnviz.cases.records.making import Maker, Making
from attnviz.errors import InputError
from attnviz.trace import Bundle

MAKERS: Mapping[str, Maker] = {
    **attention.MAKERS,
    **lookup.MAKERS,
    **scaling.MAKERS,
    **online.MAKERS,
    **tiled.MAKERS,
    **masks.MAKERS,
}


def bundle_of(case: Case, is_causal: bool, names: Sequence[str]) -> Bundle:
    """The records called `names`, each noting case, words and seed; one that the case has not is left out."""
    if unknown := [name for name in names if name not in MAKERS]:
        raise InputError(f"there is no record {unknown[0]!r} to make: choose among {', '.join(MAKERS)}")
    making = Making(case, is_causal)
    for name in names:
        if (record := MAKERS[name](making)) is not None:
            making.made[name] = record
    return Bundle(making.made)
