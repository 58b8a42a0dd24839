"""How many tuples a second a ScaleGate takes and gives, the fast one and the paper's, with one reader.

*2 threads*: one feeds the sources in turn, one reads. *1 thread*: feeds and reads in turn. The sources' tuples
alternate at random in time, and each has 8 bytes besides its timestamp. A run whose reader did not get the one order
has no number.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import numpy as np

from streambench.errors import StreambenchError
from streambench.host.limits import allowed_cpus
from streambench.lab.measure.perf.case import Case, Measured, Tell
from streambench.lab.measure.perf.gates import compiled
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.settings import Settings

NAME, TITLE, NEEDS_DATA = "gates", "A ScaleGate: tuples in and out", False
KINDS = ("ring", "skip-list")
SOURCES = (2, 4, 16)
BATCHES = {1: "one by one", 64: "64 at a time"}
PER_SECOND = 6_000_000  # tuples of a run, of its usual length
FEWEST = 64  # of a source
UNIT = "M tuples per second"


def cases(settings: Settings) -> list[Case]:
    """Both gates for some numbers of sources, whose tuples are added one by one and in batches."""
    return [_case(settings, sources) for sources in SOURCES]


class Traffic:
    """Times of ``sources``, some ``tuples`` in all, and what a reader must find."""

    def __init__(self, sources: int, tuples: int) -> None:
        self.each = max(FEWEST, tuples // sources)
        order = np.random.default_rng(1).permutation(np.repeat(np.arange(sources), self.each))
        self.times = [np.flatnonzero(order == source).astype(np.int64) for source in range(sources)]
        self.numbers = np.arange(self.each, dtype=np.int64)
        values = np.empty(len(order), np.uint64)
        for source, times in enumerate(self.times):
            values[times] = times + source + self.numbers
        self.sum = int((np.arange(1, len(order) + 1, dtype=np.uint64) * values).sum())

    def rate(self, kind: str, batch: int, threads: int) -> Callable[[], float]:
        """What measures a gate, in millions of tuples a second."""

        def run() -> float:
            timed = compiled().TimedGate(kind, self.times, self.numbers, batch)
            seconds, found = timed.together(allowed_cpus()[:2]) if threads == 2 else timed.alone()
            if found != self.sum:
                raise StreambenchError(f"the gate {kind} gave another order than a sort does: its rate means nothing.")
            return len(self.times) * self.each / float(seconds) * 1e-6

        return run


def _case(settings: Settings, sources: int) -> Case:
    def measure(into: Measured, tell: Tell) -> None:
        traffic = Traffic(sources, int(settings.seconds * PER_SECOND))
        threads = {1: "1 thread", 2: "2 threads"} if len(allowed_cpus()) > 1 else {1: "1 thread"}
        things = {
            f"{kind}, {sources} sources, {how}, {what}": traffic.rate(kind, batch, n)
            for kind in KINDS
            for batch, how in BATCHES.items()
            for n, what in threads.items()
        }
        found = interleave(things, settings.repeats, into.distances, tell)
        into.keep(found, UNIT)
        for name, rates in found.items():
            into.median(name, name, UNIT, note=f"{1e3 / median(rates):.1f} ns per tuple")

    return Case(f"{sources} sources", measure)
