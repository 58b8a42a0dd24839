"""The checkpoints of an execution: when they are made, by whom they are written, and what a run goes on from."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from streambench.checkpoints.checkpoint import Checkpoint
from streambench.checkpoints.folder import CheckpointFolder, to_disk
from streambench.checkpoints.identity import identity, require_arrays, require_same, require_savable
from streambench.errors import OptionError, StreambenchError
from streambench.execution.operator_chain import OperatorChain
from streambench.execution.result_values import CheckpointValues
from streambench.execution.settled import Settled
from streambench.pyx.state.buffers import forget_buffers
from streambench.pyx.tuples.batch_sink import BatchSink
from streambench.pyx.tuples.data_types import State
from streambench.pyx.tuples.span import Span, span_in
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.whole_number import is_number
from streambench.sinks.file_sink import ROWS, FileSink
from streambench.sinks.kafka_sink import KafkaSink

Every = Span | float
"""Seconds, or a span of time that says its unit."""
EVERY = 10.0  # seconds, unless given


class Checkpoints:
    """Of a run of ``pipeline`` whose checkpoints are in ``folder``, one ``every`` so many seconds.

    A worker saves the states in a pause; a thread writes them, and arms the next pause when it is done. Raises
    OptionError for what cannot be saved, DataError for a checkpoint that this run cannot go on from.
    ``was_finished``: the stream and its sinks had ended before this run.
    """

    def __init__(self, pipeline: OperatorChain, settled: Settled, folder: str | Path, every: Every | None) -> None:
        self._seconds = seconds_of(EVERY if every is None else every)
        self._operators = pipeline.all_operators
        _require_engine(settled)
        require_savable(self._operators)
        self._pipeline = identity(self._operators)
        self._folder = CheckpointFolder(_path_of(folder))
        self._writer = ThreadPoolExecutor(1, "streambench checkpoints")
        self._writer.submit(int)  # its thread begins here: begun by a worker, it would stay on the worker's core
        self._writing: Future[None] | None = None
        self._kept: list[list[int]] = []  # of the last two: how many files each sink had
        self._sinks = [each for each in self._operators if isinstance(each, FileSink)]
        self._row, self.was_finished = 0, False
        self._written_row = -1  # of the last one in the folder
        try:
            self._begun = self._folder.newest()
            if self._begun is not None:
                require_same(self._begun.pipeline, self._pipeline, folder)
                self._row, self.was_finished = self._begun.row, self._begun.finished
                self._kept.append(self._files(self._begun))
                self._written_row = self._row
        except BaseException:
            self.close()
            raise
        for place, each in enumerate(pipeline.batch_sinks):
            if isinstance(each, FileSink | KafkaSink):
                each.checkpointed(self._folder.path / f"sink-{place}", goes_on=self._begun is not None)

    @property
    def values(self) -> CheckpointValues:
        """What a result says of them."""
        lengths = self._engine.pauses.lengths
        return {
            "count": len(lengths),
            "pause_ns_median": int(statistics.median(lengths)) if lengths else 0,
            "pause_ns_max": max(lengths, default=0),
            "begun_at": self._row,
            "was_finished": self.was_finished,
        }

    def load(self) -> None:
        """Have the operators, which are open, go on from the last one."""
        if self._begun is not None:
            for each, state in zip(self._operators, self._begun.states, strict=True):
                if not self.was_finished or isinstance(each, BatchSink | TableSink):
                    each.load(state)
        self._begun = None  # its arrays are as much memory as the state

    def begin(self, engine: Any) -> None:
        """Before the run of ``engine``: there is a checkpoint from now on. Raises what ``Operator.save`` does."""
        self._engine = engine
        self._last = self._row
        engine.pauses.call(self._save)
        if not self._kept:
            self._write(self._checkpoint(0))
        engine.pauses.arm(self._seconds)

    def stop(self) -> bool:
        """Workers have returned, and sinks have not ended: save what operators hold, where the stream was ended early.
        Whether it was. Raises StreambenchError."""
        was_cut = bool(self._engine.settle())
        if was_cut and not self.was_finished:
            self._finish(self._checkpoint(self._row + self._engine.egress.tuples_left()))
        return was_cut

    def finish(self) -> None:
        """The stream and its sinks have ended. Raises StreambenchError."""
        states = [each.save() if isinstance(each, BatchSink | TableSink) else {} for each in self._operators]
        row = self._row + self._engine.egress.tuples_left()
        self._finish(Checkpoint(row, self._pipeline, tuple(states), finished=True))

    def close(self) -> None:
        """After the run, however it ended."""
        self._writer.shutdown()
        forget_buffers()
        self._folder.close()
        for each in self._operators:
            if isinstance(each, FileSink | KafkaSink):
                each.checkpointed(None, goes_on=False)

    def raise_problem(self) -> None:
        """Raise why a checkpoint could not be made, if one could not."""
        if self._engine.pauses.error is not None:
            raise self._engine.pauses.error
        if self._writing is not None and self._writing.done():
            self._writing.result()

    def _save(self) -> bool:
        """In a pause."""
        begun = time.monotonic()
        row = self._row + self._engine.egress.tuples_left()
        if row == self._last:
            self._engine.pauses.arm(self._seconds)
            return False
        self._last = row
        self._writing = self._writer.submit(self._write_and_arm, self._checkpoint(row), begun)
        return True

    def _checkpoint(self, row: int) -> Checkpoint:
        states: list[State] = [each.save() for each in self._operators]
        for each, state in zip(self._operators, states, strict=True):
            require_arrays(each, state)
        return Checkpoint(row, self._pipeline, tuple(states))

    def _write_and_arm(self, checkpoint: Checkpoint, begun: float) -> None:
        try:
            self._write(checkpoint)
        except BaseException:
            self._engine.stop()
            raise
        self._engine.pauses.arm(max(0.0, begun + self._seconds - time.monotonic()))

    def _finish(self, checkpoint: Checkpoint) -> None:
        if self._writing is not None:
            self._writing.result()
        self._write(checkpoint)

    def _write(self, checkpoint: Checkpoint) -> None:
        try:
            for each in self._folder.path.glob(f"*{ROWS}"):
                to_disk(each)
            self._folder.put(checkpoint)
        except OSError as problem:
            raise StreambenchError(
                f"a checkpoint cannot be written to {self._folder.path} ({problem.strerror}): make room, or name "
                "another folder."
            ) from problem
        # Of the same row, it has taken the place of the last one.
        kept = self._kept[:-1] if checkpoint.row == self._written_row else self._kept[-1:]
        self._kept = [*kept, self._files(checkpoint)]
        self._written_row = checkpoint.row
        for sink, files in zip(self._sinks, self._kept[0], strict=True):
            sink.forget_rows(files)

    def _files(self, checkpoint: Checkpoint) -> list[int]:
        states = zip(self._operators, checkpoint.states, strict=True)
        return [int(state["files"][0]) for each, state in states if isinstance(each, FileSink)]


def seconds_of(every: Every) -> float:
    """``every`` in seconds. Raises OptionError."""
    try:
        seconds = float(every) if is_number(every) else span_in("ns", every, "every") * 1e-9  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise OptionError(f"`every` must be seconds above 0, or a span of time such as 10s, not {every!r}.")
    return seconds


def _path_of(folder: object) -> Path:
    if not isinstance(folder, str | Path) or str(folder) in ("", ".") or "\0" in str(folder):
        raise OptionError(f"`checkpoint` must be the name of a folder of its own, not {folder!r}.")
    return Path(folder)


def _require_engine(settled: Settled) -> None:
    if settled.engine == "schemes":
        raise OptionError("`engine` schemes has no checkpoints: leave out `checkpoint`, or choose ordered or serial.")
    if settled.partition_by != "hash":
        raise OptionError("`checkpoint` needs `partition_by` hash: states are found by it again.")
