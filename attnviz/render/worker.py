"""A thread that does one job after the other, while whoever gives them goes on. What the jobs are is not known here."""

from collections.abc import Callable
from queue import Queue
from threading import Thread
from typing import Any


class Worker:
    """Calls `work` with the arguments of each call of the worker, in order, in a thread of its own.

    What fails there is raised by a later call, or by `finish`. `room` jobs may wait; whoever gives one more waits too.
    """

    def __init__(self, work: Callable[..., None], room: int) -> None:
        self._work = work
        self._fault: BaseException | None = None
        self._queue: Queue[tuple[Any, ...] | None] = Queue(maxsize=room)
        self._thread = Thread(target=self._run, name="attnviz-worker", daemon=True)
        self._thread.start()

    def __call__(self, *job: Any) -> None:
        """Have a job done, after all that were given before."""
        if self._fault is not None:
            raise self._fault
        self._queue.put(job)

    def finish(self) -> None:
        """Wait until all is done."""
        self._end()
        if self._fault is not None:
            raise self._fault

    def abort(self) -> None:
        """Leave undone what is not done yet."""
        self._fault = self._fault or RuntimeError("the render was ended")
        self._end()

    def _end(self) -> None:
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()

    def _run(self) -> None:
        """Work until told to end. After a fault all that comes is thrown away, or who gives it would wait for ever."""
        while (job := self._queue.get()) is not None:
            if self._fault is None:
                try:
                    self._work(*job)
                except BaseException as fault:
                    self._fault = fault
