"""More workers than cores: eight against two."""

from __future__ import annotations

from collections.abc import Callable

from interleave import interleave
from sections.micro_pipeline import ordered
from sections.query_streams import load, query_names
from sections.section import TIMES, Plan, Section, Tell, times_faster
from sections.streams import stream

from streambench.errors import StreambenchError
from streambench.options import Options
from streambench.workload import Workload

TARGET = 0.95
MANY, FEW = 8, 2


def measure(plan: Plan, tell: Tell) -> Section:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""
    section = Section(f"{MANY} workers against {FEW}")
    for what, ns, where in (("no work", 0, "map"), ("100 ns, stateless", 100, "map"), ("100 ns, keyed", 100, "keyed")):
        micro = stream(ns, where, plan.seconds)
        _compare(section, plan, tell, what, {count: ordered(micro, count) for count in (FEW, MANY)})
    for name in query_names(plan):
        workload = load(plan, name, tell)
        laps = laps_for(workload, plan.seconds)
        _compare(section, plan, tell, name, {count: query(workload, count, laps) for count in (FEW, MANY)})
    return section


def query(workload: Workload, workers: int, laps: int) -> Callable[[], float]:
    """What measures a query, in ns per tuple. It raises StreambenchError for a wrong output sequence."""
    options = Options(workers=workers, laps=laps, preload=True)

    def run() -> float:
        measured, pipeline = workload.run(options, keep=False)
        if pipeline.sink.digest != workload.serial_digest(laps):
            raise StreambenchError(
                f"{workload.name}, {workers} workers: the output sequence is not the serial engine's."
            )
        return measured.seconds / measured.tuples * 1e9

    return run


def laps_for(workload: Workload, seconds: float) -> int:
    """How often the stream has to be replayed for two workers to be busy for about ``seconds``."""
    measured, _ = workload.run(Options(workers=FEW, preload=True), keep=False)
    return max(1, round(seconds / measured.seconds))


def _compare(section: Section, plan: Plan, tell: Tell, what: str, by_workers: dict[int, Callable[[], float]]) -> None:
    tell(f"{what}: {MANY} workers and {FEW}")
    things = {f"{count} workers": run for count, run in by_workers.items()}
    found = interleave(things, plan.repeats, plan.distances)
    for name, values in found.items():
        section.record(f"{what}, {name}", values, "ns per tuple")
    section.add(what, times_faster(found[f"{FEW} workers"], found[f"{MANY} workers"]), TIMES, TARGET)
