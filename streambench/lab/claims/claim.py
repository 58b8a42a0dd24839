"""A claim of the paper, the evidence on it, and the verdict that follows.

A part of a claim says that a number lies in a range. It holds where the number's whole confidence interval lies in it,
fails where none of it does, and is open otherwise, also where there are too few repeats for an interval: of five, all
fall on one side of the true median by chance in one case of sixteen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from streambench.lab.claims.categories import uneven_categories
from streambench.lab.figures.paper import FIGURES
from streambench.lab.figures.points import Measure
from streambench.lab.figures.selection import QUERIES, ConfigPoint, Selection, describe, ratio, throughput
from streambench.lab.figures.sweeps import sweep_for
from streambench.lab.record.simulation_summary import LEAST_WINDOWS
from streambench.lab.record.statistics import FEWEST_REPEATS, Interval

NOT_MEASURED = "not measured"
NOT_SIMULATED = f"not simulated, or for less than {LEAST_WINDOWS} of the scheduler's windows"
AT_RATES = "`streambench bench sweep --rates`"
MOST_DISTURBED = 0.5  # of the runs that a number is made of


class Outcome(StrEnum):
    """What the evidence says of a claim, or of a part of it."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Part:
    """A statement and what became of it. ``why``: for what is open, the reason."""

    subject: str
    outcome: Outcome
    why: str = ""


@dataclass(frozen=True)
class Evidence(Part):
    """A part with its number, which is claimed to lie from ``low`` to ``high``. ``at``: how many workers
    it was measured with.

    ``unit``: of the number; a ratio has none. ``counts``: whether it is a part of the claim, or only shown beside it.
    """

    number: Interval | None = None
    low: float = -math.inf
    high: float = math.inf
    at: str = ""
    unit: str = ""
    counts: bool = True


@dataclass(frozen=True)
class Verdict:
    """What became of a claim, why, and from what."""

    outcome: Outcome
    why: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Claim:
    """``text``: in our words. ``source``: where the paper says so. ``figure``: whose points it is judged by, where
    ``select`` chooses no others. ``judge``: what they say. ``at_rates``: of all rates, where other claims are judged by
    points of one. ``speeds_up``: whether the speed of Q15 by several workers is in it.
    """

    number: int
    text: str
    source: str
    figure: str
    judge: Callable[[Selection], Verdict]
    select: Callable[[Selection], Selection] | None = None
    at_rates: bool = False
    speeds_up: bool = False

    def verdict(self, selection: Selection) -> Verdict:
        """The verdict by the points of one mode; those of more workers than cores do not count."""
        select = self.select or (FIGURES.get(self.figure) or FIGURES[f"{self.figure}a"]).select
        selected = select(selection.within_cores())
        verdict = self.judge(selected)
        if verdict.outcome is Outcome.OPEN and NOT_MEASURED in verdict.why:
            does = "simulates" if selection.simulated else "measures"
            why = verdict.why.replace(NOT_MEASURED, NOT_SIMULATED) if selection.simulated else verdict.why
            sweep = AT_RATES if self.at_rates else sweep_for(self.figure, simulated=selection.simulated)
            verdict = replace(verdict, why=f"{why}; {sweep} {does} it")
        if selection.cores < 2 and verdict.outcome is Outcome.FAILS:
            verdict = replace(
                verdict, outcome=Outcome.OPEN, why=f"on 1 core no workers run at the same time ({verdict.why})"
            )
        reasons = [verdict.why]
        if selected.wrong:
            reasons.append(f"left out, because a run was wrong: {describe(selected.wrong)}")
        if self.speeds_up and any(each.number and each.subject.startswith("q15 ") for each in verdict.evidence):
            reasons.append(uneven_categories(selection.data_profile))
        return replace(verdict, why="; ".join(filter(None, reasons)))


def _disturbed(points: Iterable[ConfigPoint | None]) -> str:
    """Of points most of whose runs the host or neighbours disturbed: how many."""
    runs = [run for point in points if point is not None for run in point.runs]
    count = sum(run.get("disturbed") is True for run in runs)
    if count <= MOST_DISTURBED * len(runs):
        return ""
    return f"{count} of {len(runs)} runs were disturbed by neighbours or the host"


def within(
    subject: str,
    number: Interval | None,
    low: float,
    high: float,
    *,
    at: str = "",
    unit: str = "",
    of: Iterable[ConfigPoint | None] = (),
) -> Evidence:
    """The statement that a number lies from ``low`` to ``high``. ``of``: the points whose runs it is made of."""
    outcome, why = _judged(number, low, high)
    if outcome is not Outcome.OPEN and (doubt := _disturbed(of)):
        outcome, why = Outcome.OPEN, doubt
    return Evidence(subject, outcome, why, number, low, high, at, unit)


def compare(
    subject: str,
    above: ConfigPoint | None,
    below: ConfigPoint | None,
    measure: Measure,
    low: float,
    high: float = math.inf,
) -> Evidence:
    """The statement that the first point's measure over the second's, paired by repeat, lies from low to high."""
    number = None
    if above is not None and below is not None:
        number = ratio(above.series(measure), below.series(measure))
    return within(subject, number, low, high, at=workers(above, below), of=(above, below))


def workers(*points: ConfigPoint | None) -> str:
    """The numbers of workers at which points were measured: "4", "2 and 4"."""
    return " and ".join(dict.fromkeys(str(point["workers"]) for point in points if point is not None))


def at_peak(selection: Selection, field: str, first: str, second: str) -> tuple[ConfigPoint | None, ConfigPoint | None]:
    """The points of two values of ``field``, each at the number of workers where its throughput is highest.

    Only numbers of workers, and of tuples in flight, that both were measured at, and right at, count: else one would
    have had more chances.
    """
    ours, theirs = (
        max(by_workers, key=_speed, default=None) for by_workers in _by_workers(selection, field, first, second)
    )
    return ours, theirs


def side_by_side(
    selection: Selection, field: str, first: str, second: str
) -> tuple[ConfigPoint | None, ConfigPoint | None]:
    """The points of two values of ``field`` at the largest number of workers that both were measured at, and of these
    with the most tuples in flight."""
    ours, theirs = _by_workers(selection, field, first, second)
    return (ours[-1], theirs[-1]) if ours else (None, None)


def fastest(selection: Selection, field: str, first: str, second: str) -> tuple[ConfigPoint | None, ConfigPoint | None]:
    """The fastest points of two values of ``field``, of a selection of one workload and number of workers."""
    ours, theirs = (
        next(iter(selection.where(lambda point, value=value: point[field] == value).best()), None)  # type: ignore[misc]
        for value in (first, second)
    )
    return ours, theirs


Pair = Callable[[Selection, str, str, str], tuple[ConfigPoint | None, ConfigPoint | None]]
Groups = Callable[[Selection], Iterable[tuple[str, Selection]]]
"""The parts of a selection that are compared each by itself, and how a comparison in one is called."""
Evident = Callable[[Selection], Iterable[Evidence]]


@dataclass(frozen=True)
class Comparison:
    """The ``measure`` of ``first`` over that of ``second``, two values of ``field``, lies from ``low`` to ``high``.

    ``pair``: which of their points are compared. ``level``: ``low`` in the groups where it is another. ``shown``:
    whether it is no part of the claim, or the groups where it is none. ``cores``: how many the effect needs, and why:
    with fewer, not to see it says nothing against it. ``waits``: latencies, which grow with what is in
    flight.
    """

    field: str
    first: str
    second: str
    measure: Measure
    low: float = 1.0
    high: float = math.inf
    pair: Pair = at_peak
    name: str = "{}/{}"
    level: Mapping[str, float] | None = None
    shown: bool | Sequence[str] = False
    cores: tuple[int, str] = (1, "")
    waits: bool = False

    def evidence(self, group: str, selection: Selection) -> Evidence:
        """The comparison in a group of points."""
        subject = group.format(self.name.format(self.first, self.second))
        pair = self.pair(selection, self.field, self.first, self.second)
        part = compare(subject, *pair, self.measure, (self.level or {}).get(group, self.low), self.high)
        if selection.cores < self.cores[0] and part.outcome is Outcome.FAILS:
            reason = f"not seen on {selection.cores} cores; it needs {self.cores[0]} or more, since {self.cores[1]}"
            part = replace(part, outcome=Outcome.OPEN, why=reason)
        if self.waits and (doubt := _in_doubt(part, *pair)):
            part = replace(part, outcome=Outcome.OPEN, why=doubt)
        return replace(part, counts=not (self.shown if isinstance(self.shown, bool) else group in self.shown))


def follows_from_bound(point: ConfigPoint | None) -> str:
    """Why a latency says nothing: it follows from how much may be in flight. Empty where that does not matter."""
    if point is None or not point.bounded:
        return ""
    return f"no more than {point.most_in_flight:,} tuples could be in flight, and most of these were (--credits)"


def _in_doubt(part: Evidence, above: ConfigPoint | None, below: ConfigPoint | None) -> str:
    """Why a ratio of latencies says nothing: the first could be greater without a bound, or the second."""
    if part.number is None or part.outcome is Outcome.OPEN:
        return ""
    too_low = part.outcome is Outcome.FAILS and part.number.high <= part.low
    holds = part.outcome is Outcome.HOLDS
    doubtful = follows_from_bound(above) if too_low or (holds and part.high < math.inf) else ""
    return doubtful or (follows_from_bound(below) if not too_low and (part.low > -math.inf or not holds) else "")


def by_query(selection: Selection) -> list[tuple[str, Selection]]:
    """Each query."""
    return [(f"{query} {{}}", selection.where(query=query)) for query in QUERIES]


def by_routing(routing: str, groups: Groups) -> Groups:
    """The groups of one way to put outputs into partitions' queues, which is named where it is not the paper's."""
    named = "" if routing == "in-order" else f"{routing}, "
    return lambda selection: [(f"{named}{name}", group) for name, group in groups(selection.where(routing=routing))]


def compared(groups: Groups, *comparisons: Comparison) -> Evident:
    """All comparisons in each group."""
    return lambda selection: [each.evidence(name, group) for name, group in groups(selection) for each in comparisons]


def every(*parts: Evident) -> Callable[[Selection], Verdict]:
    """All parts must hold; one that surely fails is enough for the whole to fail."""

    def judge(selection: Selection) -> Verdict:
        evidence = tuple(each for part in parts for each in part(selection))
        return Verdict(*both([each for each in evidence if each.counts]), evidence)

    return judge


def at_least(count: int, parts: Evident) -> Callable[[Selection], Verdict]:
    """So many of the parts must hold; when as many are left that do not surely fail, it cannot be told."""

    def judge(selection: Selection) -> Verdict:
        evidence = tuple(parts(selection))
        held = [part for part in evidence if part.outcome is Outcome.HOLDS]
        failed = [part for part in evidence if part.outcome is Outcome.FAILS]
        if len(held) >= count:
            return Verdict(Outcome.HOLDS, f"so for {_names(held)}", evidence)
        if len(evidence) - len(failed) < count:
            return Verdict(Outcome.FAILS, f"not so: {_names(failed)}", evidence)
        return Verdict(Outcome.OPEN, _reasons([part for part in evidence if part.outcome is Outcome.OPEN]), evidence)

    return judge


def both(parts: Sequence[Part]) -> tuple[Outcome, str]:
    """What follows when all of the parts are claimed, and why."""
    failed = [part for part in parts if part.outcome is Outcome.FAILS]
    if failed:
        return Outcome.FAILS, f"not so: {_names(failed)}"
    unclear = [part for part in parts if part.outcome is Outcome.OPEN]
    return (Outcome.OPEN, _reasons(unclear)) if unclear else (Outcome.HOLDS, "")


def some(parts: Sequence[Part], evidence: Sequence[Evidence]) -> Verdict:
    """One part that holds is enough; all must surely fail for the whole to fail."""
    held = [part for part in parts if part.outcome is Outcome.HOLDS]
    if held:
        return Verdict(Outcome.HOLDS, f"so for {_names(held)}", tuple(evidence))
    unclear = [part for part in parts if part.outcome is Outcome.OPEN]
    if unclear:
        return Verdict(Outcome.OPEN, _reasons(unclear), tuple(evidence))
    return Verdict(Outcome.FAILS, f"for none of {_names(parts)}", tuple(evidence))


def _judged(number: Interval | None, low: float, high: float) -> tuple[Outcome, str]:
    if number is None:
        return Outcome.OPEN, NOT_MEASURED
    if number.coverage is None:
        return Outcome.OPEN, f"fewer than {FEWEST_REPEATS} repeats (`--repeats {FEWEST_REPEATS}`)"
    if low < number.low and number.high < high:
        return Outcome.HOLDS, ""
    if number.high <= low or high <= number.low:
        return Outcome.FAILS, ""
    return Outcome.OPEN, f"the interval includes {low if number.low <= low else high:g}"


def _by_workers(
    selection: Selection, field: str, first: str, second: str
) -> tuple[list[ConfigPoint], list[ConfigPoint]]:
    """The points of both values, on the same workloads and numbers of workers, with as many tuples in flight, in the
    order of these numbers."""
    points: dict[str, dict[tuple[int, int, str], ConfigPoint]] = {first: {}, second: {}}
    for point in selection.where(lambda point: point[field] in points).best("workers", "credit", "unit", field):
        points[point[field]][*point.room, point.workload] = point
    common = sorted(points[first].keys() & points[second].keys())
    ours, theirs = ([each[key] for key in common] for each in points.values())
    return ours, theirs


def _speed(point: ConfigPoint) -> float:
    return median(point.series(throughput).values())


def _names(parts: Iterable[Part]) -> str:
    return ", ".join(dict.fromkeys(part.subject for part in parts))


def _reasons(parts: Sequence[Part]) -> str:
    """What each reason is the reason for, and the reason; one that all share stands alone."""
    by_reason: dict[str, list[Part]] = {}
    for part in parts:
        by_reason.setdefault(part.why, []).append(part)
    if list(by_reason) == [parts[0].why] and len(parts) > 1:
        return parts[0].why
    return "; ".join(f"{_names(those)}: {why}" for why, those in by_reason.items())
