"""One execution of a pipeline by an engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from streambench.errors import OperatorError, OptionError, SinkError, StreambenchError
from streambench.execution import arrivals, engines, in_use
from streambench.execution.checkpoints import Checkpoints, Every
from streambench.execution.glance import Spectator, glance
from streambench.execution.measurement import Measurement, measurement
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.host.meanwhile import Meanwhile
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.sinks.loop_sink import LoopSink

Watch = Callable[[int], None] | Spectator
"""Called some ten times a second with the stream tuples that have reached the sink; a `Spectator` is told more."""


def execute(
    pipeline: OperatorChain,
    options: Options,
    watch: Watch | None = None,
    *,
    profiled: bool = False,
    recorded: bool = False,
    opened: Callable[[], object] | None = None,
) -> Measurement:
    """Run ``pipeline`` to the end of its stream.

    ``profiled``: log what every worker does when, with the paper's schemes sample the stages over time; let the serial
    engine, too, take the time of every operator. ``recorded``: keep what the controller of ``ordered`` is told and
    decides. ``opened``: called when all operators are open, which may then load what others have saved. Raises
    OptionError where another engine is to record that, OperatorError where an operator refuses a tuple, SinkError where
    a sink cannot go on, MemoryError where a worker was not given memory, DataError where one of several streams cannot
    be read, and what a source's iterator raised.
    """
    require_sink(pipeline)
    return Execution(pipeline, options, profiled=profiled, recorded=recorded, opened=opened).run(watch)


def require_sink(pipeline: OperatorChain) -> None:
    """Raise OptionError for a pipeline whose output only a loop can take, which ``Pipeline.stream`` has."""
    if isinstance(pipeline.sink, LoopSink):
        raise OptionError(
            f"a pipeline ends with a Sink, not with a {type(pipeline.operators[-2]).__name__}: add one, or take the "
            "output from stream()."
        )


class Execution:
    """One execution, whose engine is made and not yet started; raises and takes what ``execute`` does."""

    def __init__(
        self,
        pipeline: OperatorChain,
        options: Options,
        *,
        profiled: bool = False,
        recorded: bool = False,
        opened: Callable[[], object] | None = None,
        checkpoint: str | Path | None = None,
        every: Every | None = None,
    ) -> None:
        if pipeline.used:
            raise OptionError("this pipeline has been executed: its operators hold state, so build a new one.")
        arrivals.require_end(pipeline.source.total(), options.rate)
        self.pipeline = pipeline
        self.options = options
        self.settled = settle(options)
        self.recorded = recorded
        self.cancelled = False
        if recorded and self.settled.engine != "ordered":
            raise OptionError(
                f"`recorded` keeps decisions of `engine` ordered, and {self.settled.engine} takes none: leave out one "
                "of them."
            )
        if every is not None and checkpoint is None:
            raise OptionError("`every` says how often a run is saved: name a folder by checkpoint=, or leave it out.")
        self._checkpoints: Checkpoints | None = None
        in_use.take(pipeline.all_operators)
        try:
            if checkpoint is not None:
                self._checkpoints = Checkpoints(pipeline, self.settled, checkpoint, every)
                opened = self._checkpoints.load
            self.engine: Any = engines.make(pipeline, self.settled, profiled, recorded=recorded, opened=opened)
            if self._checkpoints is not None:
                self._checkpoints.begin(self.engine)
            lap = pipeline.source.lap()
            if lap:
                self.engine.egress.count_laps(lap)
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        """Without having been run: sinks that have begun are told, and others may have the operators."""
        _abandon(self.pipeline.batch_sinks, False)
        self._leave()

    def _leave(self) -> None:
        if self._checkpoints is not None:
            self._checkpoints.close()
        in_use.leave(self.pipeline.all_operators)

    def run(self, watch: Watch | None = None) -> Measurement:
        """Start the workers, and return when the sinks have ended. Raises as ``execute``; StreambenchError where it has
        been cancelled."""
        try:
            meanwhile = self._run_whole(watch, self.pipeline.batch_sinks)
        finally:
            self._leave()
        told = None if self._checkpoints is None else self._checkpoints.values
        return measurement(
            self.pipeline, self.engine, self.settled, meanwhile, recorded=self.recorded, checkpoints=told
        )

    def _run_whole(self, watch: Watch | None, sinks: list[BatchSink]) -> Meanwhile:
        try:
            try:
                with Meanwhile() as meanwhile:
                    self._run(watch, [each for each in sinks if each.batch_seconds is not None])
                self._raise_problems(sinks)
                was_cut = self._checkpoints is not None and self._checkpoints.stop()
            finally:
                getattr(self.pipeline.source, "end", _nothing)()
        except BaseException as problem:
            _abandon(sinks, isinstance(problem, Exception) and not self.cancelled)
            raise
        if self._checkpoints is None or not self._checkpoints.was_finished:
            _finish(sinks)
        if self.cancelled:  # while the last batches waited to be taken
            raise _cancelled()
        if self._checkpoints is not None and not was_cut:
            self._checkpoints.finish()
        return meanwhile

    @property
    def pauses(self) -> list[int] | None:
        """Ns of each that was made for a checkpoint; None where there are none to be made."""
        return None if self._checkpoints is None else list(self.engine.pauses.lengths)

    def cancel(self) -> None:
        """Have the workers return as soon as they can; what is under way does not reach the sinks."""
        self.cancelled = True
        self.engine.stop()
        problems = []
        for sink in self.pipeline.batch_sinks:
            try:
                sink.interrupt()
            except Exception as problem:  # the others are interrupted all the same
                problems.append(problem)
        for each in problems:
            raise each

    def _run(self, watch: Watch | None, timed: list[BatchSink]) -> None:
        """A call into Python, the least a watch can do, is where Ctrl-C is noticed while the workers run."""

        def look(tuples: int) -> None:
            for each in timed:
                each.tick()
            if isinstance(watch, Spectator):
                watch.look(glance(self.engine, self.settled.engine))
            elif watch is not None:
                watch(tuples)

        if self._checkpoints is not None and self._checkpoints.was_finished:
            self.engine.token.end_stream(False)
        try:
            self.engine.run(look)
        except BaseException as problem:
            failed = next((each for each in timed if each.error is problem), None)
            if failed is not None:
                _raise_of_sink(failed, problem)
            raise
        if isinstance(watch, Spectator):
            watch.look(glance(self.engine, self.settled.engine))

    def _raise_problems(self, sinks: list[BatchSink]) -> None:
        """Where the stream has not come to its end, raise why."""
        for sink in sinks:
            if sink.error is not None:
                _raise_of_sink(sink, sink.error)
        _raise_refused(self.pipeline, self.engine)
        problem = getattr(self.pipeline.source, "error", None)  # a source reads ahead of what has been refused
        if problem is not None and not self.engine.token.is_cut:
            raise problem
        if self._checkpoints is not None:
            self._checkpoints.raise_problem()
        if self.cancelled:
            raise _cancelled()


def _cancelled() -> StreambenchError:
    return StreambenchError("this run was cancelled before its stream had ended: it has no result.")


def _nothing() -> None:
    """What sources do after a run that hold on to nothing."""


def _raise_of_sink(sink: BatchSink, problem: BaseException) -> None:
    if isinstance(problem, Exception) and not isinstance(problem, MemoryError):
        raise SinkError(sink.name, sink.written, problem) from problem
    raise problem


def _finish(sinks: list[BatchSink]) -> None:
    for place, sink in enumerate(sinks):
        try:
            sink.give_rest()
            sink.finish()
        except BaseException as problem:
            _abandon(sinks[place:], False)
            _raise_of_sink(sink, problem)


def _abandon(sinks: list[BatchSink], with_rest: bool) -> None:
    """``with_rest``: all that came before a refused tuple reaches them. What they raise is of no use any more."""
    for sink in sinks:
        with suppress(Exception):  # the run has failed already, and raises why
            if with_rest:
                sink.give_rest()
        with suppress(Exception):
            sink.abandon()


def _raise_refused(pipeline: OperatorChain, engine: Any) -> None:
    failure = engine.egress.failure()
    if failure is None:
        return
    place, serial, values, reason = failure
    names = pipeline.operators[place - 1].emitted
    named = tuple((names[k] if k < len(names) else f"column {k}", value) for k, value in enumerate(values))
    operator = pipeline.operators[place]
    cause = operator.cause(engine.egress.reason_address()) if hasattr(operator, "cause") else None
    raise OperatorError(operator.name, serial, named, reason) from cause
