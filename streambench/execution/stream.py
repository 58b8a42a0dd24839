"""The output of a pipeline as a loop takes it, while the pipeline runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from streambench.execution.run import Run
from streambench.sinks.loop_sink import LoopSink

if TYPE_CHECKING:
    import pyarrow as pa


class Stream(Iterator["pa.RecordBatch"]):
    """Batches of the output, in order, of a ``run`` whose ``sink`` they come from.

    Whoever leaves the loop early, by an exception too, cancels the run; so does the end of the object. What the run
    raises is raised by the loop, after all batches from before. A context manager that cancels the run as it is left.
    """

    def __init__(self, run: Run, sink: LoopSink) -> None:
        self.run = run
        self.schema: pa.Schema = sink.arrow_schema
        self._sink = sink
        self._this_thread = threading.current_thread  # a module's names are gone before its objects
        self._made_by = threading.current_thread()  # an id may be that of another thread by now

    def __next__(self) -> pa.RecordBatch:
        try:
            batch = self._sink.batches.take()
        except BaseException:
            self.close()
            raise
        if batch is None:
            self.run.result()
            raise StopIteration
        return batch

    def close(self) -> None:
        """Cancel the run, unless it has ended, and wait until its workers have returned."""
        self.run.cancel()
        self.run.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # A worker may collect garbage, and must not wait for itself.
        if self._this_thread() is self._made_by:
            self.close()
        else:
            self.run.cancel()
