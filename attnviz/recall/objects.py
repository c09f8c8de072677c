"""How functions, classes and objects are written in a walk, and which writer suits a value.

Code counts as what it does. An object is its attributes, or what pickle would keep of it; what has neither is
unknowable.
"""

from __future__ import annotations

import copyreg
import enum
import functools
import logging
import sys
import types
import weakref
from typing import Any

import manim
import numpy as np

from attnviz.recall import values
from attnviz.recall.walk import Unknowable, Walk, Writer, full_name


def write_around(walk: Walk, function: types.FunctionType) -> None:
    """Write what a function holds beside its code: defaults, attributes, the variables that it closes over."""
    for part in (function.__defaults__, function.__kwdefaults__, function.__dict__, function.__closure__):
        walk.write(part)


@functools.lru_cache(maxsize=4096)
def code_digest(code: types.CodeType) -> bytes:
    """Return a digest of what code does, whatever the lines and the file that it stands in."""
    walk = Walk(writer_for)
    for part in (code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars,
                 code.co_cellvars, code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
                 code.co_consts):  # fmt: skip
        walk.write(part)
    return bytes.fromhex(walk.digest())


def writer_for(kind: type) -> Writer:
    """Return how objects of a class are written."""
    torch = sys.modules.get("torch")
    if kind in _EXACTLY:
        return _EXACTLY[kind]
    if torch and issubclass(kind, torch.Tensor):
        return values.write_tensor
    for bases, writer in _FAMILIES:
        if issubclass(kind, bases):
            return writer
    return _write_attributes if _is_bare(kind) else _write_rebuilt


def _write_code(walk: Walk, value: types.CodeType) -> None:
    walk.out.append(code_digest(value))


def _write_function(walk: Walk, value: types.FunctionType) -> None:
    if not walk.met(value):
        _write_name(walk, value)
        walk.out.append(code_digest(value.__code__))
        write_around(walk, value)


def _write_cell(walk: Walk, value: types.CellType) -> None:
    if not walk.met(value):
        try:
            held = value.cell_contents
        except ValueError:  # nothing in it yet
            walk.out.append(b"empty;")
        else:
            walk.write(held)


def _write_method(walk: Walk, value: types.MethodType) -> None:
    walk.out.append(b"m;")
    walk.write(value.__func__)
    walk.write(value.__self__)


def _write_remembering(walk: Walk, value: Any) -> None:
    walk.write(value.__wrapped__)  # what it remembers is a cache


def _write_weak(walk: Walk, value: object) -> None:
    walk.out.append(b"w;")  # what it leads to lives elsewhere, or not for long


def _write_name(walk: Walk, value: Any) -> None:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or value.name
    values.write_text(walk, f"{type(value).__name__} {getattr(value, '__module__', '')} {name}")


def _write_member(walk: Walk, value: enum.Enum) -> None:
    walk.out.append(_member(type(value), value._name_ or repr(value._value_)))  # flags may have no name


@functools.lru_cache(maxsize=1024)
def _member(kind: type[enum.Enum], name: str) -> bytes:
    return f"e{full_name(kind)} {name};".encode()


def _write_attributes(walk: Walk, value: Any) -> None:
    if not walk.met(value):
        walk.attributes(type(value), value.__dict__)


def _write_rebuilt(walk: Walk, value: Any) -> None:
    if walk.met(value):
        return
    kind, parts = type(value), _reduced(value)
    walk.kept.append(parts)
    values.write_text(walk, full_name(kind))
    for part in parts:
        walk.attributes(kind, part) if type(part) is dict else walk.write(part)


def _reduced(value: Any) -> list[Any]:
    """Return what makes a value again: a function, its arguments, two parts of the state, items and pairs to add."""
    kind: Any = type(value)
    special = copyreg.dispatch_table.get(kind)
    try:
        parts: Any = special(value) if special else kind.__reduce_ex__(value, 4)
        if isinstance(parts, str):
            return [_global(value, parts)]
        make, args, state, items, pairs = (*parts, None, None, None)[:5]
        states = state if isinstance(state, tuple) and len(state) == 2 else (state, None)  # with slots: two
        return [make, args, *states, *(None if more is None else list(more) for more in (items, pairs))]
    except Exception as fault:  # the object's own code, which may raise anything
        raise Unknowable(f"{full_name(kind)}: {fault}") from fault


def _global(value: Any, name: str) -> str:
    module = getattr(value, "__module__", None) or type(value).__module__
    if functools.reduce(getattr, name.split("."), sys.modules[module]) is not value:
        raise Unknowable(f"{module}.{name} is something else")
    return f"{module}.{name}"


class _Bare:
    """An object that is no more than its attributes."""


def _is_bare(kind: type) -> bool:
    methods = ("__reduce__", "__reduce_ex__", "__getstate__")
    layout = ("__basicsize__", "__itemsize__", "__dictoffset__")
    usual = all(getattr(kind, name) is getattr(object, name) for name in methods)
    return usual and all(getattr(kind, name) == getattr(_Bare, name) for name in layout) and not _slots(kind)


def _slots(kind: type) -> list[str]:
    return [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]


_EXACTLY: dict[type, Writer] = {
    type(None): values.write_constant, bool: values.write_constant, float: values.write_constant,
    complex: values.write_constant, type(...): values.write_constant, type(NotImplemented): values.write_constant,
    int: values.write_whole, str: values.write_text, bytes: values.write_bytes, list: values.write_list,
    tuple: values.write_tuple, dict: values.write_dict, types.MappingProxyType: values.write_dict,
    manim.ManimColor: values.write_color, types.FunctionType: _write_function, types.CellType: _write_cell,
    types.CodeType: _write_code, types.MethodType: _write_method, type(code_digest): _write_remembering,
}  # fmt: skip
_WEAK = (weakref.ref, weakref.ProxyType, weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
_FAMILIES: tuple[tuple[Any, Writer], ...] = (
    ((set, frozenset), values.write_set), (np.ndarray, values.write_array), (np.generic, values.write_scalar),
    (enum.Enum, _write_member), ((type, types.ModuleType, logging.Logger), _write_name), (_WEAK, _write_weak),
)  # fmt: skip
