"""The Ordered Scheduler as Python sees it: ticket order, errors, room, references."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streambench.pyx.ordered_scheduler import OrderedScheduler


def scheduler_with(tickets: int, capacity: int = 64) -> OrderedScheduler:
    scheduler = OrderedScheduler(capacity)
    assert [scheduler.ticket() for _ in range(tickets)] == list(range(tickets))
    return scheduler


def fail(error: BaseException) -> None:
    raise error


@given(
    capacity=st.sampled_from([1, 2, 5, 64]),
    trashed=st.sets(st.integers(0, 29)),
    arrivals=st.permutations(range(30)),
    python=st.sets(st.integers(0, 29)),
)
def test_any_order_of_arrival_gives_ticket_order_without_the_trashed(
    probes: SimpleNamespace, capacity: int, trashed: set[int], arrivals: list[int], python: set[int]
) -> None:
    """Tickets without room come again later. The model: all tickets that have come, up to the first gap."""
    scheduler, order, come = scheduler_with(30, capacity), list[int](), set[int]()
    native = probes.NativeTask(scheduler)
    again = deque(arrivals)
    while again:
        ticket = again.popleft()
        if ticket >= scheduler.next + scheduler.capacity:
            again.append(ticket)
            continue
        come.add(ticket)
        if ticket in trashed:
            scheduler.trash(ticket)
        elif ticket in python:
            scheduler.run(ticket, partial(order.append, ticket))
        else:
            assert native.run(ticket)
        done = next(gap for gap in range(31) if gap not in come)
        assert scheduler.next == done
        assert scheduler.pending == 30 - done
        assert order == [each for each in range(done) if each not in trashed and each in python]
        assert native.order() == [each for each in range(done) if each not in trashed and each not in python]


def test_a_left_task_is_run_by_the_thread_of_the_ticket_before_it() -> None:
    scheduler, by = scheduler_with(3), list[tuple[int, int]]()

    def use(ticket: int) -> None:
        scheduler.run(ticket, lambda: by.append((ticket, threading.get_ident())))

    other = threading.Thread(target=use, args=(1,))
    other.start()
    other.join()
    use(2)
    assert by == []
    use(0)
    assert by == [(ticket, threading.get_ident()) for ticket in range(3)]


@pytest.mark.parametrize(("asked", "given_capacity"), [(1, 1), (2, 2), (3, 4), (1000, 1024)])
def test_the_capacity_is_rounded_up_to_a_power_of_two(asked: int, given_capacity: int) -> None:
    assert OrderedScheduler(asked).capacity == given_capacity


@pytest.mark.parametrize("capacity", [0, -1, 2**62])
def test_an_impossible_capacity_is_refused(capacity: int) -> None:
    with pytest.raises(ValueError, match=f"capacity must be from 1 to .*, not {capacity}"):
        OrderedScheduler(capacity)


@pytest.mark.parametrize("use", [lambda each, ticket: each.run(ticket, int), lambda each, ticket: each.trash(ticket)])
class TestWrongTickets:
    def test_a_ticket_that_is_done_is_refused(self, use: Callable[[OrderedScheduler, int], None]) -> None:
        scheduler = scheduler_with(2)
        scheduler.run(0, int)
        with pytest.raises(ValueError, match="ticket 0 has been used before"):
            use(scheduler, 0)
        assert scheduler.next == 1

    def test_a_ticket_whose_task_is_left_is_refused(self, use: Callable[[OrderedScheduler, int], None]) -> None:
        scheduler, order = scheduler_with(2), list[int]()
        scheduler.run(1, lambda: order.append(1))
        with pytest.raises(ValueError, match="ticket 1 has been used before"):
            use(scheduler, 1)
        scheduler.trash(0)
        assert order == [1]

    @pytest.mark.parametrize("ticket", [-1, 2, 10**12])
    def test_a_ticket_that_was_never_issued_is_refused(
        self, use: Callable[[OrderedScheduler, int], None], ticket: int
    ) -> None:
        scheduler = scheduler_with(2, capacity=1)
        with pytest.raises(ValueError, match=f"ticket {ticket} was never issued"):
            use(scheduler, ticket)


def test_what_cannot_be_called_is_refused_and_its_ticket_stays_unused() -> None:
    scheduler = scheduler_with(1)
    with pytest.raises(TypeError, match="a task must be callable, and int is not"):
        scheduler.run(0, 7)
    scheduler.run(0, int)
    assert scheduler.pending == 0


def test_a_task_that_raises_is_done_and_the_call_that_ran_it_raises_with_its_ticket() -> None:
    scheduler, order = scheduler_with(4), list[int]()
    scheduler.run(1, partial(fail, KeyError("left")))  # not raised here: it is not its turn
    scheduler.run(2, partial(order.append, 2))
    with pytest.raises(KeyError, match="left") as raised:
        scheduler.run(0, partial(order.append, 0))
    assert raised.value.__notes__ == ["in the task of ticket 1"]
    assert order == [0, 2]
    scheduler.run(3, partial(order.append, 3))
    assert order == [0, 2, 3]


def test_a_trash_raises_what_the_tasks_that_it_ran_have_raised() -> None:
    scheduler = scheduler_with(2)
    scheduler.run(1, partial(fail, KeyError("left")))
    with pytest.raises(KeyError, match="left"):
        scheduler.trash(0)
    assert scheduler.pending == 0


def test_several_errors_are_raised_as_a_group_in_ticket_order() -> None:
    scheduler, order = scheduler_with(4), list[int]()
    scheduler.run(3, partial(order.append, 3))
    scheduler.run(2, partial(fail, ValueError("second")))
    scheduler.trash(1)
    with pytest.raises(ExceptionGroup, match="2 ordered tasks failed") as raised:
        scheduler.run(0, partial(fail, KeyError("first")))
    assert [(str(each), each.__notes__) for each in raised.value.exceptions] == [
        ("'first'", ["in the task of ticket 0"]),
        ("second", ["in the task of ticket 2"]),
    ]
    assert order == [3]


def test_the_order_goes_on_after_an_exit_or_an_interrupt_in_a_task() -> None:
    scheduler, order = scheduler_with(3), list[int]()
    scheduler.run(2, partial(order.append, 2))
    scheduler.run(1, partial(fail, KeyboardInterrupt()))
    with pytest.raises(BaseExceptionGroup) as raised:
        scheduler.run(0, partial(fail, SystemExit(3)))
    assert [type(each) for each in raised.value.exceptions] == [SystemExit, KeyboardInterrupt]
    assert order == [2]


def test_a_task_may_use_its_own_scheduler() -> None:
    scheduler, order = scheduler_with(2, capacity=8), list[object]()

    def task() -> None:
        first, second, third = (scheduler.ticket() for _ in range(3))
        scheduler.run(third, partial(order.append, third))
        scheduler.trash(second)
        scheduler.run(first, partial(order.append, first))
        order.append("outer")  # before all that it has left: its turn is not over

    scheduler.run(1, partial(order.append, 1))
    scheduler.run(0, task)
    assert order == ["outer", 1, 2, 4]
    assert scheduler.pending == 0


def test_a_task_that_would_wait_for_itself_is_told_so() -> None:
    scheduler = scheduler_with(3, capacity=2)
    other = OrderedScheduler()

    def task() -> None:
        for use in (scheduler.trash, partial(scheduler.run, task=int)):
            with pytest.raises(RuntimeError, match=r"ticket 2 has no room before .* returns: .* capacity above 2"):
                use(2)
        # through another scheduler, too
        with pytest.raises(RuntimeError, match="ticket 2 has no room"):
            other.run(other.ticket(), partial(scheduler.trash, 2))

    scheduler.run(0, task)
    scheduler.trash(1)
    scheduler.run(2, int)  # the refusals have left the ticket unused
    assert scheduler.pending == 0


def test_a_ticket_without_room_waits_and_lets_other_threads_work() -> None:
    scheduler, order = scheduler_with(4, capacity=2), list[int]()
    waiting = [threading.Thread(target=scheduler.run, args=(3, partial(order.append, 3)))]
    waiting.append(threading.Thread(target=scheduler.trash, args=(2,)))
    for each in waiting:
        each.start()
    scheduler.run(1, partial(order.append, 1))
    assert order == []
    scheduler.run(0, partial(order.append, 0))
    for each in waiting:
        each.join()
    assert order == [0, 1, 3]
    assert scheduler.pending == 0


def test_an_interrupt_ends_the_wait_for_room_and_leaves_the_ticket_unused() -> None:
    scheduler = scheduler_with(2, capacity=1)
    interrupt = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        interrupt.start()
        scheduler.run(1, int)
    interrupt.join()
    scheduler.run(0, int)
    scheduler.run(1, int)
    assert scheduler.pending == 0


class Task:
    """A callable that weak references can watch."""

    def __call__(self) -> None:
        pass


def test_tasks_are_released_when_done_and_when_an_instance_dies_with_tasks_left() -> None:
    scheduler = scheduler_with(4)
    tasks = [Task() for _ in range(4)]
    watched = [weakref.ref(each) for each in tasks]
    references = sys.getrefcount(tasks[3])
    for ticket in (0, 2, 3):
        scheduler.run(ticket, tasks[ticket])
    more = sys.getrefcount(tasks[3]) - references
    assert more == 1
    tasks.clear()
    assert [each() is None for each in watched] == [True, True, False, False]  # 1 was never handed in
    del scheduler
    assert [each() is None for each in watched] == [True] * 4


def test_a_refused_task_is_not_kept() -> None:
    scheduler, task = scheduler_with(1), Task()
    watched = weakref.ref(task)
    with pytest.raises(ValueError, match="never issued"):
        scheduler.run(5, task)
    del task
    assert watched() is None


def test_a_left_task_that_refers_to_its_scheduler_is_garbage_with_it() -> None:
    scheduler, task = scheduler_with(2), Task()
    task.scheduler = scheduler  # type: ignore[attr-defined]
    watched = weakref.ref(task)
    scheduler.run(1, task)
    del scheduler, task
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize("error", [ValueError("unheard"), SystemExit("unheard")])
def test_an_error_of_a_python_task_that_native_code_ran_goes_to_the_unraisable_hook_only(
    probes: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: BaseException
) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(
        sys, "unraisablehook", lambda each: heard.append((str(each.exc_value), each.exc_value.__notes__))
    )
    scheduler, order = scheduler_with(3), list[int]()
    scheduler.run(1, partial(fail, error))
    scheduler.run(2, partial(order.append, 2))
    assert probes.NativeTask(scheduler).run(0)
    assert heard == [("unheard", ["in the task of ticket 1"])]
    assert capfd.readouterr().err == ""
    assert order == [2]
