"""Workers that have nothing to do sleep, and nothing is slept through."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streambench.pyx.machine.yield_points import inject
from thread_count import alive, none_left_behind

from streambench.execution.execute import execute
from streambench.execution.options import Options
from streambench.execution.pipeline import Pipeline
from streambench.pyx.table_sink import TableSink
from streambench.pyx.table_source import TableSource

pytestmark = pytest.mark.slow  # waits for sleepers

ENGINES = [
    pytest.param({"engine": "serial"}, id="serial"),
    pytest.param({"engine": "ordered"}, id="ordered"),
    pytest.param({"engine": "schemes", "heuristic": "ct"}, id="schemes"),
]
STEPS = st.lists(st.sampled_from(("announce", "withdraw", "park", "wake_one", "wake_all")), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_sleepers_and_permits_are_those_who_have_announced_themselves(
    probes: SimpleNamespace, steps: list[str]
) -> None:
    """A wake-up makes a permit of a sleeper; who sleeps takes a permit first, who leaves takes one only as the last."""
    lot = probes.Lot()
    sleepers = permits = 0
    for step in steps:
        if step in ("withdraw", "park") and sleepers + permits == 0:
            continue  # nobody is there to do it
        woken = getattr(lot, step)()
        match step:
            case "announce":
                sleepers += 1
            case "withdraw" if sleepers:
                sleepers -= 1
            case "withdraw":
                permits -= 1
            case "park" if permits:
                permits -= 1
                assert woken
            case "park":
                sleepers -= 1
                assert not woken
            case "wake_one" if sleepers:
                sleepers, permits = sleepers - 1, permits + 1
            case "wake_all":
                sleepers, permits = 0, permits + sleepers
        assert lot.counts() == (sleepers, permits)


def test_who_finds_work_in_the_last_look_is_no_sleeper_any_more(probes: SimpleNamespace) -> None:
    lot = probes.Lot()
    for _ in range(3):
        rounds = 0
        while lot.counts() == (0, 0):
            lot.rest()
            rounds += 1
        assert rounds > 200
        assert lot.counts() == (1, 0)
        lot.resume()
        assert lot.counts() == (0, 0)


@pytest.mark.parametrize("others", [0, 1, 3])
@pytest.mark.parametrize("permits", [1, 2])
def test_who_has_a_permit_does_not_sleep(probes: SimpleNamespace, permits: int, others: int) -> None:
    lot = probes.Lot()
    for _ in range(permits + others):
        lot.announce()
    for _ in range(permits):
        lot.wake_one()
    for taken in range(1, permits + 1):
        woken, slept_out = lot.park_for(5_000_000_000)
        assert (woken, slept_out) == (True, False)
        assert lot.counts() == (others, permits - taken)


@pytest.mark.parametrize(("producers", "consumers"), [(1, 1), (1, 4), (3, 1), (3, 5)])
@pytest.mark.parametrize("burst", [1, 3])
@pytest.mark.parametrize("chance", [0, 3])
def test_no_item_is_slept_through(
    probes: SimpleNamespace, producers: int, consumers: int, burst: int, chance: int
) -> None:
    """Nobody's sleep has an end of its own: a wake-up that got lost would be a sleep of many seconds."""
    inject(chance, 11)
    driver = probes.Shift(producers, 1200, burst)
    driver.run(producers + consumers)
    taken, sleeps, forgotten, left = driver.result()
    assert taken == [1] * (producers * 1200)
    assert forgotten == 0
    assert left == (0, 0)
    assert sleeps > 10, "hardly anybody slept: the test tests nothing"


@pytest.mark.parametrize("consumers", [1, 5])
@pytest.mark.parametrize("chance", [0, 3])
def test_workers_that_nap_watch_and_park_take_every_item_and_leave_no_trace(
    probes: SimpleNamespace, consumers: int, chance: int
) -> None:
    inject(chance, 12)
    driver = probes.Shift(2, 1200, resting=True)
    driver.run(2 + consumers)
    taken, _, _, left = driver.result()
    assert taken == [1] * 2400
    assert left == (0, 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", [1, 2, 8])
def test_a_source_that_pauses_loses_nothing(probes: SimpleNamespace, engine: dict[str, Any], workers: int) -> None:
    """The pauses are long enough that workers nap, and then sleep until woken."""
    operators = [probes.Quiet(60, 12, 60_000_000), probes.KeyedSum(), probes.Total(), TableSink()]
    execute(Pipeline(operators), Options(**engine, workers=workers, unit=4, partitions=10, pin=False))
    whole = [
        TableSource([np.arange(60), np.arange(60)], ("key", "value")),
        probes.KeyedSum(),
        probes.Total(),
        TableSink(),
    ]
    execute(Pipeline(whole), Options(engine="serial"))
    assert operators[-1].digest == whole[-1].digest
    assert operators[-1].tuples == whole[-1].tuples > 60


@pytest.mark.parametrize("heuristic", ["ct", "lp", "walk"])
def test_a_sleeper_is_woken_for_what_one_worker_cannot_do_alone(probes: SimpleNamespace, heuristic: str) -> None:
    companions = probes.Companions()
    pipeline = Pipeline([probes.Quiet(20, 2, 40_000_000), companions, probes.Recorder(keep=False)])
    execute(pipeline, Options(heuristic=heuristic, workers=2, unit=1, fuse=False, pin=False))
    assert companions.starved == 0
    assert pipeline.sink.tuples == 20


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rate", [200, 2000, 50_000])
def test_no_tuple_enters_before_it_is_due(engine: dict[str, Any], rate: int) -> None:
    values = np.arange(rate // 10, dtype=np.int64)
    pipeline = Pipeline([TableSource([values], ("value",)), TableSink(keep=False)])
    measured = execute(pipeline, Options(**engine, workers=2, unit=16, rate=rate, pin=False))
    index, entered, _ = measured.markers
    assert pipeline.sink.tuples == len(values)
    assert (entered * 1.01 >= index / rate).all()  # ticks are converted to the clock that says what is due


class EnoughError(Exception):
    """What a watch raises."""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("workers", [1, 8])
def test_a_stop_wakes_those_who_sleep(probes: SimpleNamespace, engine: dict[str, Any], workers: int) -> None:
    calls = 0

    def watch(tuples: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise EnoughError

    before = alive()
    with pytest.raises(EnoughError):
        execute(Pipeline([probes.Quiet(), TableSink()]), Options(**engine, workers=workers, pin=False), watch)
    assert none_left_behind(before)


IDLE = """
    import json, sys
    import probe_ends, probe_parking, streambench.lab
    calls = 0
    def watch(tuples):
        global calls
        calls += 1
        if calls == 3:  # the workers have looked for work and gone to sleep
            print("idle", flush=True)
    pipeline = streambench.Pipeline([probe_parking.Quiet(), probe_ends.Recorder(keep=False)])
    try:
        pipeline.run(workers=4, watch=watch, **json.loads(sys.argv[1]))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(130)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_stops_an_idle_pipeline(script: Callable[..., subprocess.Popen[str]], engine: dict[str, Any]) -> None:
    child = script(IDLE, json.dumps(engine))
    assert child.stdout is not None
    assert child.stdout.readline() == "idle\n"
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "interrupted\n"
    assert child.returncode == 130
