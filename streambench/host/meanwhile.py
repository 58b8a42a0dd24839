"""The cores and this process's memory around a run: looked at just before it and just after."""

from __future__ import annotations

from types import TracebackType

from streambench.host.disturbance import CoreTime
from streambench.host.ready_memory import begin_peak, peak


class Meanwhile:
    """A context around a run.

    ``before`` and ``after``: what the cores had done by then. ``memory_before`` and, after the run, ``peak_memory``:
    bytes of this process that were resident then, and the most while it lasted.
    """

    before: CoreTime
    after: CoreTime
    memory_before: int
    peak_memory: int

    def __enter__(self) -> Meanwhile:
        self.memory_before = begin_peak()
        self.before = CoreTime.now()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.after = CoreTime.now()
        self.peak_memory = max(self.memory_before, peak())  # the system's two counts differ by some pages
