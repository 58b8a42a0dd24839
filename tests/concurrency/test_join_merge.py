"""A join's threads merge every batch once, with yields injected between the steps, and wake who waits for room."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from streambench.pyx.machine.idle import bound_sleeps
from streambench.pyx.machine.yield_points import inject

from streambench.pyx.join.definition import Definition
from streambench.pyx.join.join_crew import JoinCrew

SLEEP = 20_000_000_000
"""ns: a thread that nobody wakes sleeps so long."""
PATIENCE = 10.0
"""s: a run that takes longer has somebody asleep. No run here has work for a second."""


@pytest.fixture
def long_sleeps() -> Iterator[None]:
    bound_sleeps(watch=SLEEP, sleep=SLEEP)
    yield
    bound_sleeps()


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_merge_every_batch_once(threads: int, seed: int) -> None:
    """Batches of one tuple, many more than a thread may be ahead."""
    draw = np.random.default_rng(seed)
    sides = [(np.sort(draw.integers(0, 300, 500)), draw.integers(0, 9, 500)) for _ in range(2)]
    (left_ts, left), (right_ts, right) = sides
    definition = Definition(left_ts, right_ts, [(left, right, 0)], 20)
    alone = JoinCrew(definition, "scan")
    alone.run()
    inject((0, 2, 5, 50)[seed], seed)
    crew = JoinCrew(definition, "simd", threads, batch=1)
    crew.run()
    for want, found in zip(alone.matches(), crew.matches(), strict=True):
        assert len(want) > 1000
        np.testing.assert_array_equal(found, want)


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("threads", [2, 5])
def test_a_merge_wakes_who_waits_for_room(probes: SimpleNamespace, threads: int) -> None:
    """One thread takes its time now and then; the others are soon as far ahead as they may be, and fall asleep."""
    ts = np.arange(500)
    crew = JoinCrew(Definition(ts, ts, [], 0, predicate=probes.Slow(160)), "simd", threads, batch=1)
    running = threading.Thread(target=crew.run)
    running.start()
    running.join(PATIENCE)
    in_time = not running.is_alive()
    running.join()
    assert in_time
    np.testing.assert_array_equal(crew.matches()[0], ts)
