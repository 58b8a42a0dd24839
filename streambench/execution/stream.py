"""The output of a pipeline as a loop takes it, while the pipeline runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from streambench.execution.run import Run
from streambench.sinks.loop_sink import LoopSink

if TYPE_CHECKING:
    import pyarrow as pa


END_SECONDS = 0.005
"""How often the end of a run is looked for by a loop that must not wait."""


class Stream(Iterator["pa.RecordBatch"]):
    """Batches of the output, in order, of a ``run`` whose ``sink`` they come from, for ``for`` and ``async for``.

    Whoever leaves the loop early, by an exception too, cancels the run; so does the end of the object. What the run
    raises is raised by the loop, after all batches from before. A context manager, of ``with`` and ``async with``, that
    cancels the run as it is left. ``async for`` never keeps its event loop waiting.
    """

    def __init__(self, run: Run, sink: LoopSink) -> None:
        self.run = run
        self.schema: pa.Schema = sink.arrow_schema
        self._sink = sink
        self._waits = True  # whose event loop takes the output does not
        self._this_thread = threading.current_thread  # a module's names are gone before its objects
        self._made_by = threading.current_thread()  # an id may be that of another thread by now

    def __next__(self) -> pa.RecordBatch:
        self.run.require_waiting()
        try:
            batch = self._sink.batches.take()
        except BaseException:
            self.close()
            raise
        if batch is None:
            self.run.result()
            raise StopIteration
        return batch

    def __aiter__(self) -> Self:
        self._waits = False
        return self

    async def __anext__(self) -> pa.RecordBatch:
        loop, changed, batches = asyncio.get_running_loop(), asyncio.Event(), self._sink.batches

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(changed.set)

        batches.watch(wake)
        try:
            while (batch := batches.take_now()) is None and not batches.is_over:
                await changed.wait()
                changed.clear()
            while batch is None and not self.run.wait(0):
                await asyncio.sleep(END_SECONDS)
        except BaseException:
            await self.aclose()
            raise
        if batch is None:
            self.run.result()
            raise StopAsyncIteration
        return batch

    async def aclose(self) -> None:
        """As ``close``; the event loop goes on meanwhile."""
        self.run.cancel()
        while not self.run.wait(0):
            await asyncio.sleep(END_SECONDS)

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

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # A worker may collect garbage, and must not wait for itself.
        if self._waits and self._this_thread() is self._made_by:
            self.close()
        else:
            self.run.cancel()
