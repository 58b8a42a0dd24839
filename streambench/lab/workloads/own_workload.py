"""A pipeline of one's own, ready to be run many times: a function that builds it, the serial reference, an oracle."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from streambench.data.arrow_source import ArrowSource
from streambench.data_folder import data_files
from streambench.errors import DataError, OptionError
from streambench.execution.execute import Watch, execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.joins.source import ArrowJoinSource
from streambench.lab.answers.row_difference import first_difference
from streambench.lab.answers.stream_oracle import StreamOracle
from streambench.lab.workloads.lap_room import LapRoom
from streambench.lab.workloads.pipeline_function import PipelineFunction
from streambench.pyx.join.join_source import JoinSource
from streambench.pyx.join.stream_join_source import StreamJoinSource
from streambench.pyx.tuples.arrow_columns import told_apart
from streambench.pyx.tuples.operator import PartitionedStateful
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.table_source import TableSource

SERIAL = Options(engine="serial", preload=True)


@dataclass(frozen=True)
class Reference:
    """The serial engine's run: tuples of the stream, tuples of the output sequence and its digest. ``problem``: where
    that sequence differs from SQL's."""

    tuples: int
    output_tuples: int
    digest: str
    problem: str | None


class OwnWorkload:
    """The pipeline that ``name``, a ``module:function``, builds anew for every run.

    It is called once for each run: here for the first one. Its sink is replaced, as runs differ in whether rows are
    kept. ``oracle``: a file of SQL that the output sequence must equal (see ``StreamOracle``). ``data``: what the
    function is called with; Arrow data, of which files are read here, once, if they are to be ``in_memory``, and else
    by each run.

    A stream is as long as the function makes it, so there is one lap. Raises OptionError for what cannot be run, and
    for an oracle of a stream that cannot be read twice.
    """

    answer_needs_rows = False  # SQL is compared with the serial engine's rows, and a run with these by digest
    parameter_set = ""

    def __init__(self, name: str, oracle: Path | None = None, data: Any = None, *, in_memory: bool = True) -> None:
        self.name = name
        self.data = data
        self._stamps = None if in_memory else _stamps(data)
        self._function = PipelineFunction(name, data, in_memory=in_memory)
        first = self._function()
        self._next: Pipeline | None = first
        self._total: int | None = first.source.total()
        arrow = isinstance(first.source, ArrowSource)
        streamed = isinstance(first.source, StreamJoinSource)
        held = isinstance(first.source, TableSource | JoinSource) and not streamed
        self._in_memory = held or (arrow and first.source.in_memory)
        keyed = [each for each in first.operators if isinstance(each, PartitionedStateful)]
        self.has_ranges = all(each.high_key > each.low_key for each in keyed)
        self.room = LapRoom(1, f"{name} itself says how long its stream is")
        self._source: Any = None
        self.oracle: StreamOracle | None = None
        if oracle is not None:
            if not held and not (arrow and first.source.again):
                raise OptionError(
                    f"the stream of {name} comes from a {type(first.source).__name__} and cannot be read twice, as an "
                    "oracle does: let it come from a TableSource, a table or a join of tables, or leave out the oracle."
                )
            self._source = first.source
            self.oracle = StreamOracle(oracle, self._source.schema, told_apart(first.operators[-2].emitted))

    @property
    def rows(self) -> int:
        """Tuples of the stream; where its source does not say, those that the serial engine was given."""
        return self.reference.tuples if self._total is None else self._total

    def describe(self) -> None:
        """Its parameters: none."""

    def state(self) -> list[str]:
        """Plain values that change where the function's module, the data's files or the oracle do."""
        return [*self._function.state(), *_stamps(self.data), "" if self.oracle is None else self.oracle.text]

    def pipeline(self, *, keep: bool) -> Pipeline:
        """A new pipeline; ``keep``: the sink holds its rows."""
        built, self._next = self._next or self._function(), None
        return Pipeline([*built.operators[:-1], TableSink(keep)])

    def run(
        self,
        options: Options,
        watch: Watch | None = None,
        *,
        keep: bool,
        profiled: bool = False,
        recorded: bool = False,
    ) -> tuple[Measurement, Pipeline]:
        """Execute the pipeline once. Raises OptionError for more than one lap, DataError for what cannot be read."""
        self.room.require(options.laps)
        pipeline = self.pipeline(keep=keep)
        chosen = replace(options, preload=self._in_memory)
        try:
            return execute(pipeline, chosen, watch, profiled=profiled, recorded=recorded), pipeline
        except DataError:
            self._require_unchanged()
            raise

    @cached_property
    def reference(self) -> Reference:
        """What every run is compared with."""
        measured, pipeline = self.run(SERIAL, keep=self.oracle is not None)
        problem = None
        expected = self.expected_answer()
        if self.oracle is not None:
            problem = self.oracle.difference(self.name, pipeline.sink.to_arrow(), expected)
        return Reference(measured.tuples, pipeline.sink.tuples, pipeline.sink.digest, problem)

    def serial_digest(self, laps: int) -> str:
        """The digest of the serial engine's output sequence."""
        self.room.require(laps)
        return self.reference.digest

    def emitted(self, pipeline: Pipeline) -> pa.Table:
        """The output sequence that the sink has kept; columns of Arrow data as they were there."""
        table: pa.Table = pipeline.sink.to_arrow()
        restores = isinstance(pipeline.source, ArrowSource | ArrowJoinSource)
        return pipeline.source.restore(table) if restores else table

    def expected_answer(self, laps: int = 1) -> pa.Table | None:
        """The output sequence that SQL selects, asked once; None without an oracle."""
        self.room.require(laps)
        return self._expected

    @cached_property
    def _expected(self) -> pa.Table | None:
        if self.oracle is None:
            return None
        stream = Pipeline([self._source, TableSink(keep=True)])
        execute(stream, SERIAL)
        return self.oracle.sequence(stream.sink.to_arrow())

    def check(
        self, options: Options, measured: Measurement, pipeline: Pipeline
    ) -> tuple[bool, bool | None, str | None]:
        """Check an executed pipeline: (sequence is right, answer equals SQL's, the first difference).

        The sequence is right if it equals the serial engine's; the answer, which is the sequence, if that equals SQL's
        too (None: there is no oracle). Raises DataError for a difference where files have changed since: it would be
        laid at the engine's door.
        """
        difference = self.lap_problem(options.laps, measured) or self._serial_difference(pipeline)
        problem = difference or self.reference.problem
        if problem is not None:
            self._require_unchanged()
        return difference is None, None if self.oracle is None else problem is None, problem

    def _require_unchanged(self) -> None:
        """Where files that every run reads have changed since, what went wrong is not the engine's doing."""
        now = _stamps(self.data)
        # That one is gone, its reader says.
        if self._stamps is not None and now != self._stamps and len(now) >= len(self._stamps):
            raise DataError(f"{self.data} has changed while {self.name} ran: let its writer finish, then try again.")

    def sequence_problem(self, laps: int, digest: str) -> str | None:
        """Where an output sequence of this digest differs from the serial engine's or SQL's."""
        if digest != self.serial_digest(laps):
            return f"{self.name}'s output sequence has digest {digest} instead of {self.reference.digest}."
        return self.reference.problem

    def lap_problem(self, laps: int, measured: Measurement) -> str | None:
        """What is wrong with the number of tuples that a run was given."""
        if measured.tuples == self.reference.tuples:
            return None
        return (
            f"{self.name} made a stream of {measured.tuples:,} tuples where the serial engine was given "
            f"{self.reference.tuples:,}: it must make the same stream in every call."
        )

    def _serial_difference(self, pipeline: Pipeline) -> str | None:
        sink, serial = pipeline.sink, self.reference
        if (sink.digest, sink.tuples) == (serial.digest, serial.output_tuples):
            return None
        if not sink.keep:
            return (
                f"{self.name}'s output sequence differs from the serial engine's: {sink.tuples:,} tuples with digest "
                f"{sink.digest} instead of {serial.output_tuples:,} with {serial.digest}."
            )
        _, again = self.run(SERIAL, keep=True)
        where = first_difference(pipeline.sink.to_arrow(), again.sink.to_arrow())
        return f"{self.name}'s output sequence differs from the serial engine's: {where}."


def _stamps(data: Any) -> list[str]:
    """Of a path: it, and the size and the time of the last change of each file there."""
    if not isinstance(data, (str, Path)):
        return []
    place = Path(data)
    files = data_files(place) if place.is_dir() else [place] * place.is_file()
    return [str(data), *(f"{each} {each.stat().st_size} {each.stat().st_mtime_ns}" for each in files)]
