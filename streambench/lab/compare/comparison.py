"""A metric of two results, apart in time: the ratio of the medians, its interval, and what can be said.

The interval is made of the two medians' own, each exact whatever the values are distributed like: its ends are the
farthest that these let the ratio be. They cover both medians with the product of their probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

from streambench.errors import StreambenchError
from streambench.lab.compare.likeness import check_kinds, differences
from streambench.lab.compare.measured import metrics, settings_of
from streambench.lab.compare.metric import ComparedPoint, Metric
from streambench.lab.record import statistics
from streambench.lab.record.statistics import CONFIDENCE, Interval


class Verdict(StrEnum):
    FASTER = "faster"
    SLOWER = "slower"
    OPEN = "cannot tell"
    WRONG = "wrong answer"


class Compared(NamedTuple):
    """A metric of a point that both results have. ``ratio``: of the new one's median to the base's, None where a run
    of one was wrong, or has no such number."""

    point: ComparedPoint
    metric: str
    base: Interval | None
    new: Interval | None
    ratio: Interval | None
    verdict: Verdict
    why: str


class Comparison(NamedTuple):
    """``unlike``: in what machines and data differ. ``only_base``, ``only_new``: points that one of them has alone."""

    rows: list[Compared]
    unlike: list[str]
    only_base: list[ComparedPoint]
    only_new: list[ComparedPoint]


def compare(base: Mapping[str, Any], new: Mapping[str, Any], *, force: bool = False) -> Comparison:
    """What both documents measured, in the order of ``base``.

    Raises StreambenchError for results of two kinds, of unlike machines or data unless ``force``, and for results that
    have nothing in common.
    """
    check_kinds(base, new)
    unlike = differences(base, new)
    if unlike and not force:
        raise StreambenchError(
            f"the two results are not of one machine and one set of data ({'; '.join(unlike)}): measure both on one, "
            "or compare them all the same with --force"
        )
    known = settings_of(base, new)
    ours = {(each.point, each.name): each for each in metrics(base, known)}
    theirs = {(each.point, each.name): each for each in metrics(new, known)}
    points = [list(dict.fromkeys(point for point, _ in each)) for each in (ours, theirs)]
    common = [point for point in points[0] if point in points[1]]
    if not common:
        raise StreambenchError("the two results have no configuration in common: there is nothing to compare")
    rows = []
    for point in common:
        first, second = ({name: each for (at, name), each in side.items() if at == point} for side in (ours, theirs))
        for name in dict.fromkeys((*first, *second)):
            either = first.get(name) or second[name]
            rows.append(compared(*(side.get(name) or _missing(either, side) for side in (first, second))))
    return Comparison(
        rows,
        unlike,
        [each for each in points[0] if each not in points[1]],
        [each for each in points[1] if each not in points[0]],
    )


class Step(NamedTuple):
    """Two results of one kind that follow each other, by name: their comparison, or why there is none."""

    base: str
    new: str
    comparison: Comparison | StreambenchError


def steps(documents: Sequence[tuple[str, Mapping[str, Any]]], *, force: bool = False) -> Iterator[Step]:
    """Each of the named documents against the one before of its kind; they are given oldest first."""
    for kind in dict.fromkeys(document.get("kind") for _, document in documents):
        of_kind = [each for each in documents if each[1].get("kind") == kind]
        for (base, older), (new, newer) in pairwise(of_kind):
            try:
                yield Step(base, new, compare(older, newer, force=force))
            except StreambenchError as reason:
                yield Step(base, new, reason)


def compared(base: Metric, new: Metric) -> Compared:
    """The ratio of the medians, with a verdict where its interval lies on one side of 1."""
    if base.wrong or new.wrong:
        which = " and ".join(
            f"{each.wrong} of {each.runs} runs of the {name}"
            for name, each in (("base", base), ("new result", new))
            if each.wrong
        )
        return Compared(base.point, base.name, None, None, None, Verdict.WRONG, f"{which} gave a wrong answer")
    if why := " and ".join(filter(None, (_lack("base", base), _lack("new result", new)))):
        return Compared(base.point, base.name, _median(base), _median(new), None, Verdict.OPEN, why)
    # Each is to cover its median so surely that both do with the confidence that is wanted.
    first, second = (statistics.summary(each.values, math.sqrt(CONFIDENCE)) for each in (base, new))
    ratio = _ratio(first, second)
    verdict, why = _verdict(ratio, base.more_is_better)
    return Compared(base.point, base.name, first, second, ratio, verdict, why)


def _missing(other: Metric, metrics: Mapping[str, Metric]) -> Metric:
    """The metric, as the ``other`` result has it, of runs that have only the ``metrics``."""
    beside = next(iter(metrics.values()))
    return other._replace(values=(), runs=beside.runs, wrong=beside.wrong)


def _lack(name: str, metric: Metric) -> str:
    """How many runs have no number above 0, in words; nothing where each has one."""
    lacking = metric.runs - len(metric.values)
    if not lacking:
        return ""
    if not metric.values:
        return f"no run of the {name} has a value above 0"
    return f"{lacking} of {metric.runs} runs of the {name} have no value above 0"


def _median(metric: Metric) -> Interval | None:
    """Only of all runs; of some it would be that of other runs."""
    return None if _lack("", metric) else statistics.summary(metric.values, math.sqrt(CONFIDENCE))


def _ratio(base: Interval, new: Interval) -> Interval:
    coverage = None if base.coverage is None or new.coverage is None else base.coverage * new.coverage
    return Interval(new.median / base.median, new.low / base.high, new.high / base.low, min(base.n, new.n), coverage)


def _verdict(ratio: Interval, more_is_better: bool) -> tuple[Verdict, str]:
    if ratio.coverage is None:
        return Verdict.OPEN, f"{ratio.n} runs are too few for an interval"
    if ratio.low <= 1 <= ratio.high:
        return Verdict.OPEN, "the interval holds 1"
    return Verdict.FASTER if (ratio.median > 1) == more_is_better else Verdict.SLOWER, ""
