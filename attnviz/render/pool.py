"""Films drawn by several processes: on this machine, or on a Dask cluster's.

A scene's beats are dealt out in runs; each task plays the scene up to its own beats without drawing, so that a task
needs nothing of another and can be given to another worker when one dies. Here nothing is joined or written.
"""

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from attnviz.errors import AttnvizError, EnvironmentFault, InputError, RenderError
from attnviz.registry import SceneEntry
from attnviz.render.job import OnBeat, RenderOptions
from attnviz.render.manifest import sha256
from attnviz.render.undisturbed import undisturbed
from attnviz.words import Words

if TYPE_CHECKING:
    from attnviz.render.part import Part

ONE_AT_A_TIME = threading.Lock()  # manim's configuration is one for a process: threads of a worker take turns
REACH = 10  # seconds in which a cluster must answer


@dataclass(frozen=True)
class Workers:
    """An executor, how many tasks it runs at once, and a folder that its workers can write to, if they share one."""

    executor: Executor
    count: int
    scratch: Path | None


class DealtScene:
    """A scene whose beats were dealt out, `parts` runs of them, to workers that have begun."""

    def __init__(self, workers: Workers, entry: SceneEntry, options: RenderOptions, parts: int) -> None:
        self.entry = entry
        digest = sha256(entry.path)
        self._futures: list[Future[Part]] = [
            workers.executor.submit(draw, entry, options, wanted, workers.scratch, digest)
            for wanted in _dealt(_beats(entry), parts)
        ]

    def result(self, on_beat: OnBeat | None = None) -> "Part":
        """Wait for all runs and return them as one. Raises what went wrong in a worker, in one line."""
        parts = []
        for number, future in enumerate(self._futures, start=1):
            try:
                parts.append(future.result())
            except BrokenProcessPool as fault:
                raise RenderError("a process that drew was killed; with fewer --jobs each has more memory") from fault
            if on_beat:
                on_beat(number, len(self._futures), self.entry.name)
        beats = {index: drawn for part in parts for index, drawn in part.beats.items()}
        return replace(parts[-1], beats=beats)  # the last one went to the end of the scene


def draw(
    entry: SceneEntry, options: RenderOptions, wanted: Sequence[int] | None, scratch: Path | None, digest: str
) -> "Part":
    """Draw some beats, in whichever process this is; what the scene's own code raises becomes one line."""
    if not entry.path.is_file() or sha256(entry.path) != digest:
        raise InputError(f"a worker has not the same {entry.path}: let all share one folder, or copy it to each")
    with ONE_AT_A_TIME, TemporaryDirectory(dir=scratch if scratch and scratch.is_dir() else None) as media:
        with undisturbed():
            from attnviz.render.part import draw_part
        try:
            return draw_part(entry, options, Path(media), wanted, None)
        except AttnvizError:
            raise
        except Exception as fault:
            raise RenderError(_told(fault, entry)) from None


def _told(fault: Exception, entry: SceneEntry) -> str:
    """Return what went wrong and where, in the scene's file if it went through that: tracebacks do not travel."""
    calls = traceback.extract_tb(fault.__traceback__)
    call = ([call for call in calls if call.filename == str(entry.path)] or calls)[-1]
    return " ".join(f"{type(fault).__name__}: {fault} ({call.filename}:{call.lineno})".split())


@contextmanager
def local_workers(jobs: int) -> Iterator[Workers]:
    """Yield `jobs` processes of this machine; they end with the block, whatever ends it."""
    context = multiprocessing.get_context("spawn")  # nothing is inherited: no thread, no lock that is held
    with TemporaryDirectory(prefix="attnviz-") as scratch:
        pool = ProcessPoolExecutor(jobs, context, initializer=_begin_worker, initargs=(os.getpid(),))
        try:
            yield Workers(pool, jobs, Path(scratch))
            pool.shutdown()
        except BaseException:
            for child in multiprocessing.active_children():
                child.kill()
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """Yield the workers of the Dask cluster whose scheduler has this address (such as tcp://host:8786)."""
    try:
        from distributed import Client
    except ImportError as missing:
        raise EnvironmentFault(f"{missing}: --cluster needs it; install attnviz[cluster]") from missing
    try:
        client: Any = Client(address, timeout=REACH)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as fault:
        raise InputError(f"no Dask scheduler answers at {address}: {fault}") from fault
    with client:
        count = len(client.scheduler_info()["workers"])
        if not count:
            raise InputError(f"the Dask cluster at {address} has no workers: start some first")
        yield Workers(client.get_executor(retries=3), count, None)


def _beats(entry: SceneEntry) -> int:
    """Return how many beats a scene's words have; 1 where it has no file of words, and cannot be dealt out."""
    path = entry.path.with_suffix(".en.toml")
    return len(Words.load(path).beats) if path.is_file() else 1


def _dealt(beats: int, parts: int) -> list[Sequence[int] | None]:
    """Return runs of beats, as equal in length as can be; None for the whole scene."""
    parts = min(beats, parts)
    if parts <= 1:
        return [None]
    edges = [round(part * beats / parts) for part in range(parts + 1)]
    return [range(start, end) for start, end in pairwise(edges)]


def _begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, do not outlive it, and hold nothing that is missed when this process is killed."""
    tqdm.set_lock(threading.RLock())  # manim's progress bars would make one that the whole system knows
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
