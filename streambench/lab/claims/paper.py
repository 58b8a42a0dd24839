"""The claims of paper 000: what each says, where, and which numbers of a sweep must lie where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from streambench.lab.claims.claim import (
    NOT_MEASURED,
    Claim,
    Comparison,
    Evidence,
    Outcome,
    Part,
    Verdict,
    at_least,
    both,
    by_query,
    by_routing,
    compare,
    compared,
    every,
    follows_from_bound,
    side_by_side,
    some,
    within,
    workers,
)
from streambench.lab.figures import sweeps
from streambench.lab.figures.lines import seconds
from streambench.lab.figures.points import Series, divide
from streambench.lab.figures.selection import (
    QUERIES,
    ConfigPoint,
    Selection,
    cost_of_first,
    interval,
    latency,
    operator_latency,
    ratio,
    stage_seconds,
    throughput,
)
from streambench.lab.record.configuration import CONFIGURATION

SLACK = 0.95  # level: not more than 5 % behind
LEVEL = {"q1 {}": SLACK, "q15 {}": SLACK}  # where the paper sees no difference between CT and LP
CLOSE = 2.0  # times LP's latency; what is more is far
ALIKE = 0.1  # of all worker time is spent elsewhere
DIFFERENT = 1.1  # times the throughput
FLAT = 0.9  # of the speed-up without skew is left
COSTS_US = (10.0, 100.0, 1_000.0, 10_000.0)
NEAR = 2.0  # times the operator's cost
MUCH = 2.0  # times the latency with hybrid queues
UNCLEAR = ("q15 {}",)  # in the paper, too: its ten categories leave little to be done at the same time
CONTENDERS = (4, "few workers wait for a lock")  # of two workers one at most waits, and the other is soon done
MILLIONS = 1e6  # tuples per second
FEW_MILLISECONDS = 0.01
SIMILAR = 0.9, 1.1  # times the throughput
LOW_RATE = 0.5  # of the throughput
MANY_QUERIES = 3  # of the five
NEARLY_LINEAR = 0.8  # of as many times one worker's throughput as there are workers
LINEAR_TO = {"q1": 16, "q15": 12}  # workers; the other queries to 8


def by_workload(selection: Selection) -> list[tuple[str, Selection]]:
    """Each first operator; where there is one, without its name."""
    names = list(dict.fromkeys(map(sweeps.workload, selection.points))) or [""]
    return [
        (
            f"{name} {{}}" if len(names) > 1 else "{}",
            selection.where(lambda point, name=name: sweeps.workload(point) == name),  # type: ignore[misc]
        )
        for name in names
    ]


class ClaimCase(NamedTuple):
    """What may show a claim on a query; ``rank``: how strongly, strongest first."""

    rank: tuple[int, float]
    part: Part
    evidence: Sequence[Evidence]


def some_query(cases: Callable[[str, Selection], Iterable[ClaimCase]]) -> Callable[[Selection], Verdict]:
    """One query is enough; of each its strongest case is told."""

    def judge(selection: Selection) -> Verdict:
        verdicts = {
            query: min(cases(query, selection.where(query=query)), key=itemgetter(0), default=NO_CASE)
            for query in QUERIES
        }
        parts = [replace(case.part, subject=query) for query, case in verdicts.items()]
        return some(parts, [each for case in verdicts.values() for each in case.evidence])

    return judge


def time_shares(query: str, selection: Selection) -> Iterator[ClaimCase]:
    """Two heuristics are less than 0.1 apart in their shares, and one is more than 1.1 times as fast."""
    for names in combinations(("qst", "lp", "et", "ct"), 2):
        first, second = side_by_side(selection, "heuristic", *names)
        if first is None or second is None:
            continue
        speed = ratio(first.series(throughput), second.series(throughput))
        if speed is not None and speed.median < 1:
            first, second = second, first
        subject = f"{query} {first['heuristic']}/{second['heuristic']}"
        number = interval(distance(first, second))
        apart = within(f"{subject} shares", number, -math.inf, ALIKE, at=workers(first), of=(first, second))
        faster = compare(subject, first, second, throughput, DIFFERENT)
        if apart.outcome is Outcome.FAILS:
            rank, part = 3, Part(query, Outcome.OPEN, "no two heuristics divide the time alike")
        elif Outcome.OPEN in (apart.outcome, faster.outcome):
            rank, part = 1, Part(query, Outcome.OPEN, apart.why or faster.why)
        else:
            rank, part = 0 if faster.outcome is Outcome.HOLDS else 2, Part(query, faster.outcome)
        yield ClaimCase((rank, -(faster.number.median if faster.number else 0.0)), part, (apart, faster))


def distance(first: ConfigPoint, second: ConfigPoint) -> Series:
    """By repeat, the share of worker time that one spends on other stages than the other (total variation distance)."""
    shares: Series = {}
    for repeat in first.repeats.keys() & second.repeats.keys():
        ours, theirs = (_shares(stage_seconds(point.repeats[repeat])) for point in (first, second))
        if ours and ours.keys() == theirs.keys():
            shares[repeat] = 0.5 * sum(abs(ours[stage] - theirs[stage]) for stage in ours)
    return shares


def _shares(costs: dict[str, float]) -> dict[str, float]:
    """Each stage's part of all worker time; empty where there was none."""
    total = sum(costs.values())
    return {stage: each / total for stage, each in costs.items()} if total > 0 else {}


def millions(query: str, selection: Selection) -> Iterator[ClaimCase]:
    """A configuration does more than a million tuples per second at a mean latency below 10 ms."""
    for point in selection.points:
        at = f"{point['heuristic']}, {workers(point)}"
        if why := follows_from_bound(point):
            yield ClaimCase((1, 0.0), Part(query, Outcome.OPEN, why), ())
            continue
        speed, wait = interval(point.series(throughput)), interval(point.series(latency))
        evidence = [
            within(f"{query} throughput", speed, MILLIONS, math.inf, at=at, unit="tuples/s", of=(point,)),
            within(f"{query} latency", wait, -math.inf, FEW_MILLISECONDS, at=at, unit="s", of=(point,)),
        ]
        part = Part(query, *both(evidence))
        rank = [Outcome.HOLDS, Outcome.OPEN, Outcome.FAILS].index(part.outcome)
        yield ClaimCase((rank, -median(point.series(throughput).values() or [0.0])), part, evidence)


def skewed(scheme: str, low: float, high: float, selection: Selection) -> list[Evidence]:
    """Speed-up at the smallest sigma over that at the largest, at the most workers.

    Only of points whose partitions skew can make uneven: of two ranges it says nothing.
    """
    most, least = _ends(selection.where(sweeps.can_be_uneven, partitioning=scheme))
    if most is None or least is None:
        return [within(f"{scheme}, skewed/even", None, low, high)]
    number = ratio(selection.speed_up(most), selection.speed_up(least))
    subject = f"{scheme}, sigma {sweeps.sigma(most):g}/{sweeps.sigma(least):g}"
    of = (most, least, *map(selection.serial_of, (most, least)))
    return [within(subject, number, low, high, at=workers(most, least), of=of)]


def _ends(selection: Selection) -> tuple[ConfigPoint | None, ConfigPoint | None]:
    """The most and the least skewed point at the most workers, of the operator that was measured at most sigmas."""
    points = selection.best("workers")
    most = max((point["workers"] for point in points), default=0)
    alike: dict[str, dict[float, ConfigPoint]] = {}
    for point in points:
        if point["workers"] == most:
            alike.setdefault(sweeps.apart_from_sigma(point), {})[sweeps.sigma(point)] = point
    longest = max(alike.values(), key=len, default={})
    return (longest[min(longest)], longest[max(longest)]) if len(longest) > 1 else (None, None)


def near_cost(selection: Selection) -> list[Evidence]:
    """At each cost: hybrid's mean latency over the cost is below 2, partitioned's over hybrid's above 2."""
    evidence: list[Evidence] = []
    for cost in COSTS_US:
        points = selection.where(lambda point, cost=cost: point.operators[0]["cost_us"] == cost)  # type: ignore[misc]
        partitioned, hybrid = side_by_side(points, "partitioning", "partitioned", "hybrid")
        hybrid = hybrid or max(points.where(partitioning="hybrid").best(), key=itemgetter("workers"), default=None)
        number = None
        if hybrid is not None:
            own = sweeps.own_cost(hybrid)
            number = interval({repeat: each / own for repeat, each in hybrid.series(operator_latency).items()})
        name = seconds(cost * 1e-6)
        evidence.append(within(f"{name} hybrid/cost", number, -math.inf, NEAR, at=workers(hybrid), of=(hybrid,)))
        evidence.append(compare(f"{name} partitioned/hybrid", partitioned, hybrid, operator_latency, MUCH))
    return evidence


def influenced_by_rate(selection: Selection) -> list[Evidence]:
    """ET's mean latency at full speed over that at a low rate, at the most workers that have both."""
    return [_influenced(query, selection.where(query=query, heuristic="et")) for query in QUERIES]


def _influenced(query: str, selection: Selection) -> Evidence:
    pairs = [
        (full, slow) for full in selection.where(rate=0.0).points for slow in selection.points if _slows(full, slow)
    ]
    full, slow = max(pairs, key=lambda pair: (pair[0]["workers"], -pair[1]["rate"]), default=(None, None))
    part = compare(f"{query} full/low rate", full, slow, latency, MUCH)
    if part.outcome is Outcome.FAILS and (doubt := follows_from_bound(full)):
        part = replace(part, outcome=Outcome.OPEN, why=doubt)
    return part


def _slows(full: ConfigPoint, slow: ConfigPoint) -> bool:
    """Is it the same configuration, at a rate of less than half of what it can do?"""
    speed = median(full.series(throughput).values() or [0.0])
    same = all(full[name] == slow[name] for name in CONFIGURATION if name not in ("rate", "laps"))
    return same and 0 < slow["rate"] < LOW_RATE * speed


def nearly_linear(selection: Selection) -> list[Evidence]:
    """CT's throughput over that of one worker, and over the serial engine's, for each worker."""
    return [each for query in QUERIES for each in _linear(query, selection.where(query=query, heuristic="ct"))]


def _linear(query: str, selection: Selection) -> Iterator[Evidence]:
    by_workers = {point["workers"]: point for point in selection.best("workers")}
    most = max((count for count in by_workers if 1 < count <= LINEAR_TO.get(query, 8)), default=None)
    many, one = by_workers.get(most), by_workers.get(1)
    serial = None if many is None else selection.serial_of(many)
    for name, beside, counts in (("", one, True), (", serial", serial, False)):
        number = None
        if many is not None and beside is not None:
            faster = divide(many.series(throughput), beside.series(throughput))
            number = interval({repeat: each / many["workers"] for repeat, each in faster.items()})
        part = within(f"{query} of linear{name}", number, NEARLY_LINEAR, math.inf, at=workers(many), of=(many, beside))
        if part.outcome is Outcome.HOLDS and selection.cores < LINEAR_TO.get(query, 8):
            why = f"so to {most}, and it needs {LINEAR_TO.get(query, 8)} cores"
            part = replace(part, outcome=Outcome.OPEN, why=why)
        yield replace(part, counts=counts)


NO_CASE = ClaimCase((0, 0.0), Part("", Outcome.OPEN, NOT_MEASURED), ())
faster_heuristic = partial(Comparison, "heuristic", "ct", measure=throughput)
later_heuristic = partial(Comparison, "heuristic", second="lp", measure=latency, pair=side_by_side, waits=True)
faster_reorder = partial(Comparison, "reorder", "nonblocking", measure=throughput, cores=CONTENDERS)
of_costs = partial(Comparison, "reorder", "lock", "nonblocking", cost_of_first, name="cost, {}/{}", shown=True)
of_latencies = partial(Comparison, "partitioning", "partitioned", "hybrid", latency, name="latency, {}/{}", shown=True)
similar_throughput = Comparison("partitioning", "hybrid", "partitioned", throughput, *SIMILAR, pair=side_by_side)
similar_latency = Comparison("reorder", "lock", "nonblocking", latency, 1 / CLOSE, CLOSE, waits=True)
CT_FASTEST = [faster_heuristic("qst"), faster_heuristic("lp", level=LEVEL), faster_heuristic("et")]
CT_FASTEST += [faster_heuristic("walk", shown=True)]
LP_SOONEST = [later_heuristic("ct", high=CLOSE), later_heuristic("et", low=CLOSE), later_heuristic("qst", low=CLOSE)]
LP_SOONEST += [later_heuristic("walk", shown=True)]
beside_lock = partial(faster_reorder, "lock", pair=side_by_side)
LOCKED = (beside_lock(), of_costs(pair=side_by_side))
HYBRID = (Comparison("partitioning", "hybrid", "partitioned", throughput, shown=UNCLEAR), of_latencies())
CLAIMS = (
    Claim(
        1,
        "Of the paper's four heuristics CT has the highest throughput on all five queries; LP is level on Q1 and Q15.",
        "section 7.1, figure 8a",
        "8a",
        every(compared(by_query, *CT_FASTEST)),
        speeds_up=True,
    ),
    Claim(
        2,
        "LP has the lowest processing latency; CT's is close (at most twice as high), ET's and QST's are far higher.",
        "section 7.1, figure 8b",
        "8b",
        every(compared(by_query, *LP_SOONEST)),
    ),
    Claim(
        3,
        "Heuristics that spend nearly the same shares of worker time on the operators differ in throughput all the "
        "same.",
        "section 7.1, analysis",
        "8a",
        some_query(time_shares),
    ),
    Claim(
        4,
        "As keys get skewed, the speed-up of hybrid queues stays and that of partitioned queues falls.",
        "section 7.2.1, figure 9",
        "9",
        every(partial(skewed, "hybrid", FLAT, math.inf), partial(skewed, "partitioned", -math.inf, FLAT)),
    ),
    Claim(
        5,
        "With hybrid queues an operator's processing latency is near its cost (at most twice), from 10 to 10,000 µs a "
        "tuple; with partitioned queues it is more than twice as high as with hybrid ones.",
        "section 7.2.2, figure 10",
        "10",
        every(near_cost),
    ),
    Claim(
        6,
        "Hybrid queues reach a higher peak throughput than partitioned queues on all queries but Q15.",
        "section 7.2.3, figure 11",
        "11",
        every(compared(by_query, *HYBRID)),
        speeds_up=True,
    ),
    Claim(
        7,
        "For a light stateless operator non-blocking reordering scales better than a lock.",
        "section 7.3.1, figure 12",
        "12",
        every(compared(by_workload, *LOCKED)),
    ),
    Claim(
        8,
        "With 50 outputs per input non-blocking reordering is ahead of a lock even for operators of 100 µs.",
        "section 7.3.2, figure 13",
        "13",
        every(
            compared(by_routing("in-order", by_workload), *LOCKED),
            compared(by_routing("early", by_workload), beside_lock(shown=True)),
        ),
    ),
    Claim(
        9,
        "Non-blocking reordering reaches a higher peak throughput than a lock on all five queries.",
        "section 7.3.3, figure 14",
        "14",
        every(compared(by_query, faster_reorder("lock"), faster_reorder("ticket", shown=True))),
        speeds_up=True,
    ),
    Claim(
        10,
        "Some queries do millions of tuples per second at a latency of a few milliseconds (below 10 ms).",
        "section 7.1",
        "8a",
        some_query(millions),
        Selection.queries,
    ),
    Claim(
        11,
        "Under uniform keys an operator's throughput is about the same with hybrid and with partitioned queues.",
        "section 7.2.2",
        "10",
        every(compared(by_workload, similar_throughput)),
    ),
    Claim(
        12,
        "On three of the five queries latency is lower with hybrid queues than with partitioned ones.",
        "section 7.2.3, figure 11",
        "11",
        at_least(MANY_QUERIES, compared(by_query, of_latencies(shown=False, waits=True))),
    ),
    Claim(
        13,
        "The reordering schemes do not differ much in latency on the queries (by a factor of two at most).",
        "section 7.3.3",
        "14",
        every(compared(by_query, similar_latency)),
    ),
    Claim(
        14,
        "ET's latency depends on the stream's rate: as fast as possible, it is more than twice that at a low rate.",
        "section 7.1",
        "8b",
        every(influenced_by_rate),
        at_rates=True,
    ),
    Claim(
        15,
        "With CT, throughput grows almost linearly with the workers: to 16 on Q1, 12 on Q15, and 8 on the others.",
        "section 7.1, figure 8a",
        "8a",
        every(nearly_linear),
        speeds_up=True,
    ),
)
