"""How many ticks made a second while an execution lasted.

Measured over the whole of it: the ten milliseconds of ``ticks_per_second`` are wrong by up to a ten-thousandth, which
after some seconds is more than a latency from an intended arrival.
"""

from __future__ import annotations

import time

from streambench.pyx.machine.clock import read

ATTEMPTS = 5  # against an interruption between two looks
LEAST_NS = 1_000_000  # in less the two clocks cannot be told apart well enough


def ticks_since(begun_ns: int, begun_ticks: int) -> float:
    """Ticks per second since a moment that was read from both clocks."""
    while True:
        _, now_ns, now_ticks = min(_look() for _ in range(ATTEMPTS))
        if now_ns - begun_ns >= LEAST_NS:
            return (now_ticks - begun_ticks) * 1e9 / (now_ns - begun_ns)


def _look() -> tuple[int, int, int]:
    """The nanoseconds that a look took, the time in their middle, and the ticks."""
    first = time.monotonic_ns()
    ticks = read()
    last = time.monotonic_ns()
    return last - first, (first + last) // 2, ticks
