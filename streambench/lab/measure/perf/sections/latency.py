"""Latency of two workers at a rate, beside the loop that takes what has arrived, and above what one thread can do.

**Where one thread keeps up**, at 20, 50 and 80 % of the loop's own highest rate, processing latency and the latency
from a tuple's arrival shall be near the loop's. Its highest rate is measured anew before each run: a virtual machine's
changes by a factor of two within minutes.

The loop has no queue. It takes what has arrived, in chunks of at most the size (of a few) that serves it best at that
rate: of those whose tail from arrival is near the shortest, the one with the shortest tail of processing latency. (The
shortest processing latency of all has a loop that takes tuple by tuple while the stream piles up before it.)

**Above**, at 80 % of what two workers can do, no loop keeps up, and latency is judged by itself: in microseconds, and
by the backlog that is there at the end. Where the loop is faster than that, a note says so. Between these runs threads
that do nothing else watch the same cores for as long: what others' use of them does by itself to such a stream. And the
machine's own two loops at once are measured.

Processing latency begins at the first operator (paper 000, section 7), so it says nothing of tuples that wait to be
admitted. The latency from a tuple's arrival is what a user of the stream sees.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from streambench.execution.options import Options
from streambench.host.ready_memory import make_ready
from streambench.lab.measure.perf.case import NS, Measured, PerfCase, Row, Tell
from streambench.lab.measure.perf.interleave import interleave
from streambench.lab.measure.perf.own_loops import ONE_LOOP, TWO_LOOPS, own_loops, two_loops
from streambench.lab.measure.perf.paced import Loop, Subject, of_micro, of_query
from streambench.lab.measure.perf.query_loop import LOOPS
from streambench.lab.measure.perf.settings import PerfSettings
from streambench.lab.measure.perf.streams import load, stream
from streambench.lab.measure.perf.taken_away import delay_alone

LOADS = (0.2, 0.5, 0.8)  # of the loop's highest rate
ABOVE = 0.8  # of what two workers do
STREAMS = {"no work": (0, "map"), "100 ns, half and half": (100, "both"), "100 ns, keyed": (100, "keyed")}
TRIES = 3
CHUNKS = (1, 8, 32, 128, 512, 2048)  # for the loop
NEAR = 1.5  # times the shortest tail from arrival
PER_MILLE = "‰ of the stream"
WORKERS = Options(workers=2, preload=True)
OURS, LOOP, AWAY = "2 workers", "loop", "cores taken away"
QUANTILES = {
    "p50": "p50",
    "p99": "p99",
    "arrival p50": "p50 from arrival",
    "arrival p99": "p99 from arrival",
}

Values = dict[str, list[dict[str, float]]]
"""By who, of every repeat: quantiles in seconds, the rate in tuples per second, and what waits at the end."""


def cases(settings: PerfSettings) -> list[PerfCase]:
    """The micro pipeline without work and with 100 ns; with data, the queries that have a loop, too."""

    def micro(name: str, ns: int, where: str) -> PerfCase:
        return _case(settings, name, lambda tell: of_micro(name, stream(ns, where, settings.seconds)))

    def query(name: str) -> PerfCase:
        return _case(settings, name, lambda tell: of_query(load(settings, name, tell)))

    queries = [query(name) for name in settings.streams if name in LOOPS]
    return [*(micro(name, *how) for name, how in STREAMS.items()), *queries]


def _case(settings: PerfSettings, name: str, subject: Callable[[Tell], Subject]) -> PerfCase:
    def measure(into: Measured, tell: Tell) -> None:
        of = subject(tell)
        tell("the highest rate")
        at_speed = of.loop(of.tuples)
        highest = median(at_speed.speed for _ in range(TRIES))
        for part in LOADS:
            _add_below(into, name, part, _below(of, at_speed, part, highest, settings, into, tell))
        _add_above(into, name, highest, settings, _above(of, settings, into, tell))

    return PerfCase(name, measure)


def _below(
    subject: Subject, at_speed: Loop, part: float, highest: float, settings: PerfSettings, into: Measured, tell: Tell
) -> Values:
    """Both at a part of the loop's highest rate, which is about ``highest``."""
    tell(f"the loop's chunks at {100 * part:.0f} %")
    loop = subject.loop(_length(part * highest, settings))
    chunk = _best_chunk(loop, part * highest)

    def ours() -> dict[str, float]:
        rate = part * at_speed.speed
        make_ready()
        return {**subject.latency(WORKERS, rate, _length(rate, settings)), "rate": rate}

    def theirs() -> dict[str, float]:
        rate = part * at_speed.speed
        return {**loop.latency(rate, chunk), "rate": rate, "chunk": chunk}

    return interleave({OURS: ours, LOOP: theirs}, settings.repeats, into.distances, tell)


def _above(subject: Subject, settings: PerfSettings, into: Measured, tell: Tell) -> Values:
    """Two workers at a part of their own highest rate; and what their cores, watched in turn with them, do to it."""
    tell(f"at {100 * ABOVE:.0f} % of two workers' rate")
    first = subject.speed(WORKERS, subject.tuples)

    def ours() -> dict[str, float]:
        rate = ABOVE * subject.speed(WORKERS, _length(first, settings))
        make_ready()
        return {**subject.latency(WORKERS, rate, _length(rate, settings)), "rate": rate}

    def away() -> dict[str, float]:
        return {"arrival p99": delay_alone(WORKERS.place, 2, settings.seconds, ABOVE)}

    alone = {each: lambda run=run: {"ns": run()} for each, run in own_loops(settings.seconds).items()}
    return interleave({OURS: ours, AWAY: away, **alone}, settings.repeats, into.distances, tell)


def _length(rate: float, settings: PerfSettings) -> int:
    return max(1, int(rate * settings.seconds))


def _best_chunk(loop: Loop, rate: float) -> int:
    """The chunks that serve the loop best at this rate."""
    runs = {chunk: [loop.latency(rate, chunk) for _ in range(TRIES)] for chunk in CHUNKS}
    tails = {chunk: median(each["arrival p99"] for each in of) for chunk, of in runs.items()}
    near = [chunk for chunk in CHUNKS if tails[chunk] <= NEAR * min(tails.values())]
    return min(near, key=lambda chunk: median(each["p99"] for each in runs[chunk]))


def _add_below(into: Measured, name: str, part: float, runs: Values) -> None:
    where = f"{name}, {100 * part:.0f} %"
    middle = _keep(into, where, runs)
    chunk = f", chunks of {runs[LOOP][0]['chunk']}"
    for quantile, what in QUANTILES.items():
        ours, theirs = (f"{where}: {who}, {quantile}" for who in (OURS, LOOP))
        how = _rate(runs[OURS]) + chunk if quantile == "p50" else ""
        note = f"{middle[ours]:.2f} and {middle[theirs]:.2f} µs{how}"
        into.add([Row(f"{where}: {what} to the loop's", ours, theirs, note=note)])


def _add_above(into: Measured, name: str, highest: float, settings: PerfSettings, runs: Values) -> None:
    where, ours = f"{name}, above", runs[OURS]
    _keep(into, where, {OURS: ours})
    fast = median(each["rate"] for each in ours) < highest
    note = f"{_rate(ours)[2:]}{', with which one loop keeps up' if fast else ''}"
    for quantile in ("p50", "arrival p50", "arrival p99"):
        note = note if quantile == "p50" else ""
        into.add([Row(f"{where}: {QUANTILES[quantile]}", f"{where}: {OURS}, {quantile}", unit="µs", note=note)])
    own = {each: [run["ns"] for run in runs[each]] for each in (ONE_LOOP, TWO_LOOPS)}
    into.keep({f"{where}: {each}": values for each, values in own.items()}, NS)
    alone = f"{where}: {AWAY}, arrival p99"
    into.keep({alone: [1e6 * each["arrival p99"] for each in runs[AWAY]]}, "µs")
    into.add([Row(f"{where}: p99 from arrival by {AWAY} alone", alone, unit="µs", note=two_loops(own))])
    backlog = f"{where}: {OURS}, backlog at the end"
    into.keep({backlog: [1e3 * each["backlog"] for each in ours]}, PER_MILLE)
    tuples = median(each["backlog"] * _length(each["rate"], settings) for each in ours)
    into.add([Row(f"{where}: backlog at the end", backlog, unit=PER_MILLE, note=f"{tuples:,.0f} tuples")])


def _keep(into: Measured, where: str, runs: Values) -> dict[str, float]:
    """All series; the medians of the quantiles, in microseconds."""
    rates = {f"{where}: {who}, rate": [each["rate"] for each in of] for who, of in runs.items()}
    into.keep(rates, "tuples per second")
    us = {f"{where}: {who}, {each}": [run[each] * 1e6 for run in of] for who, of in runs.items() for each in QUANTILES}
    into.keep(us, "µs")
    return {series: median(values) for series, values in us.items()}


def _rate(runs: list[dict[str, float]]) -> str:
    return f"; at {median(each['rate'] for each in runs) / 1e6:.3g} M tuples/s"
