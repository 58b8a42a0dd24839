"""Streams that change on their way: the rate steps, a key becomes hot, tuples become dear; 2 workers.

A parametric pipeline, stateless and keyed, at a rate. Of each change is told how long it took until the plan was chosen
that stayed, and until the latency from arrival was back within a millisecond; and the worst latency on the way. Rates
follow from what two workers do at full speed, measured before: 10, 90 and again 10 % of that; half of it, where a key
becomes hot; 80 % of what they do with dear tuples, where tuples become ten times as dear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from streambench.errors import StreambenchError
from streambench.execution.arrival_process import PERIOD, STEPS, step_seconds
from streambench.execution.options import Options
from streambench.measure.perf.case import Case, Measured, Tell
from streambench.measure.perf.interleave import interleave
from streambench.measure.perf.passage import Track
from streambench.measure.perf.settings import Settings
from streambench.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

NAME, TITLE, NEEDS_DATA = "changes", "Streams that change, 2 workers at a rate", False
BAND = 1e-3  # seconds from arrival, in the median of 2 ms: within, latency is as it should be
LONG = 4  # times as long as other runs
CHANGE_AT = 0.4  # of the stream
TRIES, LEAST_TUPLES = 3, 100
WORKERS = Options(workers=2, preload=True)
NS = 500  # of each operator on a tuple
OPERATORS = (OperatorSpec("sl", NS / 1000), OperatorSpec("ps", NS / 1000, state_size=4))


@dataclass(frozen=True)
class Change:
    """``part``: of the highest rate, which comes in the mean; ``what``: happens, in words, where it is no step."""

    name: str
    part: float
    what: str = ""
    arrivals: str = "constant"
    hot: float = 0.0
    dearer: float = 1.0

    def spec(self, tuples: int) -> MicroSpec:
        """The stream and its operators."""
        return MicroSpec(OPERATORS, tuples, tuple_size=4, hot=self.hot, dearer=self.dearer, change_at=CHANGE_AT)

    def when(self, rate: float, tuples: int) -> list[tuple[float, str]]:
        """Seconds at which it changes, and how."""
        if self.arrivals != "steps":
            return [(int(CHANGE_AT * tuples) / rate, self.what)]
        words = [f"from {before:g} to {after:g} %" for before, after in pairwise(STEPS)]
        return list(zip(step_seconds(rate, tuples), words, strict=True))


CHANGES = (
    Change("rate", sum(STEPS) / len(STEPS) / 100, arrivals="steps"),
    Change("hot key", 0.5, "a key becomes hot", hot=0.3),
    Change("cost", 0.8, "10 times the cost", dearer=10.0),
)


def cases(settings: Settings) -> list[Case]:
    """One for each kind of change."""

    def case(change: Change) -> Case:
        return Case(change.name, lambda into, tell: _measure(change, settings, into, tell))

    return [case(change) for change in CHANGES]


def _measure(change: Change, settings: Settings, into: Measured, tell: Tell) -> None:
    tell("the highest rate")
    rate = change.part * _highest(change, settings)
    tuples = max(LEAST_TUPLES, min(PERIOD, int(LONG * settings.seconds * rate)))
    workload = MicroWorkload(change.spec(tuples))
    options = replace(WORKERS, rate=rate, arrivals=change.arrivals)
    found = interleave({"run": lambda: _run(workload, options)}, settings.repeats, into.distances, tell)["run"]
    changes = change.when(rate, tuples)
    into.keep({f"{change.name}, rate": [rate] * settings.repeats}, "tuples per second")
    for (begin, what), (end, _) in pairwise([*changes, (tuples / rate, "")]):
        passages = [each.passage(begin, end, BAND) for each in found]
        told = {
            "until the plan that stays": [each.plan for each in passages],
            "until latency is back": [each.back for each in passages],
            "worst from arrival": [each.worst for each in passages],
        }
        for name, seconds in told.items():
            row = f"{what}: {name}"
            into.keep({row: [1e3 * each for each in seconds]}, "ms")
            into.median(row, row, "ms", note=f"of {1e3 * (end - begin):.0f} ms" if "back" in name else "")
    usual = sorted(found, key=lambda each: float(each.latency.max()))[len(found) // 2]
    into.tracks.append(usual.plain(change.name, changes, BAND))


def _highest(change: Change, settings: Settings) -> float:
    """Tuples per second of two workers at full speed, without a hot key, and with all tuples dear."""
    of_one = sum(each.cost_us for each in OPERATORS) * 1e-6 * change.dearer
    spec = change.spec(max(LEAST_TUPLES, int(settings.seconds / of_one)))
    workload = MicroWorkload(replace(spec, hot=0.0, change_at=0.0))
    return median(workload.run(WORKERS, keep=False)[0].throughput for _ in range(TRIES))


def _run(workload: MicroWorkload, options: Options) -> Track:
    """One checked run at the rate."""
    measured, pipeline = workload.run(options, keep=False)
    if pipeline.sink.digest != workload.serial_digest(1):
        raise StreambenchError(f"{workload.name}: the output sequence is not the serial engine's.")
    return Track.of(measured)
