"""The queries: serial and ordered engine against one hand-written loop, and DuckDB with one thread.

Beside two workers stand the machine's own two loops at once.
"""

from __future__ import annotations

from statistics import median

from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.query_bars import DUCKDB, LOOP, SERIAL, Bars, laps_for, ordered
from streambench.lab.measure.perf.query_loop import LOOPS
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import load
from streambench.lab.record.perf_summary import number

NAME, TITLE, NEEDS_DATA = "queries", "The queries", True
WORKERS = (1, 2)
COMPARED = ((SERIAL, LOOP), (SERIAL, DUCKDB), (ordered(1), SERIAL), (ordered(2), LOOP))


def cases(settings: Settings) -> list[Case]:
    """Each query's bars, and how many times as fast one is as another; those of a query that has a loop."""
    return [_case(settings, name) for name in settings.streams if name in LOOPS]


def _case(settings: Settings, name: str) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        workload = load(settings, name, tell)
        tell("checking the answers")
        laps = laps_for(workload, settings.seconds) if workload.rows else 1
        bars = Bars(workload, WORKERS, laps, settings.seconds)
        things = {**bars.by_name, **own_loops(settings.seconds)}
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, NS)
        costs = {bar: number(median(values)) for bar, values in found.items()}
        for what, base in COMPARED:
            note = f"{costs[what]} and {costs[base]} {NS}"
            note += f"; {two_loops(found)}" if what == ordered(2) else ""
            into.ratio(f"{name}: {what} against {base}", base, what, note=note)

    return Case(name, measure)
