"""The queries: against a loop and DuckDB, beside neighbours, from disk, and the memory that they take."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.lab.data.columns import sources
from streambench.lab.data.streamed import BATCH_ROWS
from streambench.lab.measure.perf.case import Measured, PerfCase, Row, Tell, Values
from streambench.lab.measure.perf.interleave import compared
from streambench.lab.measure.perf.longer_files import longer_files
from streambench.lab.measure.perf.own_loops import costs, two_loops
from streambench.lab.measure.perf.query_bars import DUCKDB, LOOP, SERIAL, Bars, laps_of_loop, ordered
from streambench.lab.measure.perf.query_loop import LOOPS
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import laps_for, load, timed
from streambench.lab.workloads.workload import Workload
from streambench.parquet_file import open_parquet, read_metadata

Things = dict[str, Callable[[], float]]
WORKERS = "2 workers"


def queries(settings: PerfSettings) -> list[PerfCase]:
    """Each query's bars, and how many times as fast one is as another; those of a query that has a loop."""
    pairs = ((SERIAL, LOOP), (SERIAL, DUCKDB), (ordered(1), SERIAL), (ordered(2), LOOP))

    def things(name: str, tell: Tell) -> Things:
        workload = load(settings, name, tell)
        tell("checking the answers")
        laps = laps_of_loop(workload, settings.seconds) if workload.rows else 1
        return dict(Bars(workload, (1, 2), laps, settings.seconds).by_name)

    def rows(name: str, values: Values) -> Iterator[Row]:
        for what, base in pairs:
            note = costs(values, what, base) + (f"; {two_loops(values)}" if what == ordered(2) else "")
            yield Row(f"{name}: {what} against {base}", base, what, note=note)

    return [
        compared(settings, name, partial(things, name), partial(rows, name), beside=0)
        for name in settings.streams
        if name in LOOPS
    ]


COUNTS = (0, 1, 2, 4)
LONG = 2  # times as long as other runs, as plans are judged over half a second


def neighbours(settings: PerfSettings) -> list[PerfCase]:
    """Two workers against `serial`, and the machine's own two loops, beside so many processes that burn a core each."""

    def things(name: str, tell: Tell) -> Things:
        workload = load(settings, name, tell)
        laps = laps_for(workload, LONG * settings.seconds)
        base = Options(laps=laps, preload=True)
        return {
            SERIAL: timed(workload, Options.of(base, engine="serial")),
            WORKERS: timed(workload, Options.of(base, workers=2)),
        }

    def rows(what: str, values: Values) -> Iterator[Row]:
        note = f"{costs(values, WORKERS, SERIAL)}; {two_loops(values)}"
        yield Row(f"{what}: 2 workers against serial", SERIAL, WORKERS, note=note)

    return [
        compared(settings, what, partial(things, name), partial(rows, what), beside=count)
        for name in settings.streams
        if name in ("q1", "q3", "q4", "q15")
        for count in COUNTS
        for what in [f"{name}, {count} busy"]
    ]


ROWS_PER_SECOND = 30e6  # about what two threads decode: from it follows how long the files are
DECODING = "decoding alone, 2 threads"


def disk(settings: PerfSettings) -> list[PerfCase]:
    """Two workers from files of each query's own, against `serial`, and against two threads that decode the same and do
    no more.
    """

    def case(name: str) -> PerfCase:
        def measure(into: Measured, tell: Tell) -> None:
            held = load(settings, name, tell)
            tell("writing the files")
            with TemporaryDirectory(prefix="streambench-") as folder:
                laps = max(1, round(settings.seconds * ROWS_PER_SECOND / held.rows))
                workload = Workload(name, longer_files(held, laps, Path(folder)), preload=False)
                things: Things = {
                    SERIAL: timed(workload, Options(engine="serial")),
                    WORKERS: timed(workload, Options(workers=2)),
                    DECODING: partial(decode, workload, 2),
                }
                compared(settings, name, lambda _: things, partial(rows, name), beside=0).measure(into, tell)

        return PerfCase(name, measure)

    def rows(name: str, values: Values) -> Iterator[Row]:
        for what, base in ((SERIAL, "serial"), (DECODING, "decoding alone")):
            note = f"{costs(values, WORKERS, what)}; {two_loops(values)}"
            yield Row(f"{name}: 2 workers against {base}", what, WORKERS, note=note)

    return [case(name) for name in settings.streams]


def decode(workload: Workload, threads: int) -> float:
    """Decode the columns that the query reads and drop them, by threads that take row groups in turn; in ns per row."""
    files = workload.data.table(workload.query.table)
    names = list(dict.fromkeys(name for column in workload.columns for name in sources(files.name, column)))
    groups = iter([(file, k) for file in files.files for k in range(read_metadata(file).num_row_groups)])
    lock = Lock()

    def work() -> None:
        while True:
            with lock:
                file, group = next(groups, (None, 0))
            if file is None:
                return
            with open_parquet(file, pre_buffer=False) as opened:
                for _ in opened.iter_batches(BATCH_ROWS, [group], names, use_threads=False):
                    pass

    begun = perf_counter()
    with ThreadPoolExecutor(threads) as crew:
        for each in [crew.submit(work) for _ in range(threads)]:
            each.result()
    return (perf_counter() - begun) / files.rows * 1e9


MIB = 1 << 20
LAPS = 2  # from the second on, columns that shift are copied into the units
PROGRAM = "streambench.lab.measure.perf.resident"


def memory(settings: PerfSettings) -> list[PerfCase]:
    """What 2 workers take more than the serial engine, each run in a process of its own: that is the runtime's, as the
    serial engine's growth is the operators' state and next to nothing besides.
    """

    def grown(query: str, engine: str, workers: int) -> float:
        command = [sys.executable, "-m", PROGRAM, str(settings.data), query, engine, str(workers), str(LAPS)]
        process = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if process.returncode:
            lines = process.stderr.strip().splitlines() or ["it said nothing"]
            raise StreambenchError(f"measuring the memory of {query} failed: {lines[-1]}")
        return int(process.stdout) / MIB

    def case(name: str) -> PerfCase:
        things = {SERIAL: partial(grown, name, "serial", 1), "ordered": partial(grown, name, "ordered", 2)}
        rows = [Row(name, "ordered", SERIAL, unit="MiB", how="excess")]
        return compared(settings, name, lambda tell: things, lambda values: rows, unit="MiB", warm_up=False)

    return [case(name) for name in settings.streams]
