"""How plain values, containers and arrays are written in a walk: by what they hold, bit for bit.

Functions, classes and all other objects are in `objects.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

import manim
import numpy as np

from attnviz.recall.walk import PLAIN, Unknowable, Walk, full_name

LONG = 4096  # bytes of an array from which on its digest stands for it


def write_text(walk: Walk, value: str) -> None:
    """A string, surrogates and all."""
    data = value.encode("utf-8", "surrogatepass")
    walk.out.append(b"s%d:%b" % (len(data), data))


def write_bytes(walk: Walk, value: bytes) -> None:
    """Bytes as they are."""
    walk.out.append(b"b%d:%b" % (len(value), value))


def write_whole(walk: Walk, value: int) -> None:
    """An integer of any length."""
    walk.out.append(b"i%x;" % value)


def write_constant(walk: Walk, value: object) -> None:
    """What its repr tells exactly: floats, None, True."""
    walk.out.append(b"%b;" % repr(value).encode())


def write_scalar(walk: Walk, value: np.generic) -> None:
    """One of numpy's numbers; it differs from Python's own of the same value."""
    walk.out.append(b"n%b:%b;" % (value.dtype.str.encode(), value.tobytes()))


def write_color(walk: Walk, value: manim.ManimColor) -> None:
    """A colour by its four numbers: nothing changes one in place."""
    walk.out.append(b"c%b;" % value._internal_value.tobytes())


def write_list(walk: Walk, value: list[Any]) -> None:
    """A list, in its order."""
    if not walk.met(value):
        _write_items(walk, b"l", value)


def write_tuple(walk: Walk, value: tuple[Any, ...]) -> None:
    """A tuple, in its order."""
    if all(type(part) in PLAIN for part in value):
        write_bytes(walk, repr(value).encode())  # without a number: equal ones may be one or not, as Python pleases
    elif not walk.met(value):
        _write_items(walk, b"t", value)


def write_dict(walk: Walk, value: Mapping[Any, Any]) -> None:
    """Keys and values, in the order in which the keys came."""
    if not walk.met(value):
        _write_items(walk, b"d", [part for item in value.items() for part in item])


def write_set(walk: Walk, value: Any) -> None:
    """Members, sorted by their digests: the order of a set changes from one process to the next."""
    if not walk.met(value):
        write_text(walk, full_name(type(value)))
        _write_items(walk, b"S", sorted(value, key=walk.apart))
        walk.attributes(type(value), getattr(value, "__dict__", {}))


def _write_items(walk: Walk, tag: bytes, values: Any) -> None:
    walk.out.append(b"%b%d:" % (tag, len(values)))
    for value in values:
        walk.write(value)


def write_array(walk: Walk, value: Any) -> None:
    """Type, shape and bytes, and whether it lies in memory that was met before."""
    if walk.met(value):
        return
    kind: Any = type(value)
    head, holds_addresses = _head(kind, value.dtype, value.shape)
    walk.out.append(head)
    if holds_addresses:
        walk.write(value.tolist())
    else:
        data = value.tobytes()
        walk.out.append(data if len(data) < LONG else sha256(data).digest())
        _write_sharing(walk, value)
    if type(value) is not np.ndarray:
        walk.attributes(type(value), getattr(value, "__dict__", {}))


@lru_cache(maxsize=4096)
def _head(kind: type, dtype: np.dtype[Any], shape: tuple[int, ...]) -> tuple[bytes, bool]:
    """Return what an array of this type and shape begins with, and whether its bytes are no values."""
    head = f"a{full_name(kind)} {dtype if dtype.names else dtype.str} {shape};"
    return head.encode(), dtype.hasobject or dtype.kind == "T"


def _write_sharing(walk: Walk, value: np.ndarray[Any, Any]) -> None:
    """Write which array changes too when this one is written to, if that was met before."""
    owner: Any = value
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    own = walk.numbers[id(value)]
    first = walk.owners.setdefault(id(owner), own)
    if first != own and owner.flags.writeable:
        start = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        write_text(walk, f"{first} {start} {value.strides}")


def write_tensor(walk: Walk, value: Any) -> None:
    """A tensor of torch: type, shape, kind of device and bytes; one without plain numbers is unknowable."""
    if walk.met(value):
        return
    try:
        data = value.detach().cpu().contiguous().reshape(-1).view(sys.modules["torch"].uint8).numpy().tobytes()
        storage = value.untyped_storage()
    except (RuntimeError, TypeError, NotImplementedError) as fault:  # quantised, sparse, on no device
        raise Unknowable(str(fault)) from fault
    facts = value.dtype, tuple(value.shape), value.device.type, value.requires_grad
    write_text(walk, f"{full_name(type(value))} {facts}")
    write_bytes(walk, data)
    if walk.met(storage):
        write_text(walk, f"{value.storage_offset()} {value.stride()}")
    walk.attributes(type(value), value.__dict__)
