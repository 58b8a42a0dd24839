"""Which updates are under way, for who needs a moment in which none is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Updates:
    """Any number of updates at a time, or one who needs quiet; who waits for quiet keeps new updates from
    starting.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._waiting = 0

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """During an update."""
        with self._changed:
            while self._waiting:
                self._changed.wait()
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """While no update is under way: those that are may finish first, others wait."""
        with self._changed:
            self._waiting += 1
            try:
                while self._running:
                    self._changed.wait()
                yield
            finally:
                self._waiting -= 1
                self._changed.notify_all()

    @contextmanager
    def unquiet(self) -> Iterator[None]:
        """While updates may be under way, and nobody has quiet."""
        with self._changed:
            yield
