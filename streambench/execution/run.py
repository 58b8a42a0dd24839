"""A pipeline that runs in the background, and the handle of who has started it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from streambench.errors import OptionError, StreambenchError
from streambench.execution import prometheus
from streambench.execution.execute import Execution
from streambench.execution.glance import Glance, glance
from streambench.execution.result import Result
from streambench.execution.running_loop import require_no_need
from streambench.pyx.machine import clock


class Run:
    """An execution under way. ``finish`` runs it, in a thread that sleeps but for ten looks a second.

    As a context manager it waits for the end of the stream; what is raised within, Ctrl-C too, cancels it. A program
    that ends cancels it, too.
    """

    def __init__(self, execution: Execution, finish: Callable[[Callable[[int], None]], Result]) -> None:
        self._execution = execution
        self._finish = finish
        self._result: Result | None = None
        self._problem: BaseException | None = None
        self._ended_ticks: int | None = None
        self._reads = True  # the source, until somebody ends the stream
        self._looking = threading.Lock()  # an engine is looked at by one thread at a time
        # Python 3.11 takes a thread for ended whose join is interrupted, so what is waited for is this.
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="streambench run")
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the stream, or what its sinks still do, has not ended."""
        return not self._ended.is_set()

    def stop(self, *, flush: bool = False) -> None:
        """End the stream here, and return at once: what has been admitted goes to the sinks, which end as ever.

        So the output is a beginning of that of the whole stream; a run with checkpoints is saved there, and the same
        call goes on. ``flush``: operators give what they hold, as if the stream were no longer. Of several
        calls the first one counts.
        """
        self._execution.engine.token.end_stream(flush)
        self._reads = False

    def cancel(self) -> None:
        """End the run as soon as workers can, and return at once. What is under way is dropped; files that are not
        whole go."""
        self._reads = False
        self._execution.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end, ``timeout`` seconds at most. Whether it has come; Ctrl-C meanwhile cancels the run."""
        if timeout is not None and not (isinstance(timeout, int | float) and 0 <= timeout <= threading.TIMEOUT_MAX):
            raise OptionError(f"a timeout is a number of seconds from 0 on, or None, not {timeout!r}.")
        this = threading.current_thread()
        if self.is_running and (this is self._thread or isinstance(this, threading._DummyThread)):
            raise StreambenchError("a worker or a sink of a run cannot wait for its end: look at is_running instead.")
        if timeout != 0:
            self.require_waiting()
        try:
            self._ended.wait(timeout)
        except BaseException:
            self._cancel_and_wait()
            raise
        if self._ended.is_set():
            self._thread.join()
        return not self.is_running

    def require_waiting(self) -> None:
        """Raise StreambenchError where the run needs the event loop of this thread."""
        if self.is_running and self._reads:
            require_no_need(self._execution.pipeline.source)

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end as ``wait``, and return what ``Pipeline.run`` would, or raise it.

        Raises TimeoutError where the end has not come, StreambenchError for a run that was cancelled.
        """
        if not self.wait(timeout):
            raise TimeoutError(f"the run has not ended within {timeout} s")
        if self._result is None:
            assert self._problem is not None
            raise self._problem
        return self._result

    def glance(self) -> Glance:
        """What has been done so far; at any time."""
        with self._looking:
            return glance(self._execution.engine, self._execution.settled.engine, self._ended_ticks)

    @property
    def output_tuples(self) -> int:
        """Tuples that have reached the sink so far, where that counts them."""
        return int(getattr(self._execution.pipeline.sink, "tuples", 0))

    def metrics(self) -> str:
        """The same as text for Prometheus (exposition format 0.0.4), to be served by a program of yours."""
        engine = self._execution.engine
        return prometheus.text(
            self.glance(),
            prometheus.latencies(engine),
            self.output_tuples,
            is_running=self.is_running,
            pauses=self._execution.pauses,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if problem is None:
            self.result()
            return
        self._cancel_and_wait()

    def _cancel_and_wait(self) -> None:
        self.cancel()
        self._ended.wait()

    def _run(self) -> None:
        try:
            self._result = self._finish(self._look)
        except BaseException as problem:  # raised by whoever asks for the result
            self._problem = problem
        finally:
            self._ended_ticks = clock.read()
            self._ended.set()

    def _look(self, tuples: int) -> None:
        if not threading.main_thread().is_alive():  # the program ends, and waits for this thread
            self.cancel()
