"""A gate's session: the base against itself first, then the new side against the base, A B B A, until it can be told.

Workloads take turns, so that what disturbs the machine for a while falls on all of them; one that is decided is left
out from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple, Protocol

from streambench.lab.gate.decision import CONFIDENCE, MOST_PAIRS, Verdict, interval, judged, resolution
from streambench.lab.gate.side import Side
from streambench.lab.gate.trials import Pair, Record, Trial, in_turn
from streambench.lab.record.statistics import Interval

SAME = "A/A"
COMPARED = "A/B"
SAME_PAIRS, LEAST_SAME_PAIRS = 6, 3
SAME_SHARE = 1 / 3  # of the budget
MORE_IS_BETTER = ("throughput",)
MOST_WIDENED = 2  # times a limit, in logarithms: what passes beyond that only by the base's own noise is left open

Report = Callable[[str, float], None]


class Runs(Protocol):
    """Who runs both sides."""

    def pair(self, trial: Trial, base: Side, other: Side, phase: str, number: int) -> Pair:
        """Timed, checked runs, the base's first in each turn whichever came first."""


class Judged(NamedTuple):
    """A metric of a workload. ``worse``: ratios above 1 where the new side is worse; ``limit``: the greatest that may
    pass, ``usual_limit`` before the noise of the base against itself was known."""

    query: str
    metric: str
    worse: Interval
    limit: float
    usual_limit: float
    verdict: Verdict
    base: float
    new: float

    @property
    def ratio(self) -> Interval:
        """New to base."""
        if self.metric not in MORE_IS_BETTER:
            return self.worse
        median, low, high = 1 / self.worse.median, 1 / self.worse.high, 1 / self.worse.low
        return Interval(median, low, high, self.worse.n, self.worse.coverage)

    def as_ratio(self, limit: float) -> float:
        """A limit as a ratio of new to base."""
        return 1 / limit if self.metric in MORE_IS_BETTER else limit


class Session:
    """``fail_over``: by metric the part that may be lost; ``budget``: seconds, which ``clock`` counts; ``done``: where
    each run's record goes at once."""

    def __init__(
        self,
        runs: Runs,
        base: Side,
        new: Side,
        fail_over: Mapping[str, float],
        budget: float,
        done: list[Record],
        report: Report = lambda what, fraction: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runs, self._base, self._new = runs, base, new
        self._fail_over, self._budget = fail_over, budget
        self._report, self._clock = report, clock
        self._begin = 0.0
        self._done = done

    def decide(self, trials: Sequence[Trial]) -> list[Judged]:
        """Run until every metric is decided, or the budget is spent. Raises NoAnswerError at the first wrong run."""
        self._begin = self._clock()
        judged_metrics = [name for trial in trials for name in trial.metrics if name in self._fail_over]
        alpha = (1 - CONFIDENCE) / max(1, len(judged_metrics))
        limits = self._limits(trials, alpha)
        rows: dict[str, list[Judged]] = {trial.workload.name: [] for trial in trials}
        pending = list(trials)
        while pending:
            for trial in list(pending):
                begin = self._clock()
                self._pair(trial, COMPARED, self._new)
                name = trial.workload.name
                rows[name] = [
                    _judged(trial, metric, limits[name, metric], self._fail_over[metric], alpha)
                    for metric in trial.metrics
                    if metric in self._fail_over
                ]
                spent = self._left() < self._clock() - begin or len(trial.pairs) == MOST_PAIRS
                if spent or _settled(rows[name]):
                    pending.remove(trial)
        return [each for trial in trials for each in rows[trial.workload.name]]

    def _limits(self, trials: Sequence[Trial], alpha: float) -> dict[tuple[str, str], float]:
        """The limits as they are wanted, or as far apart as the base is from itself."""
        began = self._clock()
        for repeat in range(SAME_PAIRS):
            if repeat >= LEAST_SAME_PAIRS and self._clock() - self._begin > SAME_SHARE * self._budget:
                break
            for trial in trials:
                self._pair(trial, SAME, self._base)
        rounds = min((len(trial.pairs) for trial in trials), default=0)
        pairs = int(self._left() / max((self._clock() - began) / max(rounds, 1), 1e-9))
        limits = {}
        for trial in trials:
            for metric in trial.metrics:
                limit = limit_of(metric, self._fail_over.get(metric, 0.0))
                noise = resolution(_worse(trial, metric), pairs, alpha)
                # Where the budget is too short for any verdict, a wider limit would not help.
                limits[trial.workload.name, metric] = max(limit, noise) if noise < float("inf") else limit
            trial.pairs.clear()
        return limits

    def _pair(self, trial: Trial, phase: str, other: Side) -> None:
        number = len(trial.pairs)
        spent = 1 - self._left() / self._budget
        self._report(f"{phase}: {trial.workload.name}, pair {number + 1}", min(1.0, spent))
        pair = self._runs.pair(trial, self._base, other, phase, number)
        trial.pairs.append(pair)
        for turn, both in enumerate(pair):
            self._done += in_turn(both, number + turn)

    def _left(self) -> float:
        return self._begin + self._budget - self._clock()


def limit_of(metric: str, fail_over: float) -> float:
    """The greatest ratio, above 1 where it is worse, that loses no more than ``fail_over``."""
    return 1 / (1 - fail_over) if metric in MORE_IS_BETTER else 1 + fail_over


def value(run: Mapping[str, Any], metric: str) -> float:
    """A metric of a run's record."""
    number = run[metric] if metric in MORE_IS_BETTER else run["latency"][metric]
    return float(number)


def _worse(trial: Trial, metric: str) -> list[float]:
    """A ratio for each pair: turns of one pair of processes have that pair's luck in common."""
    ratios = [median(value(new, metric) / value(base, metric) for base, new in pair) for pair in trial.pairs]
    return [1 / each for each in ratios] if metric in MORE_IS_BETTER else ratios


def _judged(trial: Trial, metric: str, limit: float, fail_over: float, alpha: float) -> Judged:
    loss = interval(_worse(trial, metric), alpha)
    base, new = (median(value(turn[side], metric) for pair in trial.pairs for turn in pair) for side in (0, 1))
    usual = limit_of(metric, fail_over)
    verdict = judged(loss, limit)
    if verdict is Verdict.PASS and limit > usual**MOST_WIDENED and judged(loss, usual) is not Verdict.PASS:
        verdict = Verdict.OPEN  # a machine so noisy says nothing for the new side
    return Judged(trial.workload.name, metric, loss, limit, usual, verdict, base, new)


def _settled(rows: Sequence[Judged]) -> bool:
    """Whether more pairs could change nothing: one has regressed, or all pass."""
    return any(each.verdict is Verdict.REGRESSED for each in rows) or all(each.verdict is Verdict.PASS for each in rows)
