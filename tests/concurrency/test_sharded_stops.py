"""The engine `ordered` ends where it must: at a refused tuple exactly, at a stop soon, and within its credit always."""

from __future__ import annotations

import random
import signal
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from pipelines import Shape, Step, build, expected, outcome, random_plan
from streambench.pyx.machine.yield_points import inject
from test_failing_operators import TUPLES, failing_shape, refused_value, same_failure
from test_sharded_equals_plain import PLANS, Change, drawn, few
from thread_count import alive, none_left_behind

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline

pytestmark = pytest.mark.slow  # many threads, many stops

SHAPE: Shape = (Step("Map"), Step("FreeSum"), Step("Total"), Step("Filter", 3), Step("KeyedCount"))


@pytest.mark.parametrize("seed", range(60))
def test_of_several_refusals_the_first_in_order_counts_whatever_the_plan(probes: SimpleNamespace, seed: int) -> None:
    draw = random.Random(2000 + seed)
    options = drawn(draw)
    tuples = few(options, TUPLES)
    failing = failing_shape(draw, tuples)
    rows, failure = expected(failing, tuples)
    options = replace(options, plan=random_plan(draw, failing, probes))
    before = alive()
    pipeline = build(probes, failing, tuples, jitter=draw.choice((0, 1, 2)))
    same_failure(outcome(pipeline, options), pipeline, rows, failure)
    assert none_left_behind(before)


@pytest.mark.parametrize("seed", range(40))
def test_a_refused_tuple_ends_the_run_while_the_plan_changes(
    probes: SimpleNamespace, fickle: Change, seed: int
) -> None:
    draw = random.Random(3000 + seed)
    failing = failing_shape(draw)
    rows, failure = expected(failing, TUPLES)
    fickle(draw.randrange(1 << 32), draw.choice((1, 2, 10)), draw.choice((1, 7, 100)))
    pipeline = build(probes, failing, TUPLES, jitter=draw.choice((0, 1, 2)))
    same_failure(outcome(pipeline, drawn(draw, plan=draw.choice(PLANS))), pipeline, rows, failure)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("seed", range(3))
def test_nothing_behind_a_refused_tuple_reaches_the_sink(probes: SimpleNamespace, plan: str, seed: int) -> None:
    """Units of one tuple wait at the sink; workers lose the core when they have looked whether the run goes on."""
    shape = (Step("Map"), Step("FreeCount"), Step("Map"))
    options = Options(workers=8, unit=1, credit=64, partitions=5, plan=plan, pin=False)
    for nth in (0, 3, 60, 500):
        value = refused_value(shape, len(shape), nth)
        rows, failure = expected(shape, TUPLES, sink_fails=value)
        inject(2, seed)
        pipeline = build(probes, shape, TUPLES, sink_fails=value)
        same_failure(outcome(pipeline, options), pipeline, rows, failure)


@pytest.mark.parametrize("plan", [*PLANS, "1"])  # 1: the sink is in the segment of the operator that is flushed
@pytest.mark.parametrize("seed", range(3))
def test_nothing_behind_a_refused_tuple_is_flushed_to_the_sink(probes: SimpleNamespace, plan: str, seed: int) -> None:
    """What an operator held until the end comes in many units; the sink, or one before it, refuses one of the first."""
    shape = (Step("KeyedHold", 2), Step("Map"))
    options = Options(workers=8, unit=1, credit=64, partitions=5, plan=plan, pin=False)
    for nth in (0, 1, 5, 40):
        value = refused_value(shape, len(shape), nth)
        rows, failure = expected(shape, TUPLES, sink_fails=value)
        inject(2, seed)
        pipeline = build(probes, shape, TUPLES, sink_fails=value)
        same_failure(outcome(pipeline, options), pipeline, rows, failure)


@pytest.mark.parametrize("plan", [*PLANS, "changing"])
@pytest.mark.parametrize("unit", [1, 64])
@pytest.mark.parametrize("how", ["raised", "interrupted"])
def test_a_stop_leaves_no_thread_and_no_gap(
    probes: SimpleNamespace, fickle: Change, how: str, unit: int, plan: str
) -> None:
    """What has reached the sink of an endless stream is a prefix of the sequence."""
    if plan == "changing":
        fickle(1, 3, 2 * unit)
        plan = "sharded"
    inject(20, 1)
    stopped = False

    def watch(tuples: int) -> None:
        nonlocal stopped
        if tuples > 0 and not stopped:
            stopped = True
            if how == "raised":
                raise KeyboardInterrupt
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    pipeline = build(probes, SHAPE, -1, jitter=2)
    before = alive()
    with pytest.raises(KeyboardInterrupt):
        execute(pipeline, Options(workers=6, unit=unit, credit=8, partitions=3, plan=plan, pin=False), watch)
    assert none_left_behind(before)
    rows = pipeline.sink.rows()
    wanted, _ = expected(SHAPE, 3 * len(rows) + 100)
    assert rows == wanted[: len(rows)]


@pytest.mark.parametrize("plan", PLANS)
def test_a_stop_reaches_workers_that_are_all_asleep(probes: SimpleNamespace, plan: str) -> None:
    """The next tuple is due in an hour."""

    def watch(tuples: int) -> None:
        raise KeyboardInterrupt

    pipeline = Pipeline([probes.Counting(), probes.FreeSum(), probes.Recorder()])
    before = alive()
    with pytest.raises(KeyboardInterrupt):
        execute(pipeline, Options(workers=4, unit=1, credit=2, rate=1 / 3600, plan=plan, pin=False), watch)
    assert none_left_behind(before)
    assert pipeline.sink.rows() == []


@pytest.mark.parametrize("seed", range(8))
def test_tuples_in_flight_never_exceed_the_credit_while_the_plan_changes(
    probes: SimpleNamespace, fickle: Change, seed: int
) -> None:
    gauge = probes.Gauge()
    operators: list[Any] = [probes.Counting(400, gauge=gauge), probes.Map(), probes.FreeCount(2), probes.Number(3)]
    pipeline = Pipeline([*operators, probes.Recorder(gauge=gauge, nap=5_000, keep=False)])
    fickle(seed, 10, 1)
    execute(pipeline, Options(workers=3, unit=1, credit=4, partitions=3, plan="sharded", pin=False))
    assert pipeline.sink.tuples == 400
    assert gauge.peak <= 4
