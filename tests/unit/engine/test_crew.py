"""A crew without a sink: its workers start, are watched, park, stop, and give account of themselves."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from streambench.pyx.machine.idle import bound_sleeps

from streambench.host.limits import allowed_cpus

NOWHERE = 1023
"""A core that no machine here has."""
PATIENCE = 60.0
"""s: then something is wrong."""


class EnoughError(Exception):
    """What a watch raises."""


@pytest.fixture
def long_sleeps() -> Iterator[None]:
    """No sleep ends by itself: who is not woken is missed."""
    bound_sleeps(watch=40_000_000_000, sleep=40_000_000_000)
    yield
    bound_sleeps()


def patient(look: Callable[[int], None]) -> Callable[[int], None]:
    """The watch, which does not go on for ever."""
    deadline = time.monotonic() + PATIENCE

    def watch(progress: int) -> None:
        assert time.monotonic() < deadline, "what it waits for never came"
        look(progress)

    return watch


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_crew_without_a_sink_works_to_its_end(probes: SimpleNamespace, workers: int) -> None:
    crew = probes.Counters(workers, given=1000, last=1000)
    crew.run()
    assert crew.counted == 1000
    assert crew.seconds > 0
    assert crew.sleepers == 0
    assert crew.unpinned == []


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [1, 3])
def test_a_watch_sees_the_progress_and_what_it_gives_wakes_those_who_are_parked(
    probes: SimpleNamespace, workers: int
) -> None:
    """A task is given when all sleep, and the next one when it has been done and all sleep again."""
    crew = probes.Counters(workers, last=3)
    seen = []

    def watch(progress: int) -> None:
        if crew.sleepers == workers and progress < 3 and (not seen or progress > seen[-1]):
            seen.append(progress)
            crew.give(1)

    crew.run(patient(watch))
    assert seen == [0, 1, 2]
    assert crew.counted == 3


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [1, 3])
def test_what_a_watch_raises_stops_workers_that_are_parked(probes: SimpleNamespace, workers: int) -> None:
    crew = probes.Counters(workers)

    def watch(progress: int) -> None:
        if crew.sleepers == workers:
            raise EnoughError

    with pytest.raises(EnoughError):
        crew.run(patient(watch))
    assert crew.sleepers == 0


@pytest.mark.usefixtures("long_sleeps")
def test_ctrl_c_stops_workers_that_are_parked(probes: SimpleNamespace) -> None:
    crew = probes.Counters(2)

    def watch(progress: int) -> None:
        if crew.sleepers == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        crew.run(patient(watch))


@pytest.mark.usefixtures("long_sleeps")
@pytest.mark.parametrize("workers", [1, 3])
def test_a_worker_without_memory_stops_the_others_and_is_a_memory_error(probes: SimpleNamespace, workers: int) -> None:
    crew = probes.Counters(workers, given=100, starve_at=50)
    with pytest.raises(MemoryError, match="out of memory: use a smaller stream"):
        crew.run(patient(lambda progress: None))
    assert crew.counted >= 50
    assert crew.sleepers == 0


def test_cores_that_the_system_refuses_are_noted(probes: SimpleNamespace) -> None:
    there = allowed_cpus()[0]
    crew = probes.Counters(4, cores=(there, NOWHERE), given=100, last=100)
    crew.run()
    assert crew.counted == 100
    assert set(crew.unpinned) == {NOWHERE}


def test_nobody_is_pinned_who_was_not_to_be(probes: SimpleNamespace) -> None:
    crew = probes.Counters(2, cores=(), given=10, last=10)
    crew.run()
    assert crew.unpinned == []
