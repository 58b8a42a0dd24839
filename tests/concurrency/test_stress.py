"""Whole pipelines under stress: 16 workers, units of a few tuples, little credit, and injected yields.

Every heuristic with every reordering and partitioning scheme. STREAMBENCH_STRESS=n runs n seeds of each instead of one.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import Shape, Step, build, expected, outcome, random_shape
from streambench.pyx.machine.yield_points import inject
from test_failing_operators import failing_shape, same_failure
from test_ordered_equals_plain import agree
from thread_count import alive, none_left_behind

from streambench.execution.execute import execute
from streambench.execution.options import HEURISTICS, PARTITIONINGS, REORDERS, ROUTINGS, Options
from streambench.pyx.schemes import schemes_engine as ordered

pytestmark = pytest.mark.slow  # many runs, with yields everywhere

WORKERS = 16
TUPLES = 400
TIMES = int(os.environ.get("STREAMBENCH_STRESS", "1"))
SCHEMES = list(product(HEURISTICS, REORDERS, PARTITIONINGS))
COVERING = [(HEURISTICS[k % len(HEURISTICS)], *two) for k, two in enumerate(product(REORDERS, PARTITIONINGS))]

every_scheme = pytest.mark.parametrize(("heuristic", "reorder", "partitioning"), SCHEMES)
some_schemes = pytest.mark.parametrize(("heuristic", "reorder", "partitioning"), COVERING)
seeds = pytest.mark.parametrize("seed", range(TIMES))

MIXED: list[Shape] = [
    (Step("Map"), Step("Filter", 1), Step("KeyedSum"), Step("Total"), Step("KeyedHold", 2)),
    (Step("Expand", 50), Step("Rekey", 40), Step("KeyedCount"), Step("Number")),
    (Step("KeyedLists"), Step("Filter", 3), Step("KeyedCount"), Step("Tag"), Step("Total")),
    (Step("KeyedCount"), Step("KeyedSum"), Step("KeyedLists")),
    (Step("KeyedHold", 2), Step("Expand", 3), Step("KeyedHold", 1), Step("Number")),
    (Step("Number"), Step("Total"), Step("Rekey", 2), Step("KeyedSum")),
    (Step("Map"), Step("Filter", 2), Step("Expand", 2), Step("Map")),
    (Step("Rekey", 1), Step("KeyedSum"), Step("KeyedCount"), Step("Total")),
]


def stressful(draw: random.Random, heuristic: str, reorder: str, partitioning: str) -> Options:
    """Options that leave little room, and yields injected that depend on the same seed."""
    inject(draw.choice((2, 5, 20, 100)), draw.randrange(1 << 32))
    return Options(
        heuristic=heuristic,
        reorder=reorder,
        partitioning=partitioning,
        capacity=draw.choice((None, 1, 20)),
        workers=WORKERS,
        unit=draw.choice((1, 1, 2, 7)),
        credit=draw.choice((2, 4, 16)),
        partitions=draw.choice((1, 3, 17)),
        partition_by=draw.choice(("hash", "range")),
        fuse=draw.random() < 0.3,
        time_slice=draw.choice((1e-6, 1e-4)),
        window=draw.choice((1e-5, 1e-2)),
        routing=draw.choice(ROUTINGS),
        trace=True,
        pin=False,
    )


@every_scheme
@seeds
def test_theorem_5_2_holds_wherever_workers_lose_the_processor(
    probes: SimpleNamespace, heuristic: str, reorder: str, partitioning: str, seed: int
) -> None:
    draw = random.Random(f"{heuristic} {reorder} {partitioning} {seed}")
    for shape in (*draw.sample(MIXED, 2), random_shape(draw)):
        options = stressful(draw, heuristic, reorder, partitioning)
        agree(probes, shape, TUPLES, options, jitter=draw.choice((0, 2)))


@some_schemes
@seeds
def test_under_stress_everything_before_a_refused_tuple_has_left_and_nothing_after(
    probes: SimpleNamespace, heuristic: str, reorder: str, partitioning: str, seed: int
) -> None:
    draw = random.Random(f"{heuristic} {reorder} {partitioning} {seed}")
    before = alive()
    for _ in range(2):
        failing = failing_shape(draw)
        rows, failure = expected(failing, 1500)
        pipeline = build(probes, failing, 1500, jitter=draw.choice((0, 2)))
        options = stressful(draw, heuristic, reorder, partitioning)
        same_failure(outcome(pipeline, options), pipeline, rows, failure)
        assert none_left_behind(before)


class EnoughError(Exception):
    """What a watch raises."""


def enough() -> None:
    raise EnoughError


def ctrl_c() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


@some_schemes
@pytest.mark.parametrize(("stop", "raised"), [(enough, EnoughError), (ctrl_c, KeyboardInterrupt)])
def test_a_stop_under_stress_leaves_no_thread_and_no_gap(
    probes: SimpleNamespace, heuristic: str, reorder: str, partitioning: str, stop: Any, raised: type[BaseException]
) -> None:
    """What has reached the sink of an endless stream is a prefix of the sequence."""
    draw = random.Random(f"{heuristic} {reorder} {partitioning}")
    stopped = False

    def watch(tuples: int) -> None:
        nonlocal stopped
        if tuples > 0 and not stopped:
            stopped = True
            stop()

    shape = (Step("Map"), Step("KeyedSum"), Step("Total"), Step("Filter", 3), Step("KeyedCount"))
    pipeline = build(probes, shape, -1, jitter=2)
    before = alive()
    with pytest.raises(raised):
        execute(pipeline, stressful(draw, heuristic, reorder, partitioning), watch)
    assert none_left_behind(before)
    rows = pipeline.sink.rows()
    wanted, _ = expected(shape, 3 * len(rows) + 100)
    assert rows == wanted[: len(rows)]


def test_the_stress_reaches_what_rarely_happens(probes: SimpleNamespace) -> None:
    """Outputs wait for earlier ones, with every reordering scheme: else the seeds above would test little."""
    for reorder in REORDERS:
        inject(3, 7)
        options = Options(reorder=reorder, workers=WORKERS, unit=1, credit=16, partitions=17, fuse=False, pin=False)
        got = outcome(build(probes, MIXED[3], 2000, jitter=2), options)
        assert got.measured is not None
        assert sum(stage["reorder"].get("waiting", 0) for stage in got.measured.profile) > 0


def test_a_wrong_scheme_is_noticed(probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ordered.PARTITIONINGS, "shared", probes.NewestFirst)
    options = Options(partitioning="shared", workers=WORKERS, unit=1, credit=16, partitions=3, pin=False)
    shape = (Step("Rekey", 3), Step("KeyedSum"), Step("Total"))
    wanted, _ = expected(shape, TUPLES)
    got = outcome(build(probes, shape, TUPLES), options)
    assert got.violations == 0
    assert got.rows != wanted
