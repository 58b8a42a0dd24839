"""More workers than cores: eight against two.

Where the engine chooses its plan, only as many take part as have a core; with a plan by hand, all do. On two cores the
former compares two workers with two, so that it has no target.
"""

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
PLANS = ("auto", "sharded")
SAME = "the same workers take part: no target"


def measure(plan: Plan, tell: Tell) -> Section:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""
    section = Section(f"{MANY} workers against {FEW}")
    for what, ns, where in (("no work", 0, "map"), ("100 ns, stateless", 100, "map"), ("100 ns, keyed", 100, "keyed")):
        micro = stream(ns, where, plan.seconds)
        for by in PLANS:
            runs = {count: ordered(micro, count, plan=by) for count in (FEW, MANY)}
            _compare(section, plan, tell, f"{what}: plan {by}", by, runs)
    for name in query_names(plan):
        workload = load(plan, name, tell)
        laps = laps_for(workload, plan.seconds)
        for by in PLANS:
            runs = {count: query(workload, count, laps, by) for count in (FEW, MANY)}
            _compare(section, plan, tell, f"{name}: plan {by}", by, runs)
    return section


def query(workload: Workload, workers: int, laps: int, by: str) -> Callable[[], float]:
    """What measures a query with plan ``by``, in ns per tuple. Raises StreambenchError for a wrong output sequence."""
    options = Options(workers=workers, plan=by, laps=laps, preload=True)

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


def differ(by: str) -> bool:
    """With plan ``by``, do more of the many take part than of the few? If not, there is nothing to judge."""
    many, few = (Options(workers=count, plan=by).working_workers() for count in (MANY, FEW))
    return many > few


def _compare(
    section: Section, plan: Plan, tell: Tell, what: str, by: str, by_workers: dict[int, Callable[[], float]]
) -> None:
    tell(f"{what}: {MANY} workers and {FEW}")
    things = {f"{count} workers": run for count, run in by_workers.items()}
    found = interleave(things, plan.repeats, plan.distances)
    for name, values in found.items():
        section.record(f"{what}, {name}", values, "ns per tuple")
    ratio = times_faster(found[f"{FEW} workers"], found[f"{MANY} workers"])
    if differ(by):
        section.add(what, ratio, TIMES, TARGET)
    else:
        section.add(what, ratio, TIMES, note=SAME)
