"""What the queries are measured against: one hand-written loop and DuckDB with one thread, over the very same columns.

A bar is a callable that returns the nanoseconds per stream tuple of a run that was checked; a wrong run has no number,
it raises. A stream that is over too soon is made longer: the columns of several laps stand in memory, for the loop and
the engines alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.answers import oracle
from streambench.lab.data.loader import Stream
from streambench.lab.measure.checked_run import one_lap
from streambench.lab.measure.perf.duckdb_query import DuckDBQuery
from streambench.lab.measure.perf.micro_pipeline import pinned
from streambench.lab.measure.perf.query_loop import QueryLoop, same
from streambench.lab.workloads.workload import Workload

LOOP, SERIAL, DUCKDB = "loop", "serial", "duckdb-1"
COLUMNS_LIMIT = 1 << 30  # bytes; beyond it a run is repeated instead of prolonged

Bar = Callable[[], float]
"""Runs at least as many seconds as it was made for, and returns the nanoseconds per stream tuple."""


def ordered(workers: int) -> str:
    """The name of the ordered engine's bar."""
    return f"ordered {workers} worker{'s' if workers > 1 else ''}"


def prolonged(stream: Stream, laps: int) -> Stream:
    """The stream of several laps as one, in memory: what the engines replay with ``laps``."""
    if laps == 1:
        return stream
    columns = []
    for values, shift in zip(stream.for_laps(laps), stream.lap_shift, strict=True):
        rows = np.empty((laps, stream.rows), dtype=values.dtype)
        for lap in range(laps):
            rows[lap] = values if shift == 0 else np.where(values < 0, values, values + lap * shift)  # nulls stay -1
        columns.append(rows.reshape(-1))
    shifts = tuple(laps * shift for shift in stream.lap_shift)
    return Stream(stream.table, stream.names, tuple(columns), laps * stream.rows, shifts, stream.facts)


def prolonged_workload(workload: Workload, laps: int) -> Workload:
    """The same query over `prolonged` columns; SQL, which reads the files, does not know its answer."""
    assert workload.stream is not None
    longer = Workload(workload.name, workload.data, workload.parameter_set, preload=False, sort=True)  # reads nothing
    longer.stream, longer.preload = prolonged(workload.stream, laps), True
    return longer


def laps_of_loop(workload: Workload, seconds: float) -> int:
    """How many laps the loop is busy with for so long, as far as the columns fit into `COLUMNS_LIMIT`."""
    assert workload.stream is not None
    loop = QueryLoop(workload)
    with pinned():
        loop.run()
        lap, _ = loop.run()
    size = sum(column.nbytes for column in workload.stream.columns)
    return max(1, min(math.ceil(seconds / lap), COLUMNS_LIMIT // size))


class Bars:
    """The bars of one query over a loaded ``workload``, all checked, by name.

    ``laps``: what the loop and the engines run over; DuckDB has one lap. ``seconds``: what a run lasts at least.

    Raises StreambenchError where an answer over one lap is not SQL's, or the loop's over all laps not the serial
    engine's, DataError for an empty stream, and what `QueryLoop` raises.
    """

    def __init__(self, workload: Workload, workers: Sequence[int], laps: int, seconds: float) -> None:
        workload.require_rows()
        self.workload = workload
        self.longer = prolonged_workload(workload, laps)
        self.tuples = laps * workload.rows
        self.seconds = seconds
        self._expected = workload.expected_answer()
        self.loop = QueryLoop(self.longer)
        self._left = self._checked_loop()
        self.by_name: dict[str, Bar] = {
            LOOP: self._run_loop,
            SERIAL: self._engine(Options(engine="serial", preload=True)),
        }
        self._duckdb = DuckDBQuery(workload.name, workload.data, threads=1)
        self.by_name[DUCKDB] = self._sql
        for count in workers:
            self.by_name[ordered(count)] = self._engine(Options(engine="ordered", workers=count, preload=True))

    def _checked_loop(self) -> Any:
        """What the loop leaves over all laps, once its answers are known to be right."""
        short = QueryLoop(self.workload)
        self._require_answer(LOOP, short.answer(short.run()[1]), self._expected)
        _, left = self.loop.run()
        keep = not self.longer.query.answer_from_state
        _, pipeline = self.longer.run(Options(engine="serial", preload=True), keep=keep)
        self._require_answer(LOOP, self.loop.answer(left), self.longer.answer(pipeline))
        return left

    def _require(self, name: str, right: bool, problem: str | None) -> None:
        if not right:
            raise StreambenchError(f"{self.workload.name}, {name}: {problem}")

    def _require_answer(self, name: str, answer: pa.Table, expected: pa.Table) -> None:
        problem = oracle.difference(self.workload.name, answer, expected)
        self._require(name, problem is None, problem)

    def _run_loop(self) -> float:
        def run() -> float:
            seconds, left = self.loop.run()
            self._require(LOOP, same(left, self._left), "two runs did not leave the same.")
            return seconds

        with pinned():
            return self._per_tuple(run, self.tuples)

    def _sql(self) -> float:
        def run() -> float:
            begun = time.perf_counter()
            answer = self._duckdb.run()
            seconds = time.perf_counter() - begun
            self._require_answer(DUCKDB, answer, self._expected)
            return seconds

        with pinned():
            return self._per_tuple(run, self.workload.rows)

    def _engine(self, options: Options) -> Bar:
        """An engine's bar: its answer over one lap is checked now, its sequence in every run."""
        name = SERIAL if options.engine == "serial" else ordered(settle(options).workers)
        self._require(name, one_lap(self.workload, options)[1], "the answer over one lap is not SQL's.")

        def run() -> float:
            measured, pipeline = self.longer.run(options, keep=False)
            right = pipeline.sink.digest == self.longer.serial_digest(1) and measured.tuples == self.tuples
            self._require(name, right, "the output sequence is not the serial engine's.")
            return measured.seconds

        return lambda: self._per_tuple(run, self.tuples)

    def _per_tuple(self, run: Callable[[], float], tuples: int) -> float:
        total, runs = run(), 1
        while total < self.seconds:
            total, runs = total + run(), runs + 1
        return total / (runs * tuples) * 1e9
