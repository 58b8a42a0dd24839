"""A function over an iterable by several threads, its results in order: what `OrderedScheduler.map` returns."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

UNDER_WAY = 16  # items for each worker, by default


class OrderedMap:
    """The results, an iterator. Whoever asks for one works, too, while it is not there; the other threads begin with
    the first result that is asked for, and end with the last one, with an error, or when the iterator is closed."""

    def __init__(
        self, scheduler: Any, function: Callable[[Any], Any], iterable: Iterable[Any], workers: int, most: int
    ) -> None:
        self._function = function
        self._items = iter(iterable)
        self._scheduler = scheduler(most)  # so every ticket that is issued has room
        self._reading = threading.Lock()
        self._room: SimpleQueue[None] = SimpleQueue()  # what it holds is how many items may yet be read
        self._results: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._over = False  # nothing more is to be read
        for _ in range(most):
            self._room.put(None)
        self._threads = [threading.Thread(target=self._help, daemon=True) for _ in range(workers - 1)]

    def results(self) -> Iterator[Any]:
        """What the function returns, in the order of the items."""
        try:
            for thread in self._threads:
                thread.start()
            while True:
                if self._results.empty() and self._work(wait=False):
                    continue
                how, result = self._results.get()
                if how == "end":
                    return
                if how == "error":
                    raise result
                yield result
                self._room.put(None)
        finally:
            self._over = True
            self._room.put(None)
            for thread in self._threads:
                if thread.ident is not None:
                    thread.join()

    def _help(self) -> None:
        while self._work(wait=True):
            pass

    def _work(self, *, wait: bool) -> bool:
        """Read an item, and hand in what the function makes of it. False: nothing is left to read; or there is no room
        for it, unless that was to be waited for."""
        try:
            self._room.get(wait)
        except Empty:
            return False
        with self._reading:  # an item and its ticket belong together
            if self._over:
                self._room.put(None)  # whoever else waits for room is to see it, too
                return False
            ticket = self._scheduler.ticket()
            try:
                item = next(self._items)
            except BaseException as problem:
                self._over = True
                self._room.put(None)
                self._end(ticket, ("end", None) if isinstance(problem, StopIteration) else ("error", problem))
                return False
        try:
            outcome = ("result", self._function(item))
        except BaseException as problem:
            outcome = ("error", problem)
        self._end(ticket, outcome)
        return True

    def _end(self, ticket: int, outcome: tuple[str, Any]) -> None:
        self._scheduler.run(ticket, partial(self._results.put, outcome))


def ordered_map(
    scheduler: Any, function: Callable[[Any], Any], iterable: Iterable[Any], workers: int | None, most: int | None
) -> Iterator[Any]:
    """As `OrderedScheduler.map`, which is the ``scheduler``."""
    if not callable(function):
        raise TypeError(f"a function must be callable, and {type(function).__name__} is not")
    workers = len(os.sched_getaffinity(0)) if workers is None else workers
    most = UNDER_WAY * workers if most is None else most
    for name, number in (("workers", workers), ("most", most)):
        if number < 1:
            raise ValueError(f"`{name}` of an ordered map must be at least 1, not {number}")
    return OrderedMap(scheduler, function, iterable, workers, most).results()
