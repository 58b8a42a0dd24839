"""Streams that change on their way: the rate steps, a key becomes hot, tuples become dear; 2 workers.

A parametric pipeline, stateless and keyed, at a rate. Of each change is told how long it took until the plan was chosen
that stayed, and until the latency from arrival was back within a millisecond; and the worst latency on the way. Where
it was never back no plan fitted, and both count with all the time there was.

Rates follow from what two workers do at full speed, measured before: 10, 90 and again 10 % of that; 80 % of what they
do with the hot key, and of what they do with dear tuples, where the stream changes to that. One worker is to be too
slow for it; a note says where it was not, as then its plan fits before and after. Another tells the machine's own two
loops at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from streambench.errors import StreambenchError
from streambench.execution.arrival_process import PERIOD, STEPS, Arrivals, step_seconds
from streambench.execution.options import Options
from streambench.lab.measure.perf.case import NS, Measured, PerfCase, Row, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import own_loops, two_loops
from streambench.lab.measure.perf.passage import Track
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.workloads.micro import MicroSpec, MicroWorkload, OperatorSpec

BAND = 1e-3  # seconds from arrival, in the median of 2 ms: within, latency is as it should be
LONG = 4  # times as long as other runs
CHANGE_AT = 0.4  # of the stream
TRIES, LEAST_TUPLES = 3, 100
WORKERS, ALONE = Options(workers=2, preload=True), Options(workers=1, preload=True)
PLAN, BACK, WORST = "until the plan that stays", "until latency is back", "worst from arrival"
COST = 0.5  # µs of each operator on a tuple
OPERATORS = (OperatorSpec("sl", COST), OperatorSpec("ps", COST, state_size=4))


@dataclass(frozen=True)
class Change:
    """``part``: of the highest rate, which comes in the mean; ``most``: which comes at most, 0: as in the mean;
    ``what``: happens, in words, where it is no step."""

    name: str
    part: float
    what: str = ""
    arrivals: Arrivals = "constant"
    hot: float = 0.0
    dearer: float = 1.0
    most: float = 0.0

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
    Change("rate", sum(STEPS) / len(STEPS) / 100, arrivals="steps", most=max(STEPS) / 100),
    Change("hot key", 0.8, "a key becomes hot", hot=0.9),
    Change("cost", 0.8, "10 times the cost", dearer=10.0),
)


def cases(settings: PerfSettings) -> list[PerfCase]:
    """One for each kind of change."""

    def case(change: Change) -> PerfCase:
        return PerfCase(change.name, lambda into, tell: _measure(change, settings, into, tell))

    return [case(change) for change in CHANGES]


def _measure(change: Change, settings: PerfSettings, into: Measured, tell: Tell) -> None:
    tell("the highest rate")
    highest = _highest(change, settings, WORKERS)
    rate = change.part * highest
    too_easy = _highest(change, settings, ALONE) >= (change.most or change.part) * highest
    tuples = max(LEAST_TUPLES, min(PERIOD, int(LONG * settings.seconds * rate)))
    workload = MicroWorkload(change.spec(tuples))
    options = replace(WORKERS, rate=rate, arrivals=change.arrivals)
    things: dict[str, Callable[[], Any]] = {"run": lambda: _run(workload, options), **own_loops(settings.seconds)}
    runs = interleave(things, settings.repeats, into.distances, tell)
    tracks: list[Track] = runs.pop("run")
    into.keep(runs, NS)
    changes = change.when(rate, tuples)
    into.keep({f"{change.name}, rate": [rate] * settings.repeats}, "tuples per second")
    for (begin, what), (end, _) in pairwise([*changes, (tuples / rate, "")]):
        passages = [each.passage(begin, end, BAND) for each in tracks]
        reactions = {
            PLAN: [each.plan for each in passages],
            BACK: [each.back for each in passages],
            WORST: [each.worst for each in passages],
        }
        never = sum(each.never for each in passages)
        notes = {
            PLAN: "one worker keeps up" if too_easy else "",
            WORST: two_loops(runs),
            BACK: f"of {1e3 * (end - begin):.0f} ms" + (f"; never in {never} of {len(passages)} runs" if never else ""),
        }
        for name, seconds in reactions.items():
            row = f"{what}: {name}"
            into.keep({row: [1e3 * each for each in seconds]}, "ms")
            into.add([Row(row, row, unit="ms", note=notes[name])])
    usual = sorted(tracks, key=lambda each: float(each.latency.max()))[len(tracks) // 2]
    into.tracks.append(usual.plain(change.name, changes, BAND))


def _highest(change: Change, settings: PerfSettings, options: Options) -> float:
    """Tuples per second at full speed, of a stream that is from its start as the change makes it."""
    of_one = sum(each.cost_us for each in OPERATORS) * 1e-6 * change.dearer
    spec = change.spec(max(LEAST_TUPLES, int(settings.seconds / of_one)))
    workload = MicroWorkload(replace(spec, change_at=0.0))
    return median(workload.run(options, keep=False)[0].throughput for _ in range(TRIES))


def _run(workload: MicroWorkload, options: Options) -> Track:
    """One checked run at the rate."""
    measured, pipeline = workload.run(options, keep=False)
    if pipeline.sink.digest != workload.serial_digest(1):
        raise StreambenchError(f"{workload.name}: the output sequence is not the serial engine's.")
    return Track.of(measured)
