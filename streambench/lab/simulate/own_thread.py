"""A profile run in a thread of its own, as a real worker has one.

A thread has memory of its own from the system's allocator, in which what it stores one after the other lies one behind
the other. In the calling thread it would lie in the gaps that Python has left, and take twice as long to walk through.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def in_own_thread(work: Callable[[], Result]) -> Result:
    """What ``work`` returns, or raises, from a new thread. That does not keep the process from ending."""
    return in_own_threads([work])[0]


def in_own_threads(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """As ``in_own_thread``, all at the same time, each in a thread of its own."""
    found: dict[int, Result] = {}
    failed: list[BaseException] = []

    def run(number: int, work: Callable[[], Result]) -> None:
        try:
            found[number] = work()
        except BaseException as error:  # for who waits
            failed.append(error)

    threads = [threading.Thread(target=run, args=each, daemon=True) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return [found[number] for number in range(len(works))]
