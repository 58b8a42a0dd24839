"""Processing latency at 80 % of the highest rate: two workers, and the loop that takes what has arrived.

The highest rate is measured anew before each repeat: a virtual machine's changes by a factor of two within minutes, and
80 % of what was possible earlier may be more than all of it.

The loop has no queue. It takes what has arrived, in chunks of at most the size (of a few) that gives it the shortest
tail among those with which it keeps up: after an interruption a large chunk would hold up all that is in it. Where it
cannot keep up with the two workers' rate it is measured at 80 % of its own highest rate, or lower, so that it keeps up,
which is stricter: a backlog would lengthen its latency, not ours.

Processing latency begins at the first operator (paper 000, section 7), so it says nothing of tuples that wait to be
admitted. The latency from a tuple's arrival stands beside it, which is what a user of the stream sees, after an
interruption too. Its median in milliseconds says that the stream was not kept up with.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from streambench.execution.options import Options
from streambench.host.ready_memory import make_ready
from streambench.measure.perf.case import Case, Measured, Tell
from streambench.measure.perf.interleave import interleave
from streambench.measure.perf.paced import Loop, Subject, of_micro, of_query
from streambench.measure.perf.query_loop import LOOPS
from streambench.measure.perf.settings import Settings
from streambench.measure.perf.streams import load, stream

LOAD = 0.8
NAME, NEEDS_DATA = "latency", False
TITLE = f"Processing latency at {100 * LOAD:.0f} % of the highest rate, 2 workers"
STREAMS = {"no work": (0, "map"), "100 ns, half and half": (100, "both"), "100 ns, keyed": (100, "keyed")}
TRIES = 3
CHUNKS = (1, 8, 32, 128, 512, 2048)  # for the loop
KEPT_UP = 1e-3  # seconds from arrival, in the median: beyond, it has fallen behind
WORKERS = Options(workers=2, preload=True)
OURS, LOOP = "2 workers", "loop"
QUANTILES = ("p50", "p99", "arrival p50", "arrival p99")

Found = dict[str, list[dict[str, float]]]
"""By who: quantiles in seconds of every repeat, with the rate in tuples per second (and the loop's chunk)."""


def cases(settings: Settings) -> list[Case]:
    """The micro pipeline without work and with 100 ns; with data, the queries that have a loop, too."""

    def micro(name: str, ns: int, where: str) -> Case:
        return _case(settings, name, lambda tell: of_micro(name, stream(ns, where, settings.seconds)))

    def query(name: str) -> Case:
        return _case(settings, name, lambda tell: of_query(load(settings, name, tell)))

    queries = [query(name) for name in settings.streams if name in LOOPS]
    return [*(micro(name, *how) for name, how in STREAMS.items()), *queries]


def _case(settings: Settings, name: str, subject: Callable[[Tell], Subject]) -> Case:
    return Case(name, lambda into, tell: _add(into, name, _measured(subject(tell), settings, into, tell)))


def _measured(subject: Subject, settings: Settings, into: Measured, tell: Tell) -> Found:
    tell("the highest rate")
    rate = LOAD * _highest(subject, settings)
    tuples = max(1, int(rate * settings.seconds))
    tell("the loop's chunks")
    loop = subject.loop(tuples)
    load, chunk = _at_its_best(loop, rate)

    def ours() -> dict[str, float]:
        nonlocal rate
        rate = LOAD * subject.speed(WORKERS, tuples)
        make_ready()
        found = subject.latency(WORKERS, rate, max(1, int(rate * settings.seconds)))
        return {**found, "rate": rate}

    def theirs() -> dict[str, float]:
        alone = min(rate, load * loop.speed)
        return {**loop.latency(alone, chunk), "rate": alone, "chunk": chunk}

    return interleave({OURS: ours, LOOP: theirs}, settings.repeats, into.distances, tell)


def _highest(subject: Subject, settings: Settings) -> float:
    """Tuples per second at full speed, over runs of about the usual length: the median of a few."""
    first = subject.speed(WORKERS, subject.tuples)
    tuples = max(1, int(first * settings.seconds))
    return median(subject.speed(WORKERS, tuples) for _ in range(TRIES))


def _at_its_best(loop: Loop, most: float) -> tuple[float, int]:
    """How much of its highest rate the loop keeps up with, and the chunks that give it the shortest tail there.

    Where it keeps up with none of a few loads, the lowest of them.
    """
    highest = median(loop.speed for _ in range(TRIES))
    for power in range(1, TRIES + 1):
        load, tails = LOAD**power, {}
        for chunk in CHUNKS:
            runs = [loop.latency(min(most, load * highest), chunk) for _ in range(TRIES)]
            late = median(each["arrival p50"] for each in runs) > KEPT_UP
            tails[chunk] = (late, median(each["p99"] for each in runs))
        best = min(CHUNKS, key=tails.__getitem__)
        if not tails[best][0]:
            break
    return load, best


def _add(into: Measured, name: str, found: Found) -> None:
    into.keep({f"{who}, rate": [each["rate"] for each in runs] for who, runs in found.items()}, "tuples per second")
    us = {f"{who}, {each}": [run[each] * 1e6 for run in found[who]] for who in found for each in QUANTILES}
    into.keep(us, "µs")
    rate, alone = (median(each["rate"] for each in found[who]) / 1e6 for who in (OURS, LOOP))
    rates = f"at {rate:.3g} M tuples/s; the loop at {alone:.3g}, chunks of {found[LOOP][0]['chunk']}"
    middle = {series: median(values) for series, values in us.items()}

    def compare(what: str, quantile: str) -> None:
        ours, theirs = f"{OURS}, {quantile}", f"{LOOP}, {quantile}"
        into.ratio(f"{name}: {what}", ours, theirs, note=f"{middle[ours]:.1f} and {middle[theirs]:.1f} µs")

    into.median(f"{name}: p50", f"{OURS}, p50", "µs", note=rates)
    compare("p99 to the loop's", "p99")
    arrival = {who: middle[f"{who}, arrival p50"] for who in (OURS, LOOP)}
    late = "".join(f"; {who} fell behind" for who, value in arrival.items() if value > KEPT_UP * 1e6)
    into.median(f"{name}: p50 from arrival", f"{OURS}, arrival p50", "µs", note=f"loop {arrival[LOOP]:.1f} µs{late}")
    compare("p99 from arrival to the loop's", "arrival p99")
