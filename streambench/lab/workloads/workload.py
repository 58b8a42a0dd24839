"""A query over a data directory, ready to be run many times: stream, look-ups, oracle and serial reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import DataError, OptionError
from streambench.execution import lap_counts
from streambench.execution.execute import Watch, execute
from streambench.execution.measurement import Measurement
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.execution.settled import settle
from streambench.lab.answers import oracle
from streambench.lab.answers.row_difference import first_difference
from streambench.lab.data import loader, lookup, replay_order
from streambench.lab.data.catalog import Catalog
from streambench.lab.data.columns import check_there, sources
from streambench.lab.data.narrow_types import event_time
from streambench.lab.data.streamed import Streamed
from streambench.lab.workloads.lap_room import LapRoom, lap_room
from streambench.lab.workloads.operator_cost import OperatorCost, without_cost
from streambench.parquet_file import read_schema
from streambench.pyx.tuples.table_sink import TableSink
from streambench.pyx.tuples.table_source import BatchSource, TableSource
from streambench.queries import query as queries

SQL_TUPLES = 1 << 21  # of several laps SQL is asked outright where they are no more tuples: some seconds
UNKNOWN_BOUND = (1 << 31) - 1  # keys above the bound all fall into the last range: slower, not wrong

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, done, in all) while a stream is checked or loaded."""


def require_columns(data: Catalog, query: queries.Query) -> None:
    """Raise DataError where a file of the stream lacks a column that some parameter set of ``query`` reads.

    SQL, which answers it too, names the columns of all sets, also in branches that are not taken.
    """
    read = [column for each in query.parameters.values() for column in query.columns(each)]
    names = list(dict.fromkeys(name for column in read for name in sources(query.table, column)))
    for file in data.table(query.table).files:
        schema = read_schema(file)
        for name in names:
            check_there(file, schema, name)


class Workload:
    """``query`` over the catalogue in ``data`` with one of its parameter sets; ``q2@10us`` has work added to operators.

    With ``preload`` the stream is loaded once and replayed by every run; so it is anyway where the query joins two
    streams. ``on_cluster``: data in buckets are fine, for whoever runs over each bucket by itself, and who runs calls
    ``check_order``. Raises OptionError for an unknown query or parameter set, and for a cost that cannot be; DataError
    for data that does not fit.
    """

    def __init__(
        self,
        query: str,
        data: Catalog,
        parameter_set: str = "paper",
        *,
        preload: bool = True,
        sort: bool = False,
        progress: Progress | None = None,
        on_cluster: bool = False,
    ) -> None:
        query, self.operator_cost = OperatorCost.of_workload(query)
        try:
            self.query = queries.find(query)
        except KeyError:
            raise OptionError(f"there is no query {query!r}: choose from {', '.join(queries.names())}.") from None
        if parameter_set not in self.query.parameters:
            known = ", ".join(self.query.parameters)
            raise OptionError(f"{query} has no parameter set {parameter_set!r}: choose from {known}.")
        self.data = data
        self.parameter_set = parameter_set
        self.parameters = self.query.parameters[parameter_set]
        self.preload = preload or self.query.join is not None
        self._references: dict[int, tuple[str, int]] = {}
        self._sequence_problems: dict[tuple[int, str], str | None] = {}
        self._by_lap: dict[int, pa.Table] = {}
        self._greatest: dict[str, int] = {}
        self._dimensions: dict[Callable[[Catalog], Any], Any] = {}
        self.columns = self.query.columns(self.parameters)
        for name in (self.query.table, *self.query.dimensions[parameter_set]):
            data.table(name)  # a table that is missing is told before anything is read
        require_columns(data, self.query)
        if data.bucketed(self.query.table) and not (sort or on_cluster):
            raise DataError(
                f"{self.query.table} in {data.path} lies in buckets by key, for runs with --engine spark: add --sort "
                "to run over it on one machine, which puts it into replay order in memory."
            )
        self._tickets_ascend: bool | None = None
        if not (sort or on_cluster):
            self.check_order(progress)
        self.stream: loader.Stream | None = None
        if self.preload:
            step = _step(progress, f"loading {self.query.table}")
            self.stream = loader.load(data, self.query.table, self.columns, sort=sort, progress=step)

    def check_order(self, progress: Progress | None = None, look_at: replay_order.LookAt | None = None) -> None:
        """Raise DataError where the stream is not in replay order; see ``replay_order.check``."""
        if self._tickets_ascend is None:
            step = _step(progress, f"checking the order of {self.query.table}")
            self._tickets_ascend = replay_order.check(self.data, self.query.table, step, look_at)

    @cached_property
    def _facts(self) -> dict[str, bool]:
        if self.stream is not None:
            return dict(self.stream.facts)
        if self.query.table != "store_sales":
            return {"tickets_ascend": False}
        if self._tickets_ascend is None:
            return {"tickets_ascend": loader.tickets_ascend(self.data, self.query.table)}
        return {"tickets_ascend": self._tickets_ascend}

    def _looked_up(self, read: Callable[[Catalog], Any]) -> Any:
        """A dimension, read once."""
        if read not in self._dimensions:
            self._dimensions[read] = read(self.data)
        return self._dimensions[read]

    def _bound(self, name: str, laps: int) -> int:
        """One more than the column's greatest value over all laps, or a guess where the files do not tell."""
        if self.stream is None:
            return loader.greatest(self.data, self.query.table, name, UNKNOWN_BOUND) + 1
        if name not in self._greatest:
            self._greatest[name] = int(self.stream.column(name).max(initial=0))
        return self._greatest[name] + 1 + (laps - 1) * self.stream.lap_shift[self.stream.names.index(name)]

    @property
    def rows(self) -> int:
        """Tuples of one lap; of a join its pairs, which the serial engine counts."""
        return self.data.table(self.query.table).rows if self.query.join is None else self._serial(1)[1]

    @cached_property
    def _join(self) -> Any:
        """What joins the two streams: every run opens it anew."""
        assert self.stream is not None
        assert self.query.join is not None
        return self.query.join(dict(zip(self.stream.names, self.stream.columns, strict=True)), self.parameters)

    def require_rows(self) -> None:
        """Raise DataError for an empty stream, of which nothing can be measured."""
        if self.rows == 0:
            raise DataError(f"{self.query.table} in {self.data.path} is empty: there is nothing to measure.")

    @cached_property
    def room(self) -> LapRoom:
        """How many laps of the loaded stream fit."""
        assert self.stream is not None
        return lap_room(self.query, self.stream)

    def pipeline(self, options: Options, *, keep: bool, cost: OperatorCost | None = None) -> Pipeline:
        """A new pipeline; ``keep``: the sink holds its rows. Raises OptionError for laps that do not fit, and for the
        ``cost`` of an operator that is not there."""
        source: Any
        if self.stream is not None:
            self.room.require(options.laps)
        if self.stream is None:
            streamed = Streamed.of(self.data, self.query.table, self.columns)
            batches = streamed.batches(options.read_ahead * settle(options).at_work)
            source = BatchSource(batches, self.columns, 1, self.rows, streamed.types, event_time(self.columns))
        elif self.query.join is not None:
            source = self._join
        else:
            columns = self.stream.for_laps(options.laps)
            source = TableSource(columns, self.columns, self.stream.lap_shift, options.laps, self.stream.time)
        operators = self.query.operators(self.parameters, self.inputs(options.laps))
        return Pipeline([source, *(cost or OperatorCost()).added_to(operators), TableSink(keep)])

    def require_costs(self) -> None:
        """Raise OptionError where an operator is to cost more that the query does not have."""
        self.operator_cost.added_to(self.query.operators(self.parameters, self.inputs()))

    def inputs(self, laps: int = 1) -> queries.Inputs:
        """What the operators may look up."""
        return queries.Inputs(
            self._facts,
            lambda name: self._bound(name, laps),
            *(partial(self._looked_up, read) for read in (lookup.categories, lookup.page_types, lookup.campaigns)),
        )

    @property
    def name(self) -> str:
        """The query's name, with what its operators cost besides."""
        return self.operator_cost.workload(self.query.name)

    @property
    def answer_needs_rows(self) -> bool:
        """Whether the sink must keep its rows for the answer to be checked."""
        return not self.query.answer_from_state

    def describe(self) -> dict[str, Any] | None:
        """The parameters of a parametric pipeline; a query has none."""
        return None

    def run(
        self,
        options: Options,
        watch: Watch | None = None,
        *,
        keep: bool,
        profiled: bool = False,
        recorded: bool = False,
    ) -> tuple[Measurement, Pipeline]:
        """Execute the query once."""
        pipeline = self.pipeline(options, keep=keep, cost=self.operator_cost)
        chosen = replace(options, preload=self.preload)
        return execute(pipeline, chosen, watch, profiled=profiled, recorded=recorded), pipeline

    def reference(self, laps: int, *, keep: bool) -> tuple[Measurement, Pipeline]:
        """Execute the query once by the serial engine, with no cost added."""
        options = Options(engine="serial", laps=laps, preload=self.preload)
        pipeline = self.pipeline(options, keep=keep)
        return execute(pipeline, options), pipeline

    def emitted(self, pipeline: Pipeline) -> pa.Table:
        """The output sequence that the sink has kept."""
        types = [kind for _, kind in pipeline.operators[-2].schema]
        columns = pipeline.sink.rows() or [np.empty(0, dtype=kind) for kind in types]
        named = dict(zip(self.query.emitted, columns, strict=True))  # integers as in SQL, however wide they travelled
        return pa.table(
            {
                name: each if each.dtype.kind == "f" else each.astype(np.int64, copy=False)
                for name, each in named.items()
            }
        )

    def answer(self, pipeline: Pipeline) -> pa.Table:
        """What is left after the stream is drained."""
        emitted = None if self.query.answer_from_state else self.emitted(pipeline)
        table: pa.Table = self.query.answer(without_cost(pipeline.operators[1:-1]), emitted, self.parameters)
        return table.select(list(self.query.answer_columns))

    def expected_answer(self, laps: int = 1) -> pa.Table:
        """SQL's answer for so many laps, computed from the same files."""
        return oracle.expected(self.data, self.query.name, self.parameter_set, laps=laps)

    def expected_by_lap(self, laps: int) -> pa.Table:
        """SQL's counts of what each lap causes (see ``oracle.by_lap``), computed once per number of laps."""
        if laps not in self._by_lap:
            self._by_lap[laps] = oracle.by_lap(self.data, self.query.name, self.parameter_set, laps=laps)
        return self._by_lap[laps]

    def serial_digest(self, laps: int) -> str:
        """The digest of the serial engine's output sequence, computed once per number of laps."""
        return self._serial(laps)[0]

    def _serial(self, laps: int) -> tuple[str, int]:
        """The digest of the serial engine's output sequence, and the tuples that it was given."""
        if laps not in self._references:
            measured, pipeline = self.reference(laps, keep=False)
            self._references[laps] = pipeline.sink.digest, measured.tuples
        return self._references[laps]

    def check(self, options: Options, measured: Measurement, pipeline: Pipeline) -> tuple[bool, bool, str | None]:
        """Check an executed pipeline: (sequence is right, answer equals SQL's, the first difference).

        The sequence is right if it equals the serial engine's, that one equals SQL's row by row, and each lap has
        caused as many tuples as SQL says. Where the laps are too many for SQL the same options are run over one lap,
        and that sequence and that answer are compared with SQL's. Raises DataError for a difference where files have
        changed since they were opened: it would be laid at the engine's door.
        """
        problem = None
        if pipeline.sink.digest != self.serial_digest(options.laps):
            problem = (
                f"{self.query.name}'s output sequence differs from the serial engine's{self._where(options, pipeline)}."
            )
        problem = problem or self.lap_problem(options.laps, measured)
        laps = options.laps
        if laps > 1 and laps * self.rows > SQL_TUPLES:
            laps = 1
            _, pipeline = self.run(Options.of(options, laps=1, rate=0.0), keep=not self.query.answer_from_state)
            if pipeline.sink.digest != self.serial_digest(1):
                problem = problem or f"{self.query.name}'s output sequence of one lap differs from the serial engine's."
        sequence_problem = problem or self.sequence_problem(laps, pipeline.sink.digest)
        difference = self._answer_problem(laps, pipeline)
        if difference or sequence_problem:
            self.data.require_unchanged()
        return sequence_problem is None, difference is None, problem or difference or sequence_problem

    def sequence_problem(self, laps: int, digest: str) -> str | None:
        """Where an output sequence of ``laps`` laps, by its digest one of the serial engine's, differs from SQL's.

        The rows are compared one by one where they hold floats, or else if the digests differ.
        """
        key = (laps, digest)
        if key not in self._sequence_problems:
            self._sequence_problems[key] = self._compare_sequences(laps, digest)
        return self._sequence_problems[key]

    def _compare_sequences(self, laps: int, digest: str) -> str | None:
        name, kind = self.query.name, self.parameter_set
        if not oracle.has_floats(name) and oracle.sequence(self.data, name, kind, laps=laps).digest == digest:
            return None
        _, serial = self.reference(laps, keep=True)
        problem = oracle.sequence_difference(
            name, self.emitted(serial), oracle.emitted(self.data, name, kind, laps=laps)
        )
        if problem is None and serial.sink.digest != digest:
            return f"{name}'s output sequence has digest {digest} instead of {serial.sink.digest}."
        return problem

    def lap_problem(self, laps: int, measured: Measurement) -> str | None:
        """What SQL says of the tuples that each of several laps has caused, if it is not what was counted."""
        if laps == 1 or measured.laps is None:
            return None
        return lap_counts.difference(measured.laps, self.expected_by_lap(laps), laps)

    def _answer_problem(self, laps: int, pipeline: Pipeline) -> str | None:
        if self.query.answer_from_state or pipeline.sink.keep:
            return oracle.difference(self.query.name, self.answer(pipeline), self.expected_answer(laps))
        return self.sequence_problem(
            laps, pipeline.sink.digest
        )  # of many laps the answer, which is the sequence, is long

    def _where(self, options: Options, pipeline: Pipeline) -> str:
        """Where a sink's rows leave the serial engine's; nothing for a sink that was not asked to keep them."""
        if not pipeline.sink.keep:
            return ""
        _, serial = self.reference(options.laps, keep=True)
        return ": " + first_difference(self.emitted(pipeline), self.emitted(serial))


def _step(progress: Progress | None, what: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(what, done, total)
