"""What the audit costs: the share of a render that is spent in it, and what verifying takes. Ratios side by side.

`python -m benchmarks.audit [SCENE]`, at 720p30, each in this one process, without the cache of beats.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attnviz.audit.auditor import Audit
from attnviz.registry import find_scene
from attnviz.render import film
from attnviz.render.job import RenderOptions
from attnviz.render.part import draw_part
from attnviz.verify.check import verify

PARTS = ("begin_play", "inside", "at_rest", "words")


class Watch:
    """Adds up the processor time that calls take; calls within calls count once."""

    def __init__(self) -> None:
        self.seconds, self.calls, self._depth = 0.0, 0, 0

    def over(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, timed."""

        def timed(*arguments: Any) -> Any:
            start, self._depth = time.thread_time(), self._depth + 1
            try:
                return function(*arguments)
            finally:
                self._depth -= 1
                if not self._depth:
                    self.seconds, self.calls = self.seconds + time.thread_time() - start, self.calls + 1

        return timed


def main(name: str = "pipeline") -> None:
    """Render a scene, verify it, and print what each took."""
    watch, entry, options = Watch(), find_scene(name), RenderOptions(cache=False)
    for part in PARTS:
        setattr(Audit, part, watch.over(getattr(Audit, part)))
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        files.mkdir()
        start, wall = time.process_time(), time.monotonic()
        drawn = draw_part(entry, options, Path(folder) / "media")
        film.write(entry, options, drawn, files)
        cpu, wall = time.process_time() - start, time.monotonic() - wall
        seconds = drawn.frames / options.fps
        again = time.monotonic()
        report = verify(files)
        again = time.monotonic() - again
    print(f"{name}: {seconds:.0f} s of film, 720p30, one process")
    print(f"render      {wall:6.2f} s wall, {cpu:6.2f} s processor")
    share = f"{watch.seconds / cpu:.1%} of the render"
    print(f"audit       {watch.seconds:6.2f} s processor in {watch.calls} looks: {share}")
    print(f"verify      {again:6.2f} s wall: {again / wall:.2f} times the render; {report.closing()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
