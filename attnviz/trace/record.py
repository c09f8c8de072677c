"""A record: one table's numbers, frozen, and refusing to exist when a stage does not follow from its inputs.

Each stage is recomputed in float64 from its *recorded* inputs; what rounding may change is
4 * eps(dtype) * sqrt(n) * largest term, n the length of the sum. NaN equals NaN and an infinity equals itself
at equal places, nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import RecordError
from attnviz.trace.kinds import KINDS
from attnviz.trace.params import checked, frozen, thawed
from attnviz.trace.stage import Arrays, Expected, Kind, Stage
from attnviz.trace.tensor import NamedTensor

# What each dtype computes in, and how its numbers are stored (numpy has no bfloat16: float32 holds it exactly).
COMPUTE = {"float64": "float64", "float32": "float32", "float16": "float32", "bfloat16": "float32"}
STORED = {"float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "float32"}
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
LARGEST_RECORD = 2**26  # numbers in one record: films draw small tensors, and a check needs a few copies


@dataclass(frozen=True, eq=False)
class Record:
    """Stages of one kind. Make one with `Record.build`; read one as `record["attn_weights"]`."""

    kind: Kind
    dtype: str
    arrays: Mapping[str, NDArray[Any]]
    params: Mapping[str, Any]
    provenance: Mapping[str, Any]
    name: str = ""

    @classmethod
    def build(cls, kind: str, arrays: Mapping[str, NDArray[Any]], *, dtype: str,
              params: Mapping[str, Any], provenance: Mapping[str, Any]) -> Record:
        """Check `arrays` against the table of `kind` and freeze them.

        `dtype` (float64, float32, float16, bfloat16) is that of the inputs and the output; `params` and
        `provenance` must be plain JSON values. Raises RecordError naming the stage that does not follow.
        """
        table = KINDS.get(kind)
        if table is None or dtype not in EPS:
            known = f"kinds: {', '.join(KINDS)}; dtypes: {', '.join(EPS)}"
            raise RecordError(f"no kind {kind!r} with dtype {dtype!r}; {known}")
        _check_names(table, arrays)
        _check_shapes(table, arrays)
        settings, about = checked(kind, table.params, params), frozen(kind, provenance)
        kept = {s.name: _sealed(_checked_dtype(table, s, arrays[s.name], dtype)) for s in table.stages}
        _check_rules(table, kept, dtype, settings)
        return cls(table, dtype, MappingProxyType(kept), settings, about, kind)

    def __getitem__(self, stage: str) -> NamedTensor:
        row = self.kind.stage(stage)
        return NamedTensor(self.name, row, row.axes, self.arrays[stage])

    def described(self) -> dict[str, Any]:
        """Kind, dtype, parameters and provenance as plain JSON values: all that is not a number of a stage."""
        return {"kind": self.kind.name, "dtype": self.dtype,
                "params": thawed(self.params), "provenance": thawed(self.provenance)}

    def __iter__(self) -> Iterator[NamedTensor]:
        return (self[stage.name] for stage in self.kind.stages)


def _check_names(table: Kind, arrays: Mapping[str, NDArray[Any]]) -> None:
    wanted, got = {s.name for s in table.stages}, set(arrays)
    if wanted != got:
        odd = ", ".join(sorted(wanted ^ got))
        raise RecordError(f"{table.name}: stages do not match the table: {odd} missing or unknown")
    total = sum(array.size for array in arrays.values())
    if total > LARGEST_RECORD:
        most = f"more than a record holds ({LARGEST_RECORD})"
        raise RecordError(f"{table.name}: {total} numbers are {most}; record fewer positions")


def _checked_dtype(table: Kind, stage: Stage, array: NDArray[Any], dtype: str) -> NDArray[Any]:
    wanted = {"input": STORED[dtype], "compute": COMPUTE[dtype], "integer": "int64"}[stage.storage]
    if array.dtype != wanted:
        raise RecordError(f"{table.name}.{stage.name} is {array.dtype}, the record says {wanted}")
    if dtype == "bfloat16" and stage.storage == "input" and np.any(array.view(np.uint32) & 0xFFFF):
        raise RecordError(f"{table.name}.{stage.name} holds numbers that bfloat16 cannot")
    return array


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    # A copy in bytes: an array that owns its memory could be made writable again.
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


def _check_shapes(table: Kind, arrays: Mapping[str, NDArray[Any]]) -> None:
    sizes: dict[str, int] = {}
    for stage in table.stages:
        shape = arrays[stage.name].shape
        if len(shape) != len(stage.axes):
            raise RecordError(f"{table.name}.{stage.name} has shape {shape}, its axes are {', '.join(stage.axes)}")
        if math.prod(max(1, size) for size in shape) > LARGEST_RECORD:
            raise RecordError(f"{table.name}.{stage.name} has shape {shape}: record fewer positions")
        for axis, size in zip(stage.axes, shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                both = f"{size} positions here and {sizes[axis]} before"
                raise RecordError(f"{table.name}.{stage.name}: {axis} has {both}")
    if sizes.get("kv_head") and "head" in sizes and sizes["head"] % sizes["kv_head"]:
        raise RecordError(f"{table.name}: {sizes['head']} heads cannot share {sizes['kv_head']} kv_heads evenly")


def _check_rules(table: Kind, arrays: Mapping[str, NDArray[Any]], dtype: str, params: Mapping[str, Any]) -> None:
    exact = {name: array.astype(np.float64) for name, array in arrays.items()}
    with np.errstate(all="ignore"):
        for stage in table.stages:
            if stage.rule is not None:
                _check_stage(table, stage, exact, dtype, _expected(table, stage, exact, params))


def _expected(table: Kind, stage: Stage, exact: Arrays, params: Mapping[str, Any]) -> Expected:
    assert stage.rule is not None
    try:
        return stage.rule(exact, params)
    except (ValueError, IndexError, ArithmeticError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"{table.name}.{stage.name} cannot be computed from its inputs ({error})") from error


def _check_stage(table: Kind, stage: Stage, exact: Arrays, dtype: str, expected: Expected) -> None:
    got, limit = exact[stage.name], float(np.finfo(STORED[dtype] if stage.storage == "input" else COMPUTE[dtype]).max)
    wanted = np.asarray(expected.values, dtype=np.float64)
    if got.shape != wanted.shape:
        raise RecordError(f"{table.name}.{stage.name} has shape {got.shape}, its inputs give {wanted.shape}")
    allowed = tolerance(stage, expected, dtype)
    overflowed = np.isinf(got) & (np.abs(wanted) > limit * (1 - EPS[dtype])) & (np.sign(got) == np.sign(wanted))
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted)) | overflowed
    close = np.isfinite(got) & np.isfinite(wanted) & (np.abs(got - wanted) <= allowed)
    if not np.all(same | close):
        raise RecordError(_complaint(table, stage, got, wanted, same | close))


def tolerance(stage: Stage, expected: Expected, dtype: str) -> NDArray[np.float64]:
    """How far a recorded stage may lie from its rule: 4 * eps * sqrt(n) * largest term, and the last rounding.

    A stage stored in the inputs' own half type (`output`) is computed in float32 and rounded once: half a unit of it.
    """
    compute = COMPUTE[dtype]
    scale = 4.0 * EPS[compute] * math.sqrt(expected.terms)
    largest = np.abs(np.asarray(expected.largest, dtype=np.float64))
    if expected.terms > 1:  # partial sums are rounded too, and where terms share a sign the last is the largest
        largest = np.fmax(largest, np.where(np.isfinite(expected.values), np.abs(expected.values), 0.0))
    underflow = 4.0 * float(np.finfo(compute).tiny)  # results below the normal range may be flushed to 0
    allowed = scale * largest + underflow
    if stage.storage == "input" and dtype != compute:
        tiny = 2.0**-25 if dtype == "float16" else 0.0  # half of float16's smallest subnormal
        allowed = allowed + 0.5 * EPS[dtype] * np.abs(expected.values) + tiny
    return np.asarray(allowed, dtype=np.float64)


def _complaint(table: Kind, stage: Stage, got: NDArray[np.float64], wanted: NDArray[np.float64],
               fine: NDArray[np.bool_]) -> str:
    gap = np.where(fine, -1.0, np.nan_to_num(np.abs(got - wanted), nan=np.inf))
    place = np.unravel_index(int(np.argmax(gap)), gap.shape) if gap.ndim else ()
    where = ", ".join(f"{axis}={int(index)}" for axis, index in zip(stage.axes, place, strict=True))
    return (f"{table.name}.{stage.name} is off by {gap[place]:.2e} at [{where}]: "
            f"recorded {got[place]:.9g}, its inputs give {wanted[place]:.9g}")
