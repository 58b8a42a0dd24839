"""The queries from disk: two workers against `serial`, and against two threads that decode the same and do no more.

Beside them stand the machine's own two loops at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from streambench.errors import StreambenchError
from streambench.execution.options import Options
from streambench.lab.data.columns import sources
from streambench.lab.data.streamed import BATCH_ROWS
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.longer_files import longer_files
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import load
from streambench.lab.record.perf_summary import number
from streambench.lab.workloads.workload import Workload
from streambench.parquet_file import open_parquet, read_metadata

NAME, TITLE, NEEDS_DATA = "disk", "The queries from disk, 2 workers", True
ROWS_PER_SECOND = 30e6  # about what two threads decode: from it follows how long the files are
SERIAL, ORDERED, DECODING = "serial", "2 workers", "decoding alone, 2 threads"


def cases(settings: Settings) -> list[Case]:
    """Each query over files of its own."""
    return [_case(settings, name) for name in settings.streams]


def _case(settings: Settings, name: str) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        held = load(settings, name, tell)
        tell("writing the files")
        with TemporaryDirectory(prefix="streambench-") as folder:
            laps = max(1, round(settings.seconds * ROWS_PER_SECOND / held.rows))
            workload = Workload(name, longer_files(held, laps, Path(folder)), preload=False)
            bars = {
                SERIAL: _run(workload, Options(engine="serial")),
                ORDERED: _run(workload, Options(workers=2)),
                DECODING: lambda: decode(workload, 2),
                **own_loops(settings.seconds),
            }
            found = interleave(bars, settings.repeats, into.distances, tell)
        into.keep(found, NS)
        costs = {bar: number(median(values)) for bar, values in found.items()}
        for what, base in ((SERIAL, "serial"), (DECODING, "decoding alone")):
            note = f"{costs[ORDERED]} and {costs[what]} {NS}; {two_loops(found)}"
            into.ratio(f"{name}: {ORDERED} against {base}", what, ORDERED, note=note)

    return Case(name, measure)


def _run(workload: Workload, options: Options) -> Callable[[], float]:
    """What measures a run, in ns per tuple. Raises StreambenchError for a wrong output sequence."""

    def run() -> float:
        measured, pipeline = workload.run(options, keep=False)
        if pipeline.sink.digest != workload.serial_digest(1):
            raise StreambenchError(f"{workload.name}, from disk: the output sequence is not the serial engine's.")
        return measured.seconds / measured.tuples * 1e9

    return run


def decode(workload: Workload, threads: int) -> float:
    """Decode the columns that the query reads and drop them, by threads that take row groups in turn; in ns per row."""
    files = workload.data.table(workload.query.table)
    names = list(dict.fromkeys(name for column in workload.columns for name in sources(files.name, column)))
    groups = iter([(file, k) for file in files.files for k in range(read_metadata(file).num_row_groups)])
    lock = threading.Lock()

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
    crew = [threading.Thread(target=work) for _ in range(threads)]
    for each in crew:
        each.start()
    for each in crew:
        each.join()
    return (perf_counter() - begun) / files.rows * 1e9
