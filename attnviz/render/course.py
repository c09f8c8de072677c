"""Several scenes, one after the other, drawn by this process or by workers; a scene that fails does not end the rest.

Light to import: what draws comes in when it is needed. Here nothing is drawn or written.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from attnviz.errors import AttnvizError, InputError, RenderError
from attnviz.registry import SceneEntry
from attnviz.render.job import Drawing, OnBeat, RenderOptions, packages_there, render_scene

if TYPE_CHECKING:
    from attnviz.render.pool import Workers

Target = tuple[SceneEntry, Path]


def render_all(
    targets: Sequence[Target],
    options: RenderOptions,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    on_beat: OnBeat | None = None,
    done: Callable[[Path], None] = lambda path: None,
) -> None:
    """Render each scene into its folder, and say so to `done`, with `jobs` processes or a Dask cluster's workers.

    One scene's failure is raised as it is; of several scenes, the others are rendered first.
    """
    if cluster is not None and jobs > 1:
        raise InputError("--jobs is for this machine, --cluster for another: give one of them")
    if not targets:
        raise InputError("there is no scene to render; run `list` to see what there is")
    faults: list[str] = []
    with _workers(jobs, cluster) as workers:
        drawings = _begun(targets, options, workers)
        for (entry, folder), drawing in zip(targets, drawings, strict=True):
            try:
                done(render_scene(entry, options, folder, on_beat, drawing))
            except Exception as fault:
                if len(targets) == 1:
                    raise
                faults.append(f"{entry.name}: {_said(fault)}")
    if faults:
        raise RenderError(f"{len(faults)} of {len(targets)} scenes failed: {'; '.join(faults)}")


def _begun(targets: Sequence[Target], options: RenderOptions, workers: "Workers | None") -> list[Drawing | None]:
    """Have the workers begin: whole scenes where there are enough of them, else each dealt out to several."""
    if workers is None:
        return [None] * len(targets)
    from attnviz.render.pool import DealtScene

    parts = -(-workers.count // len(targets))
    return [DealtScene(workers, entry, options, parts).result for entry, _ in targets]


@contextmanager
def _workers(jobs: int, cluster: str | None) -> Iterator["Workers | None"]:
    if jobs == 1 and cluster is None:
        yield None
        return
    with packages_there():
        from attnviz.render.pool import cluster_workers, local_workers
    with cluster_workers(cluster) if cluster is not None else local_workers(jobs) as workers:
        yield workers


def _said(fault: Exception) -> str:
    return str(fault) if isinstance(fault, AttnvizError) else f"{type(fault).__name__}: {fault}"
