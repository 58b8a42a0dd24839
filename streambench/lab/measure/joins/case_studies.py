"""Three inputs of paper 001, section VI: several physical streams a side; constant rates, oscillating ones, and peaks.

The paper tells the numbers of streams, and of the first study the rates of both sides; how these are divided, and the
others' rates, periods and peaks are ours, such that comparisons per second lie where its figures have them. Its studies
last 5 minutes, as do their windows. A shorter one has rates that are higher by the root of the ratio: as many
comparisons per second.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streambench.lab.measure.joins.paced import Stream, Times, arriving
from streambench.lab.measure.joins.paper_streams import PaperStreams
from streambench.lab.measure.joins.throughput import JoinPoint, record
from streambench.pyx.join.arrivals import Arrivals
from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

PAPER_SECONDS = 300.0
STEPS = 20_000  # of a rate's integral
SAMPLES = 100  # of a run
BAND = 10

Rate = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
"""Tuples per second at each of these parts of the study: 0 to 1, and before."""


def constant(rate: float) -> Rate:
    return lambda at: np.full(len(at), rate)


def sinusoidal(rate: float, by: float, periods: float) -> Rate:
    return lambda at: rate + by * np.sin(2 * math.pi * periods * at)


def with_peaks(rate: float, by: float, *peaks: float) -> Rate:
    """Peaks begin at these parts, and last a fiftieth."""
    return lambda at: rate + by * np.any([(at >= peak) & (at < peak + 0.02) for peak in peaks], axis=0)


@dataclass(frozen=True)
class CaseStudy:
    """``sides``: the rates of each side's physical streams; ``threads``: the paper's."""

    name: str
    title: str
    sides: tuple[Sequence[Rate], Sequence[Rate]]
    threads: int


CASE_STUDIES = {
    study.name: study
    for study in (
        CaseStudy(
            "8a", "constant rates", ((constant(1200),), tuple(constant(each) for each in (375, 275, 150, 100))), 10
        ),
        CaseStudy(
            "8b",
            "oscillating rates",
            (
                (sinusoidal(250, 80, 2), sinusoidal(300, 60, 3.5), sinusoidal(200, 40, 5)),
                (sinusoidal(500, 130, 3), sinusoidal(350, 90, 4.3)),
            ),
            12,
        ),
        CaseStudy(
            "8c",
            "constant rates with peaks",
            (
                (with_peaks(250, 1000, 0.2), with_peaks(200, 800, 0.55, 0.8), constant(250), constant(150)),
                (with_peaks(450, 1500, 0.37), with_peaks(350, 1200, 0.8)),
            ),
            14,
        ),
    )
}


class StudySchedule:
    """A case study's physical streams over so many ``seconds``, after a window of as many."""

    def __init__(self, study: CaseStudy, seconds: float) -> None:
        more = math.sqrt(PAPER_SECONDS / seconds)
        at = np.linspace(-1, 1, 2 * STEPS + 1)
        self.seconds = seconds
        self.times: tuple[list[Times], list[Times]] = ([], [])
        self.ts: list[Times] = []
        self.streams: list[Stream] = []
        begun = 0
        for side, rates in enumerate(study.sides):
            for rate in rates:
                each = np.maximum(more * rate(at), 0)
                sent = np.concatenate([[0], np.cumsum((each[1:] + each[:-1]) / 2 * seconds / STEPS)])
                times = np.interp(np.arange(int(sent[-1])) + 0.5, sent, at * seconds)
                self.times[side].append((times * 1e9).astype(np.int64))
            of = np.repeat(np.arange(len(rates)), [len(each) for each in self.times[side]])
            ts = np.concatenate(self.times[side])
            order = np.lexsort((of, ts))  # a stream's tuples stay in their order
            self.ts.append(ts[order])
            begun += int((ts < 0).sum())
            for stream in range(len(rates)):
                rows = np.flatnonzero((of[order] == stream) & (self.ts[side] >= 0))
                own = np.ascontiguousarray(self.ts[side][rows])
                self.streams.append((side, own, rows, own))
        self.compared_from = begun

    def definition(self, streams: PaperStreams) -> Definition:
        """The join, which begins with full windows."""
        left, right = map(len, self.ts)
        terms = [(streams.x[:left], streams.a[:right], BAND), (streams.y[:left], streams.b[:right], BAND)]
        window = round(self.seconds * 1e9)
        return Definition(self.ts[0], self.ts[1], terms, window, "exact", compared_from=self.compared_from)

    def rates(self) -> dict[str, list[float]]:
        """Tuples per second of each physical stream, by sample."""
        edges = np.linspace(0, self.seconds * 1e9, SAMPLES + 1)
        return {
            f"{'RS'[side]}{number + 1}": (np.histogram(each, edges)[0] * SAMPLES / self.seconds).tolist()
            for side, own in enumerate(self.times)
            for number, each in enumerate(own)
        }


class StudySamples:
    """What each thread has looked at, from time to time; at most some ten samples a second."""

    def __init__(self, seconds: float) -> None:
        self.step = seconds / SAMPLES
        self.seconds: list[float] = []
        self.compared: list[list[int]] = []

    def look(self, crew: JoinCrew, arrivals: Arrivals) -> None:
        """Called while the crew runs."""
        if arrivals.begun_ns == 0:
            return
        now = (time.monotonic_ns() - arrivals.begun_ns) * 1e-9
        if not self.seconds or now >= self.seconds[-1] + self.step:
            self.seconds.append(now)
            self.compared.append(crew.compared)


def run_case_study(study: CaseStudy, tier: str, threads: int, seconds: float, seed: int) -> dict[str, Any]:
    """Run it once, as a record with what was sampled."""
    schedule = StudySchedule(study, seconds)
    streams = PaperStreams(max(map(len, schedule.ts)), seed)
    point = JoinPoint("scale", tier, threads, seconds)
    definition = schedule.definition(streams)
    ts = schedule.ts[0], schedule.ts[1]
    crew = JoinCrew(definition, "index")
    crew.run()
    reference = streams.digest(crew.matches(), ts)
    sampled = StudySamples(seconds)
    numbers, digest = arriving(point, streams, definition, schedule.streams, sampled.look, ts)
    compared = sum(map(len, schedule.ts)) - schedule.compared_from
    numbers |= {
        "rate": None,
        "tuples_per_second": compared / 2 / numbers["seconds"],
        "samples": {"seconds": sampled.seconds, "compared": sampled.compared, "rates": schedule.rates()},
    }
    return {
        **record(
            f"skew {study.name}", point, definition.largest_window, compared // 2, 0, None, digest, reference, numbers
        ),
        "sustainable_rate": None,
    }
