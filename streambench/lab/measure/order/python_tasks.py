"""Tasks in Python that threads prepare and that end in order: the ways to do that. Each returns what was prepared."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from queue import SimpleQueue

from streambench.pyx.ordered_scheduler import OrderedScheduler

ALONE, SCHEDULER = "one thread", "the Ordered Scheduler"
Function = Callable[[int], int]


def _alone(function: Function, tasks: int, threads: int) -> Iterable[int]:
    return map(function, range(tasks))


def _scheduler(function: Function, tasks: int, threads: int) -> Iterable[int]:
    return OrderedScheduler.map(function, range(tasks), workers=threads)


def _futures(function: Function, tasks: int, threads: int) -> Iterable[int]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, range(tasks)))


def _lock(function: Function, tasks: int, threads: int) -> Iterable[int]:
    """Who has the lock takes what is ready; what is early waits in a heap."""
    tickets, guard = count(), threading.Lock()
    early: list[tuple[int, int]] = []
    ended: list[int] = []

    def work() -> None:
        while (ticket := next(tickets)) < tasks:
            result = function(ticket)
            with guard:
                heapq.heappush(early, (ticket, result))
                while early and early[0][0] == len(ended):
                    ended.append(heapq.heappop(early)[1])

    _run(work, threads)
    return ended


def _condition(function: Function, tasks: int, threads: int) -> Iterable[int]:
    """Each thread waits for its turn."""
    tickets, moved = count(), threading.Condition()
    ended: list[int] = []

    def work() -> None:
        while (ticket := next(tickets)) < tasks:
            result = function(ticket)
            with moved:
                while len(ended) != ticket:
                    moved.wait()
                ended.append(result)
                moved.notify_all()

    _run(work, threads)
    return ended


def _consumer(function: Function, tasks: int, threads: int) -> Iterable[int]:
    """The caller's thread takes results from a queue; what is early waits in a dictionary."""
    tickets = count()
    queue: SimpleQueue[tuple[int, int]] = SimpleQueue()
    early: dict[int, int] = {}
    ended: list[int] = []

    def work() -> None:
        while (ticket := next(tickets)) < tasks:
            queue.put((ticket, function(ticket)))

    def consume() -> None:
        while len(ended) < tasks:
            ticket, result = queue.get()
            early[ticket] = result
            while len(ended) in early:
                ended.append(early.pop(len(ended)))

    _run(work, threads, consume)
    return ended


def _run(work: Callable[[], None], threads: int, beside: Callable[[], None] = lambda: None) -> None:
    with ThreadPoolExecutor(threads) as pool:
        working = [pool.submit(work) for _ in range(threads)]
        beside()
        for each in working:
            each.result()


WAYS: dict[str, Callable[[Function, int, int], Iterable[int]]] = {
    ALONE: _alone,
    SCHEDULER: _scheduler,
    "a lock": _lock,
    "a condition variable": _condition,
    "a thread that consumes": _consumer,
    "concurrent.futures": _futures,
}
