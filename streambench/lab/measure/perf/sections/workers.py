"""More workers than cores: eight against two.

Where the engine chooses its plan, only as many take part as have a core; with a plan by hand, all do. On two cores the
former compares two workers with two, so that it has no target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from streambench.execution.options import Options
from streambench.execution.settled import settle
from streambench.lab.measure.perf.case import NS, Case, Measured, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.sections.micro import ordered
from streambench.lab.measure.perf.settings import Settings
from streambench.lab.measure.perf.streams import load, stream
from streambench.lab.measure.perf.timed_query import timed
from streambench.lab.workloads.workload import Workload

MANY, FEW = 8, 2
NAME, TITLE, NEEDS_DATA = "workers", f"{MANY} workers against {FEW}", False
STREAMS = {"no work": (0, "map"), "100 ns, stateless": (100, "map"), "100 ns, keyed": (100, "keyed")}
PLANS = ("auto", "sharded")
SAME = "the same workers take part: no target"

Runs = dict[int, Callable[[], float]]
"""By the number of workers, what measures ns per tuple."""


def cases(settings: Settings) -> list[Case]:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""

    def micro(what: str, by: str, ns: int, where: str) -> Case:
        def runs(tell: Tell) -> Runs:
            made = stream(ns, where, settings.seconds)
            return {count: ordered(made, count, plan=by) for count in (FEW, MANY)}

        return _case(settings, what, by, runs)

    def of_query(name: str, by: str) -> Case:
        def runs(tell: Tell) -> Runs:
            workload = load(settings, name, tell)
            laps = laps_for(workload, settings.seconds)
            options = Options(plan=by, laps=laps, preload=True)
            return {count: timed(workload, replace(options, workers=count)) for count in (FEW, MANY)}

        return _case(settings, name, by, runs)

    micros = [micro(what, by, *how) for what, how in STREAMS.items() for by in PLANS]
    return [*micros, *(of_query(name, by) for name in settings.streams for by in PLANS)]


def laps_for(workload: Workload, seconds: float, workers: int = FEW) -> int:
    """Replays of the stream that keep so many workers busy for about ``seconds``; no more than fit."""
    laps = 1
    for _ in range(3):  # one lap alone is mostly a run's beginning
        measured, _ = workload.run(Options(workers=workers, laps=laps, preload=True), keep=False)
        laps = min(max(1, round(laps * seconds / measured.seconds)), workload.room.laps)
    return laps


def differ(by: str) -> bool:
    """With plan ``by``, do more of the many take part than of the few? If not, there is nothing to judge."""
    many, few = (settle(Options(workers=count, plan=by)).at_work for count in (MANY, FEW))
    return many > few


def _case(settings: Settings, what: str, by: str, runs: Callable[[Tell], Runs]) -> Case:
    name = f"{what}: plan {by}"

    def measure(into: Measured, tell: Tell) -> None:
        things = {f"{count} workers": run for count, run in runs(tell).items()}
        into.keep(interleave(things, settings.repeats, into.distances, tell), NS)
        judged = differ(by)
        into.ratio(name, f"{FEW} workers", f"{MANY} workers", note="" if judged else SAME, judged=judged)

    return Case(name, measure)
