"""Every stage of every record once more, from the given inputs alone, by code that shares nothing with what made them.

One file a kind, each written from the definition in plain numpy and float64. A kind without a file here fails, and so
does a stage that its file does not compute: what cannot be recomputed is not confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from attnviz.errors import RecordError
from attnviz.trace import Record, Stage
from attnviz.verify.chain import (
    difference,
    gradient,
    limits,
    overflow,
    projection,
    samples,
    sdpa,
    sweep,
    tiled,
    traffic,
    zeroed,
)
from attnviz.verify.chain.running import Approx
from attnviz.verify.chain.stacking import Arrays, Params, Stages

CHAINS: Mapping[str, Callable[[Arrays, Params, float], Stages]] = {
    "sdpa": sdpa.recompute, "tiled": tiled.recompute, "projection": projection.recompute,
    "sweep": sweep.recompute, "gradient": gradient.recompute, "limits": limits.recompute,
    "samples": samples.recompute, "difference": difference.recompute, "overflow": overflow.recompute,
    "traffic": traffic.recompute, "zeroed": zeroed.recompute,
}  # fmt: skip
# What one rounding may change, relative to the number: float32 and the half types compute in float32.
UNIT = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-23, "bfloat16": 2.0**-23}
STORED_UNIT = {**UNIT, "float16": 2.0**-10, "bfloat16": 2.0**-7}
TINY = {"float64": 2.0**-1021, "float32": 2.0**-125, "float16": 2.0**-24, "bfloat16": 2.0**-125}  # flushed to 0
LARGEST = {"float64": 1.7e308, "float32": 3.4e38, "float16": 65504.0, "bfloat16": 3.38e38}


def recomputed(record: Record) -> int:
    """Compare every stage of a record with one computed anew; return how many numbers that were.

    Raises RecordError for the first stage that does not follow from the given inputs.
    """
    if record.kind.name not in CHAINS:
        raise RecordError(f"{record.name}: kind {record.kind.name!r} cannot be recomputed: only {', '.join(CHAINS)}")
    exact = {name: np.asarray(array, dtype=np.float64) for name, array in record.arrays.items()}
    with np.errstate(all="ignore"):
        stages = CHAINS[record.kind.name](exact, record.params, UNIT[record.dtype])
    for stage in record.kind.stages:
        if exact[stage.name].size:
            _compare(record, stage, exact[stage.name], stages.get(stage.name))
    return sum(array.size for array in exact.values())


def _compare(record: Record, stage: Stage, got: NDArray[np.float64], wanted: Approx | None) -> None:
    where = f"{record.name}.{stage.name}"
    if wanted is None:
        raise RecordError(f"{where} cannot be recomputed: the verifier has no rule for this stage")
    if wanted.shape != got.shape:
        raise RecordError(f"{where} has shape {got.shape}, its inputs give {wanted.shape}")
    wrong = ~_agree(record, stage, got, wanted)
    if wrong.any():
        place = tuple(int(at) for at in np.argwhere(wrong)[0]) if got.ndim else ()
        address = ", ".join(f"{axis}={index}" for axis, index in zip(stage.axes, place, strict=True))
        raise RecordError(f"{where}[{address}] is {got[place]:.9g}, its inputs give {wanted.values[place]:.9g} "
                          f"(± {allowed(record, stage, wanted)[place]:.1e})")


def _agree(record: Record, stage: Stage, got: NDArray[np.float64], wanted: Approx) -> NDArray[np.bool_]:
    expected = wanted.values
    with np.errstate(invalid="ignore"):
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        close = np.abs(got - expected) <= allowed(record, stage, wanted)
    too_large = np.isinf(got) & (np.abs(expected) > LARGEST[record.dtype]) & (np.sign(got) == np.sign(expected))
    return np.asarray(same | (np.isfinite(got) & np.isfinite(expected) & close) | too_large)


def allowed(record: Record, stage: Stage, wanted: Approx) -> NDArray[np.float64]:
    """How far each number of a stage may lie from the one computed anew.

    The running error of its chain, and the last rounding into what it is stored in; for whole numbers only what their
    chain leaves open. What is given is compared with itself.
    """
    if stage.storage == "integer":
        return wanted.error
    last = STORED_UNIT[record.dtype] if stage.storage == "input" else UNIT[record.dtype]
    computed_in = "float64" if record.dtype == "float64" else "float32"
    tiny = TINY[record.dtype if stage.storage == "input" else computed_in]
    finite = np.where(np.isfinite(wanted.values), np.abs(wanted.values), 0.0)
    return np.asarray(wanted.error + last * finite + tiny)
