"""Processing latency at 80 % of the highest rate: two workers, and one thread that takes what has arrived.

The thread is the serial engine with a rate: a loop over the same operators, with no queue, that records the same
markers. It takes what has arrived, in units of the size (of a few) that gives it the shortest tail among those with
which it keeps up: after an interruption a large unit would hold up all that is in it. Where it cannot keep up with the
two workers' rate it is measured at 80 % of its own highest rate, which is stricter: a backlog would lengthen its
latency, not ours.

Processing latency begins at the first operator (paper 000, section 7), so it says nothing of tuples that wait to be
admitted. The latency from a tuple's arrival stands beside it: in milliseconds it says that the stream was not kept up
with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from interleave import interleave
from micro.pipeline import Micro
from sections.query_streams import load, query_names
from sections.section import TIMES, Plan, Section, Tell
from sections.streams import stream

from streambench.errors import StreambenchError
from streambench.execute import Measurement
from streambench.options import Options
from streambench.statistics import paired_ratio, summary
from streambench.workload import Workload

LOAD = 0.8
P50_US = 10.0
P99_RATIO = 3.0
TRIES = 3
UNITS = (128, 512, 2048, 4096)  # for the one thread
KEPT_UP = 1e-3  # seconds from arrival, in the median: beyond, it has fallen behind
WORKERS = Options(workers=2, preload=True)
THREAD = Options(engine="serial", preload=True)


@dataclass(frozen=True)
class Subject:
    """What is measured: ``run`` executes it with options, over a stream of about so many tuples."""

    name: str
    run: Callable[[Options, int], Measurement]
    tuples: int  # a first guess for finding the highest rate


def measure(plan: Plan, tell: Tell) -> Section:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""
    section = Section(f"Processing latency at {100 * LOAD:.0f} % of the highest rate, 2 workers")
    for subject in [*_micros(plan), *_queries(plan, tell)]:
        tell(f"{subject.name}: the highest rate")
        most = _highest(subject, WORKERS, plan)
        rate = LOAD * most
        alone = min(rate, LOAD * _highest(subject, THREAD, plan))
        thread = _best_thread(subject, alone, plan)
        tell(
            f"{subject.name}: {rate / 1e6:.3g} million tuples per second, {alone / 1e6:.3g} in one, unit {thread.unit}"
        )
        things = {"2 workers": _at(subject, WORKERS, rate, plan), "one thread": _at(subject, thread, alone, plan)}
        found = interleave(things, plan.repeats, plan.distances)
        _add(
            section,
            subject.name,
            found,
            f"at {rate / 1e6:.3g} M tuples/s; one thread at {alone / 1e6:.3g}, unit {thread.unit}",
        )
    return section


def _add(section: Section, name: str, found: dict[str, list[dict[str, float]]], rates: str) -> None:
    quantiles = ("p50", "p99", "arrival p50")
    us = {(who, quantile): [each[quantile] * 1e6 for each in found[who]] for who in found for quantile in quantiles}
    for (who, quantile), values in us.items():
        section.record(f"{name}, {who}, {quantile}", values, "µs")
    section.add(f"{name}: p50", summary(us["2 workers", "p50"]), "µs", P50_US, at_most=True, note=rates)
    ours, theirs = us["2 workers", "p99"], us["one thread", "p99"]
    medians = f"{median(ours):.1f} and {median(theirs):.1f} µs"
    ratio = paired_ratio(ours, theirs)
    section.add(f"{name}: p99 to one thread's p99", ratio, TIMES, P99_RATIO, at_most=True, note=medians)
    alone = f"one thread {median(us['one thread', 'arrival p50']):.1f} µs"
    section.add(f"{name}: p50 from arrival", summary(us["2 workers", "arrival p50"]), "µs", note=alone)


def _micros(plan: Plan) -> list[Subject]:
    def subject(name: str, ns: float, where: str) -> Subject:
        base = stream(ns, where, plan.seconds)

        def run(options: Options, tuples: int) -> Measurement:
            micro = Micro(tuples, base.map_work, base.keyed_work)
            return micro.engine(Options.of(options, laps=micro.laps))[1]

        return Subject(name, run, base.tuples)

    return [
        subject("no work", 0, "map"),
        subject("100 ns, half and half", 100, "both"),
        subject("100 ns, keyed", 100, "keyed"),
    ]


def _queries(plan: Plan, tell: Tell) -> list[Subject]:
    def subject(workload: Workload) -> Subject:
        def run(options: Options, tuples: int) -> Measurement:
            laps = max(1, -(-tuples // max(1, workload.rows)))
            measured, pipeline = workload.run(Options.of(options, laps=laps), keep=False)
            if pipeline.sink.digest != workload.serial_digest(laps):
                raise StreambenchError(f"{workload.name}: the output sequence is not the serial engine's.")
            return measured

        return Subject(workload.name, run, workload.rows)

    return [subject(load(plan, name, tell)) for name in query_names(plan)]


def _highest(subject: Subject, options: Options, plan: Plan) -> float:
    """Tuples per second at full speed, over runs of about the usual length: the median of a few."""
    first = subject.run(options, subject.tuples).throughput
    tuples = max(1, int(first * plan.seconds))
    return median(subject.run(options, tuples).throughput for _ in range(TRIES))


def _best_thread(subject: Subject, rate: float, plan: Plan) -> Options:
    """The one thread at its best unit size at this rate."""
    tails = {}
    for unit in UNITS:
        options = Options.of(THREAD, unit=unit)
        runs = [_at(subject, options, rate, plan)() for _ in range(TRIES)]
        late = median(each["arrival p50"] for each in runs) > KEPT_UP
        tails[unit] = (late, median(each["p99"] for each in runs))
    return Options.of(THREAD, unit=min(UNITS, key=tails.__getitem__))


def _at(subject: Subject, options: Options, rate: float, plan: Plan) -> Callable[[], dict[str, float]]:
    paced = Options.of(options, rate=rate)

    def run() -> dict[str, float]:
        measured = subject.run(paced, max(1, int(rate * plan.seconds)))
        assert measured.latency_end_to_end is not None, "there is a rate"
        return {**measured.latency, "arrival p50": measured.latency_end_to_end["p50"]}

    return run
