"""Processing latency at 80 % of the highest rate: two workers, and the hand-fused loop that takes what has arrived.

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

from statistics import median

from interleave import interleave
from sections.paced import Loop, Subject, subjects
from sections.section import TIMES, Plan, Section, Tell

from streambench.options import Options
from streambench.ready_memory import make_ready
from streambench.statistics import paired_ratio, summary

LOAD = 0.8
P50_US = 10.0
P99_RATIO = 3.0
TRIES = 3
CHUNKS = (1, 8, 32, 128, 512, 2048)  # for the loop
KEPT_UP = 1e-3  # seconds from arrival, in the median: beyond, it has fallen behind
WORKERS = Options(workers=2, preload=True)
OURS, LOOP = "2 workers", "fused loop"


def measure(plan: Plan, tell: Tell) -> Section:
    """The micro pipeline without work and with 100 ns; with data, the queries, too."""
    section = Section(f"Processing latency at {100 * LOAD:.0f} % of the highest rate, 2 workers")
    for subject in subjects(plan, tell):
        _add(section, subject.name, _measured(subject, plan, tell))
    return section


def _measured(subject: Subject, plan: Plan, tell: Tell) -> dict[str, list[dict[str, float]]]:
    """Quantiles in seconds of every repeat, with the rate in tuples per second (and the loop's chunk)."""
    tell(f"{subject.name}: the highest rate")
    rate = LOAD * _highest(subject, plan)
    tuples = max(1, int(rate * plan.seconds))
    tell(f"{subject.name}: the fused loop's chunks")
    loop = subject.loop(tuples)
    load, chunk = _at_its_best(loop, rate)

    def ours() -> dict[str, float]:
        nonlocal rate
        rate = LOAD * subject.speed(WORKERS, tuples)
        make_ready()
        found = subject.latency(WORKERS, rate, max(1, int(rate * plan.seconds)))
        return {**found, "rate": rate}

    def theirs() -> dict[str, float]:
        alone = min(rate, load * loop.speed)
        return {**loop.latency(alone, chunk), "rate": alone, "chunk": chunk}

    tell(f"{subject.name}: about {rate / 1e6:.3g} million tuples per second; the loop in chunks of {chunk}")
    return interleave({OURS: ours, LOOP: theirs}, plan.repeats, plan.distances)


def _highest(subject: Subject, plan: Plan) -> float:
    """Tuples per second at full speed, over runs of about the usual length: the median of a few."""
    first = subject.speed(WORKERS, subject.tuples)
    tuples = max(1, int(first * plan.seconds))
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


def _add(section: Section, name: str, found: dict[str, list[dict[str, float]]]) -> None:
    for who, runs in found.items():
        section.record(f"{name}, {who}, rate", [each["rate"] for each in runs], "tuples per second")
    rate, alone = (median(each["rate"] for each in found[who]) / 1e6 for who in (OURS, LOOP))
    rates = f"at {rate:.3g} M tuples/s; the loop at {alone:.3g}, chunks of {found[LOOP][0]['chunk']}"
    quantiles = ("p50", "p99", "arrival p50", "arrival p99")
    us = {(who, quantile): [each[quantile] * 1e6 for each in found[who]] for who in found for quantile in quantiles}
    for (who, quantile), values in us.items():
        section.record(f"{name}, {who}, {quantile}", values, "µs")
    section.add(f"{name}: p50", summary(us[OURS, "p50"]), "µs", P50_US, at_most=True, note=rates)
    ours, theirs = us[OURS, "p99"], us[LOOP, "p99"]
    ratio = paired_ratio(ours, theirs)
    section.add(f"{name}: p99 to the fused loop's", ratio, TIMES, P99_RATIO, at_most=True, note=_medians(ours, theirs))
    arrival = {who: median(us[who, "arrival p50"]) for who in (OURS, LOOP)}
    late = "".join(f"; {who} fell behind" for who, value in arrival.items() if value > KEPT_UP * 1e6)
    note = f"fused loop {arrival[LOOP]:.1f} µs{late}"
    section.add(f"{name}: p50 from arrival", summary(us[OURS, "arrival p50"]), "µs", note=note)
    ours, theirs = us[OURS, "arrival p99"], us[LOOP, "arrival p99"]
    ratio = paired_ratio(ours, theirs)
    section.add(f"{name}: p99 from arrival to the fused loop's", ratio, TIMES, note=_medians(ours, theirs))


def _medians(ours: list[float], theirs: list[float]) -> str:
    return f"{median(ours):.1f} and {median(theirs):.1f} µs"
