"""A promise in place of a batch: a stream that is silent for now need not hold others up."""

from __future__ import annotations

from dataclasses import dataclass

from streambench.pyx.tuples.errors import UnfitDataError


@dataclass(frozen=True)
class Heartbeat:
    """What the stream has not given yet is no earlier than ``ts``, in the unit of its time.

    Raises UnfitDataError where that is no time.
    """

    ts: int

    def __post_init__(self) -> None:
        if not isinstance(self.ts, int) or isinstance(self.ts, bool) or not -(2**63) <= self.ts < 2**63 - 1:
            raise UnfitDataError(f"a heartbeat's time is a whole number from -2**63 to 2**63 - 2, not {self.ts!r}")
