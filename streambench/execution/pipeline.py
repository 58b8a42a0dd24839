"""A linear pipeline of operators, and its execution."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from streambench.errors import OptionError
from streambench.execution.checkpoints import Every
from streambench.execution.execute import Execution, Watch, require_sink
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.options import OptionChanges, Options
from streambench.execution.result import Result, fields_of
from streambench.execution.run import Run
from streambench.execution.running_loop import require_no_need
from streambench.execution.settled import settle
from streambench.execution.stream import Stream
from streambench.host import core_distance
from streambench.pyx.tuples.data_types import Nulls
from streambench.pyx.tuples.operator import Sink
from streambench.sinks.loop_sink import LoopSink


class Pipeline(OperatorChain):
    """Operators in order, from a ``Source`` to a ``Sink`` (Cython classes of ``streambench.pyx.tuples.operator``).

    In the place of the source there may be Arrow data: whatever ``ArrowSource`` takes becomes one. For a function that
    is decorated as an operator a new operator is made. Where the sink is left out, ``stream`` gives the output. An
    operator holds state, so a pipeline is executed once; build a new one for the next run. Raises OptionError for
    operators that make no pipeline, DataError for Arrow data that make no source.
    """

    def __init__(self, operators: Sequence[object]) -> None:
        listed = list(operators)
        self._has_sink = not listed or isinstance(listed[-1], Sink)
        self._loop_sink = LoopSink()
        self._streaming, self._is_streamed = threading.Lock(), False
        super().__init__(listed if self._has_sink else [*listed, self._loop_sink])

    def run(
        self,
        options: Options | None = None,
        *,
        profiled: bool = False,
        recorded: bool = False,
        watch: Watch | None = None,
        checkpoint: str | Path | None = None,
        every: Every | None = None,
        **changes: Unpack[OptionChanges],
    ) -> Result:
        """Execute the pipeline to the end of its stream.

        ``checkpoint``: a folder in which the run is saved, ``every`` so many seconds (a number, or such as ``"10s"``;
        10) and where it is stopped; the same call again goes on from there, whatever ended the run before. A stream
        that has ended is not run again. See docs/checkpoints.md.

        ``options``, or any option by its name (``workers=2, unit=256, partitions=64, rate=1e6``), say how: see
        ``Options``. ``profiled``: log what each worker does when, for ``Result.timeline``. ``recorded``: keep what the
        controller of ``ordered`` is told and decides, for ``Result.decisions``. ``watch``: called while it runs.

        Raises OptionError, DataError, OperatorError and SinkError, each with one sentence, StreambenchError where this
        thread's event loop has to read the source, and MemoryError where memory is refused.
        """
        require_sink(self)
        require_no_need(self.source)
        execution = Execution(
            self,
            Options.of(options, **changes),
            profiled=profiled,
            recorded=recorded,
            checkpoint=checkpoint,
            every=every,
        )
        return self._finish(execution, watch)

    def start(
        self,
        options: Options | None = None,
        *,
        checkpoint: str | Path | None = None,
        every: Every | None = None,
        **changes: Unpack[OptionChanges],
    ) -> Run:
        """Begin to execute the pipeline, and return a handle that stops it, looks at it and has its result.

        Options as of ``run``. Raises OptionError and what sinks raise that cannot begin; all else is raised by
        ``Run.result``.
        """
        require_sink(self)
        return self._start(Options.of(options, **changes), checkpoint, every)

    def stream(
        self,
        options: Options | None = None,
        *,
        batch_rows: int = 65536,
        batch_seconds: float | None = 1.0,
        batches_ahead: int = 2,
        restore: bool | Mapping[str, str] = True,
        nulls: Nulls = None,
        **changes: Unpack[OptionChanges],
    ) -> Stream:
        """Begin to execute a pipeline without a sink, and return an iterator of its output, ``pyarrow.RecordBatch`` es.

        The run goes on beside the loop, ``for`` or ``async for``, ``batches_ahead`` batches ahead, and waits there.
        ``batch_rows``, ``batch_seconds``, ``restore`` and ``nulls`` as of ``BatchSink``, options as of ``run``. Raises
        OptionError for a pipeline that has a sink; what ``run`` raises is raised by the loop.
        """
        if self._has_sink:
            raise OptionError(
                f"stream() gives the output to a loop, and this pipeline ends with a {type(self.sink).__name__}: leave "
                "that out, or put it before the end as tap(sink)."
            )
        for name in ("checkpoint", "every"):
            if name in changes:
                raise OptionError(
                    f"stream() has no `{name}`: what a loop has taken is not known. End the pipeline with a sink, and "
                    "call run()."
                )
        with self._streaming:
            if self.used or self._is_streamed:
                raise OptionError("this pipeline has been executed: its operators hold state, so build a new one.")
            self._is_streamed = True
        LoopSink.__init__(
            self._loop_sink,
            batches_ahead,
            batch_rows=batch_rows,
            batch_seconds=batch_seconds,
            restore=restore,
            nulls=nulls,
        )
        return Stream(self._start(Options.of(options, **changes)), self._loop_sink)

    def _start(self, options: Options, checkpoint: str | Path | None = None, every: Every | None = None) -> Run:
        execution = Execution(self, options, checkpoint=checkpoint, every=every)
        try:
            return Run(execution, lambda watch: self._finish(execution, watch))
        except BaseException:  # there was no thread to be had
            execution.leave()
            raise

    def _finish(self, execution: Execution, watch: Watch | None) -> Result:
        before = longest_distance(execution.options)
        measured = execution.run(watch)
        return Result(**fields_of(measured, self, (before, longest_distance(execution.options))))


def longest_distance(options: Options) -> float | None:
    """Of the cores, ns there and back; None where a run has one worker."""
    return core_distance.longest() if settle(options).workers > 1 else None
