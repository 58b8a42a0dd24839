"""Two workers against `serial`, beside none, one, two and four processes that burn a core each.

A run is twice as long as others, as plans are judged over half a second. Beside each stand the machine's own two loops
at once, among the same neighbours: how many times as much as one loop they do, which is what a second thread can give
there.
"""

from __future__ import annotations

from statistics import median

from streambench.execution.options import Options
from streambench.lab.measure.perf.burners import busy
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.sections.workers import laps_for
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import load
from streambench.lab.measure.perf.timed_query import timed
from streambench.lab.record.perf_summary import number

NAME, TITLE, NEEDS_DATA = "neighbours", "2 workers against serial, beside processes that burn a core", True
COUNTS = (0, 1, 2, 4)
MEASURED = ("q1", "q3", "q4", "q15")
LONG = 2  # times as long as other runs
SERIAL, WORKERS = "serial", "2 workers"


def cases(settings: Settings) -> list[Case]:
    """Each query with each number of neighbours."""
    return [_case(settings, name, count) for name in settings.streams if name in MEASURED for count in COUNTS]


def _case(settings: Settings, name: str, count: int) -> Case:
    what = f"{name}, {count} busy"

    def measure(into: Measured, tell: Tell) -> None:
        workload = load(settings, name, tell)
        laps = laps_for(workload, LONG * settings.seconds)
        things = {
            SERIAL: timed(workload, Options(engine="serial", laps=laps, preload=True)),
            WORKERS: timed(workload, Options(workers=2, laps=laps, preload=True)),
            **own_loops(settings.seconds),
        }
        with busy(count):
            found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, NS)
        costs = [number(median(found[each])) for each in (WORKERS, SERIAL)]
        note = f"{costs[0]} and {costs[1]} {NS}; {two_loops(found)}"
        into.ratio(f"{what}: 2 workers against serial", SERIAL, WORKERS, note=note)

    return Case(what, measure)
