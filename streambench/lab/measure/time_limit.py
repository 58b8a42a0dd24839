"""How long a bench may measure. What is measured by then becomes its result."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from streambench.errors import StreambenchError
from streambench.lab.host.interrupts import SIGNALS
from streambench.lab.record.journal import Record

T = TypeVar("T")


class TimeLimit:
    """``seconds`` from now on; None: no limit. Parts of a bench that are still to come share what is left evenly.

    Something is always measured: the limit counts from the first run on.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds
        self._end = math.inf if seconds is None else time.monotonic() + seconds
        self._part_end = self._end
        self._has_runs = False
        self._left_out = False  # something, for lack of time

    def begin_part(self, parts_left: int) -> None:
        """Begin a part: the first of ``parts_left``."""
        now = time.monotonic()
        self._part_end = now + (self._end - now) / parts_left

    @property
    def is_up(self) -> bool:
        """Whether the part has used up its time."""
        return time.monotonic() >= self._part_end

    @property
    def part_is_over(self) -> bool:
        """The same, but never before the first run. Ask only where something is still to be measured."""
        over = self._has_runs and self.is_up
        self._left_out |= over
        return over

    def ran(self) -> None:
        """A run is measured."""
        self._has_runs = True

    def while_there_is_time(self, items: Iterable[T]) -> Iterator[T]:
        """The items, each of which is a run, until the part is over."""
        for item in items:
            if self.part_is_over:
                return
            yield item
            self.ran()

    def stop(self) -> None:
        """The time is over, whether there are runs or not."""
        self._end = self._part_end = -math.inf
        self._has_runs = True

    @contextmanager
    def stopped_by_signal(self) -> Iterator[None]:
        """Under a limit, the first Ctrl-C or SIGTERM ends the measuring as the limit does; a second breaks it off."""
        if self.seconds is None:
            yield
            return
        handlers = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}

        def on_signal(number: int, frame: FrameType | None) -> None:
            self.stop()
            for each, handler in handlers.items():
                signal.signal(each, handler)

        for number in handlers:
            signal.signal(number, on_signal)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def record(self, runs: Sequence[Record]) -> Record:
        """The journal's record of how the measuring ended; where it ended early, a warning says so.

        Raises StreambenchError where it was stopped before the first of the ``runs``.
        """
        if not self._left_out:
            return {"step": "measured"}
        if not runs:
            raise StreambenchError("stopped before anything was measured.")
        return {
            "step": "measured",
            "warnings": [f"the time limit of {self.seconds:g} s ended the measuring early: runs are missing"],
        }


NO_LIMIT = TimeLimit()
