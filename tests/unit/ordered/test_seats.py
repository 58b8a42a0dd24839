"""Seats: each worker on its own core, or all on any, whoever says so and whenever a worker sits down."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from streambench.host.limits import allowed_cpus

ALL = frozenset(allowed_cpus())
PATIENCE = 60.0  # seconds until a thread that never answers fails a test

pytestmark = pytest.mark.skipif(len(ALL) < 2, reason="with one core nobody moves")


class Worker:
    """A thread that is pinned as a crew pins it, sits down, and stays until it is told to go."""

    def __init__(self, seats: Any, number: int, core: int) -> None:
        self._go, self._there = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._sit, args=(seats, number, core))
        self._thread.start()
        assert self._there.wait(PATIENCE)

    def _sit(self, seats: Any, number: int, core: int) -> None:
        os.sched_setaffinity(0, {core})
        seats.take(number)
        self._there.set()
        self._go.wait(PATIENCE)

    @property
    def cores(self) -> set[int]:
        """Where it may run."""
        assert self._thread.native_id is not None
        return os.sched_getaffinity(self._thread.native_id)

    def go(self) -> None:
        self._go.set()
        self._thread.join()


@contextmanager
def seated(seats: Any, *places: tuple[int, int]) -> Iterator[list[Worker]]:
    """Workers, each (number, core it is pinned to)."""
    workers = [Worker(seats, *place) for place in places]
    try:
        yield workers
    finally:
        for each in workers:
            each.go()


def begun(probes: SimpleNamespace, workers: int, cores: tuple[int, ...]) -> Any:
    seats = probes.Bench(workers, cores)
    seats.begin()
    return seats


def test_workers_that_are_let_go_may_run_anywhere_and_bound_again_each_has_its_core(probes: SimpleNamespace) -> None:
    first, second = allowed_cpus()[:2]
    seats = begun(probes, 2, (first, second))
    with seated(seats, (0, first), (1, second)) as workers:
        assert (seats.bound, seats.all_may_move) == (True, False)
        assert [each.cores for each in workers] == [{first}, {second}]
        seats.to_each_its_own(False)
        assert (seats.bound, seats.all_may_move) == (False, True)
        assert [each.cores for each in workers] == [ALL, ALL]
        seats.to_each_its_own(True)
        assert [each.cores for each in workers] == [{first}, {second}]


def test_with_more_workers_than_cores_these_go_round(probes: SimpleNamespace) -> None:
    first, second = allowed_cpus()[:2]
    seats = begun(probes, 3, (first, second))
    with seated(seats, (0, first), (1, second), (2, first)) as workers:
        seats.to_each_its_own(False)
        seats.to_each_its_own(True)
        assert [each.cores for each in workers] == [{first}, {second}, {first}]


def test_who_sits_down_while_the_others_may_move_may_move_too(probes: SimpleNamespace) -> None:
    first, second = allowed_cpus()[:2]
    seats = begun(probes, 2, (first, second))
    seats.to_each_its_own(False)
    with seated(seats, (1, second)) as (late,):
        assert late.cores == ALL
        seats.to_each_its_own(True)
        assert late.cores == {second}


def test_who_has_left_is_not_moved(probes: SimpleNamespace) -> None:
    """The system may have given its number to another thread."""
    first, second = allowed_cpus()[:2]
    seats = begun(probes, 2, (first, second))
    with seated(seats, (0, first), (1, second)) as (stays, leaves):
        seats.give_up(1)
        seats.to_each_its_own(False)
        assert (stays.cores, leaves.cores) == (ALL, {second})


def test_a_run_begins_with_each_worker_on_its_core(probes: SimpleNamespace) -> None:
    first, second = allowed_cpus()[:2]
    seats = begun(probes, 2, (first, second))
    seats.to_each_its_own(False)
    seats.begin()
    assert (seats.bound, seats.all_may_move) == (True, False)
    with seated(seats, (1, second)) as (worker,):
        assert worker.cores == {second}


def test_workers_without_cores_of_their_own_are_left_where_the_system_puts_them(probes: SimpleNamespace) -> None:
    first = allowed_cpus()[0]
    seats = begun(probes, 1, ())
    with seated(seats, (0, first)) as (worker,):
        for bound in (False, True):
            seats.to_each_its_own(bound)
            assert worker.cores == {first}
