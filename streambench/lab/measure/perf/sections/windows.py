"""Windows by key: against loops fused by hand over the same columns, DuckDB and Polars; and two workers against one.

A stream has a tuple a tick on average. In one thread things are compared by processor time, two workers by the clock.
DuckDB and Polars need not bring their rows into an order. Polars' threads are those of the process that measures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from streambench.errors import StreambenchError
from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.lab.measure.perf.case import PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.own_loops import costs
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.pyx.tuples.table_sink import TableSink, digest_rows
from streambench.pyx.tuples.table_source import TableSource
from streambench.queries.baselines.window_loops import sliding, tumbling
from streambench.windows.window import window

Things = dict[str, Callable[[], float]]
KEYS = (1, 1_000, 1_000_000)
SHAPES = ("tumbling", "sliding", "session")
PANES = 60  # of a sliding window
WINDOWS = 4  # tumbling ones in a stream
MOST_TUPLES, FEWEST = 1 << 23, 1 << 12
MANY = {
    ("sliding", 1_000_000): 80,
    **{("session", keys): 8 for keys in KEYS},
}  # times fewer tuples, where they cost more
LOOP, SERIAL, TUMBLING, POLARS, DUCKDB = "loop", "serial", "serial, tumbling", "Polars", "DuckDB"
ONE, TWO, TWO_THREADS = "1 worker", "2 workers", "DuckDB, 2 threads"
AGGREGATES: dict[str, Any] = {"n": "count", "total": ("sum", "value")}


@dataclass(frozen=True)
class WindowStream:
    """``tuples`` of so many ``keys``, and the windows of ``shape``."""

    shape: str
    keys: int
    tuples: int

    @cached_property
    def columns(self) -> dict[str, npt.NDArray[np.int64]]:
        """Times, keys and values."""
        random = np.random.default_rng(1)
        return {
            "ts": np.sort(random.integers(0, self.tuples, self.tuples)),
            "key": random.integers(0, self.keys, self.tuples),
            "value": random.integers(0, 1000, self.tuples),
        }

    @property
    def step(self) -> int:
        """Ticks of a pane."""
        return max(1, self.tuples // (WINDOWS * PANES))

    @property
    def every(self) -> int:
        """Ticks from one window's begin to the next one's."""
        return self.step if self.shape == "sliding" else self.size

    @property
    def size(self) -> int:
        """Ticks of a window; of a session the gap, which a key's next tuple exceeds one time in seven."""
        return 2 * self.keys if self.shape == "session" else PANES * self.step

    def serial(self, workers: int = 0, *, as_tumbling: bool = False) -> float:
        """One thread's processor time, or so many workers' time by the clock, in ns per tuple."""
        shape: dict[str, Any] = {"size": self.size, "step": self.step if self.shape == "sliding" else None}
        if self.shape == "session":
            shape = {"gap": self.size}
        if as_tumbling:
            shape["step"] = None
        made = window(AGGREGATES, by="key", **shape)
        sink = TableSink(keep=False)
        source = TableSource(list(self.columns.values()), list(self.columns))
        options = Options(workers=workers) if workers else Options(engine="serial")
        measured = execute(Pipeline([source, made, sink]), options)
        if not as_tumbling and sink.digest != self._digest:
            raise StreambenchError(f"windows, {self}: the output sequence is not the one that was expected.")
        seconds = measured.seconds if workers else sum(cpu for cpu, *_ in measured.accounts) * 1e-9
        return seconds / self.tuples * 1e9

    def loop(self) -> float:
        """The loop's processor time, in ns per tuple."""
        begun = time.process_time()
        self._loop(self._rows)
        return (time.process_time() - begun) / self.tuples * 1e9

    def _loop(self, out: npt.NDArray[np.int64]) -> int:
        columns = self.columns.values()
        if self.shape == "tumbling":
            return int(tumbling(*columns, self.size, self.keys, out))
        return int(sliding(*columns, self.step, PANES, self.keys, out))

    @cached_property
    def _rows(self) -> npt.NDArray[np.int64]:
        """What is expected: the loop's rows, of sessions DuckDB's."""
        if self.shape == "session":
            found = self._connection(1).sql(f"{self._sql} ORDER BY 2, 3").to_arrow_table()
            return np.array([column.to_numpy() for column in found.columns])
        rows = np.empty((5, self._loop(np.empty((5, 0), np.int64))), np.int64)
        self._loop(rows)
        return rows

    @cached_property
    def _digest(self) -> str:
        return digest_rows(list(self._rows))

    @cached_property
    def _first(self) -> npt.NDArray[np.int64]:
        """Of each key the first window that begins with its first tuple's pane."""
        first = np.full(self.keys, self.tuples)
        np.minimum.at(first, self.columns["key"], self.columns["ts"])
        return first if self.shape == "session" else first // self.every * self.every

    def _totals(self, start: Any, key: Any, *sums: Any) -> list[int]:
        kept = start >= self._first[key]
        return [int(each[kept].sum()) for each in sums]

    def _require(self, name: str, *columns: Any) -> None:
        """A key's windows from its first tuple on must have as many tuples, of the same sum: Polars has no others."""
        start, _, *others = self._rows
        if self._totals(*columns) != self._totals(start, *others):
            raise StreambenchError(f"windows, {self}, {name}: it has other tuples, or another sum, than the loop.")

    def polars(self) -> Callable[[], float]:
        """Polars' processor time, in ns per tuple."""
        frame = pl.DataFrame(self.columns).with_columns(pl.col("ts").set_sorted())
        counts = (pl.len().alias("n"), pl.col("value").sum().alias("total"))
        if self.shape == "session":
            opens = (pl.col("ts").diff().over("key") >= self.size).fill_null(True)
            query = (
                frame.lazy()
                .with_columns(opens.cast(pl.Int64).cum_sum().over("key").alias("session"))
                .group_by("key", "session")
                .agg(pl.col("ts").min().alias("start"), (pl.col("ts").max() + self.size).alias("end"), *counts)
            )
        else:
            query = (
                frame.lazy()
                .group_by_dynamic("ts", every=f"{self.every}i", period=f"{self.size}i", group_by="key")
                .agg(*counts)
            )

        def run() -> float:
            begun = time.process_time()
            found = query.collect()
            seconds = time.process_time() - begun
            start = found["start" if self.shape == "session" else "ts"]
            self._require(POLARS, start.to_numpy(), *(found[name].to_numpy() for name in ("key", "n", "total")))
            return seconds / self.tuples * 1e9

        return run

    def duckdb(self, threads: int, clock: Callable[[], float]) -> Callable[[], float]:
        """DuckDB's time with so many threads, in ns per tuple."""
        connection = self._connection(threads)

        def run() -> float:
            begun = clock()
            found = connection.sql(self._sql).to_arrow_table()
            seconds = clock() - begun
            self._require(DUCKDB, *(found[name].to_numpy() for name in ("start", "key", "n", "total")))
            return seconds / self.tuples * 1e9

        return run

    def _connection(self, threads: int) -> Any:
        connection = duckdb.connect(":memory:", config={"threads": threads})
        connection.register("arrow", pa.table(self.columns))
        connection.execute("CREATE TABLE stream AS SELECT * FROM arrow")
        return connection

    @property
    def _sql(self) -> str:
        sql = {"tumbling": _TUMBLING_SQL, "sliding": _SLIDING_SQL, "session": _SESSION_SQL}[self.shape]
        return sql.format(size=self.size, step=self.step, panes=PANES)


_TUMBLING_SQL = """
    SELECT ts // {size} * {size} AS start, (ts // {size} + 1) * {size} AS "end", key, count(*) AS n,
        sum(value)::BIGINT AS total
    FROM stream GROUP BY ALL
"""
_SLIDING_SQL = """
    WITH panes AS (SELECT ts // {step} AS pane, key, count(*) AS n, sum(value) AS total FROM stream GROUP BY ALL)
    SELECT (pane - back) * {step} AS start, (pane - back + {panes}) * {step} AS "end", key, sum(n)::BIGINT AS n,
        sum(total)::BIGINT AS total
    FROM panes, range({panes}) AS windows(back) GROUP BY ALL
"""
_SESSION_SQL = """
    WITH opened AS (
        SELECT *, ts - lag(ts, 1, ts - {size}) OVER (PARTITION BY key ORDER BY ts) >= {size} AS opens FROM stream
    ), numbered AS (
        SELECT *, sum(opens::INT) OVER (PARTITION BY key ORDER BY ts) AS session FROM opened
    )
    SELECT min(ts) AS start, max(ts) + {size} AS "end", key, count(*) AS n, sum(value)::BIGINT AS total
    FROM numbered GROUP BY key, session
"""


def windows(settings: PerfSettings) -> list[PerfCase]:
    """Of each shape and number of keys, one thread, and two workers."""

    def made(shape: str, keys: int) -> WindowStream:
        most = int(MOST_TUPLES * min(1.0, settings.seconds / PerfSettings.seconds)) // MANY.get((shape, keys), 1)
        return WindowStream(shape, keys, max(FEWEST, most))

    def things(shape: str, keys: int, tell: Tell) -> Things:
        stream = made(shape, keys)
        loop: Things = {} if shape == "session" else {LOOP: stream.loop}
        tumbling: Things = {TUMBLING: partial(stream.serial, as_tumbling=True)} if shape == "sliding" else {}
        peers = {POLARS: stream.polars(), DUCKDB: stream.duckdb(1, time.process_time)}
        return {SERIAL: stream.serial, **loop, **tumbling, **peers}

    def rows(name: str, values: Values) -> Iterator[Row]:
        against = {LOOP: "the loop", TUMBLING: "tumbling", POLARS: POLARS, DUCKDB: DUCKDB}
        for base, what in against.items():
            if base in values:
                yield Row(f"{name}: against {what}", base, SERIAL, note=costs(values, SERIAL, base))

    def workers(shape: str, keys: int, tell: Tell) -> Things:
        stream = made(shape, keys)
        both = {count: partial(stream.serial, workers) for workers, count in ((1, ONE), (2, TWO))}
        return {**both, TWO_THREADS: stream.duckdb(2, time.perf_counter)}

    def of_workers(name: str, values: Values) -> Iterator[Row]:
        yield Row(f"{name}: 2 workers against 1", ONE, TWO, note=costs(values, ONE, TWO))
        yield Row(f"{name}: 2 workers against DuckDB", TWO_THREADS, TWO, note=costs(values, TWO, TWO_THREADS))

    cases = []
    for shape in SHAPES:
        for keys in KEYS:
            name = f"{shape}, {keys:,} key{'s' * (keys > 1)}"
            cases.append(compared(settings, name, partial(things, shape, keys), partial(rows, name)))
            if shape != "session":
                two = partial(workers, shape, keys)
                cases.append(compared(settings, f"{name}, 2 workers", two, partial(of_workers, name)))
    return cases
