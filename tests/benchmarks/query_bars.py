"""What the queries are measured against: the hand-fused loop and DuckDB with one thread, over the very same columns.

``python tests/benchmarks/query_bars.py --data DIR``, or `measure` from another program. A bar is a callable that
returns the nanoseconds per stream tuple of a run that was checked; a wrong run has no number, it raises. A stream that
is over too soon is made longer: the columns of several laps stand in memory, for the loop and the engines alike.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent))
from duckdb_columns import DuckDBQuery
from fused.query import FusedQuery, same
from interleave import interleave
from micro.pipeline import pinned

from streambench import core_distance, oracle
from streambench.catalog import Catalog
from streambench.checked_run import one_lap
from streambench.errors import DataError, StreambenchError
from streambench.interval_text import heading
from streambench.loader import Stream
from streambench.options import Options
from streambench.queries import query as queries
from streambench.statistics import Interval, paired_ratio, summary
from streambench.summary import ratio_text
from streambench.workload import Workload

FUSED, SERIAL, DUCKDB = "fused", "serial", "duckdb-1"
SECONDS = 0.3  # shorter runs are mostly noise
REPEATS = 9  # the least number whose interval leaves out one odd run at either end
COLUMNS_LIMIT = 1 << 30  # bytes; beyond it a run is repeated instead of prolonged

Bar = Callable[[], float]
"""Runs at least as many seconds as it was made for, and returns the nanoseconds per stream tuple."""

Tell = Callable[[str], None]
"""Called with what is being done."""


def ordered(workers: int) -> str:
    """The name of the ordered engine's bar."""
    return f"ordered {workers} worker{'s' if workers > 1 else ''}"


@dataclass(frozen=True)
class Target:
    """``what`` shall be ``least`` times as fast as ``base``, by query."""

    what: str
    base: str
    least: Mapping[str, float]


TARGETS = (
    Target(SERIAL, FUSED, {"q1": 0.77, "q2": 2.0, "q3": 0.77, "q4": 0.77, "q15": 0.77}),
    Target(SERIAL, DUCKDB, dict.fromkeys(("q1", "q2", "q3", "q4", "q15"), 1.0)),
    Target(ordered(1), SERIAL, dict.fromkeys(("q1", "q2", "q3", "q4", "q15"), 0.95)),
    Target(ordered(2), FUSED, {"q1": 1.5, "q2": 3.0, "q3": 1.5, "q4": 1.2, "q15": 1.0}),
)


def prolonged(stream: Stream, laps: int) -> Stream:
    """The stream of several laps as one, in memory: what the engines replay with ``laps``."""
    if laps == 1:
        return stream
    columns = []
    for values, shift in zip(stream.columns, stream.lap_shift, strict=True):
        rows = np.empty((laps, stream.rows), dtype=np.int64)
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


def laps_for(workload: Workload, seconds: float) -> int:
    """How many laps the hand-fused loop is busy with for so long, as far as the columns fit into `COLUMNS_LIMIT`."""
    assert workload.stream is not None
    loop = FusedQuery(workload)
    with pinned():
        loop.run()
        lap, _ = loop.run()
    size = sum(column.nbytes for column in workload.stream.columns)
    return max(1, min(math.ceil(seconds / lap), COLUMNS_LIMIT // size))


class Bars:
    """The bars of one query over a loaded ``workload``, all checked, by name.

    ``laps``: what the loop and the engines run over; DuckDB has one lap. Raises StreambenchError where an answer over
    one lap is not SQL's, or the loop's over all laps not the serial engine's, DataError for an empty stream, and what
    `FusedQuery` raises.
    """

    def __init__(
        self, workload: Workload, workers: Sequence[int], laps: int, seconds: float = SECONDS, *, duckdb: bool = True
    ) -> None:
        if workload.rows == 0:
            raise DataError(f"{workload.query.table} in {workload.data.path} is empty: there is nothing to measure.")
        self.workload = workload
        self.longer = prolonged_workload(workload, laps)
        self.tuples = laps * workload.rows
        self.seconds = seconds
        self._expected = workload.expected_answer()
        self.loop = FusedQuery(self.longer)
        self._left = self._checked_loop()
        self.by_name: dict[str, Bar] = {
            FUSED: self._fused,
            SERIAL: self._engine(Options(engine="serial", preload=True)),
        }
        if duckdb:
            self._duckdb = DuckDBQuery(workload)
            self.by_name[DUCKDB] = self._sql
        for count in workers:
            self.by_name[ordered(count)] = self._engine(Options(engine="ordered", workers=count, preload=True))

    def _checked_loop(self) -> Any:
        """What the loop leaves over all laps, once its answers are known to be right."""
        short = FusedQuery(self.workload)
        self._require_answer(FUSED, short.answer(short.run()[1]), self._expected)
        _, left = self.loop.run()
        keep = not self.longer.query.answer_from_state
        _, pipeline = self.longer.run(Options(engine="serial", preload=True), keep=keep)
        self._require_answer(FUSED, self.loop.answer(left), self.longer.answer(pipeline))
        return left

    def _require(self, name: str, right: bool, problem: str | None) -> None:
        if not right:
            raise StreambenchError(f"{self.workload.name}, {name}: {problem}")

    def _require_answer(self, name: str, answer: pa.Table, expected: pa.Table) -> None:
        problem = oracle.difference(self.workload.name, answer, expected)
        self._require(name, problem is None, problem)

    def _fused(self) -> float:
        def run() -> float:
            seconds, left = self.loop.run()
            self._require(FUSED, same(left, self._left), "two runs did not leave the same.")
            return seconds

        with pinned():
            return self._per_tuple(run, self.tuples)

    def _sql(self) -> float:
        def run() -> float:
            seconds, answer = self._duckdb.run()
            self._require_answer(DUCKDB, answer, self._expected)
            return seconds

        with pinned():
            return self._per_tuple(run, self.workload.rows)

    def _engine(self, options: Options) -> Bar:
        """An engine's bar: its answer over one lap is checked now, its sequence in every run."""
        name = SERIAL if options.engine == "serial" else ordered(options.resolved_workers())
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


def measure(
    workload: Workload,
    *,
    workers: Sequence[int] = (1, 2),
    repeats: int = REPEATS,
    seconds: float = SECONDS,
    duckdb: bool = True,
    tell: Tell = lambda what: None,
) -> dict[str, Any]:
    """Measure a query's bars interleaved. Plain values: every bar's runs, and every ratio with its target.

    ``seconds``: what a run lasts at least. Raises what `Bars` raises.
    """
    tell(f"{workload.name}: checking the answers")
    laps = laps_for(workload, seconds) if workload.rows else 1
    bars = Bars(workload, workers, laps, seconds, duckdb=duckdb)
    distances: list[float] = []
    things = {name: _told(bar, f"{workload.name}, {name}", repeats, tell) for name, bar in bars.by_name.items()}
    found = interleave(things, repeats, distances)
    moved = core_distance.warning(distances)
    return {
        "query": workload.name,
        "laps": laps,
        "tuples": bars.tuples,
        "repeats": repeats,
        "core_round_trip_ns": distances,
        "warnings": [moved] if moved else [],
        "bars": [
            {"name": name, "unit": "ns per tuple", **summary(values).plain(), "runs": values}
            for name, values in found.items()
        ],
        "ratios": ratios(workload.name, found),
    }


def ratios(query: str, found: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """How many times as fast one bar is as another, paired by repeat, with what is wanted and whether it is met.

    ``found``: nanoseconds per tuple by bar. What has no target is compared with the hand-fused loop.
    """
    targets = [each for each in TARGETS if each.what in found and each.base in found]
    wanted = [(each.what, each.base, each.least[query]) for each in targets]
    others = [(what, FUSED, None) for what in found if what not in {FUSED, DUCKDB, *(each.what for each in targets)}]
    rows = []
    for what, base, least in [*wanted, *others]:
        ratio = paired_ratio(found[base], found[what])
        met = None if least is None else ratio.median >= least
        rows.append({"what": what, "base": base, **ratio.plain(), "target": least, "met": met})
    return rows


def _told(bar: Bar, name: str, repeats: int, tell: Tell) -> Bar:
    """The bar itself, which says how far it has got; its first run only warms up."""
    done = -1

    def run() -> float:
        nonlocal done
        done += 1
        tell(f"{name}: {f'repeat {done} of {repeats}' if done else 'warming up'}")
        return bar()

    return run


def tables(measured: Sequence[Mapping[str, Any]]) -> list[Table]:
    """What was measured, for a terminal: the bars, and the ratios with their targets."""
    bars, compared = Table(title="nanoseconds per tuple"), Table(title="how many times as fast")
    costs = heading("median", (Interval.of(bar) for each in measured for bar in each["bars"]))
    ratio = heading("ratio", (Interval.of(row) for each in measured for row in each["ratios"]))
    for table, names, numbers in (
        (bars, ("query", "bar"), (costs, "M tuples/s")),
        (compared, ("query", "what", "against"), (ratio, "target", "met")),
    ):
        for name in names:
            table.add_column(name)
        for name in numbers:
            table.add_column(name, justify="right")
    for each in measured:
        for bar in each["bars"]:
            bars.add_row(each["query"], bar["name"], ratio_text(bar), f"{1e3 / bar['median']:.2f}")
        for row in each["ratios"]:
            target = "-" if row["target"] is None else f"{row['target']:.2f}"
            met = {None: "-", True: "yes", False: "[bold]no[/bold]"}[row["met"]]
            compared.add_row(each["query"], row["what"], row["base"], ratio_text(row), target, met)
        bars.add_section()
        compared.add_section()
    return [bars, compared]


def _names(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    chosen, known = [each.strip() for each in text.split(",") if each.strip()], queries.names()
    if not chosen or set(chosen) - set(known):
        raise click.BadParameter(f"{text!r}: choose from {', '.join(known)}, with commas.")
    return chosen


def _counts(context: click.Context, parameter: click.Parameter, text: str) -> list[int]:
    chosen = [each.strip() for each in text.split(",") if each.strip()]
    if not chosen or not all(each.isdecimal() and int(each) for each in chosen):
        raise click.BadParameter(f"{text!r}: give whole numbers from 1 up, with commas.")
    return sorted({int(each) for each in chosen})


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Data directory; scale 1 says most.")
@click.option(
    "--queries", "names", default=",".join(queries.names()), show_default=True, callback=_names, help="Which."
)
@click.option("--workers", default="1,2", show_default=True, callback=_counts, help="Of the ordered engine.")
@click.option(
    "--repeats", type=click.IntRange(min=1), default=REPEATS, show_default=True, help="Measured runs of each."
)
@click.option("--seconds", type=click.FloatRange(min=0), default=SECONDS, show_default=True, help="Of a run, at least.")
@click.option("--duckdb/--no-duckdb", default=True, show_default=True, help="DuckDB takes most of the time.")
def command(data: Path, names: list[str], workers: list[int], repeats: int, seconds: float, duckdb: bool) -> None:
    """Measure each query as a hand-fused loop, by DuckDB with one thread, and by the engines, side by side.

    All over the same columns in memory; every run is checked.
    """
    catalog, messages = Catalog.open(data), Console(stderr=True, highlight=False)
    measured = []
    for name in names:
        messages.print(f"{name}: loading")
        workload = Workload(name, catalog)
        measured.append(
            measure(workload, workers=workers, repeats=repeats, seconds=seconds, duckdb=duckdb, tell=messages.print)
        )
    console = Console()
    if not console.is_terminal:  # a file or a pipe: do not fold the table to 80 columns
        console = Console(width=120)
    for table in tables(measured):
        console.print(table)
    for each in measured:
        for warning in each["warnings"]:
            messages.print(f"note: {each['query']}: {warning}", soft_wrap=True)
    judged = [row["met"] for each in measured for row in each["ratios"] if row["met"] is not None]
    console.print(f"{sum(judged)} of {len(judged)} targets met")


def main() -> None:
    """Entry point: exit code 0, 1 for an error that the user can mend, 2 for wrong usage, 130 for Ctrl-C."""
    try:
        sys.exit(command.main(standalone_mode=False) or 0)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("query_bars: interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except StreambenchError as error:
        click.echo(f"query_bars: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
