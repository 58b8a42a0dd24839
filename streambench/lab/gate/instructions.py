"""The gate without noise: how many instructions each side takes for a lap, counted by valgrind's callgrind.

One thread replays a stream for few laps and for more; the difference is what the laps take, and Python's start is in
neither. Valgrind shows programs a processor without AVX-512, so what is counted is what runs on one with AVX2.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event

from streambench.lab.gate.decision import judged
from streambench.lab.gate.errors import NoAnswerError, NoVerdictError
from streambench.lab.gate.session import Judged, Report, limit_of
from streambench.lab.gate.side import Side
from streambench.lab.gate.trials import GateTrials, Record, compare_answers
from streambench.lab.gate.workload import Workload, fingerprint
from streambench.lab.record.statistics import Interval

METRIC = "instructions"
FEW, MORE = 1, 101  # laps: so many that what differs from start to start is little of them
LEAST_GROWTH = 1e-3  # of a run of few laps: below it, the laps cannot be told from what differs from start to start
LONGEST = 1800.0  # seconds, of a count: valgrind takes some fifty times as long
COLLECTED = re.compile(r"^==(\d+)== Callgrind,.*^==\1== Collected *: *(\d+)", re.MULTILINE | re.DOTALL)
"""Of the process that began first: one that it has forked says what it has counted, too."""

Counted = tuple[Workload, Side, Sequence[tuple[int, Sequence[str]]]]
"""The last: laps, and the words of a run of so many."""


def compared(
    workloads: Sequence[Workload],
    sides: Sequence[Side],
    fail_over: float,
    trials: GateTrials,
    report: Report,
    jobs: int,
) -> tuple[list[Judged], list[Record]]:
    """A verdict and a record of each side for each workload, ``jobs`` of them at a time: who else uses the cores does
    not matter.

    Raises NoVerdictError where nothing can be counted, NoAnswerError where the new side's answer is wrong.
    """
    under = callgrind()
    said = {}
    for workload in workloads:
        report(f"checking {workload.name}", 0.0)
        for side in sides:
            said[workload, side.name] = trials.checked(workload, side, MORE)
        compare_answers(workload, *(said[workload, side.name] for side in sides))
    report(f"counting {METRIC}", 0.5)
    # With what their words name: files that runs share are written before any of them begins.
    counted = [
        (workload, side, [(laps, trials.words(workload, side, laps)) for laps in (FEW, MORE)])
        for workload in workloads
        for side in sides
    ]
    counts = _counted(counted, under, jobs)
    rows, runs = [], []
    for workload in workloads:
        base, new = (counts[workload, side.name] for side in sides)
        ratio = Interval(new / base, new / base, new / base, 1, 1.0)
        limit = limit_of(METRIC, fail_over)
        rows.append(Judged(workload.name, METRIC, ratio, limit, limit, judged(ratio, limit), base, new))
        runs += [
            {
                "query": workload.name,
                "side": side.name,
                "phase": METRIC,
                "pair": 0,
                METRIC: counts[workload, side.name],
                "digest": fingerprint(said[workload, side.name]),
                "verified": True,
                "core_round_trip_ns": None,
            }
            for side in sides
        ]
    return rows, runs


def callgrind() -> list[str]:
    """What stands before a command whose instructions are counted. Raises NoVerdictError where it is missing."""
    if shutil.which("valgrind") is None:
        raise NoVerdictError("valgrind, which counts, is missing; type: sudo apt-get install -y valgrind")
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []  # the same addresses in every run
    return [*fixed, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]


def _counted(counted: Sequence[Counted], under: Sequence[str], jobs: int) -> dict[tuple[Workload, str], float]:
    """The first failure and Ctrl-C end them all: a count takes minutes."""
    stopped = Event()
    pool = ThreadPoolExecutor(jobs)
    try:
        counts = {(each[0], each[1].name): pool.submit(_per_lap, *each, under, stopped) for each in counted}
        for ended in wait(counts.values(), return_when=FIRST_EXCEPTION).done:
            ended.result()
        return {key: each.result() for key, each in counts.items()}
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


def _per_lap(
    workload: Workload, side: Side, counted: Sequence[tuple[int, Sequence[str]]], under: Sequence[str], stopped: Event
) -> float:
    counts = {}
    for laps, words in counted:
        try:
            match = COLLECTED.search(side.said(words, under, LONGEST, stopped))
        except NoAnswerError as problem:
            raise side.blamed(problem) from problem
        if match is None:
            raise NoVerdictError(f"{workload.name}: valgrind does not tell what it counted")
        counts[laps] = int(match[2])
    growth = counts[MORE] - counts[FEW]
    if growth < LEAST_GROWTH * counts[FEW]:
        raise NoVerdictError(
            f"{workload.name}: {MORE} laps take {side.called} no more instructions than {FEW}, so there is nothing to "
            "compare: give its command a stream that each lap makes longer"
        )
    return growth / (MORE - FEW)
