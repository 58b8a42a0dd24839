"""What a run cost, and what happened beside it, as plain values: what every result says of every run."""

from __future__ import annotations

from typing import Any

from streambench.execution.measurement import Measurement
from streambench.host import disturbance

NAMES = ("cpu_seconds", "cpu_seconds_per_million", "worker_cpu_seconds", "worker_shares", "disturbed", "host")


def resources(measured: Measurement, distances: tuple[float | None, float | None] = (None, None)) -> dict[str, Any]:
    """``distances``: a cache line's round trip between the cores before and after the run, ns, None where not taken.

    ``disturbed`` is None where it cannot be told; ``host`` is what ``disturbance.beside`` says.
    """
    assert measured.before is not None
    assert measured.after is not None
    host = disturbance.beside(measured.before, measured.after, measured.worker_switches, distances)
    return {
        "cpu_seconds": measured.cpu_seconds,
        "cpu_seconds_per_million": measured.cpu_seconds_per_million,
        "worker_cpu_seconds": list(measured.worker_cpu_seconds),
        "worker_shares": list(measured.worker_shares),
        "disturbed": host["disturbed"],
        "host": host,
    }


def unknown() -> dict[str, Any]:
    """Of a run that failed."""
    return dict.fromkeys(NAMES)
